"""Facts written in Python: the makers of columns, and the facts of a table in memory. The checks are those of the file.

The makers leave the name empty: the key of the dict that they stand in is the name. ``per_unit`` is the same for all of them: all
rows of a unit have one value of the column.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from discreet.errors import FactsError
from discreet.exact import Number as Exact
from discreet.facts.budgets import budget_entries
from discreet.facts.checks import read_document
from discreet.facts.columns import column_entries, read_column
from discreet.facts.lines import key_text
from discreet.facts.model import (
    Boolean,
    Budget,
    ByColumn,
    Category,
    Column,
    Date,
    EachRow,
    Facts,
    Integer,
    Number,
    Text,
    Timestamp,
    Unit,
)
from discreet.facts.sections import Section, refuse_first
from discreet.facts.values import said
from discreet.privacy.losses import Loss

__all__ = ["Beside", "boolean", "category", "date", "facts_for_table", "integer", "lookup", "number", "text", "timestamp"]

Made = TypeVar("Made", Number, Integer, Category, Boolean, Date, Timestamp, Text)


def number(
    lower: Exact | None = None,
    upper: Exact | None = None,
    *,
    null: Exact | None = None,
    null_label: str | None = None,
    decimal: str = ".",
    thousands: str | None = None,
    per_unit: bool = False,
    description: str = "",
) -> Number:
    """Real numbers in [lower, upper]; ``null`` stands for a missing value, which is dropped otherwise.

    Texts have ``decimal`` before decimals and, where it is given, ``thousands`` between thousands.
    """
    entries = {"type": "number", "lower": lower, "upper": upper, "null": null, "decimal": decimal, "thousands": thousands}
    return _made(Number, **entries, null_label=null_label, per_unit=per_unit, description=description)


def integer(
    lower: int | None = None,
    upper: int | None = None,
    *,
    null: int | str | None = None,
    null_label: str | None = None,
    decimal: str = ".",
    thousands: str | None = None,
    per_unit: bool = False,
    description: str = "",
) -> Integer:
    """Whole numbers in [lower, upper]; ``null``, ``decimal`` and ``thousands`` as those of ``number``."""
    entries = {"type": "integer", "lower": lower, "upper": upper, "null": null, "decimal": decimal, "thousands": thousands}
    return _made(Integer, **entries, null_label=null_label, per_unit=per_unit, description=description)


def category(
    *values: int | str,
    labels: Sequence[str] = (),
    other: bool = False,
    null: int | str | None = None,
    null_label: str | None = None,
    per_unit: bool = False,
    description: str = "",
) -> Category:
    """One of these values, all ints or all strings; ``other`` gives a cell to whatever else there is.

    For a column of a lookup they may be left out: those that the lookup has are read from it. Rows without one of them are a
    group of their own, called ``null_label``; with ``null="drop"`` they are in no group, and where ``null`` is one of the values,
    they count as that.
    """
    entries = {"type": "category", "values": values or None, "labels": labels or None, "other": other}
    return _made(Category, **entries, null=null, null_label=null_label, per_unit=per_unit, description=description)


def boolean(
    *,
    true: Sequence[int | str] | None = None,
    false: Sequence[int | str] | None = None,
    null: bool | str | None = None,
    null_label: str | None = None,
    per_unit: bool = False,
    description: str = "",
) -> Boolean:
    """What is one of ``true`` or ``false``, else 1/0, t/f, true/false, yes/no; ``null`` stands for a missing value."""
    entries = {"type": "boolean", "true": true, "false": false, "null": null, "null_label": null_label}
    return _made(Boolean, **entries, per_unit=per_unit, description=description)


def date(
    lower: dt.date | str | None = None,
    upper: dt.date | str | None = None,
    *,
    format: str | None = None,  # noqa: A002 - what it is called in a facts file
    zone: str | None = None,
    null: str | None = None,
    null_label: str | None = None,
    per_unit: bool = False,
    description: str = "",
) -> Date:
    """Days in [lower, upper], given as dates or as texts such as "2017-01-31"; ``format`` and ``zone`` as for timestamps."""
    entries = {"type": "date", "lower": lower, "upper": upper, "format": format, "zone": zone}
    return _made(Date, **entries, null=null, null_label=null_label, per_unit=per_unit, description=description)


def timestamp(
    lower: dt.datetime | str | None = None,
    upper: dt.datetime | str | None = None,
    *,
    format: str | None = None,  # noqa: A002 - what it is called in a facts file
    zone: str | None = None,
    null: str | None = None,
    null_label: str | None = None,
    per_unit: bool = False,
    description: str = "",
) -> Timestamp:
    """Moments in [lower, upper], by the clocks of ``zone`` (else UTC), given as datetimes or texts such as "2017-01-31T12:00".

    ``format`` is how texts write them, such as "%d/%m/%Y %H:%M"; else ISO 8601. What has an offset is moved to the zone.
    """
    entries = {"type": "timestamp", "lower": lower, "upper": upper, "format": format, "zone": zone}
    return _made(Timestamp, **entries, null=null, null_label=null_label, per_unit=per_unit, description=description)


def text(
    *,
    max_length: int = 256,
    null: str | None = None,
    null_label: str | None = None,
    per_unit: bool = False,
    description: str = "",
) -> Text:
    """Any text, cut after ``max_length`` characters."""
    entries = {"type": "text", "max_length": max_length, "null": null, "null_label": null_label}
    return _made(Text, **entries, per_unit=per_unit, description=description)


@dataclass(frozen=True, slots=True)
class Beside:
    """A public table to join a table in memory with, and where its rows are."""

    rows: object
    key: str | Mapping[str, str]
    columns: Mapping[str, Column]
    max_matches: int = 1


def lookup(
    rows: object, *, key: str | Mapping[str, str], columns: Mapping[str, Column] | None = None, max_matches: int = 1
) -> Beside:
    """A public table in memory, or the path of its file, met where ``key`` is the same: "zip", or {"zip": "code"}.

    A row may meet ``max_matches`` of its rows at most.
    """
    return Beside(rows, key, columns or {}, max_matches)


def _made(kind: type[Made], **entries: object) -> Made:
    section = Section({key: value for key, value in entries.items() if value is not None})
    made = read_column("", section)
    refuse_first(section.found)
    assert isinstance(made, kind)
    return made


def facts_for_table(
    name: str,
    columns: Mapping[str, Column],
    *,
    unit: str | Mapping[str, object] | Unit | None = None,
    neighbours: str | None = None,
    budget: Exact | Mapping[str, object] | Loss | Budget | None = None,
    rows: int | None = None,
    units: int | None = None,
    rows_about: int | None = None,
    version: str | None = None,
    people: str | None = None,
    description: str | None = None,
    joins: Mapping[str, Beside] | None = None,
) -> Facts:
    """The facts of a table in memory. ``unit``, ``neighbours`` and ``budget`` have no default: None is refused."""
    table = {
        "name": name,
        "unit": _unit_entries(unit),
        "neighbours": neighbours,
        "rows": rows,
        "units": units,
        "rows_about": rows_about,
        "version": version,
        "people": people,
        "description": description,
    }
    document: dict[str, object] = {"table": table, "columns": _all_entries(columns)}
    document |= {"join": {called: _join_entries(called, each) for called, each in joins.items()}} if joins else {}
    root = Section(document if budget is None else document | {"budget": budget_entries(budget)})
    facts = read_document(root, None)
    refuse_first(root.found)
    assert facts is not None
    return facts


def _unit_entries(unit: object) -> object:
    match unit:
        case EachRow():
            return "row"
        case ByColumn():
            caps = {cap: getattr(unit, cap) for cap in ("max_rows", "max_groups", "max_rows_per_group")}
            return {"column": unit.column} | caps
        case _:
            return unit


def _join_entries(called: object, join: object) -> dict[str, object]:
    if not isinstance(join, Beside):
        raise FactsError(f"{said(join)} is not a lookup", hint='write {"zips": dc.lookup(frame, key="zip", columns={…})}',
                         key=key_text(("join", str(called))))  # fmt: skip
    columns: dict[str, object] = {"columns": _all_entries(join.columns)} if join.columns else {}
    return {"key": join.key, "max_matches": join.max_matches} | columns


def _all_entries(columns: Mapping[str, Column]) -> dict[str, object]:
    """Every column as a facts file would write it, so that one set of checks serves both."""
    entries: dict[str, object] = {}
    for called, column in columns.items():
        if not isinstance(called, str) or not isinstance(column, Column):
            found = column if isinstance(called, str) else called
            raise FactsError(f"{said(found)} is not a column with a name", hint='write {"Age": dc.integer(0, 120), …}',
                             key=key_text(("columns", str(called))))  # fmt: skip
        entries[called] = column_entries(column)
    return entries
