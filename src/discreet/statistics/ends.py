"""Values that are chosen by their rank, each with an interval around it. Proof: docs/proofs/value-intervals.md

Three steps, each about what the one before has told: the value; a radius with some rows in it; and the rows between ends that are
tried at multiples of that radius, with noise. An end is told if it, and all ends further out, lie so many rows from the rank that
noise does not account for it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import Wanted
from discreet.exact import shown
from discreet.facts.model import Facts
from discreet.mechanisms.quantile import Quantile
from discreet.noise.law import Law
from discreet.privacy.composition import groups_touched
from discreet.privacy.events import Event, ExponentialSelection
from discreet.privacy.events import Sequence as InSequence
from discreet.questions.algebra import Aggregate, AggregateKind, Expression
from discreet.questions.bounds import is_whole
from discreet.statistics.estimate import Estimate
from discreet.statistics.noise_sums import one_sided
from discreet.statistics.part import Part, Told, Worth, Writer, filled
from discreet.statistics.ranks import Ranks
from discreet.statistics.reach import Floats
from discreet.statistics.vector import Mechanism, noise_of
from discreet.statistics.windows import BINS, TIMES, Windows

__all__ = ["RanksWithEnds", "thresholds", "window_rows"]

_TRIED = len(TIMES)
_SPARE = 2.8  # times the scale of the value's error in rank: so far out, beyond what noise accounts for, an end is sure to hold
_COUNTS = (0, 1 << 61, -(1 << 61), 1, -1, 1000, -1000)


@dataclass(frozen=True, slots=True)
class RanksWithEnds(Ranks):
    """The values with a share of the rows below them and an interval around each, in every cell.

    Its integers are, slot by slot: the value's place, the radius in steps, and rows with noise in the bins between the ends that
    are tried. ``radii`` choose the radius of each value, ``counting`` counts.
    """

    radii: tuple[Quantile, ...]
    counting: Mechanism
    weight: ClassVar[Fraction] = Fraction(3)

    @property
    def windows(self) -> Windows:
        """Where ends are tried."""
        return Windows(self.points)

    def shape(self, cells: int) -> tuple[int, int, int]:
        return 2 + BINS, self.slots, cells

    # ---- costs

    def event(self, facts: Facts, cells: int) -> Event:
        """The value, the radius and the counts, one after the other; each value has a radius and counts of its own."""
        touched = 1 if cells == 1 else groups_touched(facts.neighbours, 1)
        radii = [ExponentialSelection(each.epsilon * touched) for each in self.radii]
        return InSequence((Ranks.event(self, facts, cells), *radii, *[self.counting.cost] * self.slots))

    def numbers(self, cells: int) -> int:
        return cells * self.slots * BINS

    def choices(self, cells: int) -> int:
        return 2 * cells * self.slots

    def calls(self, cells: int) -> int:
        return self.slots * (2 * cells + 1)

    def readings(self, wanted: Wanted) -> Iterable[tuple[Expression | None, ...]]:
        return [*Ranks.readings(self, wanted)] * 2

    # ---- from noisy counts to ends

    def estimate(self, told: Told, place: int, slot: int, aggregate: Aggregate, alpha: float) -> Estimate:
        released = told.released[place][:, slot, :]
        value, bounds = self.values(released[0], told.facts), self.bounds(told.facts)
        ends = self._ends_of(released, slot, min(alpha, 1.0 - 1e-12))
        rounding = 0.0 if self.grid.step == 1 and is_whole(self.of, told.facts) else float(self.grid.step) / 2
        low, high = (self.values(each, told.facts) for each in ends)
        low = np.where(ends[0] == 0, bounds[0], np.minimum(low - rounding, value))
        high = np.where(ends[1] == self.points - 1, bounds[1], np.maximum(high + rounding, value))
        return Estimate(value, np.clip(low, *bounds), np.clip(high, *bounds))

    def has_ends(self, told: Told, slot: int, alpha: float) -> bool:
        return True

    def _ends_of(self, released: NDArray[np.int64], slot: int, alpha: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The innermost ends up to which all hold, tried from the outside in; those of the lattice hold always."""
        lows, highs = self.windows.tried(released[1], released[0])
        low, high = self._offsets(released, slot)
        q = float(self.shares[slot])
        passed = [_passed(-low, thresholds(self.counting.law, q, alpha / 2)),
                  _passed(high, thresholds(self.counting.law, 1 - q, alpha / 2))]  # fmt: skip
        outermost = np.zeros((1, released.shape[1]), np.int64)
        told = [np.concatenate([outermost, lows]), np.concatenate([outermost + self.points - 1, highs])]
        first, second = (np.take_along_axis(each, at[None], axis=0)[0] for each, at in zip(told, passed, strict=True))
        return first, second

    def _offsets(self, released: NDArray[np.int64], slot: int) -> tuple[Floats, Floats]:
        """Per end that is tried: rows before a low one, and up to a high one, beyond the rank that is looked for, with noise."""
        before = np.cumsum(released[2:].astype(np.float64), axis=0)
        rank = float(self.shares[slot]) * before[-1] + float(self._offset)
        return before[:_TRIED] - rank, before[BINS - 2 : _TRIED - 1 : -1] - rank

    @property
    def _offset(self) -> int:
        """How many rows beyond its share a value is looked for: those that MIN and MAX leave beyond it."""
        return {"min": self.rows_beyond, "max": -self.rows_beyond}.get(self.kind, 0)

    def assumed(self, rows: int) -> NDArray[Any]:
        value = Ranks.assumed(self, rows)
        return np.concatenate([value, np.zeros_like(value), np.full((BINS, *value.shape[1:]), rows // BINS)])

    def extremes(self, cells: int, turn: int) -> NDArray[Any]:
        last, one = self.points - 1, (1, self.slots, cells)
        radii, counts = filled(one, (last, 0, 1), turn, np.int64), filled(self.shape(cells), _COUNTS, turn, np.int64)
        return np.concatenate([filled(one, (0, last, last // 2), turn, np.int64), radii, counts[2:]])

    # ---- among others

    def names(self, write: Writer, facts: Facts) -> list[list[list[str]]]:
        about = [write.number(self.of), write.filter(self.filter)]
        return [[[f"rank {self.kind} with ends {share}", *about], *values]
                for share, values in zip(self.shares, Ranks.names(self, write, facts), strict=True)]  # fmt: skip

    def worth(self, slot: int, kinds: Iterable[AggregateKind], planned: Part) -> Worth | None:
        value = Ranks.worth(self, slot, kinds, planned)
        if value is None or not isinstance(planned, RanksWithEnds):
            return value
        if bool(self.counting.law.quadratic) != bool(planned.counting.law.quadratic):
            return None
        return *value, 1 / self.radii[slot].epsilon, noise_of(self.counting.law)

    # ---- what is said about it

    def described(self, cells: int) -> list[dict[str, Any]]:
        """The values as they are without an interval, then the radius of each, then the counts around it."""
        found = Ranks.described(self, cells)
        for share, radius in zip(self.shares, self.radii, strict=True):
            one = {"share": shown(share), "epsilon": shown(radius.epsilon), "sensitivity": shown(radius.sensitivity)}
            found.append({
                "what": f"radius around {self.what}", "statistic": "radius", "numbers": cells, "noise": "exponential mechanism",
                "candidates": self.points, "selections": [one], "step": shown(self.grid.step),
                "rows": shown(radius.offset),
            })  # fmt: skip
            found.append(self._counts_described(cells))
        return found

    def _counts_described(self, cells: int) -> dict[str, Any]:
        about = {"what": f"rows around {self.what}", "statistic": "rows_around", "numbers": cells * BINS, "step": "1"}
        law, tried = self.counting.law, {"radii": [shown(each) for each in TIMES]}
        if law.quadratic:
            return about | {"noise": "discrete Gaussian", "variance": shown(noise_of(law))} | tried
        return about | {"noise": "discrete Laplace", "scale": shown(1 / law.linear)} | tried


def thresholds(law: Law, q: float, risk: float) -> Floats:
    """Per low end, from the outside in: how many rows from the rank noise puts a wrong one with probability ``risk`` at most.

    A row before the end counts 1 - q, any other one -q. For high ends it is the mirror image, with 1 - q.
    """
    return np.array([one_sided(law, ((1 - q, each + 1), (q, BINS - 1 - each)), risk) for each in range(_TRIED)])


def window_rows(law: Law, q: Fraction, value: Quantile) -> int:
    """How many rows the radius is to have in it: so many to each side that its ends hold for most values."""
    far = max(thresholds(law, float(q), 0.025).max(), thresholds(law, float(1 - q), 0.025).max())
    return 2 * ceil(float(far) + _SPARE * float(2 * value.sensitivity / value.epsilon))


def _passed(beyond: Floats, least: Floats) -> NDArray[np.int64]:
    """How many ends hold, up to the first that does not."""
    return np.asarray(np.logical_and.accumulate(beyond >= least[:, None], axis=0).sum(axis=0))
