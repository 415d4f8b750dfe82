"""Several quantiles of the same rows: the middle one first, then those below and above it among the rows on its own side.

Every row is on one side only, so that all selections of one level together touch it once (Kaplan, Schnapp and Stemmer,
Differentially Private Approximate Quantiles, ICML 2022). Ties do not break this: see ``tally``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.mechanisms.at_once import select_all
from discreet.mechanisms.prior import Prior
from discreet.mechanisms.quantile import Quantile, Ranking
from discreet.mechanisms.tallies import Nodes, Tallies
from discreet.mechanisms.tally import Node, Tally

__all__ = ["BITS", "Quantiles", "Turn", "turns"]

BITS = 24  # into 2^24 places a point is cut where rows are split: no two rows share a place unless more than that share a point
_FINEST = 1 << 30  # the largest denominator of a share among the rows of a node


@dataclass(frozen=True, slots=True)
class Turn:
    """One selection: of which quantile, on which level, between which earlier ones (None: an end of the lattice).

    Among the rows between these, the rank that is looked for is q n + offset.
    """

    target: int
    level: int
    low: int | None
    high: int | None
    q: Fraction
    offset: Fraction


def turns(shares: Sequence[Fraction], offset: Fraction = Fraction(0)) -> tuple[Turn, ...]:
    """In which order rising ``shares`` are looked for, each at the rank share * n + offset of all rows or further that way.

    A rank beyond the rows makes a cut at their end, at less than the whole offset. So the cut that would else take part of the
    offset away is taken to have none: the ends of intervals are then never too near.
    """
    if list(shares) != sorted(set(shares)) or not shares:
        raise ParameterError("the shares of several quantiles are not rising", hint="write each once, in order: [0.1, 0.5, 0.9]")
    found: list[Turn] = []
    waiting: list[tuple[int, int, int]] = [(0, len(shares), 0)]  # from, to, level
    while waiting:
        start, stop, level = waiting.pop(0)
        middle = (start + stop) // 2
        low, high = (start - 1 if start else None), (stop if stop < len(shares) else None)
        q_low, o_low = (shares[low], max(offset, Fraction(0))) if low is not None else (Fraction(0), Fraction(0))
        q_high, o_high = (shares[high], min(offset, Fraction(0))) if high is not None else (Fraction(1), Fraction(0))
        q = _fine((shares[middle] - q_low) / (q_high - q_low)) if q_high > q_low else Fraction(1, 2)
        found.append(Turn(middle, level, low, high, q, offset - o_low - q * (o_high - o_low)))
        waiting += [(a, b, level + 1) for a, b in ((start, middle), (middle + 1, stop)) if a < b]
    return tuple(found)


def _fine(q: Fraction) -> Fraction:
    return q if q.denominator <= _FINEST else q.limit_denominator(_FINEST)


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Chooses a point for every quantile of ``order``: one mechanism for each turn. Proof: docs/proofs/quantiles.md."""

    order: tuple[Turn, ...]
    mechanisms: tuple[Quantile, ...]

    @property
    def bits(self) -> int:
        """Into how many places (as a power of two) the tally must cut a point."""
        return BITS if len(self.order) > 1 else 0

    def select(self, tally: Tally) -> list[int]:
        """A point of the lattice for every quantile; never one below that of a lower quantile."""
        places: dict[int | None, int] = {}
        cuts: dict[int, int] = {}
        whole = tally.whole
        for turn, mechanism in zip(self.order, self.mechanisms, strict=True):
            node = Node(
                whole.first if turn.low is None else places[turn.low],
                whole.last if turn.high is None else places[turn.high],
                whole.below if turn.low is None else cuts[turn.low],
                whole.upto if turn.high is None else cuts[turn.high],
            )
            place = mechanism.select(tally, node)
            places[turn.target] = place
            cuts[turn.target] = cut_at(tally, place, node)
        return [places[target] >> tally.bits for target in range(len(self.order))]

    def select_all(self, tallies: Tallies) -> NDArray[np.int64]:
        """The same for all cells at once: shares x cells. Turn by turn, since a turn needs what was chosen before."""
        places: dict[int | None, NDArray[np.int64]] = {}
        cuts: dict[int, NDArray[np.int64]] = {}
        whole, needed = tallies.whole, {side for turn in self.order for side in (turn.low, turn.high)}
        for turn, mechanism in zip(self.order, self.mechanisms, strict=True):
            nodes = Nodes(
                whole.first if turn.low is None else places[turn.low],
                whole.last if turn.high is None else places[turn.high],
                whole.below if turn.low is None else cuts[turn.low],
                whole.upto if turn.high is None else cuts[turn.high],
            )
            place = places[turn.target] = select_all(mechanism, tallies, nodes)
            if turn.target in needed:
                before, upto = tallies.at(place)
                cuts[turn.target] = np.clip(before + (upto - before + 1) // 2, nodes.below, nodes.upto)
        return np.stack([places[target] for target in range(len(self.order))]) >> tallies.bits

    def windows(self, tally: Tally) -> list[tuple[float, float]]:
        """Ranks around every quantile, between which the answers are most likely: what to read beforehand."""
        whole = tally.whole
        found = []
        for turn, mechanism, q, offset in zip(self.order, self.mechanisms, *self._of_all(), strict=True):
            alone = Quantile(
                epsilon=mechanism.epsilon, sensitivity=mechanism.sensitivity, q=q, offset=offset, prior=mechanism.prior
            )
            low, high = Ranking(alone, tally, whole).windows()
            more = (high - low) / 4 * turn.level
            found.append((low - more, high + more))
        return found

    def windows_of_all(self, tallies: Tallies) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """The same of every cell."""
        rows = tallies.whole.rows.astype(np.float64)
        found = []
        for turn, mechanism, q, offset in zip(self.order, self.mechanisms, *self._of_all(), strict=True):
            prior = mechanism.prior or Prior(tallies.points, tallies.bits)
            far = mechanism.near(prior) / mechanism.unit * (1 + turn.level / 2)
            middle = rows * float(q) + float(offset)
            found.append((middle - far, middle + far))
        return found

    def _of_all(self) -> tuple[list[Fraction], list[Fraction]]:
        """For every turn, the share and the offset among all rows."""
        known: dict[int | None, tuple[Fraction, Fraction]] = {}
        for turn in self.order:
            q_low, o_low = known[turn.low] if turn.low is not None else (Fraction(0), Fraction(0))
            q_high, o_high = known[turn.high] if turn.high is not None else (Fraction(1), Fraction(0))
            known[turn.target] = q_low + turn.q * (q_high - q_low), o_low + turn.q * (o_high - o_low) + turn.offset
        return [known[turn.target][0] for turn in self.order], [known[turn.target][1] for turn in self.order]


def cut_at(tally: Tally, place: int, node: Node) -> int:
    """How many rows go to the left of a cut through ``place``: half of those at it, by their next binary digit."""
    before, upto = tally.at(place)
    return min(max(before + (upto - before + 1) // 2, node.below), node.upto)
