"""Tables beside a table in PostgreSQL. A session that may only read makes no tables: what is public is sent along as constants.

Public lookups are read by DuckDB, as everywhere, and become arrays of values that were read already. Another confidential table
is joined where it is, in the same database.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from discreet.engines.postgres.catalogue import Table, described
from discreet.engines.postgres.dialect import POSTGRES
from discreet.engines.postgres.stored import layout_of
from discreet.engines.rules.lookups import facts_of, lookup_files
from discreet.engines.sql.joining import KEY, Stored
from discreet.engines.sql.layout import Field, Layout
from discreet.engines.sql.names import UNIT, quoted_text, safe_name
from discreet.engines.sql.reading import is_whole, kind_of
from discreet.engines.sql.settled import is_settled, settled_layout, to_settled
from discreet.engines.sql.writer import to_read
from discreet.errors import FactsError
from discreet.facts.joins import key_column
from discreet.facts.model import Column, Companion, Facts, Lookup, Source

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["Beside", "with_settled"]

_TYPES = {"number": "DOUBLE PRECISION", "text": "TEXT", "truth": "BOOLEAN", "day": "DATE", "moment": "TIMESTAMP"}
_MOST_ROWS = 100_000  # of a lookup that goes along with every statement


class Beside:
    """What the facts declare beside a table."""

    def __init__(self, facts: Facts, source: Source, given: Mapping[str, object]) -> None:
        self._facts, self._source = facts, source
        self._companions = [join for join in facts.joins if isinstance(join, Companion)]
        self._lookups = _lookups(facts, given)
        for join in self._companions:
            place = join.facts.located
            if place is None or (place.kind, place.place) != (source.kind, source.place):
                instead = "keep both tables in one database, under one address"
                raise FactsError(f"{join.name} is not in the same database", hint=instead, key=f"join.{join.name}")

    def described(self, connection: "Connection[Any]") -> tuple[Table, ...]:
        """The other confidential tables, as the catalogue has them."""
        return tuple(described(connection, str(join.facts.located and join.facts.located.table)) for join in self._companions)

    def stored(self, tables: Sequence[Table]) -> dict[str, Stored]:
        """How all of them are joined."""
        beside = {join.name: _companion(join, table) for join, table in zip(self._companions, tables, strict=True)}
        return {**self._lookups, **beside}


def _companion(join: Companion, table: Table) -> Stored:
    theirs = join.facts
    layout = with_settled(theirs, layout_of(theirs, table.name, table.columns))
    layout = layout.settled or layout  # what is constant per unit is so before any row of it is left out
    assert layout.unit is not None
    names = {column.name: safe_name(number) for number, column in enumerate(theirs.columns)}
    fields = {name: Field(safe, "read") for name, safe in names.items()}
    rows = f"({to_read(theirs, layout, names, POSTGRES)})"
    return Stored(table.name, join, Layout(table.name, fields, unit=Field(UNIT, layout.unit.stored), relation=rows))


def with_settled(facts: Facts, layout: Layout) -> Layout:
    """The layout, with another for questions about what is constant per unit."""
    if is_settled(facts):
        return layout
    from dataclasses import replace

    settled = settled_layout(facts, layout, layout.table)
    return replace(layout, settled=replace(settled, relation=f"({to_settled(facts, layout, POSTGRES)})"))


def _lookups(facts: Facts, given: Mapping[str, object]) -> dict[str, Stored]:
    """Public lookups as constants. Raises FactsError if one cannot be read, or is too long to be sent along."""
    if not any(isinstance(join, Lookup) for join in facts.joins):
        return {}
    from dataclasses import replace

    from discreet.engines.duckdb.engine import let_go, started
    from discreet.engines.duckdb.joins import stored_lookups
    from discreet.engines.duckdb.loading import run

    public = replace(facts, joins=tuple(join for join in facts.joins if isinstance(join, Lookup)))
    connection, folder = started()
    try:
        held = stored_lookups(connection, public, given, lookup_files(public, given))
        found = {}
        for name, stored in held.items():
            join = stored.join
            assert isinstance(join, Lookup)
            columns = facts_of(join, facts).columns
            key = key_column(join, facts)
            shown = ", ".join([*(safe_name(place) for place in range(len(columns))), KEY])
            rows = run(connection, f"SELECT {shown} FROM {stored.table} LIMIT {_MOST_ROWS + 1}")
            found[name] = Stored(_constants(join, columns, key, rows), join)
        return found
    finally:
        let_go(connection.close, folder)


def _constants(join: Lookup, columns: Sequence[Column], key: Column, rows: Sequence[Sequence[Any]]) -> str:
    if len(rows) > _MOST_ROWS:
        raise FactsError(f"the lookup {join.name} has more than {_MOST_ROWS:,} rows, which are sent along with every question",
                         hint="leave out what questions do not need", key=f"join.{join.name}")  # fmt: skip
    names = [*(safe_name(place) for place in range(len(columns))), KEY]
    types = [*map(_type, columns), _TYPES[kind_of(key)]]
    lists = [[row[place] for row in rows] for place in range(len(names))]
    arrays = ", ".join(f"CAST({quoted_text(_array(join, each))} AS {kind}[])" for each, kind in zip(lists, types, strict=True))
    shown = [f'{name} COLLATE "C" AS {name}' if kind == "TEXT" else name for name, kind in zip(names, types, strict=True)]
    return f"(SELECT {', '.join(shown)} FROM UNNEST({arrays}) AS v({', '.join(names)}))"


def _type(column: Column) -> str:
    return "BIGINT" if is_whole(column) else _TYPES[kind_of(column)]


def _array(join: Lookup, values: Sequence[object]) -> str:
    return "{" + ",".join(_element(join, value) for value in values) + "}"


def _element(join: Lookup, value: object) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return "t" if value else "f"
        case float():
            return repr(value)
        case int():
            return str(value)
        case datetime():
            return f'"{value.isoformat(sep=" ")}"'
        case date():
            return f'"{value.isoformat()}"'
    text = str(value)
    if "\0" in text:
        raise FactsError(f"the lookup {join.name} has a text with a NUL, which PostgreSQL does not have", hint="take it out",
                         key=f"join.{join.name}")  # fmt: skip
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
