"""PostgreSQL's column types, and how each is handed to the reader: so that no stored value can make a statement fail.

Left out, and refused, is what has no values to ask about (arrays, composites, ranges, intervals, json), what is written by the
settings of a server (money), what an expression of the owner works out while it is read (virtual columns), and what comes with an
extension. Of numbers with a point only the declared ones tell units apart: two float8 that print alike may differ.
"""

from dataclasses import dataclass

from discreet.engines.sql.layout import Field, Layout, Stored
from discreet.engines.sql.names import UNIT, quoted, safe_name
from discreet.engines.sql.reading import check_stored, kind_of
from discreet.errors import FactsError
from discreet.facts.model import ByColumn, Column, Facts

__all__ = ["Described", "ENDLESS", "layout_of"]

ENDLESS = "bpchar without a length"  # to take its blanks away takes eight bytes a letter: one of 135 million would be too long

_TEXT = 'CAST({} AS TEXT) COLLATE "C"'  # letters by their code points, as everywhere else
_REAL = "CAST({} AS DOUBLE PRECISION)"
_TYPES: dict[str, tuple[Stored, str]] = {
    **dict.fromkeys(("int2", "int4", "int8"), ("whole", "CAST({} AS BIGINT)")),
    **dict.fromkeys(("text", "varchar", "bpchar", "name", "uuid"), ("text", _TEXT)),
    "float4": ("real", _REAL),
    "float8": ("real", "{}"),
    "bool": ("truth", "{}"),
    "date": ("day", "{}"),
    "timestamp": ("moment", "{}"),
    "timestamptz": ("instant", "({} AT TIME ZONE 'UTC')"),
}
_NARROW = ("int2", "int4")  # of what is cast there are no statistics: one row of 200 is supposed to lie between two bounds
_LARGEST = "CAST('1.7976931348623157e308' AS NUMERIC)"
_NOTHING = f"CAST('{5**1075}e-1075' AS NUMERIC)"  # 2^-1075 to the last digit: half of the least float8, which becomes 0
_ANY_NUMERIC = (  # what is too large for float8 is endless there, and what is too small is 0: a plain cast would raise
    f"CASE WHEN ABS({{0}}) BETWEEN {_NOTHING} AND {_LARGEST} AND ABS({{0}}) <> {_NOTHING} THEN CAST({{0}} AS DOUBLE PRECISION) "
    "WHEN {0} = 'NaN' THEN NULL "
    f"WHEN {{0}} > {_LARGEST} THEN CAST('Infinity' AS DOUBLE PRECISION) WHEN {{0}} < -{_LARGEST} "
    "THEN CAST('-Infinity' AS DOUBLE PRECISION) WHEN {0} IS NOT NULL THEN CAST('0' AS DOUBLE PRECISION) END"
)
_MOST_DIGITS = 250  # of a numeric column that float8 holds whatever its values are


@dataclass(frozen=True, slots=True)
class Described:
    """A column as the catalogue has it, domains resolved; ``digits`` before and after the point, of a numeric that says so."""

    name: str
    type: str
    is_enum: bool = False
    digits: tuple[int, int] | None = None
    is_virtual: bool = False
    is_readable: bool = True


def layout_of(facts: Facts, table: str, columns: tuple[Described, ...]) -> Layout:
    """How the declared columns of a table are read. Raises FactsError if one is missing or cannot hold what is declared."""
    by_name = {column.name: column for column in columns}
    selected, fields = [], {}
    for place, declared in enumerate(facts.columns):
        column = _found(declared.name, by_name)
        stored, form = _stored_as(declared, column)
        check_stored(declared, stored)
        selected.append(f"{form.format(quoted(declared.name))} AS {safe_name(place)}")
        narrow = f"n{place}" if column.type in _NARROW else None
        selected += [] if narrow is None else [f"{quoted(declared.name)} AS {narrow}"]
        fields[declared.name] = Field(safe_name(place), stored, narrow)
    unit = None
    if isinstance(facts.unit, ByColumn):
        stored, form = _unit_as(_found(facts.unit.column, by_name))
        selected.append(f"{form.format(quoted(facts.unit.column))} AS {UNIT}")
        unit = Field(UNIT, stored)
    return Layout(table, fields, unit=unit, relation=f"(SELECT {', '.join(selected)} FROM {table})")


def _found(name: str, columns: dict[str, Described]) -> Described:
    if name not in columns:
        alike = [each for each in columns if each.casefold() == name.casefold()]
        hint = f"it has {alike[0]!r}: write it the same way" if alike else "write the names as the source has them"
        raise FactsError(f"the source has no column {name!r}", hint=hint)  # the others are not for whoever asks
    found = columns[name]
    if not found.is_readable:
        raise FactsError(f"the role may not read the column {name!r}", hint="grant SELECT on it, or take it out of the facts")
    if found.type == ENDLESS:
        what = f"column {name!r} is stored as {ENDLESS}, of which a very long value cannot be read"
        raise FactsError(what, hint="store it as text, or as CHAR(n), or take it out of the facts")
    if found.is_virtual:
        what = f"column {name!r} is worked out while it is read, by an expression that may fail"
        raise FactsError(what, hint="store it, or take it out of the facts")
    return found


def _stored_as(declared: Column, column: Described) -> tuple[Stored, str]:
    if column.is_enum:
        return "text", _TEXT
    if column.type == "numeric":
        is_small = column.digits is not None and max(column.digits) <= _MOST_DIGITS
        is_number = kind_of(declared) in ("number", "truth")
        return ("real", _REAL if is_small else _ANY_NUMERIC) if is_number else ("text", _TEXT)
    if column.type not in _TYPES:
        raise FactsError(
            f"column {declared.name!r} is stored as {column.type}, which has no values to ask about",
            hint="take it out of the facts, or store numbers, texts, dates or truth values",
        )
    return _TYPES[column.type]


def _unit_as(column: Described) -> tuple[Stored, str]:
    """What tells units apart: equal values are one unit, and no two others are."""
    if column.is_enum:
        return "text", _TEXT
    if column.type == "numeric":
        known = "NULLIF({}, 'NaN')"
        if column.digits is None:
            return "text", _TEXT.format(f"TRIM_SCALE({known})")  # 12.00 is the unit 12
        written = _TEXT.format(known)  # all values have as many digits after the point: 12.00 is 12 here too, and 12.50 stays so
        return "text", f"REGEXP_REPLACE({written}, '[.]0*$', '')"  # as other engines write it, so that the same rows are chosen
    stored, form = _TYPES.get(column.type, ("real", ""))
    if stored == "real":
        raise FactsError(
            f"the unit {column.name!r} is stored as {column.type}, some values of which cannot be told apart",
            hint="store it as text or as whole numbers", key="table.unit",
        )  # fmt: skip
    return (stored, form) if stored in ("text", "whole") else ("text", _TEXT.format(form))
