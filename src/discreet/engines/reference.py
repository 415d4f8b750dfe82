"""The oracle: the exact integers of a plan in plain Python, row by row. Slow, short, and without SQL."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import assert_never

import numpy as np

from discreet.engines.evaluate import binned, evaluate, number, on_grid
from discreet.engines.faults import guarded
from discreet.engines.values import Raw, Value, nearest, read
from discreet.engines.wanted import ByStep, ByValue, Key, Measure, Sums, Wanted
from discreet.facts.model import Facts
from discreet.private import Private

__all__ = ["MOST", "Reference"]

MOST = (1 << 95) - 1  # sums saturate here: a high half of 63 bits and a low one of 32

Row = Mapping[str, Value]


class Reference:
    """A table of raw Python values, by column name; a column that a row lacks is NULL there, undeclared ones do not exist."""

    def __init__(self, facts: Facts, rows: Sequence[Mapping[str, Raw]]) -> None:
        self._rows: list[Row] = [
            {column.name: read(column, row.get(column.name)) for column in facts.columns} for row in rows
        ]

    def check(self) -> None:
        """The rows are in memory: never gone."""

    def run(self, wanted: Wanted) -> Private[Sums]:
        """The exact integers. Raises EngineFault, and no other error."""
        return guarded("the reference engine could not answer", lambda: Private(_sums(wanted, self._rows)))

    def close(self) -> None:
        """Let go of the data."""
        self._rows = []


def _sums(wanted: Wanted, rows: Sequence[Row]) -> Sums:
    totals = [[0] * wanted.cells for _ in wanted.measures]
    for row in rows:
        cell = _cell(wanted, row)
        if cell is None or (wanted.where is not None and evaluate(wanted.where, row) is not True):
            continue
        for total, measure in zip(totals, wanted.measures, strict=True):
            total[cell] += _term(measure, row)
    capped = [[min(value, MOST) for value in total] for total in totals]
    shape = (len(wanted.measures), wanted.cells)
    high = np.array([[value >> 32 for value in total] for total in capped], np.int64).reshape(shape)
    low = np.array([[value & 0xFFFFFFFF for value in total] for total in capped], np.int64).reshape(shape)
    return Sums(high, low)


def _cell(wanted: Wanted, row: Row) -> int | None:
    cell = 0
    for key in wanted.keys:
        if (place := _place(key, row)) is None:
            return None
        cell = cell * key.cells + place
    return cell


def _place(key: Key, row: Row) -> int | None:
    """The key's cell that the row is in; None if it is in none."""
    value = evaluate(key.of, row)
    match key:
        case ByValue(values=values, other=other):
            found = (place for place, declared in enumerate(values) if _same(value, declared))
            return next(found, len(values) if other else None)
        case ByStep(width=width, origin=origin, first=first, cells=cells):
            steps = binned(number(value), width, origin)
            if steps is None or not first <= steps < first + cells:
                return None
            return int(steps) - first
        case _:
            assert_never(key)


def _same(value: Value, declared: Fraction | str | bool) -> bool:
    expected = nearest(declared) if isinstance(declared, Fraction) else declared
    return type(value) is type(expected) and value == expected


def _term(measure: Measure, row: Row) -> int:
    """What one row adds."""
    if measure.filter is not None and evaluate(measure.filter, row) is not True:
        return 0
    if measure.of is None:
        return 1
    value = evaluate(measure.of, row)
    if value is None or measure.grid is None:
        return 0 if value is None else 1
    x = number(value)
    return 0 if x is None else int((on_grid(x, measure.grid) - measure.grid.low) ** measure.power)
