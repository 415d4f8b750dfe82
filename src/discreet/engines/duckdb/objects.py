"""Columns of Python objects, cell by cell: what one cell is says nothing about how another is read.

pandas gives a column the type that fits all of its cells, so a single odd one turns dates or numbers into objects. A text stays
what it is, and is read where all texts are. Any other object is read by the rules of ``values`` and written as the text that
those rules read as the same value; where the column declares a spelling of its own, texts too, and the column has the usual
spelling from then on. A column of nothing but texts is handed on as it is: the same, in a small part of the time.
"""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.engines.rules.choice import unit_of
from discreet.engines.rules.values import Raw, Value, read
from discreet.facts.model import Boolean, Column, Date, Integer, Number, Timestamp

__all__ = ["as_texts", "units_as_texts"]

Cells = NDArray[np.object_]

_TEXTS = {str, type(None)}
_BATCH = 100_000  # texts whose letters are looked at together


def as_texts(declared: Column, cells: Cells) -> tuple[Cells, Column]:
    """The cells of one column as texts, None where there is none; and the column that reads them as the same values."""
    if (found := _as_they_are(cells)) is not None:
        return found, declared
    usual = _as_usual(declared)
    return _column([_as_text(declared, cell, keep=usual == declared) for cell in cells]), usual


def _as_usual(declared: Column) -> Column:
    """The column with the spelling that columns have unless they say otherwise."""
    match declared:
        case Number() | Integer():
            return replace(declared, decimal=".", thousands="")
        case Boolean():
            return replace(declared, true=(), false=())
        case Date() | Timestamp():
            return replace(declared, format="", zone="")
        case _:
            return declared


def units_as_texts(cells: Cells) -> Cells:
    """What tells units apart, as texts; None, '' and '?' tell nothing."""
    found = _as_they_are(cells)
    return _column([_as_unit(cell) for cell in cells]) if found is None else found


def _column(cells: list[str | None]) -> Cells:
    found = np.empty(len(cells), dtype=object)
    found[:] = cells
    return found


# ---- all at once


def _as_they_are(cells: Cells) -> Cells | None:
    """The cells if there are only texts that can be stored, None, and NaN, which is how pandas writes a missing text."""
    kinds = set(map(type, cells))
    if float in kinds and kinds <= _TEXTS | {float}:
        cells = np.where(cells == cells, cells, np.array(None))  # NaN is not itself
        kinds = set(map(type, cells))
    batches = (filter(None, cells[start : start + _BATCH]) for start in range(0, len(cells), _BATCH))
    return cells if kinds <= _TEXTS and all(_is_storable("".join(batch)) for batch in batches) else None


def _is_storable(text: str) -> bool:
    """Whether it has no half of a surrogate pair: that is no character, and DuckDB does not store it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


# ---- one by one


def _as_text(declared: Column, cell: Any, *, keep: bool) -> str | None:
    found = cell if cell is None or (keep and type(cell) is str) else _written(read(declared, _raw(cell)))
    return found if found is None or _is_storable(found) else found.encode("utf-8", "replace").decode()


def _as_unit(cell: Any) -> str | None:
    raw = _raw(cell)
    found = unit_of(raw.astimezone(UTC).replace(tzinfo=None) if isinstance(raw, datetime) and raw.tzinfo is not None else raw)
    if found is None or _is_storable(found):
        return found
    return found.encode("utf-8", "backslashreplace").decode()  # two units do not become one


def _raw(cell: Any) -> Raw:
    """A cell as one of the plain types, or as its text; missing ones, whatever they are called, as None."""
    if cell is None or type(cell).__name__ in ("NaTType", "NAType"):
        return None
    if hasattr(cell, "item") and getattr(cell, "shape", None) == ():
        cell = cell.item()
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
