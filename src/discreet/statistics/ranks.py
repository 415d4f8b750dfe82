"""Quantiles, MIN and MAX: values of one number that are chosen by their rank. Proof: docs/proofs/quantiles.md

All quantiles of one number over the same rows are one recursion and take one share of the price; MIN and MAX take one each. The
two ends of a value interval are chosen at ranks so far below and above that they miss with 99 % confidence at most once in two
hundred times each.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, log
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import CountsWanted, Grid, Wanted
from discreet.exact import shown
from discreet.facts.model import Facts
from discreet.mechanisms.quantile import Quantile
from discreet.mechanisms.quantiles import Quantiles
from discreet.privacy.composition import groups_touched
from discreet.privacy.events import Event, ExponentialSelection
from discreet.privacy.events import Sequence as InSequence
from discreet.questions.algebra import Aggregate, AggregateKind, Expression
from discreet.questions.bounds import bounds_of, is_whole
from discreet.statistics.estimate import Estimate
from discreet.statistics.levels import groups_of_levels
from discreet.statistics.part import Off, Part, Told, Worth, Writer, filled
from discreet.statistics.reach import Floats
from discreet.statistics.summed import MEAN

__all__ = ["ENDS_MISS", "Ranks", "Role", "reaches", "rows_beyond"]

Role = Literal["point", "low", "high"]

ENDS_MISS = Fraction(1, 100)  # how often a bought interval may miss; the plan does not know what confidence will be asked for
_MISS = 0.05  # at which ranks are compared; any would do, they differ by a factor of epsilon


@dataclass(frozen=True, slots=True)
class Ranks(Part):
    """The values with a share of the rows below them, in every cell.

    ``role`` tells the values themselves from the low and high ends of intervals around them. ``rows_beyond`` is how many rows
    MIN and MAX leave beyond the value they look for.
    """

    of: Expression
    filter: Expression | None
    kind: AggregateKind
    role: Role
    shares: tuple[Fraction, ...]
    rows_beyond: int
    grid: Grid
    mechanism: Quantiles
    share: Fraction
    what: str

    @property
    def points(self) -> int:
        """How many values the lattice has."""
        return self.grid.width + 1

    @property
    def are_few(self) -> bool:
        return False  # places on the lattice fit into 64 bits

    @property
    def slots(self) -> int:
        return len(self.shares)

    def shape(self, cells: int) -> tuple[int, int, int]:
        return 1, self.slots, cells

    @property
    def shares_noise(self) -> bool:
        return True  # a recursion: what one choice is off, the next inherit

    # ---- costs

    def event(self, facts: Facts, cells: int) -> Event:
        """Levels in sequence, each no worse than one selection at the epsilon of all groups of a unit.

        They are not Disjoint events: a unit that is replaced inside one group moves that group's choice by both parts at once.
        """
        turns = zip(self.mechanism.order, self.mechanism.mechanisms, strict=True)
        epsilons = {turn.level: each.epsilon for turn, each in turns}
        levels: list[Event] = []
        for level, groups in enumerate(groups_of_levels(self.mechanism.order, cells)):
            touched = 1 if groups == 1 else groups_touched(facts.neighbours, 1)
            levels.append(ExponentialSelection(epsilons[level] * touched))
        return levels[0] if len(levels) == 1 else InSequence(tuple(levels))

    def choices(self, cells: int) -> int:
        return cells * self.slots

    def calls(self, cells: int) -> int:
        return cells * self.slots

    def readings(self, wanted: Wanted) -> Iterable[tuple[Expression | None, ...]]:
        return [(wanted.where, *(key.of for key in wanted.keys), self.filter, self.of)] * 2  # coarsely, then finely

    def reading(self, wanted: Wanted) -> CountsWanted:
        about = (wanted.where, wanted.keys, self.of, self.grid, self.filter)
        return CountsWanted(*about, unit=wanted.unit, joins=wanted.joins, per_unit=wanted.per_unit)

    # ---- from chosen places to values, to intervals of ranks, which are free, and of values, where they were bought. Rule 30

    def estimate(self, told: Told, place: int, slot: int, aggregate: Aggregate, alpha: float) -> Estimate:
        """The public bounds are the ends where no narrower ones were bought."""
        value = self.values(told.released[place][0, slot, :], told.facts)
        lower, upper = self.bounds(told.facts)
        ends = self._ends(told, slot)
        if ends is None or alpha < float(ENDS_MISS):
            return Estimate(value, np.full_like(value, lower), np.full_like(value, upper))
        low, high = np.minimum(*ends), np.maximum(*ends)
        rounding = 0.0 if self.grid.step == 1 and is_whole(self.of, told.facts) else float(self.grid.step) / 2
        low, high = np.minimum(low - rounding, value), np.maximum(high + rounding, value)
        return Estimate(value, np.clip(low, lower, upper), np.clip(high, lower, upper))

    def has_ends(self, told: Told, slot: int, alpha: float) -> bool:
        """Whether an interval of values was bought that holds as often as is wished."""
        return alpha >= float(ENDS_MISS) and self._ends(told, slot) is not None

    def _ends(self, told: Told, slot: int) -> list[Floats] | None:
        """The low and the high end that belong to a value."""
        found = {
            each.role: each.values(told.released[at][0, each.shares.index(self.shares[slot]), :], told.facts)
            for at, each in enumerate(told.parts)
            if isinstance(each, Ranks) and (each.of, each.filter, each.kind) == (self.of, self.filter, self.kind)
            and self.shares[slot] in each.shares and each.rows_beyond == self.rows_beyond
        }  # fmt: skip
        return [found["low"], found["high"]] if "low" in found and "high" in found else None

    def off(self, slot: int, alpha: float) -> Off:
        """How many rows the rank of the value may be off."""
        return self.rank_reach(slot, alpha), "rank"

    def rank_reach(self, slot: int, alpha: float) -> int:
        """The same as a number."""
        return ceil(reaches(self, min(alpha, 1.0 - 1e-12))[slot])

    def values(self, places: NDArray[np.int64], facts: Facts) -> Floats:
        """Points of the lattice as numbers, inside the public bounds."""
        step, low = float(self.grid.step), self.grid.low
        return np.asarray(np.clip((places.astype(np.float64) + low) * step, *self.bounds(facts)))

    def bounds(self, facts: Facts) -> tuple[float, float]:
        """The public bounds of the values."""
        bounds = bounds_of(self.of, facts)
        assert bounds is not None
        return float(bounds[0]), float(bounds[1])

    def is_whole(self, facts: Facts) -> bool:
        """Whether values are whole numbers."""
        return is_whole(self.of, facts)

    def statement(self, kind: AggregateKind) -> str:
        return "rank"

    def assumed(self, rows: int) -> NDArray[Any]:
        return np.array([[[round(self.grid.width * MEAN)]] * self.slots], np.int64)

    def extremes(self, cells: int, turn: int) -> NDArray[Any]:
        last = self.points - 1
        return filled(self.shape(cells), (0, last, last // 2), turn, np.int64)

    # ---- among others

    def names(self, write: Writer, facts: Facts) -> list[list[list[str]]]:
        about = [write.number(self.of), write.filter(self.filter)]
        return [[[f"rank {self.kind} {self.role} {share}", *about]] for share in self.shares]

    def worth(self, slot: int, kinds: Iterable[AggregateKind], planned: Part) -> Worth | None:
        if not isinstance(planned, Ranks) or self.grid != planned.grid:
            return None
        return Fraction(ceil(reaches(self, _MISS)[slot])), Fraction(self.rows_beyond)

    @property
    def around(self) -> tuple[object, int] | None:
        return ((self.of, self.filter, self.kind), self.rows_beyond) if self.kind in ("min", "max") else None

    def in_place_of(self, planned: Part) -> Self:
        assert isinstance(planned, Ranks)
        return replace(self, of=planned.of, filter=planned.filter)  # ends are found by the number they belong to

    # ---- what is said about it

    def described(self, cells: int) -> list[dict[str, Any]]:
        """Each selection: on how many values, at which epsilon, and how far one unit moves a score."""
        turns = zip(self.mechanism.order, self.mechanism.mechanisms, strict=True)
        each = [
            {
                "share": shown(self.shares[turn.target]), "level": turn.level + 1,
                "epsilon": shown(one.epsilon), "sensitivity": shown(one.sensitivity),
            }
            for turn, one in turns
        ]  # fmt: skip
        found = {"what": self.what, "statistic": self.kind, "numbers": cells * self.slots, "noise": "exponential mechanism"}
        beyond = {"rows_beyond": self.rows_beyond} if self.rows_beyond else {}
        among = {"candidates": self.points, "selections": each, "step": shown(self.grid.step)}
        return [found | among | self._round_values() | beyond]

    def _round_values(self) -> dict[str, Any]:
        """By which powers of ten values are round, and what part of all weight each of these orders has."""
        prior = self.mechanism.mechanisms[0].prior
        if prior is None or not prior.orders:
            return {}
        return {"round": [shown(order.every * self.grid.step) for order in prior.orders], "round_weight": f"1/{prior.plain}"}

    def notes(self) -> list[str]:
        if self.role != "point":
            return []
        if self.kind in ("min", "max"):
            side = "below" if self.kind == "min" else "above"
            about = f"is the value with about {self.rows_beyond} rows {side} it"
            return [f"{self.what} {about}: a more extreme value would expose individuals"]
        ends = [word for share, word in ((Fraction(0), "MIN"), (Fraction(1), "MAX")) if share in self.shares]
        empty = "a quantile at the very end falls into the empty space beyond all rows"
        return [f"{empty}; {word}(x) stays among them" for word in ends]


# ---- how far off


def rows_beyond(ranks: Ranks) -> int:
    """MIN and MAX look for a value with so many rows beyond it: as many as keep the empty space there from being chosen."""
    if ranks.kind not in ("min", "max"):
        return 0
    (selection,) = ranks.mechanism.mechanisms
    return ceil(2 * float(selection.sensitivity / selection.epsilon) * log(_odds(selection)))


def reaches(ranks: Ranks, alpha: float) -> list[float]:
    """Per share: how many rows the chosen value is from its rank; more with probability ``alpha`` at most, whatever the data."""
    return [_reach(ranks, target, alpha) for target in range(ranks.slots)]


def _reach(ranks: Ranks, target: int, alpha: float) -> float:
    """The selections on the way to a quantile share the risk; each inherits what the cuts around it are off."""
    turn_of = {turn.target: (turn, each) for turn, each in zip(ranks.mechanism.order, ranks.mechanism.mechanisms, strict=True)}
    risk = Fraction(alpha) / (turn_of[target][0].level + 1)
    known: dict[int | None, float] = {None: 0.0}

    def off(at: int) -> float:
        turn, selection = turn_of[at]
        for side in (turn.low, turn.high):
            if side is not None and side not in known:
                known[side] = off(side) + 1  # a cut goes through the middle of a place, which may have a row
        inherited = float(1 - turn.q) * known[turn.low] + float(turn.q) * known[turn.high]
        return selection.reach_at(_odds(selection), risk) + inherited

    return off(target)


def _odds(selection: Quantile) -> Fraction:
    assert selection.prior is not None
    return selection.prior.odds
