"""What somebody holds in memory: frames of pandas, polars and Arrow, columns in a dict, rows in a list of dicts.

Every form is copied, and read by the same rules: cells of Python are read one by one, as those of a frame of objects are.
"""

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.engines.duckdb.lines import places_of
from discreet.engines.duckdb.objects import as_texts, units_as_texts
from discreet.engines.sql.names import safe_name
from discreet.errors import FactsError
from discreet.facts.model import Category, Column, Facts, Integer, Number

__all__ = ["as_arrays", "cells_of", "frame_as_text", "renamed"]

Cells = NDArray[np.object_]

_FORMS = "give a pandas, polars or Arrow table, a dict of columns, a list of dicts, or the path of a file"


# ---- Python's own


def cells_of(given: object, names: Sequence[str]) -> list[Cells] | None:
    """The named columns of a dict of columns or a list of dicts, in this order; None of what is neither."""
    match given:
        case Mapping():
            columns = list(given.values())
            found = [_cells(columns[place], name) for place, name in zip(_places(given, names), names, strict=True)]
            _refuse_ragged(found, names)
            return found
        case list() | tuple():
            return _cells_of_rows(given, names)
        case _:
            return None


def _cells_of_rows(rows: Sequence[object], names: Sequence[str]) -> list[Cells]:
    """The named columns of rows; a row that lacks one has no value of it."""
    for row in rows:
        if not isinstance(row, Mapping):
            raise FactsError(f"a row of the table is a {type(row).__name__}, not a dict", hint='write [{"Age": 30}, {"Age": 41}]')
    labels = dict.fromkeys(label for row in rows for label in row)  # type: ignore[attr-defined]
    wanted = [list(labels)[place] for place in _places(labels, names)]
    return [_column([row.get(label) for row in rows]) for label in wanted]  # type: ignore[attr-defined]


def _places(labels: Iterable[object], names: Sequence[str]) -> list[int]:
    return places_of(names, [str(label) for label in labels])


def _cells(column: object, name: str) -> Cells:
    if isinstance(column, str | bytes | Mapping) or not isinstance(column, Iterable) or not isinstance(column, Sized):
        raise FactsError(f"column {name!r} is a {type(column).__name__}, not a list of values", hint="write [30, 41, 52]")
    if isinstance(column, np.ndarray) and column.dtype.kind == "M":  # days and moments, whose nanoseconds would be whole numbers
        return _column(column.astype("datetime64[us]").astype(object))
    return _column(column.tolist() if isinstance(column, np.ndarray) else column)


def _column(cells: Iterable[object]) -> Cells:
    whole = list(cells)
    found = np.empty(len(whole), dtype=object)
    for place, cell in enumerate(whole):  # one by one: cells that are lists would be taken for rows
        found[place] = cell
    return found


def _refuse_ragged(columns: Sequence[Cells], names: Sequence[str]) -> None:
    for cells, name in zip(columns, names, strict=True):
        if len(cells) != len(columns[0]):
            said = f"column {name!r} has {len(cells)} values, and {names[0]!r} has {len(columns[0])}"
            raise FactsError(said, hint="give every column a value for every row: None where there is none")


def as_arrays(cells: Sequence[Cells], facts: Facts) -> tuple[dict[str, NDArray[Any]], Facts]:
    """The columns under safe names: numbers as they are where all cells of one are, else texts; and the facts that read on."""
    declared = [*facts.columns, *[None] * (len(cells) - len(facts.columns))]
    numbers = {place: found for place, column in enumerate(declared) if (found := _numbers(cells[place], column)) is not None}
    texts, facts = _texts_of({place: each for place, each in enumerate(cells) if place not in numbers}, facts)
    return {safe_name(place): each for place, each in sorted(({**numbers, **texts}).items())}, facts


def _numbers(cells: Cells, declared: Column | None) -> NDArray[Any] | None:
    """Cells that are all whole numbers, or all floats, where a column of them is read as such; None is for units."""
    kinds, is_number = set(map(type, cells)), isinstance(declared, Number | Integer)
    is_coded = isinstance(declared, Category) and all(isinstance(value, int) for value in declared.values)
    if kinds == {float} and is_number:
        return np.array(cells, np.float64)
    if kinds != {int} or not (is_number or is_coded or declared is None):
        return None
    try:
        return np.array(cells, np.int64)
    except OverflowError:
        return None


def _texts_of(cells: Mapping[int, Cells], facts: Facts) -> tuple[dict[int, Cells], Facts]:
    """Columns of Python's objects, by their place, as texts; and the facts that read on. The units come last."""
    columns, texts = list(facts.columns), dict[int, Cells]()
    for place, each in cells.items():
        if place < len(columns):
            texts[place], columns[place] = as_texts(columns[place], each)
        else:
            texts[place] = units_as_texts(each)
    return texts, replace(facts, columns=tuple(columns))


# ---- frames


def renamed(frame: Any, names: Sequence[str]) -> object:
    """The named columns of a frame, in this order and under safe names."""
    safe = [safe_name(place) for place in range(len(names))]
    match type(frame).__module__.partition(".")[0], type(frame).__name__:
        case "pandas", "DataFrame":
            return frame.iloc[:, _places(frame.columns, names)].set_axis(safe, axis="columns")
        case "polars", "DataFrame" | "LazyFrame":
            _check_arrow()
            whole = frame.lazy().collect()
            places_of(names, whole.columns)
            return type(whole)({new: whole[old] for old, new in zip(names, safe, strict=True)})
        case "pyarrow", "Table" | "RecordBatch":
            return frame.select(places_of(names, frame.schema.names)).rename_columns(safe)
        case "pyarrow", "RecordBatchReader":
            return renamed(frame.read_all(), names)
        case _:
            raise FactsError(f"a table can not be read from a {type(frame).__name__}", hint=_FORMS)


def _check_arrow() -> None:
    try:
        import_module("pyarrow")
    except ImportError:
        how = "run pip install pyarrow, or give a dict of columns: frame.to_dict()"
        raise FactsError("frames of polars are read through pyarrow, which is not installed", hint=how) from None


def frame_as_text(frame: Any, facts: Facts) -> tuple[object, Facts]:
    """A pandas frame whose columns of Python objects are read one cell at a time, and the facts that read on; else as it is."""
    if type(frame).__module__.partition(".")[0] != "pandas":
        return frame, facts
    places = range(frame.shape[1])
    odd = {place: _objects(frame.iloc[:, place]) for place in places if frame.dtypes.iloc[place].kind == "O"}
    if not odd:
        return frame, facts
    texts, facts = _texts_of(odd, facts)
    columns = [texts[place] if place in texts else frame.iloc[:, place].reset_index(drop=True) for place in places]
    kind = type(frame.iloc[:, 0])
    series = [kind(cells, dtype=object if place in texts else None) for place, cells in enumerate(columns)]
    return type(frame)(dict(zip(frame.columns, series, strict=True))), facts


def _objects(column: Any) -> Any:
    """The cells of a pandas column; of a column of texts, None for missing ones."""
    return column.to_numpy(dtype=object, **({"na_value": None} if column.dtype.name in ("str", "string") else {}))
