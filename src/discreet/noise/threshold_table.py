"""The certified table behind both laws: 64-bit thresholds between bins of integers.

The integers are cut into bins of ``width`` = 2^b values, taken outwards in the order 0.., -1.., and a bin's weight is the
weight of its value nearest zero. A uniform real picks a bin; a uniform offset inside it is then kept with probability
weight(value) / weight(nearest), so that what is kept follows the law exactly. Proof: docs/proofs/noise.md.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from discreet.noise.enclosures import Enclosure, exp_minus
from discreet.noise.keystream import Entropy, bits
from discreet.noise.law import Law

__all__ = ["ThresholdTable", "locate", "nearest_and_base", "relative_exponent", "threshold_table"]

_WORD = 1 << 64
_TAIL = 1 << 20  # what lies beyond the table has probability at most 2^20 / 2^64 and is completed one by one


@dataclass(frozen=True, slots=True)
class ThresholdTable:
    """``thresholds[i]`` is exactly floor(2^64 P(bin <= i)); the last one leaves out less than 2^-43."""

    law: Law
    width_bits: int
    thresholds: tuple[int, ...]

    @property
    def width(self) -> int:
        return 1 << self.width_bits


@lru_cache(maxsize=256)
def threshold_table(law: Law, bins_per_spread: int) -> ThresholdTable:
    """The table with between one and two times ``bins_per_spread`` bins in one spread of the law, fewer if it is narrow."""
    width_bits = max(0, (law.spread // bins_per_spread).bit_length() - 1)
    precision = 160
    while (found := _thresholds(law, 1 << width_bits, precision)) is None:
        precision *= 2
    return ThresholdTable(law, width_bits, found)


def _thresholds(law: Law, width: int, precision: int) -> tuple[int, ...] | None:
    """The thresholds, or None if this precision leaves one of them undecided."""
    weights, (total_low, total_high) = _bins(law, width, precision, depth=60)
    found = []
    for low, high in zip(accumulate(w[0] for w in weights), accumulate(w[1] for w in weights), strict=True):
        floor_low = (low << 64) // total_high
        floor_high = min((high << 64) // total_low, _WORD - 1)  # no bin reaches probability one
        if floor_low != floor_high:
            return None
        found.append(floor_low)
        if floor_low >= _WORD - _TAIL:
            return tuple(found)
    return None


def _bins(law: Law, width: int, precision: int, depth: int) -> tuple[list[Enclosure], Enclosure]:
    """The weights of the bins outwards to 2^-depth or smaller, and the sum of all weights, endless tail included."""
    weights: list[Enclosure] = []
    enough = 1 << 8 if law.quadratic else 1 << (precision - depth)  # a geometric tail has a closed form: stop early
    for positive, negative in zip(law.weights(0, width, precision), law.weights(1, width, precision), strict=True):
        weights += (positive, negative)
        if positive[1] <= enough:
            break
    return weights, _total(law, width, precision, weights)


def _total(law: Law, width: int, precision: int, weights: list[Enclosure]) -> Enclosure:
    """The sum of all weights: those listed, and beyond them at most a geometric series."""
    low, high = sum(w[0] for w in weights), sum(w[1] for w in weights)
    last = len(weights) // 2 - 1
    for start in (0, 1):
        at = start + last * width
        rest_low, rest_high = weights[start - 2]
        ratio_low, ratio_high = exp_minus(law.exponent(at + width) - law.exponent(at), precision)
        high -= -rest_high * ratio_high // ((1 << precision) - ratio_high)
        if not law.quadratic:  # then the series is geometric, else it falls faster
            low += rest_low * ratio_low // ((1 << precision) - ratio_low)
    return low, high


def locate(law: Law, width: int, prefix: int, entropy: Entropy) -> int:
    """The bin of the uniform real whose first 64 binary digits are ``prefix``; draws digits until it is certain."""
    length = 64
    while True:
        precision = 2 * length + 64
        weights, (total_low, total_high) = _bins(law, width, precision, depth=length + 16)
        low = high = 0
        for index, weight in enumerate(weights):
            low, high = low + weight[0], high + weight[1]
            if prefix + 1 <= (low << length) // total_high:
                return index  # certainly below this bin's end, and by then certainly not below the one before
            if prefix < -(-(high << length) // total_low):
                break  # undecided: more digits
        prefix, length = prefix << 64 | bits(entropy, 64), length + 64


def nearest_and_base(index: int, width: int) -> tuple[int, int]:
    """Of a bin: the distance of its value nearest zero, and its least value."""
    step, negative = divmod(index, 2)
    return step * width + negative, -(step + 1) * width if negative else step * width


def relative_exponent(law: Law, nearest: int, offset: int) -> tuple[int, int]:
    """Minus the logarithm of weight(nearest + offset) / weight(nearest), as two whole numbers to divide."""
    linear, quadratic = law.linear, law.quadratic
    slope = linear.numerator * quadratic.denominator + quadratic.numerator * linear.denominator * (2 * nearest + offset)
    return offset * slope, linear.denominator * quadratic.denominator
