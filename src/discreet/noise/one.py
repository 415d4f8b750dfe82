"""One draw from a table, in whole-number arithmetic. Every decision that a vector of draws leaves open ends here too."""

from bisect import bisect_left
from fractions import Fraction

from discreet.noise.bernoulli import is_below
from discreet.noise.enclosures import exp_minus
from discreet.noise.keystream import Entropy, bits
from discreet.noise.table import Table, locate, nearest_and_base, relative_exponent

__all__ = ["bin_of", "draw_one", "is_kept", "saturated", "value_in"]

_FAR = 1 << 62  # noise of the widest law that an array may have is beyond it once in e^4000


def draw_one(table: Table, entropy: Entropy) -> int:
    """One integer that follows the table's law exactly. How long it takes says next to nothing about which."""
    while True:
        index = bin_of(table, bits(entropy, 64), entropy)
        place = bits(entropy, table.width_bits)
        if not table.width_bits or is_kept(table, index, place, bits(entropy, 64), 64, entropy):
            return value_in(table, index, place)


def bin_of(table: Table, prefix: int, entropy: Entropy) -> int:
    """The bin of a uniform real from its first 64 binary digits."""
    index = bisect_left(table.thresholds, prefix)
    if index == len(table.thresholds) or table.thresholds[index] == prefix:
        return locate(table.law, table.width, prefix, entropy)
    return index


def value_in(table: Table, index: int, place: int) -> int:
    """The value at ``place`` of a bin, counted from its least."""
    return nearest_and_base(index, table.width)[1] + place


def is_kept(table: Table, index: int, place: int, prefix: int, length: int, entropy: Entropy) -> bool:
    """Whether the value is kept, by a uniform real whose first ``length`` binary digits are ``prefix``."""
    nearest, _ = nearest_and_base(index, table.width)
    offset = table.width - 1 - place if index % 2 else place
    x = relative_exponent(table.law, nearest, offset)
    one_less_x = _floor((1 - x) * (1 << length))  # 1 - x <= exp(-x) decides nearly always, without a series
    return prefix < one_less_x or is_below(prefix, length, lambda precision: exp_minus(x, precision), entropy)


def saturated(value: int) -> int:
    """The nearest integer that an array of 64-bit integers is sure to hold: post-processing."""
    return max(-_FAR, min(_FAR, value))


def _floor(x: Fraction) -> int:
    return x.numerator // x.denominator
