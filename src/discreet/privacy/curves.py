"""delta(epsilon) of one release, from the exact law of its noise. Proof: docs/proofs/gaussian.md and laplace.md.

For a symmetric law whose weights' logarithm is concave, the outputs likelier by more than e^epsilon after a shift D form one
tail, so delta(epsilon) = P(Z >= m) - e^epsilon P(Z >= m + D) with the right m; and delta does not fall when D grows.
"""

from fractions import Fraction
from functools import lru_cache
from math import erfc, exp, floor, inf, log2, sqrt

from discreet.errors import ParameterError
from discreet.noise.enclosures import exp as enclosed_exp
from discreet.noise.law import Law, discrete_gaussian_law
from discreet.noise.probabilities import Between, tail

__all__ = ["continuous_gaussian_delta", "continuous_laplace_delta", "delta_after_shift", "least_variance"]

_BITS = 96
_STEADY = 64  # steps of one length: the least variance is some 16 of them above the start


def delta_after_shift(law: Law, shift: int, epsilon: Fraction) -> Between:
    """Encloses delta(epsilon) >= 0 of adding the law's noise to an integer that may move by up to ``shift``."""
    start = _first_likelier(law, shift, epsilon)
    if start is None:
        return Fraction(0), Fraction(0)
    near, far = tail(law, start, _BITS), tail(law, start + shift, _BITS)
    low, high = (Fraction(end, 1 << _BITS) for end in enclosed_exp(epsilon, _BITS))
    return max(Fraction(0), near[0] - high * far[1]), max(Fraction(0), near[1] - low * far[0])


def _first_likelier(law: Law, shift: int, epsilon: Fraction) -> int | None:
    """The least z with exponent(|z + shift|) - exponent(|z|) > epsilon, or None if there is none."""
    if law.quadratic:  # shift (2 z + shift) quadratic > epsilon
        return floor((epsilon / (law.quadratic * shift) - shift) / 2) + 1
    if shift * law.linear <= epsilon:
        return None
    return floor((epsilon / law.linear - shift) / 2) + 1  # between -shift and 0 the difference is (2 z + shift) linear


def continuous_gaussian_delta(epsilon: float, ratio: float) -> float:
    """delta(epsilon) of continuous Gaussian noise, ratio = sensitivity / standard deviation (Balle and Wang 2018). To compare."""

    def beyond(z: float) -> float:
        return erfc(z / sqrt(2)) / 2

    return beyond(epsilon / ratio - ratio / 2) - exp(epsilon) * beyond(epsilon / ratio + ratio / 2)


def continuous_laplace_delta(epsilon: float, ratio: float) -> float:
    """delta(epsilon) of continuous Laplace noise, ratio = sensitivity / scale. To compare."""
    return max(0.0, 1 - exp((epsilon - ratio) / 2))


@lru_cache(maxsize=256)
def least_variance(epsilon: Fraction, delta: Fraction, shift: int) -> Fraction:
    """A variance, close to the least, at which discrete Gaussian noise on a shift is (epsilon, delta)-private.

    delta(epsilon) is not monotone in the variance, so the search starts below the continuous answer, climbs to the first
    variance that passes, and narrows down between it and the last that failed. Only a variance that passed is returned.
    """

    if delta < Fraction("1e-300") or epsilon > 500:
        raise ParameterError("this (epsilon, delta) is out of reach", hint="write a delta above 1e-300 and an epsilon below 500")
    if shift > 1 << 400:
        raise ParameterError("the sensitivity is more than 2^400 steps", hint="write a coarser step")

    def passes(variance: Fraction) -> bool:
        return delta_after_shift(discrete_gaussian_law(variance), shift, epsilon)[1] <= delta

    sigma = shift / _continuous_ratio(float(epsilon), float(delta))
    step = min(0.01, 0.05 / sigma)
    sigma *= 1 - 16 * step
    failed, passed, climbed = _rational(sigma**2 / 2), _rational(sigma**2), 0
    while not passes(passed):
        climbed += 1
        step *= 1 if climbed < _STEADY else 2  # so far off that the continuous answer was lost to rounding, at a tiny epsilon
        sigma *= 1 + step
        failed, passed = passed, _rational(sigma**2)
    for _ in range(12):
        middle = (failed + passed) / 2
        failed, passed = (failed, middle) if passes(middle) else (middle, passed)
    return passed


def _rational(x: float) -> Fraction:
    """``x`` to 40 binary digits, so that variances stay short."""
    places = 40 - floor(log2(x))
    return Fraction(round(x * 2.0**places)) / Fraction(2) ** places


def _continuous_ratio(epsilon: float, delta: float) -> float:
    """sensitivity / standard deviation of the continuous Gaussian at (epsilon, delta)."""
    low, high, ratio = 0.0, inf, 1.0
    while high - low > 1e-12 * low:
        if continuous_gaussian_delta(epsilon, ratio) > delta:
            high = ratio
        else:
            low = ratio
        ratio = (low + high) / 2 if high < inf else 2 * ratio
    return low
