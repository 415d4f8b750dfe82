"""Rows that an engine found, put into the cells of a plan."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from discreet.engines.rules.values import nearest
from discreet.engines.wanted import LOW_BITS, ByStep, ByValue, Counts, CountsWanted, Key, Sums, Wanted

__all__ = ["gather", "gather_counts", "gather_sizes"]

Cells = NDArray[np.int64]

_PIECE = LOW_BITS // 2
_ONES = (1 << _PIECE) - 1


def gather(wanted: Wanted, found: Mapping[str, NDArray[Any]]) -> Sums:
    """The sums of all cells, from the columns k0, ..., h0, l0, ... that ``writer`` describes. Cells without rows are 0."""
    place, is_inside = _places(wanted, found, len(found["l0"]) if wanted.measures else 0)
    shape = (len(wanted.measures), wanted.cells)
    high, middle, low = (np.zeros(shape, np.int64) for _ in range(3))
    for number in range(len(wanted.measures)):
        # several rows may share a cell: values that are not declared, in ``other``; pieces of 31 bits leave room for 2^32 of them
        of_low = _exact(found[f"l{number}"])[is_inside]
        if (of_high := found.get(f"h{number}")) is not None:
            np.add.at(high[number], place[is_inside], _exact(of_high)[is_inside])
        np.add.at(middle[number], place[is_inside], of_low >> _PIECE)
        np.add.at(low[number], place[is_inside], of_low & _ONES)
    middle += low >> _PIECE
    return Sums(high + (middle >> _PIECE), (middle & _ONES) << _PIECE | low & _ONES)


def gather_counts(wanted: Wanted | CountsWanted, found: Mapping[str, NDArray[Any]]) -> Counts:
    """The counts from the columns k0, ..., b, n that ``writer`` describes, or cell, b, n; those in no cell are left out."""
    place, is_inside = _places(wanted, found, len(found["n"]))
    cells, bins, rows = (each[is_inside] for each in (place, _exact(found["b"]), _exact(found["n"])))
    order = np.lexsort((bins, cells))
    cells, bins, rows = cells[order], bins[order], rows[order]
    is_new = np.ones(len(cells), bool)  # several rows may share a cell: values that are not declared, in ``other``
    is_new[1:] = (np.diff(cells) != 0) | (np.diff(bins) != 0)
    starts = np.flatnonzero(is_new)
    return Counts(cells[starts], bins[starts], np.add.reduceat(rows, starts) if len(starts) else rows)


def gather_sizes(found: Mapping[str, NDArray[Any]]) -> Counts:
    """The counts from the columns b, n: how many units have how many rows or cells."""
    bins, units = _exact(found["b"]), _exact(found["n"])
    order = np.argsort(bins)
    return Counts(np.zeros(len(bins), np.int64), bins[order], units[order])


def _places(
    wanted: Wanted | CountsWanted, found: Mapping[str, NDArray[Any]], rows: int
) -> tuple[Cells, NDArray[np.bool_]]:
    """The cell of every row found, and whether it has one: from its number, where units are bounded, or from its keys."""
    is_inside = np.ones(rows, bool)
    if wanted.unit is not None:
        return (_exact(found["cell"]) if rows else np.zeros(0, np.int64)), is_inside
    place: Cells = np.zeros(rows, np.int64)
    for number, key in enumerate(wanted.keys):
        cell = _cells(key, found[f"k{number}"])
        is_inside &= cell >= 0
        place = place * key.cells + cell
    return place, is_inside


def _exact(column: NDArray[Any]) -> Cells:
    if column.dtype != np.int64 or np.ma.is_masked(column):
        raise TypeError(f"sums left the engine as {column.dtype}")  # HUGEINT would come as float64
    return np.ma.getdata(column)


def _cells(key: Key, column: NDArray[Any]) -> Cells:
    """The key's cell of each row; -1 where it is in none."""
    values: NDArray[Any] = np.ma.getdata(column)
    is_null: NDArray[np.bool_] = np.ma.getmaskarray(column)
    match key:
        case ByStep(null=null):
            outside = is_null | (values < 0) | (values >= key.steps)
            return np.where(is_null & null, key.steps, np.where(outside, -1, values)).astype(np.int64)
        case ByValue(values=declared, other=other):
            rest = len(declared) if other else -1
            if values.dtype.kind in "iuf":
                cell = _of_numbers(declared, values.astype(np.float64), rest)
            else:
                cell = _of_words(declared, values, rest)
            return np.where(is_null, rest, cell)
        case _:
            assert_never(key)


def _of_numbers(declared: tuple[Fraction | str | bool, ...], values: NDArray[np.float64], rest: int) -> Cells:
    places = np.array([place for place, value in enumerate(declared) if isinstance(value, Fraction)], np.int64)
    if not len(places):
        return np.full(len(values), rest)
    numbers = np.array([nearest(value) for value in declared if isinstance(value, Fraction)])
    order = np.argsort(numbers, kind="stable")  # of equal numbers the first has the cell
    found = np.minimum(np.searchsorted(numbers[order], values), len(numbers) - 1)
    return np.where(numbers[order][found] == values, places[order][found], rest)


def _of_words(declared: tuple[Fraction | str | bool, ...], values: NDArray[Any], rest: int) -> Cells:
    wanted = bool if values.dtype.kind == "b" else str
    places = {value: place for place, value in reversed(list(enumerate(declared))) if isinstance(value, wanted)}
    return np.array([places.get(value, rest) for value in values.tolist()], np.int64)
