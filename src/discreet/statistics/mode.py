"""MODE(x): the declared value that most rows have, chosen by how many have each. Proof: docs/proofs/mode.md"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import CountsWanted, Grid, Wanted
from discreet.exact import shown
from discreet.facts.model import Boolean, Category, Facts
from discreet.mechanisms import Exponential, PermuteAndFlip
from discreet.mechanisms.accuracy import CLOSEST
from discreet.privacy.composition import groups_touched
from discreet.privacy.events import Event, ExponentialSelection, PureRelease
from discreet.privacy.losses import Concentrated, Loss
from discreet.questions.algebra import Aggregate, AggregateKind, Apply, Case, Column, Expression, Literal
from discreet.questions.text import to_text
from discreet.sensitivities.scope import Scope
from discreet.sensitivities.statistic import Count
from discreet.sensitivities.table import sensitivity_of
from discreet.statistics.estimate import Estimate
from discreet.statistics.part import Draft, Off, Part, Told, Worth, Writer, filled
from discreet.statistics.rank_drafts import epsilon_of

__all__ = ["Mode", "ModeDraft", "declared_values"]

_MISS = 0.05  # at which two of them are compared; any would do


@dataclass(frozen=True, slots=True)
class Mode(Part):
    """One of the declared values, in every cell."""

    of: Expression
    filter: Expression | None
    values: tuple[object, ...]
    mechanism: PermuteAndFlip | Exponential
    share: Fraction
    what: str

    @property
    def slots(self) -> int:
        return 1

    def shape(self, cells: int) -> tuple[int, int, int]:
        return 1, 1, cells

    @property
    def are_few(self) -> bool:
        return False

    def event(self, facts: Facts, cells: int) -> Event:
        """Choices on disjoint groups: no worse than one at the epsilon of all groups that a unit can be in."""
        epsilon = self.mechanism.epsilon * _touched(facts, cells)
        return PureRelease(epsilon) if isinstance(self.mechanism, PermuteAndFlip) else ExponentialSelection(epsilon)

    def choices(self, cells: int) -> int:
        return cells

    def calls(self, cells: int) -> int:
        return cells

    def readings(self, wanted: Wanted) -> Iterable[tuple[Expression | None, ...]]:
        return [(wanted.where, *(key.of for key in wanted.keys), self.filter, self.place)]

    @property
    def place(self) -> Expression:
        """Which of the values a row has, counted from 0; NULL if none."""
        whens = tuple((_is(self.of, value), Literal(Fraction(at))) for at, value in enumerate(self.values))
        return Case(whens, Literal(None))

    def reading(self, wanted: Wanted) -> CountsWanted:
        grid = Grid(Fraction(1), 0, max(1, len(self.values) - 1))
        about = (wanted.where, wanted.keys, self.place, grid, self.filter)
        return CountsWanted(*about, unit=wanted.unit, joins=wanted.joins, per_unit=wanted.per_unit)

    def off(self, slot: int, alpha: float) -> Off:
        """How many rows fewer than the most frequent value has the chosen one may have."""
        values, least, risk = len(self.values), float(CLOSEST), max(alpha, 1e-300)
        far = self.mechanism.score_gap(values, min(max(1 - Fraction(risk), CLOSEST), 1 - CLOSEST))
        return ceil(far * max(1.0, log(values / risk) / log(values / least))), "count"  # it grows as the logarithm of the risk

    def estimate(self, told: Told, place: int, slot: int, aggregate: Aggregate, alpha: float) -> Estimate:
        raise AssertionError("a mode is no number")

    def statement(self, kind: AggregateKind) -> str:
        return "mode"

    def assumed(self, rows: int) -> NDArray[Any]:
        return np.zeros(self.shape(1), np.int64)

    def extremes(self, cells: int, turn: int) -> NDArray[Any]:
        return filled(self.shape(cells), (0, len(self.values) - 1), turn, np.int64)

    def names(self, write: Writer, facts: Facts) -> list[list[list[str]]]:
        return [[["mode", write.number(self.of), write.filter(self.filter)]]]

    def worth(self, slot: int, kinds: Iterable[AggregateKind], planned: Part) -> Worth | None:
        if not isinstance(planned, Mode) or self.values != planned.values:
            return None
        return (Fraction(self.off(slot, _MISS)[0]),)

    def described(self, cells: int) -> list[dict[str, Any]]:
        noise = "permute-and-flip" if isinstance(self.mechanism, PermuteAndFlip) else "exponential mechanism"
        one = {"epsilon": shown(self.mechanism.epsilon), "sensitivity": shown(self.mechanism.sensitivity)}
        return [{
            "what": self.what, "statistic": "mode", "numbers": cells, "noise": noise,
            "candidates": len(self.values), "selections": [one], "step": "1",
        }]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ModeDraft(Draft):
    """The same before it has a price."""

    of: Expression
    filter: Expression | None
    values: tuple[object, ...]
    aggregates: tuple[tuple[Aggregate, ...], ...]
    scope: Scope

    @property
    def what(self) -> str:  # type: ignore[override]
        return to_text(self.aggregates[0][0])

    def planned(self, facts: Facts, price: Loss, share: Fraction, cells: int) -> Mode:
        """Permute-and-flip at a price in epsilon; the exponential mechanism at one in rho, where it costs a fourth."""
        kind = Exponential if isinstance(price, Concentrated) else PermuteAndFlip
        epsilon = epsilon_of(price, share, self.what) / _touched(facts, cells)
        moves = sensitivity_of(Count(), self.scope).l1  # of the count of one value: no more than a unit has rows
        return Mode(self.of, self.filter, self.values, kind(epsilon=epsilon, sensitivity=moves), share, self.what)


def declared_values(of: Expression, facts: Facts) -> tuple[object, ...]:
    """The values among which one is chosen; none if the facts declare none."""
    match of:
        case Apply("coalesce", (Column() as column, Literal())):  # its null rule, written out
            return declared_values(column, facts)
    match facts.column(of.name) if isinstance(of, Column) else None:
        case Category(values=values):
            return values
        case Boolean():
            return (False, True)
        case _:
            return ()


def _touched(facts: Facts, cells: int) -> int:
    return 1 if cells == 1 else groups_touched(facts.neighbours, 1)


def _is(of: Expression, value: object) -> Expression:
    if isinstance(value, bool):
        return of if value else Apply("not", (of,))
    return Apply("equal", (of, Literal(value if isinstance(value, str) else Fraction(str(value)))))
