"""Enclosures of real numbers by integers: ``low <= 2^bits * x <= high``, proven by carrying both ends through every step.

Only whole-number arithmetic is used, so nothing here trusts a floating-point unit or a maths library. The guard bits chosen
below decide how narrow an enclosure is, never whether it is true.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import isqrt

__all__ = ["Enclosure", "exp", "exp_minus", "floor_and_ceiling", "log", "narrowed", "pi", "square_root"]

Enclosure = tuple[int, int]


def floor_and_ceiling(x: Fraction, bits: int) -> Enclosure:
    """The nearest integers on either side of ``2^bits * x``."""
    scaled = x.numerator << bits
    return scaled // x.denominator, -(-scaled // x.denominator)


def narrowed(enclosure: Enclosure, drop: int) -> Enclosure:
    """The same number with ``drop`` fewer bits."""
    low, high = enclosure
    return low >> drop, -(-high >> drop)


def exp_minus(x: Fraction, bits: int) -> Enclosure:
    """Encloses exp(-x) for x >= 0."""
    if x >= bits:
        return 0, 1  # exp(-x) < 2^-bits
    halvings = (x.numerator // x.denominator).bit_length() + max(8, isqrt(bits))  # the series is then about as short
    work = bits + halvings + 16
    one = 1 << work
    y_low, y_high = floor_and_ceiling(x / (1 << halvings), work)
    low = high = term_low = term_high = one
    order = 0
    while term_high > 1:
        order += 1
        term_low = (term_low * y_low >> work) // order
        term_high = -((-term_high * y_high >> work) // order)
        if order % 2:
            low, high = low - term_high, high - term_low
        else:
            low, high = low + term_low, high + term_high
    low, high = low - term_high, high + term_high  # an alternating series is off by less than its next term
    for _ in range(halvings):
        low, high = low * low >> work, -(-high * high >> work)
    return narrowed((max(low, 0), min(high, one)), work - bits)


def exp(x: Fraction, bits: int) -> Enclosure:
    """Encloses exp(x) for any x."""
    if x <= 0:
        return exp_minus(-x, bits)
    work = 2 * bits + 3 * int(x) + 16
    low, high = exp_minus(x, work)
    return (1 << (work + bits)) // high, -(-(1 << (work + bits)) // low)


def log(x: Fraction, bits: int) -> Enclosure:
    """Encloses the natural logarithm of x > 0."""
    twos = x.numerator.bit_length() - x.denominator.bit_length()
    mantissa = x / Fraction(2) ** twos  # in (1/2, 2)
    if mantissa > Fraction(4, 3):
        twos, mantissa = twos + 1, mantissa / 2
    work = bits + abs(twos).bit_length() + 16
    low, high = _twice_artanh((mantissa - 1) / (mantissa + 1), work)
    two_low, two_high = _log_two(work)
    if twos < 0:
        two_low, two_high = two_high, two_low
    return narrowed((low + twos * two_low, high + twos * two_high), work - bits)


@lru_cache(maxsize=64)
def _log_two(bits: int) -> Enclosure:
    return _twice_artanh(Fraction(1, 3), bits)


def _twice_artanh(z: Fraction, bits: int) -> Enclosure:
    """Encloses ln((1+z)/(1-z)) = 2 (z + z^3/3 + z^5/5 + ...) for |z| <= 1/3."""
    if z < 0:
        low, high = _twice_artanh(-z, bits)
        return -high, -low
    power_low, power_high = floor_and_ceiling(z, bits + 1)
    square_low, square_high = floor_and_ceiling(z * z, bits)
    low, high, order = 0, 0, 1
    while power_high > 1:
        low, high = low + power_low // order, high - (-power_high // order)
        power_low, power_high = power_low * square_low >> bits, -(-power_high * square_high >> bits)
        order += 2
    return low, high + 2  # what is left is below a geometric series of ratio 1/9 starting at one unit


@lru_cache(maxsize=16)
def pi(bits: int) -> Enclosure:
    """Encloses pi by Machin's formula, 16 arctan(1/5) - 4 arctan(1/239)."""
    work = bits + 16
    low5, high5 = _arctan_of_inverse(5, work)
    low239, high239 = _arctan_of_inverse(239, work)
    return narrowed((16 * low5 - 4 * high239, 16 * high5 - 4 * low239), work - bits)


def _arctan_of_inverse(n: int, bits: int) -> Enclosure:
    power_low = (1 << bits) // n
    power_high = power_low + 1
    low, high, order = 0, 0, 1
    while power_high > 1:
        if order % 4 == 1:
            low, high = low + power_low // order, high - (-power_high // order)
        else:
            low, high = low + (-power_high // order), high - power_low // order
        power_low, power_high = power_low // (n * n), -(-power_high // (n * n))
        order += 2
    return low - 1, high + 1


def square_root(of: Callable[[int], Enclosure], bits: int) -> Enclosure:
    """Encloses the square root of the number >= 0 that ``of`` encloses at any number of bits."""
    low, high = of(2 * bits)
    return isqrt(low), isqrt(high) + 1
