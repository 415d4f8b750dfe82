"""SUM(x) PER UNIT BETWEEN a AND b: totals of units, each brought between two numbers. Proof: docs/proofs/unit-totals.md"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from typing import ClassVar, Self

import numpy as np

from discreet.engines.wanted import LOW_BITS, Measure
from discreet.errors import QuestionError
from discreet.facts.model import Facts
from discreet.questions.algebra import AggregateKind, Expression
from discreet.sensitivities import statistic as sensitive
from discreet.sensitivities.contribution import Sensitivity
from discreet.sensitivities.scope import Scope
from discreet.sensitivities.table import sensitivity_of
from discreet.statistics.clamping import Reach
from discreet.statistics.estimate import Estimate, linear
from discreet.statistics.on_grid import ONE_STEP, OnGrid
from discreet.statistics.ratio import Ratio
from discreet.statistics.summed import MEAN, Exact, Noisy, Number, Summed

__all__ = ["UnitTotal"]

_FINE = 1 << 16  # steps between the two ends, at least: rounding each row to the grid then moves no total far


@dataclass(frozen=True, slots=True)
class UnitTotal(Summed):
    """The sum, over units, of their totals of a number, each between two ``ends`` in its own units; 0 for one without a value."""

    x: OnGrid
    ends: tuple[Fraction, Fraction]
    word: ClassVar[str] = "sum of units"
    is_steady: ClassVar[bool] = True
    is_bounded: ClassVar[bool] = True

    def on_grid(self, facts: Facts, *, noise: Fraction | None, what: str) -> Self:
        lower, upper = self.x.bounds(facts)
        across = None if noise is None else noise / (upper - lower or 1)  # by the width of the numbers, as grids have it
        put = replace(self, x=self.x.put(facts, degree=1, noise=across, what=what))
        put._check(what, is_rounded=put.x.rounding(facts) > 0)
        return put

    def _check(self, what: str, *, is_rounded: bool) -> None:
        low, high = self.in_steps
        if is_rounded and high - low < _FINE:
            raise QuestionError(
                f"the numbers of {what} are too large for bounds as narrow as these",
                hint="clamp each of them first: SUM(CLAMP(x, 0, 100))",
            )
        if max(high, 0) - min(low, 0) > 1 << LOW_BITS:
            raise QuestionError(
                f"one unit could add {max(high, 0) - min(low, 0):,} to {what}, which is too much to be added up exactly",
                hint="write bounds that are nearer 0",
            )

    @property
    def in_steps(self) -> tuple[int, int]:
        """The two ends on the grid."""
        low, high = (floor(end / self.x.grid.step + Fraction(1, 2)) for end in self.ends)
        return low, high

    @property
    def is_clamped(self) -> bool:
        return True

    def clamped(self, most: int | None) -> Self:
        return self

    def sensitivity(self, scope: Scope, reach: Reach | None) -> Sensitivity:
        """A unit adds one number, in each group that it is in; how many rows it has there does not matter."""
        low, high = self.ends if self.x.grid == ONE_STEP else self.in_steps
        x = sensitive.Bounds(min(low, 0), max(high, 0))
        if scope.grouped:
            return sensitivity_of(sensitive.UnitTotals(x), replace(scope, rows_per_unit=None))
        return sensitivity_of(sensitive.Sum(x), replace(scope, rows=None, rows_per_unit=1))

    def measures(self, condition: Expression | None) -> list[Measure]:
        totals = Measure(1, self.x.of, self.x.grid, condition, within=self.in_steps)
        return [Measure(0, within=(0, 1)), totals] if self.in_steps[0] < 0 else [totals]

    def held(self, cells: int) -> int:
        return 2 * cells

    def exact(self, sums: Exact, rows: int | None) -> Exact:
        """Each unit that is there was moved by the lower end, if that is below 0."""
        low, _ = self.in_steps
        return np.stack([low * sums[0] + sums[1]]) if low < 0 else sums

    def estimate(self, noisy: Noisy, kind: AggregateKind, alpha: float) -> Estimate:
        return linear(noisy.law, noisy.sums, (1.0,), alpha).scaled(self.x.step)

    def ratio(self, noisy: Noisy, kind: AggregateKind, alpha: float) -> Ratio:
        return Ratio((self.x.step,))

    def assumed(self, rows: int) -> list[float]:
        low, high = self.in_steps
        return [rows * (low + (high - low) * MEAN)]

    @property
    def form(self) -> tuple[object, ...]:
        return self.ends

    @property
    def on(self) -> tuple[OnGrid, ...]:
        return (self.x,)

    def names(self, number: Number, facts: Facts) -> list[str]:
        return [f"{self.word} {self.ends[0]} {self.ends[1]} {number(self.x.of)}"]
