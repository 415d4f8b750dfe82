"""The line through two numbers: slope and intercept from tensor sums of degree two. Proof: docs/proofs/relations.md, "A line".

In units of the grid's ranges: u, on which v depends, and v are between 0 and 1. As for a correlation, the exact slope makes a
weighted sum of the exact tensor sums zero; so does the intercept, with weights in which the slope's own error cancels.
"""

from dataclasses import dataclass

import numpy as np

from discreet.noise.law import Law
from discreet.statistics.ranges import Range, minus, size, times
from discreet.statistics.reach import Floats
from discreet.statistics.relations import SPREADS, Means, TensorSums, centred, moment, variance_at
from discreet.statistics.variances import MEANS, ROUNDS, squared_off

__all__ = ["Line", "intercept", "slope"]

_SLOPE = 1 / 5  # of the risk of an intercept: for the slope, and the means and the variance behind it


@dataclass(frozen=True, slots=True)
class Line:
    """Per cell: a value and its ends, NaN and infinite where u may not vary at all; and between which ends other things are."""

    value: Floats
    low: Floats
    high: Floats
    slope: Range
    variance: Range  # of u
    spread: Floats  # the released variance of u; 1 where it may be 0

    @property
    def is_known(self) -> Floats:
        """Whether u varies for sure."""
        return np.isfinite(self.value)


def slope(sums: Floats, law: Law, alpha: float) -> Line:
    """The slope of v on u, with ends that miss it with probability at most ``alpha``."""
    found = TensorSums(sums, 2, law)
    means = Means(found, alpha)
    spread, (least, most) = variance_at(found, means, 0, alpha * SPREADS)
    is_known = (least > 0) & (spread > 0) & (sums.sum(axis=0) > 0)
    spread, least, most = (np.where(is_known, each, 1.0) for each in (spread, least, most))
    together, steepest = moment(found, means), 0.5 / np.sqrt(least)  # no deviation is more than half the range
    low, high = -steepest, steepest
    for _ in range(ROUNDS):
        sizes = [size(_off_line(point, means, (low, high))) for point in found.points]
        far = found.reach(sizes, alpha * (1 - 2 * MEANS - SPREADS))
        bottom, top = together + means.product[0] - far, together + means.product[1] + far
        widest = spread + means.square(0)
        low = np.maximum(low, np.where(bottom > 0, bottom / widest, bottom / spread))
        high = np.minimum(high, np.where(top > 0, top / spread, top / widest))
    low, high = np.minimum(low, high), np.maximum(low, high)
    value = np.clip(together / spread, low, high)
    return _known(is_known, Line(value, low, high, (low, high), (least, most), spread))


def intercept(sums: Floats, law: Law, shift: float, alpha: float) -> Line:
    """Where the line is at u = -``shift``, likewise."""
    line = slope(sums, law, alpha * _SLOPE)
    found = TensorSums(sums, 2, law)
    means = Means(found, alpha * _SLOPE)
    p, q = means.ranges
    at = p[0] + shift, p[1] + shift
    least, most = line.variance
    turn = times(at, (1 / most, 1 / least))  # the mean over the variance
    steep = moment(found, means) / line.spread  # as released
    weights = [_off_intercept(point, means, q, line.slope, turn) for point in found.points]
    far = found.reach([size(each) for each in weights], alpha * (1 - _SLOPE))
    here = means.released[0] + shift
    middle = means.released[1] - steep * here
    turned = minus((here, here), times(turn, (line.spread, line.spread + means.square(0))))  # what is left of the slope's error
    second = minus(means.product, times((steep, steep), (np.zeros_like(steep), means.square(0))))
    slack = times(minus(line.slope, (steep, steep)), turned)
    low, high = minus(minus((middle, middle), slack), times(turn, second))
    return _known(line.is_known, Line(middle, low - far, high + far, line.slope, line.variance, line.spread))


def _off_line(point: tuple[tuple[float, float], tuple[float, float]], means: Means, slope: Range) -> Range:
    """(a - p)(b - q) - slope (s - 2pa + p^2)."""
    (a, _), (b, _) = point
    return minus(centred(a, b, means), times(slope, squared_off(point[0], means.ranges[0])))


def _off_intercept(
    point: tuple[tuple[float, float], tuple[float, float]], means: Means, q: Range, slope: Range, turn: Range
) -> Range:
    """(b - q) - slope (a - p) - turn ((a - p)(b - q) - slope (s - 2pa + p^2))."""
    (a, _), (b, _) = point
    (p_low, p_high) = means.ranges[0]
    straight = minus((b - q[1], b - q[0]), times(slope, (a - p_high, a - p_low)))
    return minus(straight, times(turn, _off_line(point, means, slope)))


def _known(is_known: Floats, line: Line) -> Line:
    """Nothing is said where u may not vary."""
    value, low = np.where(is_known, line.value, np.nan), np.where(is_known, line.low, -np.inf)
    return Line(value, low, np.where(is_known, line.high, np.inf), line.slope, line.variance, line.spread)
