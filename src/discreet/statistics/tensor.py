"""Sums of products of Bernstein terms of two numbers: covariance; of degree two, correlation and a line.

Proof: docs/proofs/relations.md
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from discreet.engines.wanted import Measure
from discreet.facts.model import Facts
from discreet.questions.algebra import AggregateKind, Expression
from discreet.questions.normal import normal_expression
from discreet.sensitivities import statistic as sensitive
from discreet.sensitivities.contribution import Sensitivity
from discreet.sensitivities.scope import Scope
from discreet.sensitivities.table import sensitivity_of
from discreet.statistics.clamping import Reach, spread_over_groups
from discreet.statistics.estimate import Estimate, linear
from discreet.statistics.forms import finished_covariance, sample_factor
from discreet.statistics.lines import LINES, line_of
from discreet.statistics.moments import assumed_terms
from discreet.statistics.on_grid import OnGrid, both_put
from discreet.statistics.relations import correlation, covariance
from discreet.statistics.summed import COUNTS, Exact, Noisy, Number, Summed

__all__ = ["SQUARES", "Tensor"]

SQUARES: tuple[AggregateKind, ...] = ("correlation", *LINES)  # take sums of degree two


@dataclass(frozen=True, slots=True)
class Tensor(Summed):
    """All products of a term of u with one of v: together (W of x * W of y)^d for every row."""

    x: OnGrid
    y: OnGrid
    degree: int
    word: ClassVar[str] = "tensor"
    tells_rows: ClassVar[bool] = True

    def on_grid(self, facts: Facts, *, noise: Fraction | None, what: str) -> Self:
        x, y = both_put(self.x, self.y, facts, degree=self.degree, noise=noise, what=what)
        return replace(self, x=x, y=y)

    def sensitivity(self, scope: Scope, reach: Reach | None) -> Sensitivity:
        found = sensitivity_of(sensitive.Tensor(self.x.steps, self.y.steps, self.degree), scope)
        return spread_over_groups(found, reach, self.x.steps, scope)

    def measures(self, condition: Expression | None) -> list[Measure]:
        powers = [(i, j) for i in range(self.degree + 1) for j in range(self.degree + 1)]
        return [Measure(i, self.x.of, self.x.grid, condition, j, self.y.of, self.y.grid) for i, j in powers]

    def shape(self, cells: int) -> tuple[int, int]:
        return (self.degree + 1) ** 2, cells

    def exact(self, sums: Exact, rows: int | None) -> Exact:
        """``sums`` are those of u^i * v^j, j moving fastest."""
        size = self.degree + 1
        by_u = np.tensordot(_terms(self.degree, self.x.grid.width), sums.reshape(size, size, -1), axes=(1, 0))
        both = np.tensordot(_terms(self.degree, self.y.grid.width), by_u, axes=(1, 1))  # terms of v x of u x cells
        return np.asarray(both.transpose(1, 0, 2).reshape(size * size, -1))

    # ---- after the release

    def estimate(self, noisy: Noisy, kind: AggregateKind, alpha: float) -> Estimate:
        if kind in COUNTS:
            return self._rows(noisy, alpha)
        if kind == "correlation":
            return self._correlation(noisy, alpha)
        if kind in LINES:
            return self._line(noisy, kind, alpha)
        part = alpha / 50 if kind == "covariance_samp" else 0.0  # for the number of rows, which matters little
        found = covariance(noisy.sums, self.degree, noisy.law, alpha - part)
        pop = Estimate(found.value, found.low, found.high).scaled(self.x.span * self.y.span)
        factor = sample_factor(self._rows(noisy, part)) if part else None
        return finished_covariance(self.x, self.y, noisy.facts, pop, factor)

    def _rows(self, noisy: Noisy, alpha: float) -> Estimate:
        each = 1 / (float(self.x.grid.width) * self.y.grid.width) ** self.degree
        return linear(noisy.law, noisy.sums, (each,) * len(noisy.sums), alpha)

    def _correlation(self, noisy: Noisy, alpha: float) -> Estimate:
        found = correlation(noisy.sums, noisy.law, alpha)
        assert found.least_variances is not None
        roundings = [each.rounding(noisy.facts) for each in (self.x, self.y)]
        spans = (self.x.span, self.y.span)
        with np.errstate(all="ignore"):  # what rounding moves, in standard deviations
            a, b = (r / (span * np.sqrt(v)) for r, span, v in zip(roundings, spans, found.least_variances, strict=True))
            moved = np.where((a < 1) & (b < 1), (1 + a) * (1 + b) / ((1 - a) * (1 - b)) - 1, 2.0)
        moved = moved if any(roundings) else np.zeros_like(found.value)
        return Estimate(found.value, found.low, found.high).widened(moved).within(-1.0, 1.0)

    def _line(self, noisy: Noisy, kind: AggregateKind, alpha: float) -> Estimate:
        """SQL names what depends first: REGR_SLOPE(y, x)."""
        is_turned = noisy.first is not None and normal_expression(noisy.first) != normal_expression(self.x.of)
        if kind == "regr_r2":
            found = self._correlation(noisy, alpha)
            ends = np.abs(found.low), np.abs(found.high)
            nearest = np.where((found.low <= 0) & (found.high >= 0), 0.0, np.minimum(*ends))
            is_known = (found.low > -1) | (found.high < 1)
            return Estimate(np.where(is_known, found.value**2, np.nan), nearest**2, np.maximum(*ends) ** 2)
        if is_turned:
            return line_of(self.x, self.y, noisy.sums, noisy, kind, alpha)
        turned = noisy.sums.reshape(3, 3, -1).transpose(1, 0, 2).reshape(9, -1)
        return line_of(self.y, self.x, turned, noisy, kind, alpha)

    def statement(self, kind: AggregateKind) -> str:
        return "count" if kind in COUNTS else "covariance" if kind in ("covariance_pop", "covariance_samp") else kind

    def assumed(self, rows: int) -> list[float]:
        """As if the two numbers had nothing to do with each other."""
        alone, both = assumed_terms(self.degree), (float(self.x.grid.width) * self.y.grid.width) ** self.degree
        return [rows * both * one * other for one in alone for other in alone]

    # ---- among others

    @property
    def form(self) -> tuple[object, ...]:
        return (self.degree,)

    @property
    def on(self) -> tuple[OnGrid, ...]:
        return self.x, self.y

    def variance(self, noise: Fraction, kind: AggregateKind) -> Fraction:
        return noise / Fraction(self.x.grid.width * self.y.grid.width) ** (2 * self.degree)

    def names(self, number: Number, facts: Facts) -> list[str]:
        pairs = dict.fromkeys([(number(self.x.of), number(self.y.of)), (number(self.y.of), number(self.x.of))])
        return [f"{self.word}  {one} {other}" for one, other in pairs]  # it is found both ways round


def _terms(degree: int, width: int) -> Exact:
    """Row j has the coefficients of C(d, j) u^j (W - u)^(d - j) in powers of u."""
    once = [[width, -1], [0, 1]]
    square = [[width * width, -2 * width, 1], [0, 2 * width, -2], [0, 0, 1]]
    return np.array(once if degree == 1 else square, dtype=object)
