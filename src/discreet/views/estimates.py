"""From released integers to the value and the interval of each aggregate. All of it is post-processing and costs nothing."""

from dataclasses import dataclass
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import Grid
from discreet.mechanisms.keys import NoisyThreshold
from discreet.planning.plan import Derived, Keys, Known, Plan, Ranks, Released, Vector
from discreet.planning.relations import correlation, covariance
from discreet.planning.spread import Floats, ratio_interval, reach
from discreet.planning.trees import consistent, leaf_variances, prefix_variances, tail_reach
from discreet.planning.unknown import counts_told
from discreet.questions.algebra import Aggregate, AggregateKind, Expression
from discreet.questions.bounds import bounds_of, is_whole
from discreet.questions.functions import BOUNDED
from discreet.views.rank_values import ranked_value

__all__ = ["Estimate", "estimate"]

_RATIOS = 257  # at which the mean is tried out for the interval of a variance


@dataclass(frozen=True, slots=True)
class Estimate:
    """Per cell: a value, and the ends of its interval."""

    value: Floats
    low: Floats
    high: Floats

    def scaled(self, by: float, shift: float = 0.0) -> "Estimate":
        """by * value + shift, for by > 0."""
        return Estimate(self.value * by + shift, self.low * by + shift, self.high * by + shift)

    def widened(self, by: Floats | float) -> "Estimate":
        """With an interval that is wider on both sides."""
        return Estimate(self.value, self.low - by, self.high + by)

    def within(self, low: float, high: float) -> "Estimate":
        """With everything brought into the range that is possible."""
        return Estimate(*(np.clip(part, low, high) for part in (self.value, self.low, self.high)))


def estimate(plan: Plan, aggregate: Aggregate, released: Released, alpha: float) -> Estimate:
    """The aggregate in every cell, with intervals that miss the exact value with probability at most ``alpha`` each."""
    match plan.source(aggregate):
        case Known(value):
            fixed = np.full(plan.wanted.cells, float(value))
            return Estimate(fixed, fixed, fixed)
        case Derived(place, condition):
            vector = plan.vectors[place]
            if isinstance(vector, Keys):
                return _told_counts(vector, counts_told(released[place]), alpha)
            if isinstance(vector, Ranks):
                return Estimate(*ranked_value(plan, vector, condition, released, alpha))
            assert isinstance(vector, Vector), "bounds answer no aggregate"
            return _from_vector(plan, vector, released[place][:, condition, :], aggregate.kind, alpha)
        case source:
            assert_never(source)


def _from_vector(plan: Plan, vector: Vector, noisy: NDArray[Any], kind: AggregateKind, alpha: float) -> Estimate:
    sums = noisy.astype(np.float64)
    match vector.estimator:
        case "count" | "units" | "distinct":
            return _linear(vector, sums, (1.0,), alpha)
        case "sum":
            return _known_sum(plan, vector, sums, kind, alpha)
        case "variance_numerator":
            return _known_variance(plan, vector, sums, kind, alpha)
        case "bernstein":
            return _from_bernstein(plan, vector, sums, kind, alpha)
        case "tensor":
            return _from_tensor(plan, vector, sums, kind, alpha)
        case "covariance_numerator":
            return _known_covariance(plan, vector, sums, kind, alpha)
        case "tree":
            return _from_tree(plan, vector, sums, kind, alpha)


def _linear(vector: Vector, sums: Floats, weights: tuple[float, ...], alpha: float) -> Estimate:
    """A weighted sum of a vector's coordinates."""
    value = np.tensordot(np.array(weights), sums, axes=1)
    far = reach(vector.mechanism.law, weights, alpha)
    return Estimate(value, value - far, value + far)


def _told_counts(keys: Keys, counts: Floats, alpha: float) -> Estimate:
    """The counts that were told with their keys."""
    assert isinstance(keys.mechanism, NoisyThreshold)
    far = reach(keys.mechanism.law, (1.0,), alpha)
    return Estimate(counts, counts - far, counts + far)


def _step(vector: Vector) -> float:
    assert vector.grid is not None
    return float(vector.grid.step)


def _rounding(plan: Plan, vector: Vector) -> float:
    """How far a value can be from its place on the grid."""
    assert vector.grid is not None
    assert vector.of is not None
    return 0.0 if vector.grid.step == 1 and is_whole(vector.of, plan.facts) else _step(vector) / 2


def _range(plan: Plan, vector: Vector) -> tuple[float, float]:
    """The public bounds of the aggregated number."""
    assert vector.of is not None
    bounds = bounds_of(vector.of, plan.facts)
    assert bounds is not None
    return float(bounds[0]), float(bounds[1])


def _known_sum(plan: Plan, vector: Vector, sums: Floats, kind: AggregateKind, alpha: float) -> Estimate:
    total = _linear(vector, sums, (1.0,), alpha).scaled(_step(vector))
    rounding = _rounding(plan, vector)
    if kind == "sum":
        return total.widened(rounding * (plan.facts.rows or 0)) if rounding else total  # n is private for steps of 1 alone
    assert plan.facts.rows is not None
    return total.scaled(1 / plan.facts.rows).widened(rounding).within(*_range(plan, vector))


def _known_variance(plan: Plan, vector: Vector, sums: Floats, kind: AggregateKind, alpha: float) -> Estimate:
    n = plan.facts.rows
    assert n is not None
    pop = _linear(vector, sums, (1.0,), alpha).scaled(_step(vector) ** 2 / n**2)
    return _finished_variance(plan, vector, pop, kind, _known_factor(n))


def _from_bernstein(plan: Plan, vector: Vector, sums: Floats, kind: AggregateKind, alpha: float) -> Estimate:
    grid, degree = vector.grid, vector.degree
    assert grid is not None
    width, rounding = float(grid.width), _rounding(plan, vector)
    each = width**-degree
    if kind in ("count", "count_rows"):
        return _linear(vector, sums, (each,) * (degree + 1), alpha)
    if kind == "sum":
        # a row's value on the grid is low + width * (j / degree), averaged over its Bernstein terms
        weights = tuple(each * (grid.low + width * j / degree) for j in range(degree + 1))
        rows = _linear(vector, sums, (each,) * (degree + 1), alpha / 100) if rounding else None  # a small part, for a small part
        total = _linear(vector, sums, weights, alpha * 0.99 if rounding else alpha).scaled(_step(vector))
        return total.widened(np.maximum(rows.high, 0.0) * rounding) if rows else total
    if kind == "mean" or kind in BOUNDED:
        share = tuple(j / degree for j in range(degree + 1))
        low, high = ratio_interval(sums, share, vector.mechanism.law, alpha)
        middle = np.clip(_ratio(sums, share, width**degree), low, high)
        start, span = grid.low * _step(vector), width * _step(vector)
        return Estimate(middle, low, high).scaled(span, start).widened(rounding).within(*_range(plan, vector))
    return _bernstein_variance(plan, vector, sums, kind, alpha)


def _ratio(sums: Floats, numerator: tuple[float, ...], one_row: float) -> Floats:
    """The released ratio, as if there were at least one row."""
    return np.asarray(np.clip(np.tensordot(np.array(numerator), sums, axes=1) / np.maximum(sums.sum(axis=0), one_row), 0.0, 1.0))


def _bernstein_variance(plan: Plan, vector: Vector, sums: Floats, kind: AggregateKind, alpha: float) -> Estimate:
    """From the ratios p = E u, s = E u^2 and e = E u (1 - u), each with its interval: the variance is s - p^2 = p (1 - p) - e."""
    law, one_row = vector.mechanism.law, float(vector.grid.width) ** 2 if vector.grid else 1.0
    part = alpha / 4
    p_low, p_high = ratio_interval(sums, (0.0, 0.5, 1.0), law, part)
    s_low, s_high = ratio_interval(sums, (0.0, 0.0, 1.0), law, part)
    e_low, e_high = ratio_interval(sums, (0.0, 0.5, 0.0), law, part)
    low, high = np.full_like(p_low, np.inf), np.full_like(p_low, -np.inf)
    for shares in np.array_split(np.linspace(0.0, 1.0, _RATIOS), max(1, p_low.size * _RATIOS >> 20)):  # a few MB at a time
        p = p_low + shares.reshape(-1, 1) * (p_high - p_low)
        most = np.minimum(s_high - p * p, p * (1 - p) - e_low)
        least = np.maximum(s_low - p * p, p * (1 - p) - e_high)
        is_possible = most >= least
        low = np.minimum(low, np.where(is_possible, least, np.inf).min(axis=0))
        high = np.maximum(high, np.where(is_possible, most, -np.inf).max(axis=0))
    slack = (p_high - p_low) / _RATIOS  # between two tried means the variance moves by less
    low, high = np.where(np.isfinite(low), low - slack, 0.0), np.where(np.isfinite(high), high + slack, 0.25)
    p, s = _ratio(sums, (0.0, 0.5, 1.0), one_row), _ratio(sums, (0.0, 0.0, 1.0), one_row)
    unit = Estimate(s - p * p, low, high).within(0.0, 0.25)
    rows = _linear(vector, sums, (1 / one_row,) * 3, part)
    assert vector.grid is not None
    pop = unit.scaled((vector.grid.width * _step(vector)) ** 2)
    return _finished_variance(plan, vector, pop, kind, _sample_factor(rows))


def _sample_factor(rows: Estimate) -> Estimate:
    """n / (n - 1), for as many rows as there may be; n is a whole number of at least 2, so the likeliest of these is meant."""
    likely, most, least = np.maximum(np.rint(rows.value), 2.0), np.maximum(rows.high, 2.0), np.maximum(rows.low, 2.0)
    return Estimate(likely / (likely - 1), most / (most - 1), least / (least - 1))


def _known_factor(n: int) -> Estimate:
    factor = np.asarray(n / (n - 1))
    return Estimate(factor, factor, factor)


def _finished_variance(plan: Plan, vector: Vector, pop: Estimate, kind: AggregateKind, factor: Estimate) -> Estimate:
    """The population variance on the grid, made into the form that was asked; the grid moves it by at most range * rounding."""
    rounding = _rounding(plan, vector)
    span = (vector.grid.width if vector.grid else 0) * _step(vector)
    pop = pop.widened(rounding * (span + rounding)).within(0.0, np.inf)
    if kind in ("variance_samp", "stddev_samp"):
        pop = Estimate(pop.value * factor.value, pop.low * factor.low, pop.high * factor.high)
    value, low, high = np.clip(pop.value, pop.low, pop.high), pop.low, pop.high
    if kind in ("stddev_pop", "stddev_samp"):
        return Estimate(np.sqrt(value), np.sqrt(low), np.sqrt(high))
    return Estimate(value, low, high)


def _from_tree(plan: Plan, vector: Vector, sums: Floats, kind: AggregateKind, alpha: float) -> Estimate:
    """Counts of bins that add up, and running counts. ``sums`` are nodes x groups."""
    assert vector.tree is not None
    bins = consistent(vector.tree, sums)
    if kind == "running_rows":
        bins, variances = np.cumsum(bins, axis=0), prefix_variances(vector.tree)
    else:
        variances = leaf_variances(vector.tree)
    far = tail_reach(vector.mechanism.law, variances, alpha)
    if kind != "running_rows":  # a bin's own node has its variance as weight, and all others together the rest
        far = np.minimum(far, _mostly_own(vector, variances, alpha))
    value, half = bins.T.reshape(-1), np.tile(far, bins.shape[1])
    if not plan.wanted.keys:  # a plan for one cell, to say what to expect: the widest
        value, half = value[:1], half.max(keepdims=True)
    return Estimate(value, value - half, value + half)


def _mostly_own(vector: Vector, variances: Floats, alpha: float) -> Floats:
    law, rest = vector.mechanism.law, np.maximum(variances - variances**2, 0.0)
    if not rest.any():
        return np.full_like(variances, reach(law, (1.0,), alpha))  # a histogram like any other
    others = np.sqrt(rest) * tail_reach(law, np.ones_like(rest), alpha / 10)
    return np.asarray(variances * reach(law, (1.0,), alpha * 0.9) + others)


# ---- of two numbers


@dataclass(frozen=True, slots=True)
class _Side:
    """One of two numbers: how wide its range is, and how far a value can be from its place on the grid."""

    span: float
    rounding: float


def _sides(plan: Plan, vector: Vector) -> tuple[_Side, _Side]:
    def side(of: Expression | None, grid: Grid | None) -> _Side:
        assert of is not None
        assert grid is not None
        step = float(grid.step)
        return _Side(grid.width * step, 0.0 if grid.step == 1 and is_whole(of, plan.facts) else step / 2)

    return side(vector.of, vector.grid), side(vector.and_of, vector.and_grid)


def _from_tensor(plan: Plan, vector: Vector, sums: Floats, kind: AggregateKind, alpha: float) -> Estimate:
    assert vector.grid is not None
    assert vector.and_grid is not None
    law, (x, y) = vector.mechanism.law, _sides(plan, vector)
    each = 1 / (float(vector.grid.width) * vector.and_grid.width) ** vector.degree
    if kind in ("count", "count_rows"):
        return _linear(vector, sums, (each,) * len(sums), alpha)
    if kind == "correlation":
        found = correlation(sums, law, alpha)
        assert found.least_variances is not None
        with np.errstate(all="ignore"):  # what rounding moves, in standard deviations
            a, b = (s.rounding / (s.span * np.sqrt(v)) for s, v in zip((x, y), found.least_variances, strict=True))
            moved = np.where((a < 1) & (b < 1), (1 + a) * (1 + b) / ((1 - a) * (1 - b)) - 1, 2.0)
        moved = moved if x.rounding or y.rounding else np.zeros_like(found.value)
        return Estimate(found.value, found.low, found.high).widened(moved).within(-1.0, 1.0)
    part = alpha / 50 if kind == "covariance_samp" else 0.0  # for the number of rows, which matters little
    found = covariance(sums, vector.degree, law, alpha - part)
    pop = Estimate(found.value, found.low, found.high).scaled(x.span * y.span)
    if not part:
        return _finished_covariance(pop, x, y, None)
    return _finished_covariance(pop, x, y, _sample_factor(_linear(vector, sums, (each,) * len(sums), part)))


def _known_covariance(plan: Plan, vector: Vector, sums: Floats, kind: AggregateKind, alpha: float) -> Estimate:
    n, (x, y) = plan.facts.rows, _sides(plan, vector)
    assert n is not None
    assert vector.and_grid is not None
    pop = _linear(vector, sums, (1.0,), alpha).scaled(_step(vector) * float(vector.and_grid.step) / n**2)
    return _finished_covariance(pop, x, y, _known_factor(n) if kind == "covariance_samp" else None)


def _finished_covariance(pop: Estimate, x: _Side, y: _Side, factor: Estimate | None) -> Estimate:
    """The population form on the grid, made into the form that was asked: times a factor, if there is one."""
    largest = x.span * y.span / 4
    pop = pop.widened(x.rounding * y.span / 2 + y.rounding * x.span / 2 + x.rounding * y.rounding).within(-largest, largest)
    if factor is None:
        return Estimate(np.clip(pop.value, pop.low, pop.high), pop.low, pop.high)
    low = np.minimum(pop.low * factor.low, pop.low * factor.high)
    high = np.maximum(pop.high * factor.low, pop.high * factor.high)
    return Estimate(np.clip(pop.value * factor.value, low, high), low, high)
