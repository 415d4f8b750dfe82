"""How rows are invented: whole numbers only, so that every machine makes the same ones.

A word is a 32-bit integer from R's generator, here held in 64 bits. Each function is a plain map from words to values.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from discreet.lessons.r import R

__all__ = ["Curve", "Ints", "along", "chosen", "dealt", "happens", "nudged", "with_total", "words"]

Ints = NDArray[np.int64]
Curve = Sequence[tuple[int, int]]  # (per mille of the rows, value at that rank), from 0 to 1000


def words(source: R, n: int) -> Ints:
    """The next ``n`` words of ``source``."""
    return source.words(n).astype(np.int64)


def along(drawn: Ints, curve: Curve) -> Ints:
    """A value for each word, distributed along ``curve``, which gives quantiles to be joined by straight lines."""
    ranks = np.array([(rank << 32) // 1000 for rank, _ in curve], dtype=np.int64)
    values = np.array([value for _, value in curve], dtype=np.int64)
    left = np.searchsorted(ranks, drawn, side="right") - 1
    rise, run = values[left + 1] - values[left], ranks[left + 1] - ranks[left]
    return np.asarray(values[left] + rise * (drawn - ranks[left]) // run)


def chosen(drawn: Ints, weights: Sequence[int]) -> Ints:
    """An index for each word, 0 with weight ``weights[0]`` and so on."""
    ends = np.cumsum(np.array(weights, dtype=np.int64))
    return np.searchsorted(ends, drawn * int(ends[-1]) >> 32, side="right").astype(np.int64)


def happens(drawn: Ints, per_mille: Ints | int) -> Ints:
    """1 for about ``per_mille`` of every thousand words, else 0."""
    return np.asarray(drawn * 1000 >> 32 < per_mille, dtype=np.int64)


def dealt(drawn: Ints, counts: Mapping[int, int]) -> Ints:
    """Each value exactly as often as ``counts`` says, in an order set by the words."""
    pack = np.repeat(np.array(list(counts), dtype=np.int64), list(counts.values()))
    return pack[np.argsort(drawn, kind="stable")]


def nudged(values: Ints, total: int, lower: int, upper: int) -> Ints:
    """``values`` moved by single steps within [lower, upper], spread over the rows, until they sum to ``total``."""
    found = np.clip(values, lower, upper)
    while gap := total - int(found.sum()):
        room = np.flatnonzero(found < upper if gap > 0 else found > lower)
        steps = min(abs(gap), room.size)
        found[room[np.arange(steps) * room.size // steps]] += 1 if gap > 0 else -1
    return found


def with_total(values: Ints, total: int, lower: int, upper: int) -> Ints:
    """``values`` stretched or shrunk in proportion, then nudged, until they sum to ``total``."""
    return nudged(values * total // int(values.sum()), total, lower, upper)
