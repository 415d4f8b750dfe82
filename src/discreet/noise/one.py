"""Draws from a table one by one, in whole-number arithmetic. Every decision that a vector of draws leaves open ends here too."""

from bisect import bisect_left
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from discreet.noise.bernoulli import is_below
from discreet.noise.enclosures import exp_minus
from discreet.noise.keystream import Entropy
from discreet.noise.threshold_table import ThresholdTable, locate, nearest_and_base, relative_exponent

__all__ = ["bin_of", "draw_few", "draw_one", "is_kept", "saturated", "value_in"]

_FAR = 1 << 62  # noise of the widest law that an array may have is beyond it once in e^4000


def draw_one(table: ThresholdTable, entropy: Entropy) -> int:
    """One integer that follows the table's law exactly. How long it takes says next to nothing about which."""
    (drawn,) = draw_few(table, 1, entropy)
    return drawn


def draw_few(table: ThresholdTable, size: int, entropy: Entropy) -> list[int]:
    """``size`` such integers, independent: those that single draws would make of the same words, read together."""
    drawn: list[int] = []
    while len(drawn) < size:  # what is left out of so many attempts was rejected
        for prefix, place, keep in _attempts(table, size - len(drawn), entropy):
            index = bin_of(table, prefix, entropy)
            if not table.width_bits or is_kept(table, index, place, keep, 64, entropy):
                drawn.append(value_in(table, index, place))
    return drawn


def _attempts(table: ThresholdTable, count: int, entropy: Entropy) -> Iterator[tuple[int, int, int]]:
    """Of each attempt 64 digits for its bin, its place there, and 64 digits for whether it is kept."""
    between = -(-table.width_bits // 64)
    words = np.empty((count, between + 2 if between else 1), np.uint64)
    entropy.fill(words)
    for first, *rest in words.tolist():
        place = 0
        for word in reversed(rest[:-1]):
            place = place << 64 | word
        yield first, place >> (-table.width_bits % 64), rest[-1] if rest else 0


def bin_of(table: ThresholdTable, prefix: int, entropy: Entropy) -> int:
    """The bin of a uniform real from its first 64 binary digits."""
    index = bisect_left(table.thresholds, prefix)
    if index == len(table.thresholds) or table.thresholds[index] == prefix:
        return locate(table.law, table.width, prefix, entropy)
    return index


def value_in(table: ThresholdTable, index: int, place: int) -> int:
    """The value at ``place`` of a bin, counted from its least."""
    return nearest_and_base(index, table.width)[1] + place


def is_kept(table: ThresholdTable, index: int, place: int, prefix: int, length: int, entropy: Entropy) -> bool:
    """Whether the value is kept, by a uniform real whose first ``length`` binary digits are ``prefix``."""
    nearest, _ = nearest_and_base(index, table.width)
    offset = table.width - 1 - place if index % 2 else place
    x, unit = relative_exponent(table.law, nearest, offset)
    if (prefix + 1) * unit <= (unit - x) << length:  # 1 - x <= exp(-x) decides nearly always, without a series
        return True
    if 2 * prefix * unit * unit >= ((unit - x) ** 2 + unit * unit) << length:  # exp(-x) <= 1 - x + x^2/2
        return False
    return is_below(prefix, length, lambda precision: exp_minus(Fraction(x, unit), precision), entropy)


def saturated(value: int) -> int:
    """The nearest integer that an array of 64-bit integers is sure to hold: post-processing."""
    return max(-_FAR, min(_FAR, value))
