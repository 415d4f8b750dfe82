"""Exact coins and exact uniform integers, from fair bits and whole-number arithmetic alone."""

from collections.abc import Callable
from fractions import Fraction

from discreet.noise.enclosures import Enclosure, exp_minus
from discreet.noise.keystream import Entropy, bits

__all__ = ["bernoulli", "bernoulli_exp_minus", "is_below", "uniform_below"]


def uniform_below(count: int, entropy: Entropy) -> int:
    """A uniform integer in [0, count)."""
    width = (count - 1).bit_length()
    while (drawn := bits(entropy, width)) >= count:  # at least every other draw is kept
        pass
    return drawn


def bernoulli(probability: Fraction, entropy: Entropy) -> bool:
    """True with exactly the rational ``probability``."""
    return uniform_below(probability.denominator, entropy) < probability.numerator


def bernoulli_exp_minus(x: Fraction, entropy: Entropy) -> bool:
    """True with probability exactly exp(-x), for a rational x >= 0."""
    return is_below(bits(entropy, 64), 64, lambda precision: exp_minus(x, precision), entropy)


def is_below(prefix: int, length: int, number: Callable[[int], Enclosure], entropy: Entropy) -> bool:
    """Whether the uniform real whose binary digits begin with ``prefix`` is below ``number``.

    ``number(p)`` encloses it at p bits. Digits are drawn until the answer is certain, so the result is True with exactly
    that probability; a second look is needed about once in 2^62 times.
    """
    while True:
        low, high = number(length)
        if prefix < low:
            return True
        if prefix >= high:
            return False
        prefix, length = prefix << 64 | bits(entropy, 64), length + 64
