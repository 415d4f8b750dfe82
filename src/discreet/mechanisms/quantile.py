"""One quantile: the exponential mechanism over the places of a public lattice.

Ranks stay whole numbers: a score is minus a distance between ranks, times the denominator of q. The law is exact although most
of the lattice is known coarsely only: a stretch is chosen by the best that any of its places could score, a place in it by its
public weight, and the place is kept with probability exp of what it falls short; else more is read and all is drawn again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, log

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.exact import Number, exact, exact_positive, shown
from discreet.mechanisms.accuracy import read_confidence
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.observing import observed
from discreet.mechanisms.prior import Prior
from discreet.mechanisms.tally import Node, Stretches, Tally
from discreet.noise.bernoulli import bernoulli_exp_minus, uniform_below
from discreet.noise.keystream import fresh
from discreet.noise.probabilities import Between
from discreet.privacy.events import ExponentialSelection
from discreet.privacy.losses import Pure

__all__ = ["Quantile", "Ranking"]

Integers = NDArray[np.int64]

_SURE = 40  # what is exp(-40) less likely is not looked at beforehand, only when it is drawn
_FLAT = Fraction(1, 16)  # a stretch in which scores differ by less than this, in the exponent, need not be known better
_MOST = 1 << 16  # stretches made finer at a time
_ROUNDS = 12


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Quantile:
    """Chooses place y with probability proportional to weight(y) exp(-epsilon distance(y) / (2 sensitivity)), exactly.

    Weights are those of ``prior``; without one all are the same. distance(y) is that of the rank t = q n + offset from [rows
    before y, rows before or at y], where n counts the rows; the first place also counts as right for t < 0, the last for t > n.
    ``sensitivity`` is how far one unit moves any distance.

    Proof: docs/proofs/quantiles.md
    """

    epsilon: Fraction
    sensitivity: Fraction
    q: Fraction
    offset: Fraction
    prior: Prior | None

    def __init__(
        self, *, epsilon: Number, sensitivity: Number, q: Number, offset: Number = 0, prior: Prior | None = None
    ) -> None:
        share, moved = exact(q, "q"), exact(offset, "offset")
        if not 0 <= share <= 1:
            raise ParameterError(f"q is {shown(share)}, not between 0 and 1", hint="write q='0.5' for the median")
        object.__setattr__(self, "epsilon", exact_positive(epsilon, "epsilon"))
        object.__setattr__(self, "sensitivity", exact_positive(sensitivity, "sensitivity"))
        object.__setattr__(self, "q", share)
        object.__setattr__(self, "offset", moved)
        object.__setattr__(self, "prior", prior)

    @property
    def cost(self) -> ExponentialSelection:
        """What a selection is, as an event."""
        return ExponentialSelection(self.epsilon)

    @property
    def loss(self) -> Pure:
        """What a selection costs."""
        return Pure(epsilon=self.epsilon)

    def select(self, tally: Tally, node: Node | None = None) -> int:
        """A place of the lattice, or of the part of it that ``node`` is; the tally may be read more finely on the way."""
        ranking = Ranking(self, tally, tally.whole if node is None else node)
        return observed(self, ranking, lambda: self.choose(ranking))

    def choose(self, ranking: "Ranking") -> int:
        """The place that is drawn, whoever observes."""
        while True:
            known, behind = ranking.looked_at_closely()
            edges = ranking.prior.before(np.append(known.start, known.start[-1:] + known.width[-1:]))  # stretches are neighbours
            scores = [-each for each in behind.tolist()] if behind.dtype == object else -behind
            at = self._selection.select(scores, np.diff(edges))
            weight = int(edges[at]) + uniform_below(int(edges[at + 1] - edges[at]), fresh())
            place = ranking.prior.place_at(weight, int(known.start[at]), int(known.start[at] + known.width[at]) - 1)
            if not known.is_open[at]:
                return place
            short = ranking.behind(place) - int(behind[at])
            if bernoulli_exp_minus(self.factor * short, fresh()):
                return place

    def pmf(self, counts: Sequence[int], *, exact: bool = False) -> list[float] | list[Between]:
        """The probability of each place of a small lattice that has so many rows at each place."""
        tally = Tally(len(counts), np.flatnonzero(counts), np.array(counts, np.int64)[np.flatnonzero(counts)])
        ranking = Ranking(self, tally, tally.whole)
        weights = np.diff(ranking.prior.before(np.arange(len(counts) + 1)))
        return self._selection.pmf([-ranking.behind(place) for place in range(len(counts))], weights, exact=exact)

    def reach(self, odds: Number, confidence: Number = "0.95") -> float:
        """How far the rank t is from the chosen place, at most and with at least this confidence, whatever the data.

        ``odds`` is the weight of all places over the least that one has: how many places there are, if all weigh the same.
        """
        return self.reach_at(exact(odds, "odds"), 1 - read_confidence(confidence))

    def reach_at(self, odds: Fraction, risk: Fraction) -> float:
        """The same where it may be further with probability ``risk``, however small that is."""
        return float(2 * self.sensitivity / self.epsilon) * log(max(1.0, float((odds - 1) / risk))) * (1 + 1e-12)

    def __repr__(self) -> str:
        parts = [f"epsilon={shown(self.epsilon)}", f"sensitivity={shown(self.sensitivity)}", f"q={shown(self.q)}"]
        return f"Quantile({', '.join([*parts, *([f'offset={shown(self.offset)}'] if self.offset else [])])})"

    @property
    def unit(self) -> int:
        """Into how many parts a rank is divided, so that all distances are whole."""
        return lcm(self.q.denominator, self.offset.denominator)

    @property
    def factor(self) -> Fraction:
        """By how much a place is less likely, in the exponent, for each unit of its distance."""
        return self.epsilon / (2 * self.sensitivity * self.unit)

    def rank_of(self, rows: int) -> int:
        """The rank t = q n + offset among so many rows, in units."""
        return rows * self.q.numerator * (self.unit // self.q.denominator) + self.offset.numerator * (
            self.unit // self.offset.denominator
        )

    def near(self, prior: Prior) -> int:
        """Distances, in units, beyond which a place is hardly ever chosen."""
        return int((log(prior.odds) + _SURE) * float(1 / self.factor)) + 1

    @property
    def flat(self) -> float:
        """So many rows inside a stretch make hardly a difference to its places."""
        return float(_FLAT / (self.factor * self.unit))

    @property
    def _selection(self) -> Exponential:
        return Exponential(epsilon=self.epsilon, sensitivity=self.sensitivity * self.unit)


class Ranking:
    """The places of a node with their distances from the rank that is looked for."""

    def __init__(self, mechanism: Quantile, tally: Tally, node: Node) -> None:
        self.node = node
        self._tally = tally
        self._mechanism = mechanism
        self.prior = mechanism.prior or Prior(tally.points, tally.bits)
        assert (self.prior.points, self.prior.bits) == (tally.points, tally.bits)
        self._unit = mechanism.unit
        self._rank = mechanism.rank_of(node.rows)  # t, in units

    @property
    def all_rows(self) -> Node:
        """The node that has all rows of the tally."""
        return self._tally.whole

    def behind(self, place: int) -> int:
        """The distance of one place, in units."""
        if self._is_right_end(place):
            return 0
        before, upto = self._tally.at(place)
        low, high = self._inside(np.array([before, upto]))
        return max(int(low) * self._unit - self._rank, self._rank - int(high) * self._unit, 0)

    def looked_at_closely(self) -> tuple[Stretches, Integers]:
        """All places in stretches, with the least distance in each; exact, but for what is hardly ever chosen."""
        near = self._near()
        for _ in range(_ROUNDS):
            known = self._clipped(self._tally.stretches(self.node))
            behind = self._distances(known)
            rough = known.is_open & (behind <= near) & ((known.high - known.low) > self._flat())
            if not rough.any():
                break
            at = np.flatnonzero(rough)
            at = at[np.argsort(behind[at], kind="stable")[:_MOST]]
            self._tally.refine(self._origins(known.start[at]))
        return known, behind

    def profile(self) -> tuple[Integers, Integers]:
        """All that a choice depends on: where every stretch of places at one distance begins, and that distance, in units."""
        while (known := self._clipped(self._tally.stretches(self.node))).is_open.any():
            self._tally.refine(self._origins(known.start[known.is_open]))
        return known.start, self._distances(known)

    def windows(self) -> tuple[float, float]:
        """The ranks, of the whole tally, between which the answer is almost surely."""
        middle, far = self._rank / self._unit + self.node.below, self._near() / self._unit
        return middle - far, middle + far

    def _near(self) -> int:
        return self._mechanism.near(self.prior)

    def _flat(self) -> float:
        return self._mechanism.flat

    def _is_right_end(self, place: int) -> bool:
        if place == self.node.first and self._rank < 0:
            return True
        return place == self.node.last and self._rank > self.node.rows * self._unit

    def _inside(self, counts: Integers) -> Integers:
        """Rows before some places, among those of the node."""
        return np.asarray(np.clip(counts, self.node.below, self.node.upto) - self.node.below)

    def _clipped(self, known: Stretches) -> Stretches:
        """The stretches inside the node, counts among its rows. An end that is right by definition stands by itself."""
        start = np.maximum(known.start, self.node.first)
        end = np.minimum(known.start + known.width, self.node.last + 1)
        low, high = self._inside(known.low), self._inside(known.high)
        is_open = known.is_open & (high > low)
        if self._rank < 0:
            start, end, low, high, is_open = _with_first(start, end, low, high, is_open)
        if self._rank > self.node.rows * self._unit:
            start, end, low, high, is_open = _with_last(start, end, low, high, is_open)
        return Stretches(start, end - start, low, high, is_open)

    def _origins(self, starts: Integers) -> Integers:
        """Where the stretches of the tally begin that these belong to."""
        whole = self._tally.stretches(self.node)
        return np.unique(whole.start[np.searchsorted(whole.start, starts, "right") - 1])

    def _distances(self, known: Stretches) -> Integers:
        most = (self.node.rows + 1) * self._unit + abs(self._rank)
        low, high = (known.low, known.high) if most < 1 << 61 else (known.low.astype(object), known.high.astype(object))
        found = np.maximum(np.maximum(low * self._unit - self._rank, self._rank - high * self._unit), 0)
        if self._rank < 0:
            found[0] = 0
        if self._rank > self.node.rows * self._unit:
            found[-1] = 0
        return np.asarray(found)


_Parts = tuple[Integers, Integers, Integers, Integers, NDArray[np.bool_]]


def _with_first(start: Integers, end: Integers, low: Integers, high: Integers, is_open: NDArray[np.bool_]) -> _Parts:
    """The first place by itself; its counts do not matter, but it is known."""
    only, rest = (start[:1], start[:1] + 1, low[:1], low[:1]), (np.append(start[:1] + 1, start[1:]), end, low, high)
    kept = rest[0] < end
    one, two, three, four = (np.concatenate([head, tail[kept]]) for head, tail in zip(only, rest, strict=True))
    return one, two, three, four, np.append([False], is_open[kept])


def _with_last(start: Integers, end: Integers, low: Integers, high: Integers, is_open: NDArray[np.bool_]) -> _Parts:
    only, rest = (end[-1:] - 1, end[-1:], high[-1:], high[-1:]), (start, np.append(end[:-1], end[-1:] - 1), low, high)
    kept = rest[1] > start
    one, two, three, four = (np.concatenate([tail[kept], head]) for head, tail in zip(only, rest, strict=True))
    return one, two, three, four, np.append(is_open[kept], [False])
