"""SUM(x) by itself, and the mean where the number of rows is public. Proof: docs/proofs/estimators.md"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from discreet.engines.wanted import Measure
from discreet.errors import QuestionError
from discreet.facts.model import Facts
from discreet.questions.algebra import AggregateKind, Expression
from discreet.questions.bounds import may_be_null
from discreet.sensitivities import statistic as sensitive
from discreet.sensitivities.contribution import Sensitivity
from discreet.sensitivities.scope import Scope
from discreet.sensitivities.table import sensitivity_of
from discreet.statistics.clamping import Reach, clamp_of, clamped_sensitivity, clamped_sums, spread_over_groups
from discreet.statistics.estimate import Estimate, linear
from discreet.statistics.moments import Moments
from discreet.statistics.on_grid import OnGrid
from discreet.statistics.ratio import Ratio
from discreet.statistics.summed import MEAN, Exact, Noisy, Number, Summed

__all__ = ["Total"]


@dataclass(frozen=True, slots=True)
class Total(Summed):
    """The sum of a number; that of each unit in a cell is clamped to ``per_unit`` rows' worth, where that is not None."""

    x: OnGrid
    per_unit: int | None = None
    word: ClassVar[str] = "sum"

    def on_grid(self, facts: Facts, *, noise: Fraction | None, what: str) -> Self:
        return replace(self, x=self.x.put(facts, degree=1, noise=noise, what=what))

    @property
    def is_clamped(self) -> bool:
        return self.per_unit is not None

    def clamped(self, most: int | None) -> "Total":
        return replace(self, per_unit=most)

    def with_rows(self, what: str) -> Summed | None:
        if self.x.grid.step <= 1:
            return None
        if self.per_unit is None:
            return Moments(OnGrid(self.x.of), 1)  # Rule 18
        raise QuestionError(
            f"the numbers of {what} are too large to be added up as they are",
            hint="subtract a constant first, ask for fewer groups at once, or pay more",
        )

    def sensitivity(self, scope: Scope, reach: Reach | None) -> Sensitivity:
        if self.per_unit is not None and scope.grouped:
            return clamped_sensitivity(self.x.steps, self.per_unit, scope)
        found = sensitivity_of(sensitive.Sum(self.x.steps), scope)
        return found if self.per_unit is not None else spread_over_groups(found, reach, self.x.steps, scope)

    def measures(self, condition: Expression | None) -> list[Measure]:
        if self.per_unit is not None:
            return clamped_sums(self.x.of, self.x.grid, condition, self.per_unit)
        return [Measure(0, self.x.of, None, condition), Measure(1, self.x.of, self.x.grid, condition)]

    def held(self, cells: int) -> int:
        return 2 * cells

    def exact(self, sums: Exact, rows: int | None) -> Exact:
        if self.per_unit is None:
            return np.stack([self.x.grid.low * sums[0] + sums[1]])
        if self.x.grid.low >= 0:
            return sums
        return np.stack([clamp_of(self.x.grid, self.per_unit)[0] * sums[0] + sums[1]])  # each unit was moved by its least

    def estimate(self, noisy: Noisy, kind: AggregateKind, alpha: float) -> Estimate:
        total = linear(noisy.law, noisy.sums, (1.0,), alpha).scaled(self.x.step)
        rounding = self.x.rounding(noisy.facts)
        if kind == "sum":
            return total.widened(rounding * noisy.rows) if rounding else total  # n is private for steps of 1 alone
        return total.scaled(1 / noisy.rows).widened(rounding).within(*self.x.range(noisy.facts))

    def ratio(self, noisy: Noisy, kind: AggregateKind, alpha: float) -> Ratio:
        rounding = self.x.rounding(noisy.facts)
        if kind == "sum":
            return Ratio((self.x.step,), None, rounding * noisy.rows if rounding else 0.0)
        return Ratio((self.x.step / noisy.rows,), None, rounding)

    def assumed(self, rows: int) -> list[float]:
        return [rows * (self.x.grid.low + self.x.grid.width * MEAN)]

    @property
    def form(self) -> tuple[object, ...]:
        return (self.per_unit,)

    @property
    def moments(self) -> int | None:
        return 1 if self.per_unit is None else None

    @property
    def on(self) -> tuple[OnGrid, ...]:
        return (self.x,)

    def names(self, number: Number, facts: Facts) -> list[str]:
        if self.per_unit is not None:
            return [f"{self.word} {self.per_unit} {number(self.x.of)} {number(None)}"]
        always = [] if may_be_null(self.x.of, facts) else [None]  # then it is about all rows
        return [f"moments {number(of)}" for of in (self.x.of, *always)]
