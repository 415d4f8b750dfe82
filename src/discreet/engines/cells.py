"""Rows that an engine found, put into the cells of a plan."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from discreet.engines.values import nearest
from discreet.engines.wanted import ByStep, ByValue, Key, Sums, Wanted

__all__ = ["gather"]

Cells = NDArray[np.int64]


def gather(wanted: Wanted, found: Mapping[str, NDArray[Any]]) -> Sums:
    """The sums of all cells, from the columns k0, ..., h0, l0, ... that ``writer`` describes. Cells without rows are 0."""
    place: Cells = np.zeros(len(found["h0"]) if wanted.measures else 0, np.int64)
    is_inside = np.ones(len(place), bool)
    for number, key in enumerate(wanted.keys):
        cell = _cells(key, found[f"k{number}"])
        is_inside &= cell >= 0
        place = place * key.cells + cell
    shape = (len(wanted.measures), wanted.cells)
    high, low = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for number in range(len(wanted.measures)):
        # several rows may share a cell: values that are not declared, in ``other``
        np.add.at(high[number], place[is_inside], _exact(found[f"h{number}"])[is_inside])
        np.add.at(low[number], place[is_inside], _exact(found[f"l{number}"])[is_inside])
    high += low >> 32
    return Sums(high, low & 0xFFFFFFFF)


def _exact(column: NDArray[Any]) -> Cells:
    if column.dtype != np.int64 or np.ma.is_masked(column):
        raise TypeError(f"sums left the engine as {column.dtype}")  # HUGEINT would come as float64
    return np.ma.getdata(column)


def _cells(key: Key, column: NDArray[Any]) -> Cells:
    """The key's cell of each row; -1 where it is in none."""
    values: NDArray[Any] = np.ma.getdata(column)
    is_null: NDArray[np.bool_] = np.ma.getmaskarray(column)
    match key:
        case ByStep(cells=cells):
            outside = is_null | (values < 0) | (values >= cells)
            return np.where(outside, -1, values).astype(np.int64)
        case ByValue(values=declared, other=other):
            rest = len(declared) if other else -1
            if values.dtype.kind in "if":
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
