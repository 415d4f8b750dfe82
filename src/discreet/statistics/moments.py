"""Sums of Bernstein terms of one number: the pair (b - x, x - a) gives COUNT, SUM and AVG, three sums the variance as well.

Proof: docs/proofs/estimators.md
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from discreet.engines.wanted import Measure
from discreet.facts.model import Facts
from discreet.questions.aggregates import BOUNDED
from discreet.questions.algebra import AggregateKind, Expression
from discreet.questions.bounds import may_be_null
from discreet.sensitivities import statistic as sensitive
from discreet.sensitivities.contribution import Sensitivity
from discreet.sensitivities.scope import Scope
from discreet.sensitivities.table import sensitivity_of
from discreet.statistics.clamping import Reach, spread_over_groups
from discreet.statistics.estimate import Estimate, linear
from discreet.statistics.forms import finished_variance, sample_factor
from discreet.statistics.on_grid import OnGrid
from discreet.statistics.ratio import Ratio
from discreet.statistics.reach import Floats, ratio_interval
from discreet.statistics.summed import COUNTS, MEAN, SQUARE, Exact, Noisy, Number, Summed
from discreet.statistics.variances import LARGEST, MEANS, variance_of

__all__ = ["Moments", "VARIANCES", "assumed_terms"]

VARIANCES: tuple[AggregateKind, ...] = ("variance_pop", "variance_samp", "stddev_pop", "stddev_samp")

_ROWS = 1 / 50  # of the risk of a variance: for the number of rows, which matters little
_MEANS_OF_THREE = (0.0, 0.5, 1.0)  # what each of three terms says of u
_POINTS = [(0.0, 0.0), (0.5, 0.0), (1.0, 1.0)]  # and of u * u
_MEAN_OF_THREE = Fraction(5, 4)  # the most by which the variance of a mean is larger from three sums than from two: where all
# values lie at one end, 1^2 + (1/2)^2 against 1^2; docs/proofs/reuse.md


def assumed_terms(degree: int) -> list[float]:
    """The share of each term where values lie low in their range."""
    return [1 - MEAN, MEAN] if degree == 1 else [1 - 2 * MEAN + SQUARE, 2 * (MEAN - SQUARE), SQUARE]


@dataclass(frozen=True, slots=True)
class Moments(Summed):
    """The sums of C(d, j) u^j (W - u)^(d - j), for u = X - low: together W^d for every row."""

    x: OnGrid
    degree: int
    word: ClassVar[str] = "bernstein"
    tells_rows: ClassVar[bool] = True

    def on_grid(self, facts: Facts, *, noise: Fraction | None, what: str) -> Self:
        return replace(self, x=self.x.put(facts, degree=self.degree, noise=noise, what=what))

    def sensitivity(self, scope: Scope, reach: Reach | None) -> Sensitivity:
        found = sensitivity_of(sensitive.Bernstein(self.x.steps, self.degree), scope)
        return spread_over_groups(found, reach, self.x.steps, scope)

    def measures(self, condition: Expression | None) -> list[Measure]:
        powers = range(self.degree + 1)
        return [Measure(power, self.x.of, self.x.grid if power else None, condition) for power in powers]

    def shape(self, cells: int) -> tuple[int, int]:
        return self.degree + 1, cells

    def exact(self, sums: Exact, rows: int | None) -> Exact:
        width, count, first = self.x.grid.width, sums[0], sums[1]
        if self.degree == 1:
            return np.stack([width * count - first, first])
        return np.stack([width * width * count - 2 * width * first + sums[2], 2 * (width * first - sums[2]), sums[2]])

    # ---- after the release

    def estimate(self, noisy: Noisy, kind: AggregateKind, alpha: float) -> Estimate:
        if kind in COUNTS:
            return self._rows(noisy, alpha)
        if kind == "sum":
            return self._total(noisy, alpha)
        if kind == "mean" or kind in BOUNDED:
            return self._mean(noisy, alpha)
        return self._variance(noisy, kind, alpha)

    def _rows(self, noisy: Noisy, alpha: float) -> Estimate:
        return linear(noisy.law, noisy.sums, (float(self.x.grid.width) ** -self.degree,) * (self.degree + 1), alpha)

    def _total(self, noisy: Noisy, alpha: float) -> Estimate:
        """A row's value on the grid is low + width * (j / degree), averaged over its terms."""
        width, rounding = float(self.x.grid.width), self.x.rounding(noisy.facts)
        each = width**-self.degree
        weights = tuple(each * (self.x.grid.low + width * j / self.degree) for j in range(self.degree + 1))
        total = linear(noisy.law, noisy.sums, weights, alpha * 0.99 if rounding else alpha).scaled(self.x.step)
        if not rounding:
            return total
        return total.widened(np.maximum(self._rows(noisy, alpha / 100).high, 0.0) * rounding)  # a small part, for a small part

    def _mean(self, noisy: Noisy, alpha: float) -> Estimate:
        share = tuple(j / self.degree for j in range(self.degree + 1))
        low, high = ratio_interval(noisy.sums, share, noisy.law, alpha)
        middle = np.clip(_ratio(noisy.sums, share, float(self.x.grid.width) ** self.degree), low, high)
        found = Estimate(middle, low, high).scaled(self.x.span, self.x.grid.low * self.x.step)
        return found.widened(self.x.rounding(noisy.facts)).within(*self.x.range(noisy.facts))

    def ratio(self, noisy: Noisy, kind: AggregateKind, alpha: float) -> Ratio | None:
        width, rounding = float(self.x.grid.width), self.x.rounding(noisy.facts)
        if kind in VARIANCES:
            return None
        if kind in COUNTS:
            return Ratio((width**-self.degree,) * (self.degree + 1))
        values = tuple((self.x.grid.low + width * j / self.degree) * self.x.step for j in range(self.degree + 1))
        if kind == "sum":
            blur = np.maximum(self._rows(noisy, alpha).high, 0.0) * rounding if rounding else 0.0
            return Ratio(tuple(value * width**-self.degree for value in values), None, blur)
        return Ratio(values, (1.0,) * len(values), rounding, *self.x.range(noisy.facts))

    def _variance(self, noisy: Noisy, kind: AggregateKind, alpha: float) -> Estimate:
        """Beside the variance itself, the mean and the number of rows take a small part of the risk each."""
        mean = ratio_interval(noisy.sums, _MEANS_OF_THREE, noisy.law, alpha * MEANS)
        value, (low, high) = variance_of(noisy.sums, _POINTS, noisy.law, mean, alpha * (1 - MEANS - _ROWS))
        pop = Estimate(value, low, high).within(0.0, LARGEST).scaled(self.x.span**2)
        return finished_variance(self.x, noisy.facts, pop, kind, sample_factor(self._rows(noisy, alpha * _ROWS)))

    def statement(self, kind: AggregateKind) -> str:
        if kind in COUNTS:
            return "count"
        return "variance" if kind in VARIANCES else "mean" if kind in BOUNDED else kind

    def assumed(self, rows: int) -> list[float]:
        return [rows * float(self.x.grid.width) ** self.degree * term for term in assumed_terms(self.degree)]

    # ---- among others

    @property
    def form(self) -> tuple[object, ...]:
        return (self.degree,)

    @property
    def moments(self) -> int:
        return self.degree

    def tells(self, planned: Summed) -> bool:
        return planned.moments is not None and self.degree >= planned.moments

    @property
    def on(self) -> tuple[OnGrid, ...]:
        return (self.x,)

    def variance(self, noise: Fraction, kind: AggregateKind) -> Fraction:
        grid, degree = self.x.grid, self.degree
        each = noise / Fraction(grid.width) ** (2 * degree)  # of a coordinate, in rows
        if kind in COUNTS:
            return each * (degree + 1)
        if kind == "sum":
            weights = [(grid.low + Fraction(grid.width * j, degree)) * grid.step for j in range(degree + 1)]
            return each * sum((weight**2 for weight in weights), start=Fraction(0))
        if kind == "mean" or kind in BOUNDED:
            return each * (_MEAN_OF_THREE if degree == 2 else 1)
        return each

    def names(self, number: Number, facts: Facts) -> list[str]:
        always = [] if may_be_null(self.x.of, facts) else [None]  # then it holds the count of all rows too
        return [f"moments {number(of)}" for of in (self.x.of, *always)]


def _ratio(sums: Floats, numerator: tuple[float, ...], one_row: float) -> Floats:
    """The released ratio, as if there were at least one row."""
    return np.asarray(np.clip(np.tensordot(np.array(numerator), sums, axes=1) / np.maximum(sums.sum(axis=0), one_row), 0.0, 1.0))
