"""Does a sample follow a law? One chance that looks at the whole shape and, with more power, at the scale."""

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil, erfc, exp, fsum, log, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from discreet.noise.law import Law
from discreet.noise.probabilities import tail, total_variance

FALSE_ALARM = 1e-9  # of one comparison of a sample with the truth
WRONG_BY_3_PERCENT = (Fraction(97, 100), Fraction(103, 100))


def check_both_ways(sample: NDArray[np.int64], law: Law) -> None:
    """The sample is accepted as the law, and rejected as the law stretched by 3 % either way."""
    assert fit(sample, law) > FALSE_ALARM
    for factor in WRONG_BY_3_PERCENT:
        assert fit(sample, stretched(law, factor)) < FALSE_ALARM


def stretched(law: Law, factor: Fraction) -> Law:
    return Law(linear=law.linear / factor, quadratic=law.quadratic / factor**2)


def fit(sample: NDArray[np.int64], law: Law) -> float:
    """At most the chance that a sample of the law is as far from it, in its histogram or in its mean size."""
    return min(1.0, 2 * min(shape_fit(sample, law), scale_fit(sample, law)))


def shape_fit(sample: NDArray[np.int64], law: Law) -> float:
    """Chi-square over cells with exact probabilities, out to where a few dozen values are expected."""
    edges, probabilities = cells(law, sample.size)
    return chi_square(np.bincount(np.searchsorted(edges, sample, "right"), minlength=len(edges) + 1), probabilities)


def chi_square(counts: ArrayLike, probabilities: ArrayLike) -> float:
    found, expected = np.asarray(counts, float), np.asarray(probabilities, float) * np.sum(counts)
    assert expected.min() > 5
    return float(stats.chi2.sf(np.sum((found - expected) ** 2 / expected), found.size - 1))


def scale_fit(sample: NDArray[np.int64], law: Law) -> float:
    """Of the sufficient statistic: the mean of |z|, or of z^2."""
    power = 2 if law.quadratic else 1
    mean, variance = moments(law)
    return two_sided((np.mean(np.abs(sample.astype(float)) ** power) - mean) / sqrt(variance / sample.size))


def two_sided(deviations: float) -> float:
    """The chance of a normal variable at least so many standard deviations off."""
    return erfc(abs(deviations) / sqrt(2))


@lru_cache(maxsize=128)
def cells(law: Law, size: int) -> tuple[NDArray[np.int64], tuple[float, ...]]:
    """Least values of all cells but the first, and the cells' probabilities."""
    shares = [k / 64 for k in range(1, 32)]
    while size * shares[0] > 64:
        shares.insert(0, shares[0] / 2)
    reach = NormalDist().inv_cdf if law.quadratic else lambda share: log(2 * share)
    unit = sqrt(1 / (2 * law.quadratic)) if law.quadratic else float(1 / law.linear)
    outer = {ceil(-unit * reach(share)) for share in shares} | {1}
    edges = sorted(outer | {1 - edge for edge in outer})
    above = [Fraction(1), *(sum(tail(law, edge)) / 2 for edge in edges), Fraction(0)]
    found = [float(a - b) for a, b in pairwise(above)]
    keep, merged = [], [found[0]]  # cells of few values are joined to their neighbours
    for edge, share in zip(edges, found[1:], strict=True):
        if merged[-1] * size < 20 or (share * size < 20 and edge > 0):
            merged[-1] += share
        else:
            keep.append(edge)
            merged.append(share)
    return np.array(keep, np.int64), tuple(merged)


@lru_cache(maxsize=128)
def moments(law: Law) -> tuple[float, float]:
    """Mean and variance of |z| (Laplace) or z^2 (Gaussian)."""
    second = float(sum(total_variance(law)) / 2)
    if not law.quadratic:
        mean = 1 / np.sinh(float(law.linear))  # 2 q / (1 - q^2)
        return mean, second - mean * mean
    if law.spread >= 8:
        return second, 2 * second**2  # as of the continuous law, to 500 decimals
    weights = [(z, exp(-float(law.exponent(z)))) for z in range(400)]
    total = 2 * fsum(w for _, w in weights) - 1
    fourth = 2 * fsum(z**4 * w for z, w in weights) / total
    return second, fourth - second**2


def binomial_fit(hits: int, trials: int, probability: float) -> float:
    """The chance of a number of hits at least as far from what is expected."""
    return two_sided((hits - trials * probability) / sqrt(trials * probability * (1 - probability)))
