"""How two numbers go together: covariance and correlation from tensor sums. Proof: docs/proofs/relations.md.

Everything here happens after release and in units of the grid's range: u and v are between 0 and 1. The exact moments make a
weighted sum of the exact tensor sums zero, so that there the released ones show noise alone; means and spreads, which are not
known exactly, are let run over intervals of their own and move the result in second order only.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from discreet.noise.law import Law
from discreet.statistics.ranges import Range, minus, plus, size, times
from discreet.statistics.reach import Floats, ratio_interval, reaches
from discreet.statistics.variances import MEANS, ROUNDS, squared_off, variance_of

__all__ = ["Means", "Related", "SPREADS", "TensorSums", "centred", "correlation", "covariance", "moment", "tensor_weights",
           "variance_at"]

SPREADS = 1 / 20  # of the risk: for each variance


@dataclass(frozen=True, slots=True)
class Related:
    """Per cell: a value and its ends; for a correlation also the least that the two variances can be."""

    value: Floats
    low: Floats
    high: Floats
    least_variances: tuple[Floats, Floats] | None = None


@dataclass(frozen=True, slots=True)
class TensorSums:
    """Released tensor sums with the points (a, s) that their terms stand for: what a term of u says of u and of u * u."""

    sums: Floats  # terms x cells
    degree: int
    law: Law

    @property
    def total(self) -> Floats:
        return np.asarray(np.maximum(self.sums.sum(axis=0), 1.0))

    @property
    def points(self) -> list[tuple[tuple[float, float], tuple[float, float]]]:
        """For every term, (a, s) of u and of v."""
        steps = [(0.0, 0.0), (1.0, 1.0)] if self.degree == 1 else [(0.0, 0.0), (0.5, 0.0), (1.0, 1.0)]
        return list(product(steps, steps))

    def mean_of(self, weights: list[float]) -> Floats:
        return np.asarray(np.tensordot(np.array(weights), self.sums, axes=1) / self.total)

    def reach(self, sizes: list[Floats], alpha: float) -> Floats:
        """How far noise moves the weighted mean, for the largest sizes that the weights can have."""
        return np.asarray(reaches(self.law, np.stack(sizes), alpha) / self.total)


def tensor_weights(degree: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The weights that make the mean of u, and that of v, out of tensor terms."""
    steps = [j / degree for j in range(degree + 1)]
    pairs = list(product(steps, steps))
    return tuple(a for a, _ in pairs), tuple(b for _, b in pairs)


def covariance(sums: Floats, degree: int, law: Law, alpha: float) -> Related:
    """The covariance of u and v, with ends that miss it with probability at most ``alpha``."""
    found = TensorSums(sums, degree, law)
    means = Means(found, alpha)
    value, (low, high) = _covariance(found, means, alpha * (1 - 2 * MEANS))
    return _settled(found, Related(value, low, high), 0.25)


def correlation(sums: Floats, law: Law, alpha: float) -> Related:
    """The correlation of u and v from sums of degree two, likewise."""
    found = TensorSums(sums, 2, law)
    means = Means(found, alpha)
    part = alpha * SPREADS
    spreads = [variance_at(found, means, place, part) for place in (0, 1)]
    (vx, (vx_low, vx_high)), (vy, (vy_low, vy_high)) = spreads
    is_spread = (vx_low > 0) & (vy_low > 0) & (vx > 0) & (vy > 0)
    safe = [np.where(is_spread, each, 1.0) for each in (vx, vx_low, vx_high, vy, vy_low, vy_high)]
    vx, vx_low, vx_high, vy, vy_low, vy_high = safe
    ratio = np.sqrt(vy_low / vx_high), np.sqrt(vy_high / vx_low)  # t = sd of v over sd of u
    least = np.sqrt(vx * vy)  # of (t vx + vy / t) / 2, over all t
    ends = [(t * (vx + means.square(0)) + (vy + means.square(1)) / t) / 2 for t in ratio]
    most = np.maximum(*ends)
    value = moment(found, means) / least
    low, high = np.full_like(value, -1.0), np.full_like(value, 1.0)
    for _ in range(ROUNDS):
        sizes = [size(_correlation_weight(point, means, ratio, (low, high))) for point in found.points]
        far = found.reach(sizes, alpha * (1 - 2 * MEANS - 2 * SPREADS))
        top, bottom = value * least + means.product[1] + far, value * least + means.product[0] - far
        low = np.maximum(low, np.where(bottom > 0, bottom / most, bottom / least))
        high = np.minimum(high, np.where(top > 0, top / least, top / most))
    unknown = ~is_spread
    low, high = np.where(unknown, -1.0, low), np.where(unknown, 1.0, high)
    value = np.where(unknown, 0.0, value)
    variances = np.where(unknown, 0.0, vx_low), np.where(unknown, 0.0, vy_low)
    return _settled(found, Related(value, low, high, variances), 1.0)


class Means:
    """The two means: what was released, and between which ends the exact ones are."""

    def __init__(self, found: TensorSums, alpha: float) -> None:
        weights = tensor_weights(found.degree)
        self.released = [found.mean_of(list(each)) for each in weights]
        self.ranges: list[Range] = [ratio_interval(found.sums, each, found.law, alpha * MEANS) for each in weights]

    def off(self, place: int) -> Range:
        """By how much the exact mean can differ from the released one."""
        low, high = self.ranges[place]
        return low - self.released[place], high - self.released[place]

    def square(self, place: int) -> Floats:
        """The most that the square of that difference can be."""
        return np.asarray(np.maximum(*(each**2 for each in self.off(place))))

    @property
    def product(self) -> Range:
        """Between which ends the product of both differences is."""
        return times(self.off(0), self.off(1))


def moment(found: TensorSums, means: Means) -> Floats:
    """The released covariance."""
    together = found.mean_of([a * b for (a, _), (b, _) in found.points])
    return np.asarray(together - means.released[0] * means.released[1])


def _covariance(found: TensorSums, means: Means, alpha: float) -> tuple[Floats, Range]:
    value = moment(found, means)
    low, high = np.full_like(value, -0.25), np.full_like(value, 0.25)
    for _ in range(ROUNDS):
        sizes = [size(minus(centred(a, b, means), (low, high))) for (a, _), (b, _) in found.points]
        far = found.reach(sizes, alpha)
        low = np.maximum(low, value + means.product[0] - far)
        high = np.minimum(high, value + means.product[1] + far)
    return value, (low, high)


def variance_at(found: TensorSums, means: Means, place: int, alpha: float) -> tuple[Floats, Range]:
    """The variance of u (place 0) or v (place 1)."""
    return variance_of(found.sums, [pair[place] for pair in found.points], found.law, means.ranges[place], alpha)


def _correlation_weight(
    point: tuple[tuple[float, float], tuple[float, float]], means: Means, ratio: Range, sought: Range
) -> Range:
    """(a - p)(b - q) - rho / 2 (t (s - 2pa + p^2) + (r - 2qb + q^2) / t)."""
    (a, _), (b, _) = point
    turned = 1 / ratio[1], 1 / ratio[0]
    squares = plus(times(ratio, squared_off(point[0], means.ranges[0])), times(turned, squared_off(point[1], means.ranges[1])))
    half = sought[0] / 2, sought[1] / 2
    return minus(centred(a, b, means), times(half, squares))


def centred(a: float, b: float, means: Means) -> Range:
    """(a - p)(b - q)."""
    (p_low, p_high), (q_low, q_high) = means.ranges
    return times((a - p_high, a - p_low), (b - q_high, b - q_low))


def _settled(found: TensorSums, related: Related, most: float) -> Related:
    """Where nothing is left of the rows, all is possible."""
    is_empty = found.sums.sum(axis=0) <= 0
    low = np.where(is_empty, -most, np.clip(related.low, -most, most))
    high = np.where(is_empty, most, np.clip(related.high, -most, most))
    low, high = np.minimum(low, high), np.maximum(low, high)
    return Related(np.clip(np.where(is_empty, 0.0, related.value), low, high), low, high, related.least_variances)
