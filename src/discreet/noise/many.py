"""Many draws from a table at once: two filters of whole-number NumPy passes in front of the exact single draw.

One 64-bit word a draw, read as [guide | keep | place]. The guide digits look up a cell; a cell inside one bin settles the
bin, and the keep digits settle most values there against a bound for the whole bin; the place digits are the offset. Words
left open go through a second filter with fresh digits and integer enclosures of exp, and what even that leaves open is
completed one by one. Every decision is either certain or handed on, so the law is exact. No floating-point number is used.
Proof: docs/proofs/noise.md.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from discreet.noise.keystream import Entropy
from discreet.noise.one import bin_of, is_kept, saturated, value_in
from discreet.noise.threshold_table import ThresholdTable, nearest_and_base

__all__ = ["draw_many"]

_LARGEST_WIDTH_BITS = 45  # leaves three keep digits in a word
_GUIDE = 16  # digits: more leave fewer words open, but the cells should stay in the second-level cache
_CHUNK = 1 << 16
_OPEN = np.iinfo(np.int64).min  # the base of a cell that does not settle its bin
_ONE = 1 << 32  # second filter: exponents and probabilities in units of 2^-32
_STEEPEST = _ONE // 4  # exponents inside a bin: its products then fit in 64 bits, and none of its differences is negative

Words = NDArray[np.uint64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Guide:
    """Lookup arrays of a table, by cell or by bin."""

    table: ThresholdTable
    thresholds: Words
    cell_base: Integers  # least value of the cell's bin, or _OPEN
    cell_keep: Words  # keep digits below this keep every value of the bin; 0 in open cells
    bin_base: Integers
    bin_slope: Words  # floor of the exponent's linear part at the bin's end
    curve: int  # floor of its quadratic part there
    negative: NDArray[np.bool_]


def draw_many(table: ThresholdTable, size: int, entropy: Entropy) -> Integers:
    """``size`` independent integers that follow the table's law exactly."""
    guide = _guide(table)
    drawn = np.empty(size, np.int64)
    if not size:
        return drawn
    rejected = _fill(guide, drawn, entropy)
    while rejected.size:
        again = np.empty(rejected.size, np.int64)
        still = _fill(guide, again, entropy)
        drawn[rejected] = again
        rejected = rejected[still]
    return drawn


@lru_cache(maxsize=64)
def _guide(table: ThresholdTable) -> _Guide:
    law, width = table.law, table.width
    thresholds = np.array(table.thresholds, np.uint64)
    count = len(thresholds)
    nearest, base = zip(*(nearest_and_base(index, width) for index in range(count)), strict=True)
    reach = width if table.width_bits else 0  # a bin of one value has no offsets
    slope = [int(_ONE * reach * (law.linear + 2 * law.quadratic * at)) for at in nearest]
    curve = int(_ONE * law.quadratic * reach * reach)
    if table.width_bits > _LARGEST_WIDTH_BITS or slope[-1] + curve > _STEEPEST:
        raise ValueError("the bins of this table are too wide to draw many values at once")
    spare = _GUIDE + table.width_bits  # keep digits are a word's first 64 - spare: a bound uses no others
    keep = [max(0, (_ONE - s - curve - 2) << 32) >> spare << spare for s in slope]  # exp(-x) >= 1 - x
    first = np.searchsorted(thresholds, np.arange(1 << _GUIDE, dtype=np.uint64) << np.uint64(64 - _GUIDE), "left")
    is_open = first == count
    is_open[(thresholds >> np.uint64(64 - _GUIDE)).astype(np.int64)] = True
    first[is_open] = 0
    bin_base = np.array(base, np.int64)
    return _Guide(
        table=table,
        thresholds=thresholds,
        cell_base=np.where(is_open, _OPEN, bin_base[first]),
        cell_keep=np.where(is_open, np.uint64(0), np.array(keep, np.uint64)[first]),
        bin_base=bin_base,
        bin_slope=np.array(slope, np.uint64),
        curve=curve,
        negative=np.arange(count) % 2 == 1,
    )


def _fill(guide: _Guide, drawn: Integers, entropy: Entropy) -> NDArray[np.intp]:
    """Overwrite ``drawn`` and return the places whose value was rejected and must be drawn again."""
    chunk = min(_CHUNK, drawn.size)
    words, cells, keeps = (np.empty(chunk, np.uint64) for _ in range(3))
    places, open_words = [], []
    for start in range(0, drawn.size, chunk):
        values = drawn[start : start + chunk]
        word, cell, keep = words[: values.size], cells[: values.size], keeps[: values.size]
        entropy.fill(word)
        np.right_shift(word, np.uint64(64 - _GUIDE), out=cell)
        np.take(guide.cell_base, cell.view(np.int64), out=values, mode="clip")
        if guide.table.width_bits:
            np.take(guide.cell_keep, cell.view(np.int64), out=keep, mode="clip")
            np.left_shift(word, np.uint64(_GUIDE), out=cell)
            left = np.flatnonzero(cell >= keep)
            np.bitwise_and(word, np.uint64(guide.table.width - 1), out=cell)
            values += cell.view(np.int64)
        else:
            left = np.flatnonzero(values == _OPEN)
        places.append(left + start)
        open_words.append(word[left])
    words.fill(0)  # leave no trace of the noise in memory
    place = np.concatenate(places)
    drawn[place], kept = _settle(guide, np.concatenate(open_words), entropy)
    return place[~kept]


def _settle(guide: _Guide, word: Words, entropy: Entropy) -> tuple[Integers, NDArray[np.bool_]]:
    """The values of words that the first filter left open, and whether each is kept."""
    table = guide.table
    if not table.width_bits:
        index, is_hard = _bins_of(guide, word)
        values, kept = guide.bin_base[index], np.ones(word.size, np.bool_)
        for at in np.flatnonzero(is_hard):
            values[at] = saturated(value_in(table, bin_of(table, int(word[at]), entropy), 0))
        return values, kept
    fresh = np.empty((2, word.size), np.uint64)
    entropy.fill(fresh)
    guide_digits, keep_digits = np.uint64(_GUIDE), np.uint64(64 - _GUIDE - table.width_bits)
    prefix = (word >> (64 - guide_digits) << (64 - guide_digits)) | (fresh[0] >> guide_digits)
    keep = (word << guide_digits >> (64 - keep_digits) << (64 - keep_digits)) | (fresh[1] >> keep_digits)
    place = (word & np.uint64(table.width - 1)).astype(np.int64)
    index, is_hard = _bins_of(guide, prefix)
    low, high = _keep_bounds(guide, index, np.where(guide.negative[index], table.width - 1 - place, place))
    leading = keep >> np.uint64(32)
    values, kept = guide.bin_base[index] + place, leading < low
    is_hard |= ~kept & (leading < high)
    for at in np.flatnonzero(is_hard):
        exact_index = bin_of(table, int(prefix[at]), entropy)
        values[at] = saturated(value_in(table, exact_index, int(place[at])))
        kept[at] = is_kept(table, exact_index, int(place[at]), int(keep[at]), 64, entropy)
    return values, kept


def _bins_of(guide: _Guide, prefix: Words) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The bin of each uniform real by its first 64 digits, and whether they leave it open."""
    index = np.searchsorted(guide.thresholds, prefix, "left")
    is_beyond = index == guide.thresholds.size
    index[is_beyond] = 0
    return index, is_beyond | (guide.thresholds[index] == prefix)


def _keep_bounds(guide: _Guide, index: NDArray[np.intp], offset: Integers) -> tuple[Words, Words]:
    """Integer enclosures, in units of 2^-32, of weight(nearest + offset) / weight(nearest)."""
    digits = guide.table.width_bits
    part = (offset << (31 - digits) if digits <= 31 else offset >> (digits - 31)).astype(np.uint64)  # offset / width, 31 digits
    slope, curve = guide.bin_slope[index], np.uint64(guide.curve)
    one, half = np.uint64(1), np.uint64(31)
    x_low = (part * slope >> half) + ((part * part >> half) * curve >> half)
    part += one
    slope += one
    x_high = (part * slope >> half) + (((part * part >> half) + one) * (curve + one) >> half) + np.uint64(2)
    # 1 - x + x^2/2 - x^3/6 <= exp(-x) <= 1 - x + x^2/2
    cube = ((x_high * x_high >> np.uint64(32)) + one) * x_high // np.uint64(6 * _ONE) + one
    low = np.uint64(_ONE) + (x_low * x_low >> np.uint64(33)) - x_high - cube
    high = np.uint64(_ONE) + (x_high * x_high >> np.uint64(33)) + one - x_low
    return low, high
