"""The tallies of many cells on one lattice, cell after cell in flat arrays, so that all cells are looked at together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.tally import Node, Read, Tally, reversed_digits

__all__ = ["Nodes", "Tallies"]

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Nodes:
    """One node for every cell: see ``Node``."""

    first: Integers
    last: Integers
    below: Integers
    upto: Integers

    @property
    def rows(self) -> Integers:
        """How many rows each has."""
        return self.upto - self.below

    def __getitem__(self, cell: int) -> Node:
        return Node(int(self.first[cell]), int(self.last[cell]), int(self.below[cell]), int(self.upto[cell]))


@dataclass(frozen=True, slots=True)
class Spread:
    """The stretches of all nodes, cell after cell; ``of`` is the piece of the tallies that each is part of, -1 for empty ones."""

    cell: Integers
    start: Integers
    end: Integers
    low: Integers
    high: Integers
    of: Integers


class Tallies:
    """The rows of all cells: ``counts`` are those of (cell, bin), in order; see ``Tally``."""

    def __init__(
        self, points: int, cells: int, cell: Integers, bins: Integers, counts: Integers, *,
        coarse: int = 0, bits: int = 0, read: Callable[[int], Read] | None = None,
    ) -> None:  # fmt: skip
        self.points, self.cells, self.coarse, self.bits = points, cells, coarse, bits
        self._read = read
        start = bins.astype(np.int64) << (coarse + bits)
        width = np.minimum(start + (1 << (coarse + bits)), points << bits) - start
        self._put(cell.astype(np.int64), start, width, counts.astype(np.int64), np.full(len(bins), coarse > 0))
        self._alone: dict[int, Tally] = {}

    def _put(self, cell: Integers, start: Integers, width: Integers, rows: Integers, is_bin: Flags) -> None:
        self._cell, self._start, self._width, self._rows, self._is_bin = cell, start, width, rows, is_bin
        self._ends = np.searchsorted(cell, np.arange(self.cells + 1))
        self._upto = np.concatenate([[0], np.cumsum(rows)])  # rows of all cells before each piece, and after the last
        self._base = self._upto[self._ends[:-1]]

    @property
    def whole(self) -> Nodes:
        """All rows and all places of every cell."""
        none = np.zeros(self.cells, np.int64)
        return Nodes(none, none + ((self.points << self.bits) - 1), none, self._upto[self._ends[1:]] - self._base)

    def __getitem__(self, cell: int) -> Tally:
        """The tally of one cell by itself."""
        if cell not in self._alone:
            here = slice(int(self._ends[cell]), int(self._ends[cell + 1]))
            read = None if self._read is None else self._read(cell)
            parts = (self._start[here], self._width[here], self._rows[here], self._is_bin[here])
            self._alone[cell] = Tally.of_pieces(self.points, parts, coarse=self.coarse, bits=self.bits, read=read)
        return self._alone[cell]

    def spread(self, nodes: Nodes) -> Spread:
        """What is known about all places of the nodes: each is in one stretch; counts are among the rows of the node."""
        pieces, cells = len(self._start), np.arange(self.cells)
        taken = 2 * np.arange(pieces) + self._cell + 1  # empty, taken, empty, taken, ..., empty in every cell
        last = 2 * self._ends[1:] + cells
        size = 2 * pieces + self.cells
        cell, of = np.empty(size, np.int64), np.full(size, -1)
        start, end, low, high = (np.empty(size, np.int64) for _ in range(4))
        cell[taken] = cell[taken - 1] = self._cell
        cell[last], of[taken] = cells, np.arange(pieces)
        ends = self._start + self._width
        start[taken], end[taken], end[taken - 1] = self._start, ends, self._start
        start[taken - 1] = 0
        start[taken + 1] = ends  # the empty stretch behind, of the same cell
        start[last[np.diff(self._ends) == 0]] = 0
        end[last] = self.points << self.bits
        base = self._base[self._cell]
        low[taken], high[taken] = self._upto[:-1] - base, self._upto[1:] - base
        low[taken - 1] = high[taken - 1] = low[taken]
        low[last] = high[last] = self._upto[self._ends[1:]] - self._base
        start, end = np.maximum(start, nodes.first[cell]), np.minimum(end, nodes.last[cell] + 1)
        kept = start < end
        cell, start, end, of = cell[kept], start[kept], end[kept], of[kept]
        below, upto = nodes.below[cell], nodes.upto[cell]
        low, high = np.clip(low[kept], below, upto) - below, np.clip(high[kept], below, upto) - below
        return Spread(cell, start, end, low, high, of)

    def is_wide(self, pieces: Integers) -> Flags:
        """Which of the pieces have several places; -1 is none."""
        return np.append(self._width > 1, [False])[pieces]

    def can_split(self, pieces: Integers, most: int) -> Flags:
        """Which of the pieces are points with so few rows that all their places can be written out."""
        return np.append(~self._is_bin & (self._rows <= most), [False])[pieces]

    def split(self, pieces: Integers) -> None:
        """Write out the places of these points: rows are spread over them evenly, by their reversed digits."""
        rows, places = self._rows[pieces], 1 << self.bits
        some = np.minimum(rows, places)  # places that have rows
        each = np.repeat(np.arange(len(pieces)), some)
        number = np.arange(len(each)) - np.repeat(np.cumsum(some) - some, some)
        start = self._start[pieces][each] + reversed_digits(number, self.bits)
        there = (rows >> self.bits)[each] + (number < (rows % places)[each])
        self._replace(pieces, self._cell[pieces][each], start, np.ones(len(each), np.int64), there)

    def bins_near(self, windows: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]]) -> Integers:
        """The pieces that are unread bins with rows whose rank is inside one of the windows of their cell."""
        base = self._base[self._cell]
        upto, before = self._upto[1:] - base, self._upto[:-1] - base
        near = np.zeros(len(upto), bool)
        for low, high in windows:
            near |= (upto >= low[self._cell]) & (before <= high[self._cell])
        return np.flatnonzero(near & self._is_bin)

    def bins_around(self, places: Integers, near: int) -> Integers:
        """The pieces that are unread bins, at most ``near`` bins from one of the points (several x cells) of their cell."""
        apart = np.abs((self._start >> (self.coarse + self.bits)) - (places >> self.coarse)[:, self._cell])
        return np.flatnonzero((apart <= near).any(axis=0) & self._is_bin)

    @property
    def known(self) -> tuple[Integers, Integers, Integers]:
        """Cell, point and rows of all pieces; of an unread bin, its first point."""
        return self._cell, self._start >> self.bits, self._rows

    def bins_of(self, pieces: Integers) -> Integers:
        """The numbers of the bins that these pieces are, each once."""
        return np.unique(self._start[pieces] >> (self.coarse + self.bits))

    def take(self, pieces: Integers, cell: Integers, points: Integers, rows: Integers) -> None:
        """What is inside these bins: the points that have rows, and how many, by cell. Points of other bins are passed over."""
        many = (self.points >> self.coarse) + 1
        wanted = self._cell[pieces] * many + (self._start[pieces] >> (self.coarse + self.bits))
        inside = np.isin(cell * many + (points >> self.coarse), wanted)
        cell, points, rows = cell[inside].astype(np.int64), points[inside].astype(np.int64), rows[inside].astype(np.int64)
        self._replace(pieces, cell, points << self.bits, np.full(len(points), 1 << self.bits, np.int64), rows)

    def at(self, places: Integers) -> tuple[Integers, Integers]:
        """In every cell, how many rows lie before its place, and how many before that place's end."""
        low, high = self._ends[:-1].copy(), self._ends[1:].copy()
        while (low < high).any():  # the first piece that begins behind the place
            middle = (low + high) // 2
            is_before = (low < high) & (self._start[np.minimum(middle, len(self._start) - 1)] <= places)
            low, high = np.where(is_before, middle + 1, low), np.where(is_before | (low >= high), high, middle)
        has = low > self._ends[:-1]
        piece = np.where(has, low - 1, 0)
        if not len(self._start):
            return np.zeros(self.cells, np.int64), np.zeros(self.cells, np.int64)
        inside = has & (places < self._start[piece] + self._width[piece])
        upto = self._upto[low] - self._base
        before = np.where(inside, self._upto[piece] - self._base, upto)
        for cell in np.flatnonzero(inside & (self._width[piece] > 1)).tolist():
            before[cell], upto[cell] = self[cell].at(int(places[cell]))
        return before, upto

    def _replace(self, pieces: Integers, cell: Integers, start: Integers, width: Integers, rows: Integers) -> None:
        kept = np.ones(len(self._start), bool)
        kept[pieces] = False
        cell, start = np.concatenate([self._cell[kept], cell]), np.concatenate([self._start[kept], start])
        order = np.lexsort((start, cell))
        is_bin = np.concatenate([self._is_bin[kept], np.zeros(len(width), bool)])
        width, rows = np.concatenate([self._width[kept], width]), np.concatenate([self._rows[kept], rows])
        self._put(cell[order], start[order], width[order], rows[order], is_bin[order])
