"""From rho to (epsilon, delta): the tight conversion of Canonne, Kamath and Steinke (2020), certified.

delta(rho, epsilon) = min over alpha > 1 of exp((alpha-1)(alpha rho - epsilon)) (1 - 1/alpha)^alpha / (alpha-1). The bound
holds at every alpha, so a good alpha may be found in floating point as long as the bound there is enclosed exactly.
Proof: docs/proofs/concentrated.md.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import exp, isfinite, log, log1p

from discreet.noise.enclosures import exp as enclosed_exp
from discreet.noise.enclosures import log as enclosed_log

__all__ = ["delta_of", "epsilon_of", "rho_of", "rounded_up"]

_BITS = 96
_LEAST_EXPONENT = -(1 << 12)  # a smaller delta than e to this is told as this one


def epsilon_of(rho: Fraction, delta: Fraction) -> Fraction:
    """An epsilon, rounded up at the twelfth digit, such that rho implies (epsilon, delta)."""
    if rho == 0:
        return Fraction(0)
    log_delta = float(_upper_log(delta))
    alpha = _best(lambda a: float(rho) * a + (log1p(-1 / a) * a - log(a - 1) - log_delta) / (a - 1))
    excess = alpha * _upper_log(1 - 1 / alpha) - _lower_log(alpha - 1) - _lower_log(delta)
    return max(Fraction(0), rounded_up(alpha * rho + excess / (alpha - 1)))


def delta_of(rho: Fraction, epsilon: Fraction) -> Fraction:
    """A delta, rounded up at the twelfth digit, such that rho implies (epsilon, delta)."""
    if rho == 0:
        return Fraction(0)
    alpha = _best(lambda a: (a - 1) * (a * float(rho) - float(epsilon)) + a * log1p(-1 / a) - log(a - 1))
    exponent = (alpha - 1) * (alpha * rho - epsilon) + alpha * _upper_log(1 - 1 / alpha) - _lower_log(alpha - 1)
    if exponent >= 0:
        return Fraction(1)
    exponent = max(exponent, Fraction(_LEAST_EXPONENT))
    bits = _BITS + int(-2 * exponent)
    return min(Fraction(1), rounded_up(Fraction(enclosed_exp(exponent, bits)[1], 1 << bits)))


@lru_cache(maxsize=256)
def rho_of(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest rho that implies (epsilon, delta), rounded down at about the ninth digit."""
    low, high = Fraction(0), epsilon + 1  # rho = epsilon never suffices for delta < 1/2, and this is above it
    while delta_of(high, epsilon) <= delta:
        high *= 2
    for _ in range(200):
        middle = rounded_up((low + high) / 2)
        if middle >= high or (low and high - low < low / 10**9):
            break
        low, high = (middle, high) if delta_of(middle, epsilon) <= delta else (low, middle)
    return low


def _best(bound: Callable[[float], float]) -> Fraction:
    """An alpha > 1 near the least of ``bound``, found on a logarithmic scale."""

    def at(x: float) -> float:
        try:
            value = bound(1 + exp(x))
        except (OverflowError, ValueError, ZeroDivisionError):
            return float("inf")
        return value if isfinite(value) else float("inf")

    low, high = -12.0, 24.0
    for _ in range(80):
        third = (high - low) / 3
        low, high = (low, high - third) if at(low + third) < at(high - third) else (low + third, high)
    return 1 + rounded_up(Fraction(exp((low + high) / 2)), digits=8)


def _upper_log(x: Fraction) -> Fraction:
    return Fraction(enclosed_log(x, _BITS)[1], 1 << _BITS)


def _lower_log(x: Fraction) -> Fraction:
    return Fraction(enclosed_log(x, _BITS)[0], 1 << _BITS)


def rounded_up(x: Fraction, digits: int = 12) -> Fraction:
    """The least decimal of about this many significant digits that is not below ``x``."""
    if x == 0:
        return x
    size = abs(x)
    places = digits - len(str(int(size))) if size >= 1 else digits + len(str(int(1 / size))) - 1
    unit = Fraction(10) ** -places
    return -(-x // unit) * unit
