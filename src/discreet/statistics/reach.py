"""How far weighted sums of a vector's noise reach, and what that says about ratios. Proof: docs/proofs/intervals.md.

Everything here happens after release, so floating point is fine; where it approximates, it errs to the wide side. Discrete
Laplace noise reaches at most half a step further than continuous Laplace noise, discrete Gaussian noise at most one step.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.accuracy import half_width
from discreet.noise.law import Law

__all__ = ["Floats", "ratio_interval", "reach", "reaches", "reaches_of"]

Floats = NDArray[np.float64]

_POINTS = 513  # of the table of reaches over a ratio between 0 and 1
_APART, _FURTHER = 1.01, 1.02  # scales of Laplace noise nearer than this are pushed apart, upwards; if there are many, further
_CURVE = 1.001  # between two points of the table the reach is below the larger by this factor


@lru_cache(maxsize=512)  # a question asks for the same ones from its trial to its answer
def reach(law: Law, weights: tuple[float, ...], alpha: float) -> float:
    """The a that |sum of weight * noise| exceeds with probability at most ``alpha``, in steps."""
    sizes = [abs(weight) for weight in weights if weight]
    if len(sizes) == 1:
        return sizes[0] * half_width(law, 1 - Fraction(alpha))
    return float(reaches(law, np.array(sizes).reshape(-1, 1), alpha)[0]) if sizes else 0.0


def reaches(law: Law, weights: Floats, alpha: float) -> Floats:
    """The reach for every column of weights (terms x columns)."""
    unit = _gaussian_reaches(weights, alpha) if law.quadratic else _laplace_reaches(weights, alpha)
    return _in_steps(law, unit, weights)


def reaches_of(laws: Sequence[Law], weights: Floats, alpha: float) -> Floats:
    """The same where every term has its own law, all of them of one kind: of scales that differ, as of weights that do."""
    sizes = np.abs(weights)
    if len(laws) == 1:
        return np.asarray(sizes[0] * half_width(laws[0], 1 - Fraction(alpha)))
    if any(law.quadratic for law in laws):
        scales = np.array([sqrt(1 / float(2 * law.quadratic)) for law in laws]).reshape(-1, 1)
        return np.asarray(_gaussian_reaches(sizes * scales, alpha) + sizes.sum(axis=0))
    scales = np.array([float(1 / law.linear) for law in laws]).reshape(-1, 1)
    return np.asarray(_laplace_reaches(sizes * scales, alpha) + sizes.sum(axis=0) / 2)


def _in_steps(law: Law, unit: Floats, weights: Floats) -> Floats:
    """Reaches of continuous noise of scale one, as reaches of the law: what the steps of its noise can add included."""
    if law.quadratic:
        return np.asarray(sqrt(1 / float(2 * law.quadratic)) * unit + np.abs(weights).sum(axis=0))
    return np.asarray(float(1 / law.linear) * unit + np.abs(weights).sum(axis=0) / 2)


def _gaussian_reaches(weights: Floats, alpha: float) -> Floats:
    largest = _largest(weights)
    return np.asarray(-NormalDist().inv_cdf(alpha / 2) * largest * np.sqrt(((weights / largest) ** 2).sum(axis=0)))


def _largest(weights: Floats) -> Floats:
    """What to divide a column by before it is squared: squares of 1e155 or 1e-163 are beyond what a float holds."""
    found = np.abs(weights).max(axis=0)
    return np.where((found > 1e100) | ((found < 1e-100) & (found > 0)), found, 1.0)


def _laplace_reaches(weights: Floats, alpha: float) -> Floats:
    """For independent Laplace variables of these scales (terms x columns): the a that |their sum| exceeds with probability alpha.

    With distinct scales b the sum is a mixture of Laplace laws: P(|S| > a) = sum of c_i exp(-a / b_i), where c_i is the product
    of b_i^2 / (b_i^2 - b_j^2) over the others.
    """
    largest = _largest(weights)
    scales = np.sort(np.abs(weights) / largest, axis=0)
    scales = np.maximum(scales, np.maximum(scales[-1] * 1e-6, 1e-300))
    apart = _APART if len(scales) <= 4 else _FURTHER
    for place in range(1, len(scales)):
        scales[place] = np.maximum(scales[place], scales[place - 1] * apart)
    squares = scales**2
    shares = np.ones_like(scales)
    for i in range(len(scales)):
        for j in range(len(scales)):
            if i != j:
                shares[i] *= squares[i] / (squares[i] - squares[j])
    lost = np.minimum(np.abs(shares).sum(axis=0) * 1e-15, alpha / 2)  # by cancellation between shares of both signs
    low, high = np.zeros(scales.shape[1]), scales.sum(axis=0) * (2 - np.log(alpha))
    for _ in range(44):
        middle = (low + high) / 2
        is_exceeded = (shares * np.exp(-middle / scales)).sum(axis=0) > alpha - lost
        low, high = np.where(is_exceeded, middle, low), np.where(is_exceeded, high, middle)
    return np.asarray(high * largest)


@lru_cache(maxsize=256)
def _unit_table(is_gaussian: bool, numerator: tuple[float, ...], alpha: float) -> tuple[Floats, Floats]:
    """Weights numerator_j - ratio for ratios evenly spread over [0, 1], and the reach of noise of scale one under each."""
    weights = np.array(numerator).reshape(-1, 1) - np.linspace(0.0, 1.0, _POINTS)
    return weights, _gaussian_reaches(weights, alpha) if is_gaussian else _laplace_reaches(weights, alpha)


def ratio_interval(released: Floats, numerator: tuple[float, ...], law: Law, alpha: float) -> tuple[Floats, Floats]:
    """Per cell, the ratios r in [0, 1] that released sums (terms x cells) do not speak against, as one interval.

    The exact ratio makes sum of (numerator_j - r) * exact_j zero, so there the released sum is noise alone: it is kept unless
    that is beyond the noise's reach (Fieller's argument). Where so few rows are behind a cell that the kept ratios might not
    form an interval, all of [0, 1] is returned.
    """
    weights, unit = _unit_table(bool(law.quadratic), numerator, alpha)
    table = _in_steps(law, unit, weights)
    top = np.tensordot(np.array(numerator), released, axes=1)
    total = released.sum(axis=0)
    steepest = float(np.abs(np.diff(table)).max()) * (_POINTS - 1) * 1.1
    is_settled = total > steepest

    larger = np.maximum(table, np.append(table[1:], table[-1])) * _CURVE

    def allowed(ratio: Floats) -> Floats:
        return np.asarray(larger[(ratio * (_POINTS - 1)).astype(np.int64)])

    def crossings(signs: Floats) -> Floats:
        """Where top - ratio * total, which falls with the ratio, comes down to each of ``signs`` times what noise allows."""
        low, high = np.zeros((len(signs), *top.shape)), np.ones((len(signs), *top.shape))
        for _ in range(44):
            middle = (low + high) / 2
            is_above = top - middle * total > signs * allowed(middle)
            low, high = np.where(is_above, middle, low), np.where(is_above, high, middle)
        return np.where(signs > 0, low, high)

    lower, upper = crossings(np.array([1.0, -1.0]).reshape(2, *(1 for _ in top.shape)))  # both at once: each step has its price
    return np.where(is_settled, lower, 0.0), np.where(is_settled, upper, 1.0)
