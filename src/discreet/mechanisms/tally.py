"""How many rows lie where on a public lattice, known coarsely at first and finely where a selection needs it.

A lattice has ``points``; each is cut into 2^``bits`` places, over which its rows are spread evenly: the j-th of them (in any
order) goes to the place whose number is j with its binary digits reversed. One row more or less is then one row more or less
in one place, and however many rows share a point, hardly two share a place. Proof: docs/proofs/quantiles.md, "Ties".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["Node", "Read", "Stretches", "Tally", "ranges_of", "reversed_digits", "spread_evenly"]

Integers = NDArray[np.int64]
Read = Callable[[Sequence[tuple[int, int]]], tuple[Integers, Integers]]  # ranges of bins → points that have rows, and how many

Pieces = tuple[Integers, Integers, Integers, NDArray[np.bool_]]

_AT_ONCE = 4096  # rows whose places are written out
_SPLIT = 8  # binary digits at a time for more of them


@dataclass(frozen=True, slots=True)
class Node:
    """The rows between two cuts: those with more than ``below`` and at most ``upto`` rows before them, on places first … last."""

    first: int
    last: int
    below: int
    upto: int

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.upto - self.below


@dataclass(frozen=True, slots=True)
class Stretches:
    """Neighbouring stretches of places: ``low`` rows lie before the stretch and ``high`` before its end.

    ``is_open`` marks those inside which more is to be known: several places, and rows somewhere among them. One that was cut
    down to a single place stays open: which of its rows are there is not known.
    """

    start: Integers
    width: Integers
    low: Integers
    high: Integers
    is_open: NDArray[np.bool_]


class Tally:
    """The rows of one cell. ``counts`` are those of bins of 2^``coarse`` points; ``read`` tells the points inside some bins."""

    def __init__(
        self, points: int, bins: Integers, counts: Integers, *, coarse: int = 0, bits: int = 0, read: Read | None = None
    ) -> None:
        self.points, self.coarse, self.bits = points, coarse, bits
        self._read = read
        self._start = bins.astype(np.int64) << (coarse + bits)
        self._width = np.minimum(self._start + (1 << (coarse + bits)), points << bits) - self._start
        self._rows = counts.astype(np.int64)
        self._is_bin = np.full(len(bins), coarse > 0)

    @classmethod
    def of_pieces(cls, points: int, pieces: Pieces, *, coarse: int = 0, bits: int = 0, read: Read | None = None) -> "Tally":
        """The tally that knows these pieces: where each starts, how wide it is, its rows, and if it is an unread bin."""
        start, width, rows, is_bin = pieces
        found = cls(points, start[:0], rows[:0], coarse=coarse, bits=bits, read=read)
        found._start, found._width, found._rows, found._is_bin = start.copy(), width.copy(), rows.copy(), is_bin.copy()
        return found

    @property
    def whole(self) -> Node:
        """All rows and all places."""
        return Node(0, (self.points << self.bits) - 1, 0, int(self._rows.sum()))

    def stretches(self, node: Node) -> Stretches:
        """What is known about the places of ``node``: every place is in one stretch. Counts are those of the whole tally."""
        end = self._start + self._width
        first, last = np.searchsorted(end, node.first, "right"), np.searchsorted(self._start, node.last, "right")
        starts, ends, rows = self._start[first:last], end[first:last], self._rows[first:last]
        upto = int(self._rows[:first].sum()) + np.cumsum(rows)
        edges = np.empty(2 * len(starts) + 2, np.int64)  # empty, taken, empty, taken, ..., empty
        edges[0], edges[-1] = min(node.first, starts[0]) if len(starts) else node.first, node.last + 1
        edges[1:-1:2], edges[2:-1:2] = starts, ends
        if len(starts):
            edges[-1] = max(edges[-1], ends[-1])
        low = np.empty(len(edges) - 1, np.int64)
        high = np.empty_like(low)
        low[0] = high[0] = upto[0] - rows[0] if len(rows) else int(self._rows[:first].sum())
        low[1::2], high[1::2] = upto - rows, upto
        low[2::2] = high[2::2] = upto
        width = np.diff(edges)
        is_there = width > 0
        width, low, high = width[is_there], low[is_there], high[is_there]
        return Stretches(edges[:-1][is_there], width, low, high, (width > 1) & (high > low))

    def refine(self, starts: Integers) -> None:
        """Learn more about the open stretches that begin at ``starts``."""
        at = np.searchsorted(self._start, starts)
        bins = at[self._is_bin[at]]
        if len(bins):
            self.learn(np.unique(self._start[bins] >> (self.coarse + self.bits)))
            return
        parts = [_split(int(self._width[i]), int(self._rows[i])) for i in at]
        pieces = [(self._start[i] + start, width, rows) for i, (start, width, rows) in zip(at, parts, strict=True)]
        self._replace(at, pieces)

    def learn(self, bins: Integers) -> None:
        """Read what is inside these bins."""
        assert self._read is not None
        points, rows = self._read(ranges_of(bins))
        self.take(bins, points, rows)

    def take(self, bins: Integers, points: Integers, rows: Integers) -> None:
        """What is inside these bins: the points that have rows, and how many. Points of other bins are passed over."""
        at = np.flatnonzero(self._is_bin & np.isin(self._start >> (self.coarse + self.bits), bins))
        inside = np.isin(points >> self.coarse, self._start[at] >> (self.coarse + self.bits))
        points, rows = points[inside], rows[inside]
        self._replace(at, [(points << self.bits, np.full(len(points), 1 << self.bits, np.int64), rows)])

    def bins_near(self, windows: Sequence[tuple[float, float]]) -> Integers:
        """The unread bins that have rows whose rank is inside one of the windows."""
        upto = np.cumsum(self._rows)
        near = np.zeros(len(upto), bool)
        for low, high in windows:
            near |= (upto >= low) & (upto - self._rows <= high)
        return np.asarray(self._start[near & self._is_bin] >> (self.coarse + self.bits))

    def at(self, place: int) -> tuple[int, int]:
        """How many rows lie before ``place``, and how many before its end."""
        while True:
            here = int(np.searchsorted(self._start, place, "right")) - 1
            before = int(self._rows[:here].sum()) if here >= 0 else 0
            if here < 0 or place >= self._start[here] + self._width[here]:
                upto = before + (int(self._rows[here]) if here >= 0 else 0)
                return upto, upto
            if self._width[here] == 1:
                return before, before + int(self._rows[here])
            self.refine(self._start[here : here + 1])

    def _replace(self, at: Integers, pieces: list[tuple[Integers, Integers, Integers]]) -> None:
        kept = np.ones(len(self._start), bool)
        kept[at] = False
        start = np.concatenate([self._start[kept], *(piece[0] for piece in pieces)])
        width = np.concatenate([self._width[kept], *(piece[1] for piece in pieces)])
        rows = np.concatenate([self._rows[kept], *(piece[2] for piece in pieces)])
        is_bin = np.concatenate([self._is_bin[kept], np.zeros(len(start) - int(kept.sum()), bool)])
        order = np.argsort(start, kind="stable")
        self._start, self._width, self._rows, self._is_bin = start[order], width[order], rows[order], is_bin[order]


def ranges_of(numbers: Integers) -> list[tuple[int, int]]:
    """Sorted whole numbers as ranges [first, last]."""
    breaks = np.flatnonzero(np.diff(numbers) > 1)
    firsts, lasts = np.concatenate([numbers[:1], numbers[breaks + 1]]), np.concatenate([numbers[breaks], numbers[-1:]])
    return [(int(first), int(last)) for first, last in zip(firsts, lasts, strict=True)]


def spread_evenly(rows: int, bits: int) -> Integers:
    """How many of ``rows`` go to each of 2^bits places."""
    places = np.arange(1 << bits)
    return (rows >> bits) + (reversed_digits(places, bits) < rows % (1 << bits))


def _split(width: int, rows: int) -> tuple[Integers, Integers, Integers]:
    """Parts of ``width`` places (a power of two) over which ``rows`` are spread evenly: those that have rows."""
    bits = width.bit_length() - 1
    return _split_by(bits, bits if rows <= _AT_ONCE or bits <= _SPLIT else _SPLIT, rows)


@lru_cache(maxsize=256)
def _split_by(bits: int, digits: int, rows: int) -> tuple[Integers, Integers, Integers]:
    """The same by the first ``digits`` of their ``bits``: inside each part, too, rows are spread evenly."""
    some = min(rows, 1 << digits)
    parts = np.sort(reversed_digits(np.arange(some), digits))
    found = (rows >> digits) + (reversed_digits(parts, digits) < rows % (1 << digits))
    return parts << (bits - digits), np.full(some, 1 << (bits - digits), np.int64), found


def reversed_digits(numbers: Integers, digits: int) -> Integers:
    """The numbers with their last binary digits in reversed order."""
    found, rest = np.zeros_like(numbers), numbers.copy()
    for _ in range(digits):
        found, rest = found << 1 | rest & 1, rest >> 1
    return found
