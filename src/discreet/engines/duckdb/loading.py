"""Tables for DuckDB: CSV, Parquet and DuckDB files, and what is in memory.

CSV and what is in memory are read once, by the rules of ``values``, into a table of our own; Parquet and DuckDB files stay where
they are and are read by every question. Of a view, and of the header of a CSV file, no row is read.
"""

from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from glob import escape
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.engines.duckdb.dialect import DUCKDB
from discreet.engines.duckdb.frames import as_arrays, cells_of, frame_as_text, renamed
from discreet.engines.duckdb.lines import (
    begins_empty,
    count_lines,
    has_spaced_quotes,
    is_packed,
    is_utf8,
    lines_of,
    places_of,
    rows_of,
    split_header,
)
from discreet.engines.duckdb.stored import unit_of, view_of
from discreet.engines.faults import is_interruption
from discreet.engines.rules.values import nearest
from discreet.engines.sql.layout import Field, Layout
from discreet.engines.sql.names import UNIT, quoted, quoted_text, safe_name
from discreet.engines.sql.reading import FEW, is_run, is_whole, kind_of
from discreet.engines.sql.settled import is_settled, settled_layout, to_settled
from discreet.engines.sql.writer import to_read
from discreet.errors import FactsError
from discreet.facts.model import ByColumn, Category, CsvFormat, Facts

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["from_csv", "from_duckdb", "from_frame", "from_parquet", "look_at_csv", "raw_csv", "run"]

_BATCH = 50_000


def from_parquet(connection: "DuckDBPyConnection", facts: Facts, files: Sequence[Path]) -> Layout:
    """A view of Parquet files, which have the declared columns in common."""
    # a file's statistics leave NaN out, and trusting them the optimizer would fold our clamps away and let one NaN row through
    options = "hive_partitioning = false, can_have_nan = true, utf8_validation = 'replace'"
    relations = [f"read_parquet({quoted_text(escape(str(file)))}, {options})" for file in files]
    views = [_viewed(facts, _types(connection, relation)) for relation in relations]
    _refuse_milliseconds(connection, facts, files)
    if any(view[1:] != views[0][1:] for view in views):
        raise FactsError("the files of the source store a declared column differently", hint="write them all with one schema")
    selected = " UNION ALL ".join(f"SELECT {view[0]} FROM {relation}" for view, relation in zip(views, relations, strict=True))
    run(connection, f"CREATE VIEW data AS {selected}")
    return _with_settled(connection, facts, Layout("data", views[0][1], _members(connection, facts), views[0][2]))


def _refuse_milliseconds(connection: "DuckDBPyConnection", facts: Facts, files: Sequence[Path]) -> None:
    """A single moment beyond the year 290 000 would make every question fail while the file is read."""
    names = set(_names(facts))
    for file in files:
        schema = f"SELECT name FROM parquet_schema({quoted_text(escape(str(file)))}) WHERE converted_type = 'TIMESTAMP_MILLIS'"
        if found := sorted(names & {name for (name,) in run(connection, schema)}):
            raise FactsError(
                f"column {found[0]!r} is stored as moments in milliseconds, some of which cannot be read",
                hint="write the file with microseconds, as most programs do",
            )


def from_duckdb(connection: "DuckDBPyConnection", facts: Facts, file: Path, table: str) -> Layout:
    """A view of a table in a DuckDB file, which is opened for reading only."""
    run(connection, f"ATTACH {quoted_text(str(file))} AS source (READ_ONLY)")
    *before, name = table.split(".")
    schema = before[-1] if before else "main"
    known = "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'source' AND schema_name = $1 AND table_name = $2"
    if run(connection, known, [schema, name]) == [(0,)]:
        raise FactsError(f"the source has no table called {table!r}", hint="name a table of the file, not a view, after #")
    relation = f"source.{quoted(schema)}.{quoted(name)}"
    selected, fields, unit = _viewed(facts, _types(connection, relation))
    run(connection, f"CREATE VIEW data AS SELECT {selected} FROM {relation}")
    return _with_settled(connection, facts, Layout("data", fields, _members(connection, facts), unit))


def from_frame(connection: "DuckDBPyConnection", facts: Facts, frame: object) -> Layout:
    """The rows of a pandas, polars or Arrow table, or of Python's own lists and dicts."""
    names = _names(facts)
    cells = cells_of(frame, names)
    held, facts = frame_as_text(renamed(frame, names), facts) if cells is None else as_arrays(cells, facts)
    connection.register("frame", held)
    spelt = {column.name: safe_name(place) for place, column in enumerate(facts.columns)}
    selected, fields, unit = _viewed(facts, _types(connection, "frame"), spelt)
    run(connection, f"CREATE TEMP VIEW raw AS SELECT {selected} FROM frame")
    layout = _read_in(connection, facts, Layout("raw", fields, _members(connection, facts), unit))
    run(connection, "DROP VIEW raw")
    connection.unregister("frame")
    return layout


def from_csv(connection: "DuckDBPyConnection", facts: Facts, files: Iterable[Path]) -> Layout:
    """The rows of CSV files, each with its own header."""
    layout = _read_in(connection, facts, raw_csv(connection, facts, files))
    run(connection, "DROP TABLE raw")
    return layout


def raw_csv(connection: "DuckDBPyConnection", facts: Facts, files: Iterable[Path]) -> Layout:
    """The same rows as texts, not yet read."""
    names, layout = _names(facts), _room_for_texts(connection, facts)
    for file in files:
        with closing(lines_of(file, facts.csv.encoding)) as lines:
            header, _ = split_header(lines, facts.csv)
        places = places_of(names, header)
        if not _load_strictly(connection, file, facts.csv, len(header), places):
            _load_by_lines(connection, file, facts.csv, names)
    return layout


def _room_for_texts(connection: "DuckDBPyConnection", facts: Facts) -> Layout:
    """A table for the texts of all columns, and of the units behind them."""
    names = _names(facts)
    fields = {column.name: Field(safe_name(place), "text") for place, column in enumerate(facts.columns)}
    unit = Field(safe_name(len(fields)), "text") if len(names) > len(fields) else None
    run(connection, f"CREATE TEMP TABLE raw ({', '.join(f'{safe_name(place)} VARCHAR' for place in range(len(names)))})")
    return Layout("raw", fields, _members(connection, facts), unit)


def _insert(connection: "DuckDBPyConnection", columns: Sequence[Sequence[str | None]]) -> None:
    selected = ", ".join(f"unnest(${place + 1}::VARCHAR[])" for place in range(len(columns)))
    run(connection, f"INSERT INTO raw SELECT {selected}", [list(column) for column in columns])


def look_at_csv(facts: Facts, files: Iterable[Path]) -> None:
    """Raises FactsError if the header of a CSV file lacks what the facts declare. Nothing below the header is looked at."""
    for file in files:
        with closing(lines_of(file, facts.csv.encoding)) as lines:
            places_of(_names(facts), split_header(lines, facts.csv)[0])


def run(connection: "DuckDBPyConnection", sql: str, parameters: list[Any] | None = None) -> list[Any]:
    """Run a statement to its end. Ctrl-C is a KeyboardInterrupt, whatever DuckDB makes of it."""
    try:
        return connection.execute(sql, parameters).fetchall()
    except RuntimeError as error:
        if is_interruption(error):
            raise KeyboardInterrupt from None
        raise


# ---- CSV


def _load_strictly(connection: "DuckDBPyConnection", file: Path, form: CsvFormat, width: int, places: list[int]) -> bool:
    """Load a file with DuckDB's own reader, if that reads it as we do.

    It does where every line has the fields of the header and quotes only where they belong, which its strict mode demands;
    where no quoted field runs over a line's end, which the number of rows tells; where no space is beside a quote; and where the
    first line is the header.
    """
    import duckdb

    if width == 1 or not is_utf8(form.encoding) or begins_empty(file) or has_spaced_quotes(file, form.quote):
        return False  # of one column it counts empty lines, so that the number of rows would tell nothing
    options = {
        "auto_detect": "false",
        "columns": "{" + ", ".join(f"'{safe_name(place)}': 'VARCHAR'" for place in range(width)) + "}",
        "delim": quoted_text(form.delimiter),
        "quote": quoted_text(form.quote),
        "escape": quoted_text(form.quote),
        "header": "false",
        "skip": "1" if form.header else "0",
        "nullstr": "''",
        "strict_mode": "true",
        "compression": "'gzip'" if is_packed(file) else "'none'",
    }
    source = f"read_csv({quoted_text(escape(str(file)))}, {', '.join(f'{name} = {value}' for name, value in options.items())})"
    selected = ", ".join(safe_name(place) for place in places)
    run(connection, "BEGIN")
    try:
        try:
            loaded = run(connection, f"INSERT INTO raw SELECT {selected} FROM {source}")
        except duckdb.InterruptException:  # the limit of time, which reading by lines would not keep either
            raise
        except duckdb.Error:
            loaded = []
        is_same = loaded == [(count_lines(file) - form.header,)]
        run(connection, "COMMIT" if is_same else "ROLLBACK")
    except BaseException:
        with suppress(duckdb.Error):  # what the caller is to hear is why, not that there is nothing to undo
            run(connection, "ROLLBACK")
        raise
    return is_same


def _load_by_lines(connection: "DuckDBPyConnection", file: Path, form: CsvFormat, names: list[str]) -> None:
    with closing(lines_of(file, form.encoding)) as lines:
        rows = rows_of(lines, form, names)
        while batch := list(islice(rows, _BATCH)):
            _insert(connection, list(zip(*batch, strict=True)))


# ---- both


def _types(connection: "DuckDBPyConnection", relation: str) -> dict[str, str]:
    return {row[0]: row[1] for row in run(connection, f"DESCRIBE SELECT * FROM {relation}")}


def _read_in(connection: "DuckDBPyConnection", facts: Facts, raw: Layout) -> Layout:
    names = {name: field.name for name, field in raw.fields.items()}
    run(connection, f"CREATE TABLE data AS {to_read(facts, raw, names, DUCKDB)}")
    unit = None if raw.unit is None else Field(UNIT, raw.unit.stored)
    read = Layout("data", {name: Field(field.name, "read") for name, field in raw.fields.items()}, unit=unit)
    if is_settled(facts):
        return read
    run(connection, f"CREATE TABLE settled AS {to_settled(facts, read, DUCKDB)}")
    run(connection, "DROP TABLE data")
    return replace(read, table="settled")


def _with_settled(connection: "DuckDBPyConnection", facts: Facts, layout: Layout) -> Layout:
    """The layout of a view, with another view for questions about what is constant per unit."""
    if is_settled(facts):
        return layout
    run(connection, f"CREATE VIEW settled AS {to_settled(facts, layout, DUCKDB)}")
    return replace(layout, settled=settled_layout(facts, layout, "settled"))


def _names(facts: Facts) -> list[str]:
    """The columns that are read: those declared, then that of the units."""
    return [*(column.name for column in facts.columns), *([facts.unit.column] if isinstance(facts.unit, ByColumn) else [])]


def _viewed(
    facts: Facts, types: dict[str, str], spelt: dict[str, str] | None = None
) -> tuple[str, dict[str, Field], Field | None]:
    """What to SELECT to have columns and units under safe names, and what they then are."""
    selected, fields = view_of(facts, types, spelt)
    more, unit = unit_of(facts, types, None if spelt is None else safe_name(len(facts.columns)))
    return ", ".join([selected, *more]), fields, unit


def _members(connection: "DuckDBPyConnection", facts: Facts) -> dict[str, str]:
    """Tables of the declared values of categories that have many."""
    tables = {}
    for place, column in enumerate(facts.columns):
        if not isinstance(column, Category) or len(column.values) <= FEW:
            continue
        kind, values = "VARCHAR", list[Any](dict.fromkeys(column.values))
        if kind_of(column) == "number":
            kind, values = "DOUBLE", sorted({nearest(value) for value in column.values if isinstance(value, int)})
            if is_run(values):
                continue
            if is_whole(column):
                kind, values = "BIGINT", list(map(int, values))
        tables[column.name] = f"values{place}"
        run(connection, f"CREATE TABLE {tables[column.name]} AS SELECT unnest($1::{kind}[]) AS value", [values])
    return tables
