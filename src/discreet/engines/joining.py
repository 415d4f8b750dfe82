"""Joins in SQL: lookups as tables of read values, and the rows of the confidential table beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.engines.dialects import DIALECTS
from discreet.engines.expressions import Expressions
from discreet.engines.layout import Field, Layout
from discreet.engines.lookups import check_matches, facts_of, lookup_files, unreadable
from discreet.engines.reading import kind_of
from discreet.engines.sheet import Sheet
from discreet.engines.sources import from_csv, from_frame, from_parquet, run
from discreet.engines.stored import safe_name
from discreet.engines.writer import to_read
from discreet.errors import DiscreetError, FactsError
from discreet.facts.joins import key_column, qualified
from discreet.facts.model import Column as Declared
from discreet.facts.model import Facts, Lookup, Source
from discreet.questions.algebra import Column, Join

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Stored", "stored_lookups", "with_joined", "wrong_lookups"]

_KEY = "k"


@dataclass(frozen=True, slots=True)
class Stored:
    """A lookup as the engine keeps it: a table with its declared columns under safe names, and its key."""

    table: str
    join: Lookup


def stored_lookups(
    connection: "DuckDBPyConnection", facts: Facts, given: Mapping[str, object], files: Mapping[str, list[Path]]
) -> dict[str, Stored]:
    """Every lookup, read into a table of its own; before the confidential table is opened in the same database.

    Raises FactsError if one cannot be read, lacks a column, or has a key more often than declared.
    """
    return {join.name: _stored(connection, place, join, facts, given, files) for place, join in enumerate(facts.joins)}


def wrong_lookups(facts: Facts) -> list[FactsError]:
    """What is wrong with the lookups of the facts, one thing for each; they are public, and read to their end."""
    import duckdb

    found = []
    for join in facts.joins:
        alone = replace(facts, joins=(join,))
        with duckdb.connect(":memory:") as connection:
            try:
                stored_lookups(connection, alone, {}, lookup_files(alone, {}))
            except FactsError as error:
                found.append(error)
    return found


def _stored(
    connection: "DuckDBPyConnection",
    place: int,
    join: Lookup,
    facts: Facts,
    given: Mapping[str, object],
    files: Mapping[str, list[Path]],
) -> Stored:
    theirs, source, table = facts_of(join, facts), given.get(join.name, join.located), f"lookup{place}"
    if source is None:
        raise unreadable(join, "its rows are missing")
    try:
        match source:
            case Source(kind="csv"):
                layout = from_csv(connection, theirs, files[join.name])
            case Source(kind="parquet"):
                layout = from_parquet(connection, theirs, files[join.name])
            case _:
                layout = from_frame(connection, theirs, source)
    except FactsError as error:
        raise FactsError(f"the lookup {join.name}: {error.message}", hint=error.hint, key=f"join.{join.name}") from None
    except DiscreetError:
        raise
    except Exception:  # noqa: BLE001 - whatever a file can be
        raise unreadable(join, "the file cannot be read") from None
    names = {column.name: safe_name(number) for number, column in enumerate(theirs.columns)}
    key = key_column(join, facts)
    read = _comparable(names[key.name], key)
    run(connection, f"CREATE TABLE {table} AS SELECT *, {read} AS {_KEY} FROM ({to_read(theirs, layout, names)}) AS s")
    _cleared(connection)
    counted = f"SELECT {_KEY}, COUNT(*) AS n FROM {table} WHERE {_KEY} IS NOT NULL GROUP BY {_KEY}"
    check_matches(join, run(connection, f"{counted} ORDER BY n DESC, {_KEY} LIMIT 1"))
    return Stored(table, join)


def _cleared(connection: "DuckDBPyConnection") -> None:
    """Make room for the next table: a lookup has been copied, and what its source was read through is not needed any more."""
    for (view,) in run(connection, "SELECT view_name FROM duckdb_views() WHERE NOT internal"):
        run(connection, f"DROP VIEW {view}")
    for (table,) in run(connection, "SELECT table_name FROM duckdb_tables() WHERE NOT starts_with(table_name, 'lookup')"):
        run(connection, f"DROP TABLE {table}")


def _comparable(sql: str, declared: Declared) -> str:
    """A key as both sides compare it: numbers by value, with one zero."""
    return f"CAST({sql} AS DOUBLE) + CAST(0 AS DOUBLE)" if kind_of(declared) == "number" else sql


def with_joined(
    layout: Layout, facts: Facts, joins: Sequence[Join], stored: Mapping[str, Stored], dialect: str = "duckdb"
) -> Layout:
    """The layout of the table beside what it is joined with; ``facts`` are the table's own."""
    if not joins:
        return layout
    sheet = Sheet(layout, DIALECTS[dialect])
    write = Expressions(facts, sheet)
    declared = {column.name: column for column in facts.columns}
    ours = [field.name for field in (*layout.fields.values(), *([] if layout.unit is None else [layout.unit]))]
    keys = [_comparable(sheet.text(write.term(Column(join.column)).sql), declared[join.column]) for join in joins]
    rows = f"SELECT {', '.join([*ours, *(f'{key} AS k{place}' for place, key in enumerate(keys))])} FROM {sheet.rows()}"
    outputs, tables, fields = [f"b.{name}" for name in ours], [f"({rows}) AS b"], dict(layout.fields)
    for place, join in enumerate(joins):
        table, lookup = stored[join.table].table, stored[join.table].join
        kind = "LEFT JOIN" if join.outer else "JOIN"
        tables.append(f"{kind} {table} AS l{place} ON b.k{place} = l{place}.{_KEY}")
        for number, column in enumerate(lookup.columns):
            name = f"j{place}_{number}"
            outputs.append(f"l{place}.{safe_name(number)} AS {name}")
            fields[qualified(lookup.name, column.name)] = Field(name, "read")
    return replace(layout, fields=fields, relation=f"(SELECT {', '.join(outputs)} FROM {' '.join(tables)})")
