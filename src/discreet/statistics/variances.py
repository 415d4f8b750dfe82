"""The variance of a number out of noisy sums of its Bernstein terms, in units of its range. Proof: docs/proofs/intervals.md.

A term says something of u and of u * u: its point (a, s). With the exact mean p and variance v, the sums weighted by
s - 2 p a + p^2 - v cancel, so that the released ones show noise alone; the mean, which is not known exactly, moves the variance
in second order only.
"""

from collections.abc import Sequence

import numpy as np

from discreet.noise.law import Law
from discreet.statistics.ranges import Range, minus, size
from discreet.statistics.reach import Floats, reaches

__all__ = ["LARGEST", "MEANS", "ROUNDS", "squared_off", "variance_of"]

LARGEST = 0.25  # of a number between 0 and 1
MEANS = 1 / 40  # of the risk: for a mean
ROUNDS = 4  # of narrowing: the reach depends a little on what is sought


def variance_of(
    sums: Floats, points: Sequence[tuple[float, float]], law: Law, mean: Range, alpha: float
) -> tuple[Floats, Range]:
    """The released variance, and between which ends the exact one is; all of them where nothing is left of the rows.

    It misses with probability ``alpha`` at most, if ``mean`` holds the exact mean.
    """
    total = np.maximum(sums.sum(axis=0), 1.0)
    released, squares = (np.tensordot(np.array(each), sums, axes=1) / total for each in zip(*points, strict=True))
    value = squares - released**2
    off = np.maximum((mean[0] - released) ** 2, (mean[1] - released) ** 2)
    low, high = np.zeros_like(value), np.full_like(value, LARGEST)
    for _ in range(ROUNDS):
        sizes = [size(minus(squared_off(point, mean), (low, high))) for point in points]
        far = reaches(law, np.stack(sizes), alpha) / total
        low, high = np.maximum(low, value - far), np.minimum(high, value + off + far)
        low, high = np.minimum(low, high), np.maximum(low, high)  # they cross only if the mean or the noise is beyond its reach
    is_empty = sums.sum(axis=0) <= 0
    return value, (np.where(is_empty, 0.0, low), np.where(is_empty, LARGEST, high))


def squared_off(point: tuple[float, float], mean: Range) -> Range:
    """s - 2pa + p^2 = s - a^2 + (a - p)^2, for every mean p of its range."""
    a, s = point
    ends = (a - mean[0]) ** 2, (a - mean[1]) ** 2
    holds_zero = (mean[0] <= a) & (a <= mean[1])
    return s - a * a + np.where(holds_zero, 0.0, np.minimum(*ends)), s - a * a + np.maximum(*ends)
