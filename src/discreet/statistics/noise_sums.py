"""How far a sum of noise goes to one side, if its terms have one of two weights. Proof: docs/proofs/value-intervals.md.

``reach`` takes any weights, and is wide for many equal ones; here the law of their sum is written out. Everything happens after
release, so floating point is fine; where it approximates, it errs to the wide side.
"""

from functools import lru_cache
from math import ceil, comb, exp, expm1, log, log1p, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from discreet.noise.law import Law

__all__ = ["exceeded", "one_sided"]

Floats = NDArray[np.float64]
Terms = tuple[tuple[float, int], tuple[float, int]]  # weight and number of the terms of either kind

_WRITTEN = 128.0  # up to this scale the law of a sum is written out on the integers
_RARE = 1e-7  # what is less likely is bounded by Chernoff's inequality
_LOST = 1e-12  # of probability, by rounding
_CELLS = 8001


@lru_cache(maxsize=1024)
def one_sided(law: Law, terms: Terms, risk: float) -> float:
    """A t that the weighted sum reaches with probability ``risk`` at most; the least such t, up to rounding, where it matters."""
    terms = _merged(*terms)
    high = _chernoff(law, terms, risk)
    if risk < _RARE:
        return high
    low = 0.0
    if exceeded(law, terms, low) <= risk:
        return low
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if exceeded(law, terms, middle) > risk else (low, middle)
    return high * (1 + 1e-9)


def _merged(one: tuple[float, int], other: tuple[float, int]) -> Terms:
    """Equal weights are one kind, and those of 0 are none."""
    if one[0] == other[0]:
        return (one[0], one[1] + other[1]), (0.0, 0)
    first, second = ((weight, number) if weight else (0.0, 0) for weight, number in (one, other))
    return first, second


def exceeded(law: Law, terms: Terms, t: float) -> float:
    """The probability that the weighted sum is at least ``t``, from above."""
    one, other = sorted(terms, reverse=True)
    if _scale(law) <= _WRITTEN:
        return _written(law, one, other, t)
    return (_gaussian if law.quadratic else _laplace)(law, one, other, t)


def _scale(law: Law) -> float:
    return sqrt(1 / float(2 * law.quadratic)) if law.quadratic else float(1 / law.linear)


def _written(law: Law, one: tuple[float, int], other: tuple[float, int], t: float) -> float:
    """All values of the second sum, times the chance that the first makes up for what is missing."""
    masses, tails = _masses(law, other[1]), _tails(law, one[1])
    values, far = np.arange(len(masses)) - len(masses) // 2, len(tails) // 2
    needed = np.ceil((t - other[0] * values) / one[0] - 1e-9)
    places = np.clip(needed, -far, len(tails) - far).astype(np.int64) + far
    return float(masses @ np.append(tails, 0.0)[places]) + _LOST


@lru_cache(maxsize=64)
def _masses(law: Law, terms: int) -> Floats:
    """The law of a sum of equal terms on the integers, as far as it matters; in the middle is 0."""
    if not terms:
        return np.ones(1)
    far = 1 << ceil(_scale(law) * (50 + 4 * terms) + 8 * terms + 8).bit_length()  # transforms like powers of two
    sizes = np.abs(np.arange(-far, far)).astype(np.float64)
    weights = np.exp(-float(law.linear) * sizes - float(law.quadratic) * sizes**2)
    each = np.fft.rfft(np.fft.ifftshift(weights / weights.sum())).real  # symmetric, so real
    return np.maximum(np.fft.fftshift(np.fft.irfft(each**terms, len(weights))), 0.0)


@lru_cache(maxsize=64)
def _tails(law: Law, terms: int) -> Floats:
    """The probabilities of at least so much."""
    return np.cumsum(_masses(law, terms)[::-1])[::-1]


def _gaussian(law: Law, one: tuple[float, int], other: tuple[float, int], t: float) -> float:
    """The same for wide Gaussian noise: each term is at most one step further than continuous noise."""
    squares, steps = (sum(number * weight**power for weight, number in (one, other)) for power in (2, 1))
    return NormalDist().cdf((steps - t) / (_scale(law) * sqrt(squares)))


def _laplace(law: Law, one: tuple[float, int], other: tuple[float, int], t: float) -> float:
    """The same for wide Laplace noise: each term is at most half a step further than continuous noise."""
    steps = sum(weight * number for weight, number in (one, other)) / 2
    need = (t - steps) / _scale(law)
    if not other[1]:
        return float(_laplace_tail(np.array([need / one[0]]), one[1])[0])
    edges = np.linspace(-1.0, 1.0, _CELLS) * (40 + 4 * other[1])
    beyond = _laplace_tail(edges, other[1])
    masses = np.append(beyond[:-1] - beyond[1:], 1 - beyond[0] + beyond[-1])  # what is out of the cells counts as the worst
    missing = np.append(need - other[0] * edges[1:], -np.inf) / one[0]
    return float(masses @ _laplace_tail(missing, one[1]))


def _laplace_tail(x: Floats, terms: int) -> Floats:
    """P(sum > x) for equal Laplace terms of scale one: a mixture of Gamma tails, by partial fractions."""
    size = np.minimum(np.abs(x), 700.0)
    inner, term, found = np.zeros_like(size), np.exp(-size), np.zeros_like(size)
    for k in range(1, terms + 1):
        inner = inner + term
        term = term * size / k
        found = found + comb(2 * terms - k - 1, terms - k) / 2.0 ** (2 * terms - k) * inner
    return np.where(x >= 0, found, 1 - found)


def _chernoff(law: Law, terms: Terms, risk: float) -> float:
    """The least bound of P(sum >= t) <= exp(cumulants(s) - s t) over some s."""
    most = max((weight for weight, _ in terms), default=0.0)
    if not most:
        return 0.0
    need, scale = -log(risk), _scale(law)
    if law.quadratic:  # below those of continuous Gaussian noise
        squares = sum(number * weight**2 for weight, number in terms)
        return scale * sqrt(2 * squares * need)
    tried = np.linspace(0.001, 0.999, 999)  # of the largest s at which all is finite
    return min(_bound(law, terms, float(part) / (scale * most), need) for part in tried)


def _bound(law: Law, terms: Terms, s: float, need: float) -> float:
    return (sum(number * _cumulant(float(law.linear), weight * s) for weight, number in terms) + need) / s


def _cumulant(rate: float, s: float) -> float:
    """log E exp(s Z) of discrete Laplace noise, for 0 <= s < rate."""
    return 2 * log(-expm1(-rate)) - log(-expm1(s - rate)) - log1p(-exp(-s - rate))
