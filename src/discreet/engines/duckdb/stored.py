"""DuckDB's column types, and how each is handed to the reader."""

import re

from discreet.engines.duckdb.lines import places_of
from discreet.engines.sql.layout import Field, Stored
from discreet.engines.sql.names import UNIT, quoted, safe_name
from discreet.engines.sql.reading import check_stored, kind_of
from discreet.errors import FactsError
from discreet.facts.model import ByColumn, Column, Facts

__all__ = ["unit_of", "view_of"]

_AS_IT_IS = "{}"
_AS_TEXT = "CAST({} AS VARCHAR)"
_WITHOUT_ZONE = (
    "CASE WHEN isfinite({0}) THEN make_timestamp(epoch_us({0})) "
    "WHEN {0} > TIMESTAMPTZ '2000-01-01 00:00:00+00' THEN TIMESTAMP 'infinity' "
    "WHEN {0} IS NOT NULL THEN TIMESTAMP '-infinity' END"
)
_FIRST, _LAST = "TIMESTAMP '0001-01-01 00:00:00'", "TIMESTAMP '9999-12-31 23:59:59.999999'"
_MOMENT_AS_TEXT = (  # some moments beyond these years cannot be written: they are told apart by their number
    f"CASE WHEN {{0}} BETWEEN {_FIRST} AND {_LAST} THEN '' WHEN {{0}} IS NOT NULL "
    "THEN COALESCE(CAST(epoch_us({0}) AS VARCHAR), 'infinity') || '/' END || "
    f"CAST(LEAST(GREATEST({{0}}, {_FIRST}), {_LAST}) AS VARCHAR)"
)
_TYPES: dict[str, tuple[Stored, str]] = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"), ("whole", _AS_IT_IS)),
    **dict.fromkeys(("UBIGINT", "HUGEINT", "UHUGEINT", "BIGNUM", '"NULL"', "UUID", "JSON"), ("text", _AS_TEXT)),
    "VARCHAR": ("text", "{} COLLATE C"),  # by code points, whatever the table in a file says of its own
    "FLOAT": ("real", "CAST({} AS DOUBLE)"),
    "DOUBLE": ("real", _AS_IT_IS),
    "BOOLEAN": ("truth", _AS_IT_IS),
    "DATE": ("day", _AS_IT_IS),
    "TIMESTAMP": ("moment", _AS_IT_IS),
    "TIMESTAMP_S": ("moment", "TRY_CAST({} AS TIMESTAMP)"),
    "TIMESTAMP_MS": ("moment", "TRY_CAST({} AS TIMESTAMP)"),
    "TIMESTAMP_NS": ("moment", "TRY_CAST({} AS TIMESTAMP)"),
    "TIMESTAMP WITH TIME ZONE": ("instant", _WITHOUT_ZONE),
}


def view_of(facts: Facts, types: dict[str, str], spelt: dict[str, str] | None = None) -> tuple[str, dict[str, Field]]:
    """What to SELECT from a source to have the declared columns under safe names, and what they then are.

    ``types`` is by column name in the source; ``spelt`` says what declared columns are called there, if not by their own name.
    Raises FactsError if one is missing or cannot hold what is declared.
    """
    names = {column.name: (spelt or {}).get(column.name, column.name) for column in facts.columns}
    places_of(names.values(), list(types))
    selected, fields = [], {}
    for place, column in enumerate(facts.columns):
        stored, form = _stored_as(column, types[names[column.name]])
        check_stored(column, stored)
        selected.append(f"{form.format(quoted(names[column.name]))} AS {safe_name(place)}")
        fields[column.name] = Field(safe_name(place), stored)
    return ", ".join(selected), fields


def unit_of(facts: Facts, types: dict[str, str], spelt: str | None = None) -> tuple[list[str], Field | None]:
    """What else to SELECT from a source to have the units beside the columns, and what they are; nothing if each row is one."""
    if not isinstance(facts.unit, ByColumn):
        return [], None
    name = spelt or facts.unit.column
    places_of([name], list(types))
    if types[name] not in _TYPES and not types[name].startswith(("DECIMAL(", "ENUM(", "BLOB")):
        raise FactsError(
            f"the unit {name!r} is stored as {types[name].partition('(')[0].lower()}, some values of which cannot be told apart",
            hint="store it as text or as whole numbers", key="table.unit",
        )  # fmt: skip
    stored, form = _TYPES.get(types[name], ("text", _AS_TEXT))
    if types[name].startswith("DECIMAL("):
        written = f"regexp_replace({_AS_TEXT}, '^(-?)[.]', '\\10.')"  # of DECIMAL(4,4) DuckDB writes .5000, and .0000
        stored, form = "text", f"regexp_replace({written}, '[.]0*$', '')"  # 12.00 is the unit 12
    elif stored in ("moment", "instant") and types[name] != "TIMESTAMP_NS":  # those are written whatever they are
        stored, form = "text", _MOMENT_AS_TEXT.replace("{0}", form.replace("{}", "{0}"))
    elif stored not in ("text", "whole", "real"):
        stored, form = "text", _AS_TEXT
    return [f"{form.format(quoted(name))} AS {UNIT}"], Field(UNIT, stored)


def _stored_as(column: Column, kind: str) -> tuple[Stored, str]:
    if kind in _TYPES:
        return _TYPES[kind]
    if kind.startswith("ENUM("):
        return "text", _AS_TEXT
    if decimal := re.fullmatch(r"DECIMAL\((\d+),(\d+)\)", kind):
        digits, after_point = int(decimal[1]), int(decimal[2])
        if after_point == 0 and digits <= 18:
            return "whole", "CAST({} AS BIGINT)"
        if digits <= 15:
            return "real", "CAST({} AS DOUBLE)"  # more may be rounded twice
        return ("real", f"TRY_CAST({_AS_TEXT} AS DOUBLE)") if kind_of(column) == "truth" else ("text", _AS_TEXT)
    raise FactsError(
        f"column {column.name!r} is stored as {kind.partition('(')[0].lower()}, which has no values to ask about",
        hint="take it out of the facts, or store numbers, texts, dates or truth values",
    )
