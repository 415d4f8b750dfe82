"""n * sum(x^2) - (sum x)^2, and the same of two numbers: variance and covariance of a table whose size is public.

Proof: docs/proofs/estimators.md and docs/proofs/relations.md
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from discreet.engines.wanted import Measure
from discreet.facts.model import Facts
from discreet.questions.algebra import AggregateKind, Expression
from discreet.sensitivities import statistic as sensitive
from discreet.sensitivities.contribution import Sensitivity
from discreet.sensitivities.scope import Scope
from discreet.sensitivities.table import sensitivity_of
from discreet.statistics.clamping import Reach
from discreet.statistics.estimate import Estimate, linear
from discreet.statistics.forms import finished_covariance, finished_variance, known_factor
from discreet.statistics.on_grid import OnGrid, both_put
from discreet.statistics.summed import MEAN, SQUARE, Exact, Noisy, Number, Summed

__all__ = ["CovarianceNumerator", "VarianceNumerator"]


def _of_whole_table(count: Exact, rows: int | None, numerator: Exact) -> Exact:
    """0 unless all rows are there: else the sensitivity would not hold. Rule 3"""
    return np.stack([np.where(count == rows, numerator, 0)])


@dataclass(frozen=True, slots=True)
class VarianceNumerator(Summed):
    """n * sum of u^2 - (sum of u)^2."""

    x: OnGrid
    word: ClassVar[str] = "variance_numerator"

    def on_grid(self, facts: Facts, *, noise: Fraction | None, what: str) -> Self:
        return replace(self, x=self.x.put(facts, degree=2, noise=noise, what=what))

    def sensitivity(self, scope: Scope, reach: Reach | None) -> Sensitivity:
        return sensitivity_of(sensitive.VarianceNumerator(self.x.steps), scope)

    def measures(self, condition: Expression | None) -> list[Measure]:
        return [Measure(power, self.x.of, self.x.grid if power else None, condition) for power in range(3)]

    def held(self, cells: int) -> int:
        return 3 * cells

    def exact(self, sums: Exact, rows: int | None) -> Exact:
        count, first, second = sums
        return _of_whole_table(count, rows, count * second - first * first)

    def estimate(self, noisy: Noisy, kind: AggregateKind, alpha: float) -> Estimate:
        pop = linear(noisy.law, noisy.sums, (1.0,), alpha).scaled(self.x.step**2 / noisy.rows**2)
        return finished_variance(self.x, noisy.facts, pop, kind, known_factor(noisy.rows))

    def assumed(self, rows: int) -> list[float]:
        return [rows**2 * float(self.x.grid.width) ** 2 * (SQUARE - MEAN**2)]

    @property
    def on(self) -> tuple[OnGrid, ...]:
        return (self.x,)

    def names(self, number: Number, facts: Facts) -> list[str]:
        return [f"{self.word}  {number(self.x.of)} {number(None)}"]


@dataclass(frozen=True, slots=True)
class CovarianceNumerator(Summed):
    """n * sum of u v - sum of u * sum of v."""

    x: OnGrid
    y: OnGrid
    word: ClassVar[str] = "covariance_numerator"

    def on_grid(self, facts: Facts, *, noise: Fraction | None, what: str) -> Self:
        x, y = both_put(self.x, self.y, facts, degree=1, noise=noise, what=what)
        return replace(self, x=x, y=y)

    def sensitivity(self, scope: Scope, reach: Reach | None) -> Sensitivity:
        return sensitivity_of(sensitive.CovarianceNumerator(self.x.steps, self.y.steps), scope)

    def measures(self, condition: Expression | None) -> list[Measure]:
        powers = [(i, j) for i in range(2) for j in range(2)]
        return [Measure(i, self.x.of, self.x.grid, condition, j, self.y.of, self.y.grid) for i, j in powers]

    def held(self, cells: int) -> int:
        return 4 * cells

    def exact(self, sums: Exact, rows: int | None) -> Exact:
        count, v, u, together = sums
        return _of_whole_table(count, rows, count * together - u * v)

    def estimate(self, noisy: Noisy, kind: AggregateKind, alpha: float) -> Estimate:
        pop = linear(noisy.law, noisy.sums, (1.0,), alpha).scaled(self.x.step * self.y.step / noisy.rows**2)
        factor = known_factor(noisy.rows) if kind == "covariance_samp" else None
        return finished_covariance(self.x, self.y, noisy.facts, pop, factor)

    def assumed(self, rows: int) -> list[float]:
        return [0.0]  # as if the two numbers had nothing to do with each other

    @property
    def on(self) -> tuple[OnGrid, ...]:
        return self.x, self.y

    def names(self, number: Number, facts: Facts) -> list[str]:
        return [f"{self.word}  {number(self.x.of)} {number(self.y.of)}"]
