"""Exact coins and exact uniform integers, from fair bits and whole-number arithmetic alone."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from discreet.noise.enclosures import Enclosure, exp_minus
from discreet.noise.keystream import Entropy, bits

__all__ = ["bernoulli", "bernoulli_exp_minus", "coins", "is_below", "uniform_below", "uniforms", "uniforms_below"]

Words = NDArray[np.uint64]


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


def coins(low: Words, last: Words, number: Callable[[int, int], Enclosure], entropy: Entropy) -> NDArray[np.bool_]:
    """Many coins at once: that at place i is True with exactly the probability that ``number(i, p)`` encloses at p bits.

    ``low`` and ``last`` are the same at 64 bits, but for last being one less than the upper end, which may be 2^64. As in
    ``is_below``, to which open cases go.
    """
    words = np.empty(low.size, np.uint64)
    entropy.fill(words)
    tossed = words < low
    for at in np.flatnonzero(~tossed & (words <= last)).tolist():
        tossed[at] = is_below(int(words[at]), 64, partial(number, at), entropy)
    return tossed


def uniforms_below(count: int, size: int, entropy: Entropy) -> NDArray[np.int64]:
    """``size`` uniform integers in [0, count), for a count of at most 2^62."""
    width = np.uint64((count - 1).bit_length())
    drawn = np.zeros(size, np.int64)
    left = np.arange(size) if width else np.arange(0)
    while left.size:
        words = np.empty(left.size, np.uint64)
        entropy.fill(words)
        numbers = (words >> (np.uint64(64) - width)).astype(np.int64)
        is_kept = numbers < count
        drawn[left[is_kept]] = numbers[is_kept]
        left = left[~is_kept]
    return drawn


def uniforms(counts: NDArray[np.int64], entropy: Entropy) -> NDArray[np.int64]:
    """For each of the counts, all between 1 and 2^62, a uniform integer below it."""
    drawn = np.zeros(counts.size, np.int64)
    left = np.arange(counts.size)
    masks = (counts - 1).astype(np.uint64)
    for step in (1, 2, 4, 8, 16, 32):
        masks |= masks >> np.uint64(step)  # as many ones as the largest wanted number has digits
    while left.size:
        words = np.empty(left.size, np.uint64)
        entropy.fill(words)
        numbers = (words & masks[left]).astype(np.int64)
        is_kept = numbers < counts[left]  # at least every other draw
        drawn[left[is_kept]] = numbers[is_kept]
        left = left[~is_kept]
    return drawn
