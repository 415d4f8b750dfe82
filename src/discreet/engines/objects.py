"""Columns of Python objects, cell by cell: what one cell is says nothing about how another is read.

pandas gives a column the type that fits all of its cells, so a single odd one turns dates or numbers into objects. Each object is
read by the rules of ``values`` and written as the text that those rules read as the same value.
"""

from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any

from discreet.engines.choice import unit_of
from discreet.engines.values import Raw, Value, read
from discreet.facts.model import Column

__all__ = ["as_texts", "units_as_texts"]


def as_texts(declared: Column, cells: Iterable[Any]) -> list[str | None]:
    """The cells of one column as texts that are read as the same values; None where there is none."""
    return [_written(read(declared, _raw(cell))) for cell in cells]


def units_as_texts(cells: Iterable[Any]) -> list[str | None]:
    """What tells units apart, as texts."""
    return [unit_of(_raw(cell)) for cell in cells]


def _raw(cell: Any) -> Raw:
    """A cell as one of the plain types, or as its text; missing ones, whatever they are called, as None."""
    if cell is None or type(cell).__name__ in ("NaTType", "NAType"):
        return None
    if hasattr(cell, "item") and getattr(cell, "shape", None) == ():
        cell = cell.item()
    if isinstance(cell, datetime) and cell.tzinfo is not None:
        return cell.astimezone(UTC).replace(tzinfo=None)
    return cell if isinstance(cell, str | bool | int | float | date) else str(cell)


def _written(value: Value) -> str | None:
    match value:
        case None | str():
            return value
        case bool():
            return "true" if value else "false"
        case datetime():
            return value.isoformat(sep=" ")
        case date():
            return value.isoformat()
        case _:
            return repr(float(value))
