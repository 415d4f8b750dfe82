"""The two laws of noise as one: weights exp(-linear |z| - quadratic z^2) on the integers z."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from discreet.noise.enclosures import Enclosure, exp_minus

__all__ = ["Law", "discrete_gaussian_law", "discrete_laplace_law"]


@dataclass(frozen=True, slots=True)
class Law:
    """A symmetric law on the integers whose weights never rise away from zero."""

    linear: Fraction
    quadratic: Fraction

    def exponent(self, size: int) -> Fraction:
        """Minus the logarithm of the weight at ``size`` >= 0."""
        return size * (self.linear + self.quadratic * size)

    @property
    def spread(self) -> int:
        """The scale or standard deviation, rounded down."""
        if self.quadratic:
            return isqrt(int(1 / (2 * self.quadratic)))
        return int(1 / self.linear)

    def weights(self, start: int, width: int, bits: int) -> Iterator[Enclosure]:
        """Encloses the weights at start, start + width, start + 2 width, ..., without end.

        Second differences of the exponent are constant, so each weight is the one before times a ratio, and each ratio
        the one before times a constant.
        """
        first, second, third = (self.exponent(start + k * width) for k in range(3))
        low, high = exp_minus(first, bits)
        ratio_low, ratio_high = exp_minus(second - first, bits)
        bend_low, bend_high = exp_minus(third - 2 * second + first, bits)
        while True:
            yield low, high
            low, high = low * ratio_low >> bits, -(-high * ratio_high >> bits)
            ratio_low, ratio_high = ratio_low * bend_low >> bits, -(-ratio_high * bend_high >> bits)


def discrete_laplace_law(scale: Fraction) -> Law:
    """P(z) proportional to exp(-|z| / scale)."""
    return Law(linear=1 / scale, quadratic=Fraction(0))


def discrete_gaussian_law(variance: Fraction) -> Law:
    """P(z) proportional to exp(-z^2 / (2 variance))."""
    return Law(linear=Fraction(0), quadratic=1 / (2 * variance))
