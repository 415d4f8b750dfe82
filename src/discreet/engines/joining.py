"""Joins in SQL: lookups as tables of read values, and the rows of the confidential table beside them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.engines.bounding import to_kept, unit_text
from discreet.engines.choice import columns_read, key_for
from discreet.engines.dialects import DIALECTS
from discreet.engines.expressions import Expressions
from discreet.engines.faults import words_of
from discreet.engines.layout import Field, Layout
from discreet.engines.limits import limits
from discreet.engines.loading import from_csv, from_duckdb, from_frame, from_parquet, look_at_csv, run
from discreet.engines.lookups import check_matches, facts_of, read_before, rows_before, source_of, unreadable
from discreet.engines.reading import kind_of
from discreet.engines.sheet import Sheet
from discreet.engines.stored import UNIT, safe_name
from discreet.engines.wanted import Bound, CountsWanted, KeysWanted, Wanted
from discreet.engines.writer import to_read
from discreet.errors import DiscreetError, FactsError
from discreet.facts.joins import key_column, qualified
from discreet.facts.model import Column as Declared
from discreet.facts.model import Companion, Facts, Joinable, Lookup, Source
from discreet.questions.algebra import Column

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "Stored", "cleared", "look_at_companions", "look_at_stored", "stored_companions", "stored_lookups", "with_joined",
]  # fmt: skip

_KEY = "k"
_LOOKUP, _BESIDE = "lookup", "beside"  # how tables of joined rows are called


@dataclass(frozen=True, slots=True)
class Stored:
    """A joined table as the engine keeps it: its declared columns under safe names, and its key.

    Of a confidential one ``layout`` says where its units are; their rows are chosen anew for every question.
    """

    table: str
    join: Joinable
    layout: Layout | None = None


def stored_lookups(
    connection: "DuckDBPyConnection", facts: Facts, given: Mapping[str, object], files: Mapping[str, list[Path]]
) -> dict[str, Stored]:
    """Every public lookup, read into a table of its own; before the confidential table is opened in the same database.

    Raises FactsError if one cannot be read, lacks a column, or has a key more often than declared.
    """
    return {
        join.name: _stored(connection, place, join, facts, given, files)
        for place, join in enumerate(facts.joins)
        if isinstance(join, Lookup)
    }


def stored_companions(
    connection: "DuckDBPyConnection", facts: Facts, given: Mapping[str, object], files: Mapping[str, list[Path]]
) -> dict[str, Stored]:
    """The rows of every other confidential table, likewise: after the charge, as those of the table itself."""
    return {
        join.name: _companion(connection, place, join, given, files)
        for place, join in enumerate(facts.joins)
        if isinstance(join, Companion)
    }


def look_at_companions(facts: Facts, given: Mapping[str, object], files: Mapping[str, list[Path]]) -> bool:
    """Whether there are other confidential tables. Raises FactsError if the header of one lacks what is declared."""
    companions = [join for join in facts.joins if isinstance(join, Companion)]
    for join in companions:
        match given.get(join.name, source_of(join)):
            case Source(kind="csv"):
                look_at_csv(join.facts, files[join.name])
            case Source(kind="parquet" | "duckdb" as kind, table=inside):
                look_at_stored(join.facts, files[join.name], kind, inside)
            case None | Source():
                what, instead = f"{join.name} cannot be read from here", "write a CSV, Parquet or DuckDB file into its facts"
                raise FactsError(what, hint=instead, key=f"join.{join.name}")
            case _:
                pass
    return bool(companions)


def look_at_stored(facts: Facts, files: list[Path], kind: str, inside: str | None) -> None:
    """Raises FactsError if files that have a schema do not have what the facts declare. No row is read."""
    import duckdb

    with duckdb.connect(":memory:", config={**limits(), "autoinstall_known_extensions": "false"}) as connection:
        if kind == "parquet":
            from_parquet(connection, facts, files)
        else:
            from_duckdb(connection, facts, files[0], str(inside))


def _companion(
    connection: "DuckDBPyConnection",
    place: int,
    join: Companion,
    given: Mapping[str, object],
    files: Mapping[str, list[Path]],
) -> Stored:
    theirs, source, table = join.facts, given.get(join.name, source_of(join)), f"{_BESIDE}{place}"
    match source:
        case Source(kind="csv"):
            layout = from_csv(connection, theirs, files[join.name])
        case Source(kind="parquet"):
            layout = from_parquet(connection, theirs, files[join.name])
        case Source(kind="duckdb", table=str(inside)):
            layout = from_duckdb(connection, theirs, files[join.name][0], inside)
        case _:
            layout = from_frame(connection, theirs, source)
    layout = layout.settled or layout  # what is constant per unit is so before any row of it is left out
    names = {column.name: safe_name(number) for number, column in enumerate(theirs.columns)}
    run(connection, f"CREATE OR REPLACE TABLE {table} AS {to_read(theirs, layout, names)}")
    cleared(connection)
    assert layout.unit is not None
    fields = {name: Field(safe, "read") for name, safe in names.items()}
    return Stored(table, join, Layout(table, fields, unit=Field(UNIT, layout.unit.stored)))


def _stored(
    connection: "DuckDBPyConnection",
    place: int,
    join: Lookup,
    facts: Facts,
    given: Mapping[str, object],
    files: Mapping[str, list[Path]],
) -> Stored:
    theirs, source, table = facts_of(join, facts), given.get(join.name, join.located), f"{_LOOKUP}{place}"
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
    except Exception as error:  # noqa: BLE001 - whatever a file can be; lookups are public, and so is what is wrong with them
        raise unreadable(join, f"the file cannot be read: {words_of(error)}") from None
    names = {column.name: safe_name(number) for number, column in enumerate(theirs.columns)}
    key = key_column(join, facts)
    read = _comparable(names[key.name], key)
    run(connection, f"CREATE TABLE {table} AS SELECT *, {read} AS {_KEY} FROM ({to_read(theirs, layout, names)}) AS s")
    cleared(connection)
    counted = f"SELECT {_KEY}, COUNT(*) AS n FROM {table} WHERE {_KEY} IS NOT NULL GROUP BY {_KEY}"
    check_matches(join, run(connection, f"{counted} ORDER BY n DESC, {_KEY} LIMIT 1"))
    return Stored(table, join)


def cleared(connection: "DuckDBPyConnection") -> None:
    """Make room for the next table: a lookup has been copied, and what its source was read through is not needed any more."""
    for (view,) in run(connection, "SELECT view_name FROM duckdb_views() WHERE NOT internal AND database_name <> 'source'"):
        run(connection, f"DROP VIEW {view}")
    for (table,) in run(connection, "SELECT table_name FROM duckdb_tables() WHERE database_name <> 'source'"):
        if not table.startswith((_LOOKUP, _BESIDE)):
            run(connection, f"DROP TABLE {table}")
    if run(connection, "SELECT 1 FROM duckdb_databases() WHERE database_name = 'source'"):
        run(connection, "DETACH source")


def _comparable(sql: str, declared: Declared) -> str:
    """A key as both sides compare it: numbers by value, with one zero."""
    return f"CAST({sql} AS DOUBLE) + CAST(0 AS DOUBLE)" if kind_of(declared) == "number" else sql


def with_joined(
    layout: Layout,
    facts: Facts,
    wanted: Wanted | CountsWanted | KeysWanted,
    stored: Mapping[str, Stored],
    dialect: str = "duckdb",
) -> Layout:
    """The layout of the table beside what it is joined with; ``facts`` are the table's own."""
    if not wanted.joins:
        return layout
    known = DIALECTS[dialect]
    ours = [field.name for field in (*layout.fields.values(), *([] if layout.unit is None else [layout.unit]))]
    if (most := rows_before(wanted, facts)) is not None:
        stay = to_kept(read_before(wanted, facts), Bound(key_for(facts.name), rows=most), facts, layout, dialect)
        layout = replace(layout, relation=f"(SELECT {', '.join(ours)} FROM {stay})")
    sheet = Sheet(layout, known)
    write = Expressions(facts, sheet)
    declared = {column.name: column for column in facts.columns}
    keys, tables, outputs, fields = [], list[str](), [f"b.{name}" for name in ours], dict(layout.fields)
    for place, join in enumerate(wanted.joins):
        beside = stored[join.table]
        if beside.layout is None:
            keys.append(_comparable(sheet.text(write.term(Column(join.column)).sql), declared[join.column]))
            rows = beside.table
        else:
            assert layout.unit is not None
            keys.append(sheet.text(unit_text(layout.unit, known)))
            rows = _of_companion(beside, columns_read(wanted), dialect)
        tables.append(f"{'LEFT JOIN' if join.outer else 'JOIN'} {rows} AS l{place} ON b.k{place} = l{place}.{_KEY}")
        for number, column in enumerate(beside.join.columns):
            name = f"j{place}_{number}"
            outputs.append(f"l{place}.{safe_name(number)} AS {name}")
            fields[qualified(join.table, column.name)] = Field(name, "read")
    rows = f"SELECT {', '.join([*ours, *(f'{key} AS k{place}' for place, key in enumerate(keys))])} FROM {sheet.rows()}"
    return replace(layout, fields=fields, relation=f"(SELECT {', '.join(outputs)} FROM ({rows}) AS b {' '.join(tables)})")


def _of_companion(beside: Stored, read: Collection[str], dialect: str) -> str:
    """The rows of another confidential table that stay, with the text of their unit as the key."""
    assert isinstance(beside.join, Companion)
    assert beside.layout is not None
    assert beside.layout.unit is not None
    theirs = beside.join.facts
    names = [column.name for column in theirs.columns if qualified(beside.join.name, column.name) in read]
    bound = Bound(key_for(theirs.name), rows=beside.join.max_matches)
    stay = to_kept(names, bound, theirs, beside.layout, dialect)
    columns = ", ".join(field.name for field in beside.layout.fields.values())
    unit = unit_text(beside.layout.unit, DIALECTS[dialect]).sql(dialect=DIALECTS[dialect].name)
    return f"(SELECT {columns}, {unit} AS {_KEY} FROM {stay})"
