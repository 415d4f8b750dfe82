"""The oracle: the exact integers of a plan in plain Python, row by row. Slow, short, and without SQL."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from fractions import Fraction
from typing import assert_never

import numpy as np

from discreet.engines.faults import guarded
from discreet.engines.rules.candidates import candidates
from discreet.engines.rules.choice import Placed, columns_read, kept, key_for, settled, unit_of
from discreet.engines.rules.evaluate import binned, evaluate, number, on_grid
from discreet.engines.rules.lookups import (
    companions_by_unit,
    joined_rows,
    read_before,
    read_companions,
    read_lookups,
    rows_before,
    with_joins,
)
from discreet.engines.rules.unit_values import rows_of_units
from discreet.engines.rules.values import Raw, Value, nearest, read
from discreet.engines.wanted import (
    LOW_BITS,
    Bound,
    ByStep,
    ByValue,
    Candidates,
    Counts,
    CountsWanted,
    CutWanted,
    Engine,
    Key,
    KeysWanted,
    Measure,
    Sums,
    UnitsWanted,
    Wanted,
)
from discreet.facts.model import ByColumn, Facts
from discreet.private import Private

__all__ = ["Reference"]

Row = Mapping[str, Value]


class Reference:
    """A table of raw Python values, by column name; a column that a row lacks is NULL there, undeclared ones do not exist."""

    def __init__(
        self,
        facts: Facts,
        rows: Sequence[Mapping[str, Raw]],
        lookups: Mapping[str, Sequence[Mapping[str, Raw]]] | None = None,
    ) -> None:
        self._rows: list[Row] = [
            {column.name: read(column, row.get(column.name)) for column in facts.columns} for row in rows
        ]
        self._facts = facts
        self._lookups = read_lookups(facts, lookups or {})
        self._companions = read_companions(facts, lookups or {})
        unit = facts.unit
        self._units = [unit_of(row.get(unit.column)) for row in rows] if isinstance(unit, ByColumn) else []
        if per_unit := [column.name for column in facts.columns if column.per_unit]:
            self._rows = settled(self._rows, self._units, per_unit)

    def check(self) -> None:
        """The rows are in memory: never gone."""

    def at_once(self) -> AbstractContextManager[Engine]:
        """The rows stay what they are."""
        return nullcontext(self)

    def run(self, wanted: Wanted) -> Private[Sums]:
        """The exact integers. Raises EngineFault, and no other error."""
        return guarded("the reference engine could not answer", lambda: Private(_sums(wanted, self._present(wanted))))

    def counts(self, wanted: CountsWanted | UnitsWanted | CutWanted) -> Private[Counts]:
        """How many rows lie where, how many units have how many, or too many. Raises EngineFault, and no other error."""
        return guarded("the reference engine could not answer", lambda: Private(self._counted(wanted)))

    def _counted(self, wanted: CountsWanted | UnitsWanted | CutWanted) -> Counts:
        match wanted:
            case UnitsWanted():
                return _sizes(wanted, self._present(wanted.all_rows))
            case CutWanted():
                return _cut(wanted, self._present(wanted.all_rows))
            case CountsWanted():
                return _counts(wanted, self._present(wanted))

    def keys(self, wanted: KeysWanted) -> Private[Candidates]:
        """The values that enough units have. Raises EngineFault, and no other error."""
        return guarded(
            "the reference engine could not answer", lambda: Private(candidates(wanted, *self._joined(wanted)))
        )

    def close(self) -> None:
        """Let go of the data."""
        self._rows = []
        self._units = []
        self._companions = {}

    def _joined(self, wanted: Wanted | CountsWanted | KeysWanted) -> tuple[list[Row], list[str | None]]:
        """The rows beside what they are joined with, and the unit of each; or the rows of units, which have none."""
        if (of_units := wanted.per_unit) is not None:
            made = rows_of_units(of_units, self._present(of_units.inside))
            return made, [None] * len(made)
        if not wanted.joins:
            return self._rows, self._units
        units = self._units or [None] * len(self._rows)
        rows = list(zip(units, self._rows, strict=True))
        if (most := rows_before(wanted, self._facts)) is not None:
            bound = Bound(key_for(self._facts.name), rows=most)
            stay = kept([(unit, 0, row) for unit, row in rows if unit is not None], bound, read_before(wanted, self._facts), 1)
            rows = [(unit, row) for unit, _, row in stay]
        beside = {**self._lookups, **companions_by_unit(self._companions, wanted.joins, self._facts, columns_read(wanted))}
        found = [(unit, joined_rows(row, unit, wanted.joins, self._facts, beside)) for unit, row in rows]
        return [row for _, some in found for row in some], [unit for unit, some in found for _ in some]

    def _present(self, wanted: Wanted | CountsWanted) -> list[Placed]:
        """The rows that meet WHERE and are in a cell; of bounded units, those that stay."""
        rows, units = self._joined(wanted)
        met = [
            (unit, cell, row)
            for unit, row in zip(units if wanted.unit is not None else [""] * len(rows), rows, strict=True)
            if unit is not None and (cell := _cell(wanted, row)) is not None
            if wanted.where is None or evaluate(wanted.where, row) is True
        ]
        read, columns = columns_read(wanted), [column.name for column in with_joins(self._facts, wanted.joins).columns]
        return met if wanted.unit is None else kept(met, wanted.unit, [name for name in columns if name in read], wanted.cells)


def _sums(wanted: Wanted, placed: Sequence[Placed]) -> Sums:
    totals = [[0] * wanted.cells for _ in wanted.measures]
    seen: list[list[set[Value]]] = [[set() for _ in range(wanted.cells if each.distinct else 0)] for each in wanted.measures]
    for total, measure in zip(totals, wanted.measures, strict=True):
        for (_, cell), value in _per_unit(measure, placed).items():
            total[cell] += value
    for _, cell, row in placed:
        for total, different, measure in zip(totals, seen, wanted.measures, strict=True):
            if measure.within is not None:
                continue
            if measure.distinct:
                different[cell] |= _values(measure, row)
                total[cell] = len(different[cell])
            else:
                total[cell] += _term(measure, row)
    shape, below = (len(wanted.measures), wanted.cells), (1 << LOW_BITS) - 1
    high = np.array([[value >> LOW_BITS for value in total] for total in totals], np.int64).reshape(shape)
    low = np.array([[value & below for value in total] for total in totals], np.int64).reshape(shape)
    return Sums(high, low)


def _per_unit(measure: Measure, placed: Sequence[Placed]) -> dict[tuple[str, int], int]:
    """What each unit counts for in each cell where it has rows, once it is brought into the measure's range."""
    if measure.within is None:
        return {}
    low, high = measure.within
    found: Counter[tuple[str, int]] = Counter()
    rows: Counter[tuple[str, int]] = Counter()
    for unit, cell, row in placed:
        found[unit, cell] += _term(measure, row)
        if measure.power:
            assert measure.grid is not None
            rows[unit, cell] += _term(replace(measure, power=0), row)
            found[unit, cell] += measure.grid.low * _term(replace(measure, power=0), row)
    if not measure.power:
        return {at: min(value, high) for at, value in found.items()}
    return {at: (min(max(value, low), high) if rows[at] else 0) - min(low, 0) for at, value in found.items()}


def _counts(wanted: CountsWanted, placed: Sequence[Placed]) -> Counts:
    found: Counter[tuple[int, int]] = Counter()
    for _, cell, row in placed:
        if wanted.filter is not None and evaluate(wanted.filter, row) is not True:
            continue
        x = number(evaluate(wanted.of, row))
        if x is None:
            continue
        place = int(on_grid(x, wanted.grid) - wanted.grid.low) >> wanted.coarse
        if wanted.bins is None or any(first <= place <= last for first, last in wanted.bins):
            found[cell, place] += 1
    return _as_counts(found)


def _as_counts(found: Counter[tuple[int, int]]) -> Counts:
    """By cell and bin."""
    cells, bins, counts = zip(*((*at, found[at]) for at in sorted(found)), strict=True) if found else ((), (), ())
    return Counts(np.array(cells, np.int64), np.array(bins, np.int64), np.array(counts, np.int64))


def _cut(wanted: CutWanted, placed: Sequence[Placed]) -> Counts:
    """A unit that is in two cells of the keys would be in both; what is constant per unit has it in one."""
    groups: dict[tuple[str, int], list[int]] = {}  # of each unit, the rows in every group
    for (unit, cell), rows in Counter((unit, cell) for unit, cell, _ in placed).items():
        groups.setdefault((unit, cell // wanted.inner), []).append(rows)
    return _as_counts(Counter((cell, int(_is_cut(rows, wanted.caps))) for (_, cell), rows in groups.items()))


def _is_cut(groups: Sequence[int], caps: Bound) -> bool:
    found = ((len(groups), caps.groups), (max(groups), caps.rows_per_group), (sum(groups), caps.rows))
    return any(most is not None and size > most for size, most in found)


def _sizes(wanted: UnitsWanted, placed: Sequence[Placed]) -> Counts:
    rows, cells = Counter(unit for unit, _, _ in placed), Counter(unit for unit, _ in {(unit, cell) for unit, cell, _ in placed})
    sizes = Counter((cells if wanted.keys else rows).values())
    bins = sorted(sizes)
    return Counts(np.zeros(len(bins), np.int64), np.array(bins, np.int64), np.array([sizes[b] for b in bins], np.int64))


def _cell(wanted: Wanted | CountsWanted, row: Row) -> int | None:
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
        case ByStep(width=width, origin=origin, first=first, null=null):
            steps = binned(number(value), width, origin)
            if steps is None:
                return key.steps if null else None
            return int(steps) - first if first <= steps < first + key.steps else None
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
    if measure.and_of is not None:
        return _product(measure, row)
    value = evaluate(measure.of, row)
    if value is None or measure.grid is None:
        return 0 if value is None else 1
    x = number(value)
    return 0 if x is None else int((on_grid(x, measure.grid) - measure.grid.low) ** measure.power)


def _product(measure: Measure, row: Row) -> int:
    """u^power * v^and_power, 0 where one of them is NULL."""
    assert measure.of is not None
    assert measure.and_of is not None
    assert measure.grid is not None
    assert measure.and_grid is not None
    x, y = number(evaluate(measure.of, row)), number(evaluate(measure.and_of, row))
    if x is None or y is None:
        return 0
    u, v = on_grid(x, measure.grid) - measure.grid.low, on_grid(y, measure.and_grid) - measure.and_grid.low
    return int(u**measure.power * v**measure.and_power)


def _values(measure: Measure, row: Row) -> set[Value]:
    """The value that one row adds to those seen; none if it is NULL."""
    if measure.of is None or (measure.filter is not None and evaluate(measure.filter, row) is not True):
        return set()
    value = evaluate(measure.of, row)
    return set() if value is None else {value}
