"""Tables beside the table, as DuckDB keeps them: public lookups and other confidential tables, read into tables of their own."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.engines.duckdb.dialect import DUCKDB
from discreet.engines.duckdb.limits import limits
from discreet.engines.duckdb.loading import from_csv, from_duckdb, from_frame, from_parquet, look_at_csv, run
from discreet.engines.faults import words_of
from discreet.engines.rules.lookups import check_matches, facts_of, source_of, unreadable
from discreet.engines.sql.joining import KEY, Stored, comparable
from discreet.engines.sql.layout import Field, Layout
from discreet.engines.sql.names import UNIT, safe_name
from discreet.engines.sql.writer import to_read
from discreet.errors import DiscreetError, FactsError
from discreet.facts.joins import key_column
from discreet.facts.model import Companion, Facts, Lookup, Source

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["cleared", "look_at_companions", "look_at_stored", "stored_companions", "stored_lookups"]

_LOOKUP, _BESIDE = "lookup", "beside"  # how tables of joined rows are called


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
    run(connection, f"CREATE OR REPLACE TABLE {table} AS {to_read(theirs, layout, names, DUCKDB)}")
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
    read = comparable(names[key.name], key, DUCKDB)
    run(connection, f"CREATE TABLE {table} AS SELECT *, {read} AS {KEY} FROM ({to_read(theirs, layout, names, DUCKDB)}) AS s")
    cleared(connection)
    counted = f"SELECT {KEY}, COUNT(*) AS n FROM {table} WHERE {KEY} IS NOT NULL GROUP BY {KEY}"
    check_matches(join, run(connection, f"{counted} ORDER BY n DESC, {KEY} LIMIT 1"))
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
