"""One row for each unit in plain Python: what ``per_unit`` writes as SQL, said once without it."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from discreet.engines.rules.choice import Placed
from discreet.engines.rules.evaluate import evaluate, number, on_grid
from discreet.engines.rules.values import SAFE, Value, read
from discreet.engines.wanted import UnitRows, UnitValue

__all__ = ["rows_of_units"]

Row = Mapping[str, Value]


def rows_of_units(wanted: UnitRows, placed: Sequence[Placed]) -> list[Row]:
    """A row for each unit and cell that have one among these, which meet the condition and stay."""
    found: dict[tuple[str, int], list[Row]] = {}
    for unit, cell, row in placed:
        found.setdefault((unit, cell), []).append(row)
    return [_row(wanted, some) for some in found.values()]


def _row(wanted: UnitRows, rows: Sequence[Row]) -> Row:
    declared = {column.name: column for column in wanted.columns}
    found = {each.name: read(declared[each.name], _value(each, rows)) for each in wanted.values}
    return {**{name: _key(name, rows) for name in wanted.keys}, **found}


def _key(name: str, rows: Sequence[Row]) -> Value:
    """The same on all rows, unless NULL counts as one of its values."""
    return next((row[name] for row in rows if row[name] is not None), None)


def _value(of: UnitValue, rows: Sequence[Row]) -> float | None:
    """What the rows of one unit come to."""
    some = [row for row in rows if of.filter is None or evaluate(of.filter, row) is True]
    if of.of is None:
        return float(len(some))
    values = [value for row in some if (value := evaluate(of.of, row)) is not None]
    if of.grid is None:
        return float(len(values))
    steps = [on_grid(x, of.grid) for value in values if (x := number(value)) is not None]
    return None if not steps else float(Fraction(_steps(of, steps)) * of.grid.step)


def _steps(of: UnitValue, steps: Sequence[int]) -> int:
    match of.kind:
        case "sum":
            return min(max(sum(steps), -SAFE), SAFE)
        case "mean":
            return sum(steps) // len(steps)
        case "min":
            return min(steps)
        case _:
            return max(steps)
