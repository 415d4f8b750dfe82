"""Exact probabilities of the two laws, as enclosures by two Fractions that are as narrow as asked.

Discrete Laplace has closed forms. Discrete Gaussian is summed term by term while it is narrow; where it is wide, the sum is
compared with its integral by the Euler-Maclaurin formula, whose remainder is bounded. Proof: docs/proofs/noise.md.
"""

from fractions import Fraction
from functools import lru_cache
from math import isqrt

from discreet.noise.enclosures import Enclosure, exp_minus, floor_and_ceiling, narrowed, pi, square_root
from discreet.noise.law import Law

__all__ = ["Between", "mass", "tail", "total_variance"]

Between = tuple[Fraction, Fraction]

_WIDE = 1 << 12  # from this variance on, and while weights fall slowly, integral and remainder are good to 2^-48
_SLOWLY = Fraction(3, 16)  # where they fall faster, few terms count
_FAR = 1 << 12  # an exponent at which probabilities are below anything a float can hold
_BERNOULLI = tuple(Fraction(1, n) for n in (12, -720, 30240, -1209600, 47900160))  # B_2k / (2k)!
_HERMITE_10 = ((10, 1), (8, 45), (6, 630), (4, 3150), (2, 4725), (0, 945))  # powers and sizes of the coefficients


def mass(law: Law, value: int, bits: int = 96) -> Between:
    """Encloses P(Z = value), relative width about 2^-bits (while a float could hold it)."""
    weight = _weight(law, abs(value), bits + 16)
    total = _all(law, bits + 16)
    return weight[0] / total[1], weight[1] / total[0]


def tail(law: Law, value: int, bits: int = 96) -> Between:
    """Encloses P(Z >= value), relative width about 2^-bits, 2^-48 for a wide discrete Gaussian (while a float could hold it)."""
    if value <= 0:
        low, high = tail(law, 1 - value, bits)  # symmetry
        return 1 - high, 1 - low
    if not law.quadratic:  # q^value / (1 + q)
        weight, one = _weight(law, value, bits + 8), _weight(law, 1, bits + 8)
        return weight[0] / (1 + one[1]), weight[1] / (1 + one[0])
    weight, relative = _weight(law, value, bits + 16), _relative_tail(law, value, bits + 16)
    total = _all(law, bits + 16)
    return weight[0] * relative[0] / total[1], weight[1] * relative[1] / total[0]


def total_variance(law: Law) -> Between:
    """Encloses the variance of one draw."""
    if not law.quadratic:  # 2 q / (1 - q)^2
        low, high = _weight(law, 1, 128 + 2 * law.spread.bit_length())
        return 2 * low / (1 - low) ** 2, 2 * high / (1 - high) ** 2
    nominal = 1 / (2 * law.quadratic)
    if nominal >= 64:  # Poisson summation: below the nominal variance by less than 8 pi^2 v^2 exp(-2 pi^2 v) < 2^-1000
        return nominal * (1 - Fraction(1, 1 << 128)), nominal
    return _summed_variance(law)


@lru_cache(maxsize=64)
def _summed_variance(law: Law) -> Between:
    bits, low, high = 160, 0, 1 << (160 - 90)
    for size, (at_low, at_high) in enumerate(_from(law, 1).weights(0, 1, bits), start=1):
        low, high = low + size * size * at_low, high + size * size * at_high
        if size > 12 * law.spread + 24:  # sizes beyond weigh in with less than 2^-90 all together
            break
    first, total = _weight(law, 1, 128), _all(law, 128)
    return 2 * first[0] * Fraction(low, 1 << bits) / total[1], 2 * first[1] * Fraction(high, 1 << bits) / total[0]


def _weight(law: Law, size: int, bits: int) -> Between:
    """Encloses the unnormalised weight at ``size``, to ``bits`` digits after the leading one; very far out, from above only."""
    exponent = law.exponent(size)
    if exponent > _FAR:
        return Fraction(0), Fraction(1, 1 << _FAR)
    return _between(exp_minus(exponent, digits := bits + int(exponent * 3 / 2) + 4), digits)


def _between(enclosure: Enclosure, bits: int) -> Between:
    return Fraction(enclosure[0], 1 << bits), Fraction(enclosure[1], 1 << bits)


@lru_cache(maxsize=64)
def _all(law: Law, bits: int) -> Between:
    """Encloses the sum of all weights."""
    if not law.quadratic:  # (1 + q) / (1 - q)
        low, high = _weight(law, 1, bits + 2 * law.spread.bit_length())
        return (1 + low) / (1 - low), (1 + high) / (1 - high)
    if 1 / (2 * law.quadratic) >= 64:  # Poisson summation: sqrt(2 pi v) (1 + 2 exp(-2 pi^2 v) + ...), and 2 pi^2 v > 1200
        low, high = _gaussian_integral(law, bits)
        return 2 * low, 2 * high * (1 + Fraction(1, 1 << 1024))
    first, beyond = _weight(law, 1, bits), _relative_tail(law, 1, bits)
    return 1 + 2 * first[0] * beyond[0], 1 + 2 * first[1] * beyond[1]


def _gaussian_integral(law: Law, bits: int) -> Between:
    """Encloses the integral of exp(-quadratic x^2) over x >= 0, which is sqrt(pi / quadratic) / 2."""

    def squared(precision: int) -> Enclosure:
        low, high = pi(precision + 8)
        by = 4 * law.quadratic
        return narrowed((low * by.denominator // by.numerator, -(-high * by.denominator // by.numerator)), 8)

    return _between(square_root(squared, bits), bits)


@lru_cache(maxsize=256)
def _relative_tail(law: Law, value: int, bits: int) -> Between:
    """Encloses the sum of weights at value, value + 1, ... divided by the weight at value, for value >= 1."""
    slope = 2 * law.quadratic * value
    if law.exponent(value) > _FAR:
        return Fraction(1), 1 + 1 / slope  # below a geometric series of ratio exp(-slope) <= 1 / (1 + slope)
    if 1 / (2 * law.quadratic) >= _WIDE and slope <= _SLOWLY:
        return _by_integral(law, value, bits)
    shifted = _from(law, value)
    low, high = 0, 0
    for at_low, at_high in shifted.weights(0, 1, bits + 16):
        low, high = low + at_low, high + at_high
        if at_high <= 1 << 4:
            break
    ratio = exp_minus(shifted.exponent(1), 64)[1]
    high -= -at_high * ratio // ((1 << 64) - ratio)  # falls at least as fast as a geometric series
    return _between((low, high), bits + 16)


def _from(law: Law, value: int) -> Law:
    """The weights from ``value`` >= 0 on, over the first of them."""
    return Law(linear=law.linear + 2 * law.quadratic * value, quadratic=law.quadratic)


def _by_integral(law: Law, value: int, bits: int) -> Between:
    """The same where the law is wide: integral + half the first term - derivatives, by Euler and Maclaurin."""
    a = 2 * law.quadratic  # 1 / variance
    square = value * value * a
    half = _gaussian_integral(law, bits + int(square))
    up_to = _integral_up_to(value, square, bits)
    first = _weight(law, value, bits + int(square))
    integral = half[0] / first[1] - up_to[1], half[1] / first[0] - up_to[0]
    odd = _odd_derivatives(value * a, a)
    middle = Fraction(1, 2) + sum((b * d for b, d in zip(_BERNOULLI, odd, strict=True)), start=Fraction(0))
    error = _BERNOULLI[-1] * _tenth_derivative(value, a)
    return integral[0] + middle - error, integral[1] + middle + error


def _odd_derivatives(slope: Fraction, a: Fraction) -> list[Fraction]:
    """Minus the first, third, ... ninth derivative of exp(-a x^2 / 2) over itself, where a x = slope: Hermite's recurrence."""
    before, now, odd = Fraction(1), slope, [slope]
    for order in range(1, 9):
        before, now = now, slope * now - order * a * before
        if order % 2 == 0:
            odd.append(now)
    return odd


def _tenth_derivative(value: int, a: Fraction) -> Fraction:
    """An upper bound of the integral of |tenth derivative| from value on, over the function at value."""
    root = Fraction(1, isqrt(int(1 / a)))  # at least 1 / standard deviation
    z = value * root
    moments = {0: Fraction(1254, 1000)}  # of exp(-u^2/2) from z on, over itself at z: sqrt(pi / 2) at most, then by parts
    for power in range(2, 11, 2):
        moments[power] = z ** (power - 1) + (power - 1) * moments[power - 2]
    return root**9 * sum((size * moments[power] for power, size in _HERMITE_10), start=Fraction(0))


def _integral_up_to(value: int, square: Fraction, bits: int) -> Between:
    """Encloses the integral of exp(-x^2/2v) over [0, value], over its integrand at value: value (1 + s/3 + s^2/(3 5) + ...)."""
    work = bits + int(square) + 16
    low = high = 1 << work
    sum_low, sum_high, order = low, high, 1
    square_low, square_high = floor_and_ceiling(square, work)
    while high > 1 or order < 2 * square:
        order += 2
        low, high = (low * square_low >> work) // order, -((-high * square_high >> work) // order)
        sum_low, sum_high = sum_low + low, sum_high + high
    sum_high += 2 * high  # what is left is below a geometric series of ratio one half
    return value * Fraction(sum_low, 1 << work), value * Fraction(sum_high, 1 << work)
