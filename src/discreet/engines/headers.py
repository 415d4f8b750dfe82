"""Headers of sources: which columns there are. Of the rows nothing is read but, for a draft, what types they seem to have.

``lacking`` is what `discreet check` says about a source; it reads headers only. ``columns_in`` looks at the first rows of a file,
at the wish of whoever holds the data; it returns names, types and spellings, and no value leaves it. Both are for whoever holds
the data, who is told the engine's own words where a file cannot be read.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from glob import escape
from itertools import islice
from pathlib import Path
from typing import Any

from discreet.engines.duckdb.guesses import guess_stored, guessed, is_data
from discreet.engines.duckdb.joins import look_at_stored
from discreet.engines.duckdb.limits import limits
from discreet.engines.duckdb.lines import lines_of, opened, places_of, split_header, splitter
from discreet.engines.duckdb.stored import view_of
from discreet.engines.faults import guarded
from discreet.engines.sql.names import quoted, quoted_text
from discreet.engines.stamps import files_of, is_missing
from discreet.errors import EngineFault, FactsError
from discreet.facts.draft import Drafted
from discreet.facts.model import ByColumn, CsvFormat, Facts, Source

__all__ = ["Lack", "columns_in", "lacking", "tables_in"]

_FIRST_ROWS = 2_000
_DELIMITERS = (",", ";", "\t", "|")


@dataclass(frozen=True, slots=True)
class Lack:
    """Something that the facts declare and the source does not have; ``column`` is None where it is the source itself."""

    column: str | None
    message: str
    hint: str


# ---- for `discreet check`


def lacking(facts: Facts) -> tuple[Lack, ...]:
    """All that the source of ``facts`` does not have, by its headers alone."""
    match facts.located:
        case None:
            return (Lack(None, "the source cannot be looked at from here", "write a CSV, Parquet or DuckDB file, or PostgreSQL"),)
        case Source(kind="spark") as place:
            from discreet.engines.spark.engine import refusal

            wrong = refusal(facts, place)
            return () if wrong is None else (Lack(None, *wrong),)
        case Source(kind="postgresql") as place:
            from discreet.engines.postgres.headers import refusal

            wrong = refusal(facts, place)
            return () if wrong is None else (Lack(None, *wrong),)
        case found:
            if is_missing(found):
                hint = "write the path of a file, seen from the facts file"
                return (Lack(None, f"there is no such file: {facts.source}", hint),)
            try:
                lacks = dict.fromkeys(lack for names in _headers(facts, found) for lack in _lacks(facts, names))
                return tuple(lacks) or _refused(facts, found)
            except EngineFault as fault:
                hint = "write the path of a sound file, seen from the facts file"
                return (Lack(None, f"the source cannot be read: {fault.told}", hint),)


def _headers(facts: Facts, source: Source) -> list[list[str] | dict[str, str]]:
    """The names of the columns, with stored types where the file has some, of every file of the source."""
    if source.kind == "csv":
        return guarded("the header cannot be read", lambda: [_csv_names(each, facts.csv) for each in files_of(source)], tell=True)
    read, inside = _stored_types, source.table
    return guarded("the schema cannot be read", lambda: [read(each, inside) for each in files_of(source)], tell=True)


def _refused(facts: Facts, source: Source) -> tuple[Lack, ...]:
    """What registering would refuse though every column is there: a view, files that differ, moments that cannot be read."""
    if source.kind == "csv":
        return ()
    try:
        kind, inside = source.kind, source.table
        guarded("the schema cannot be read", lambda: look_at_stored(facts, files_of(source), kind, inside), tell=True)
    except FactsError as error:
        return (Lack(None, error.message, error.hint),)
    return ()


def _lacks(facts: Facts, names: list[str] | dict[str, str]) -> Iterator[Lack]:
    unit = [facts.unit.column] if isinstance(facts.unit, ByColumn) and facts.column(facts.unit.column) is None else []
    for column in [*(column.name for column in facts.columns), *unit]:
        try:
            places_of([column], list(names))
            declared = facts.column(column)
            if isinstance(names, dict) and declared is not None:
                view_of(replace(facts, columns=(declared,)), names)
        except FactsError as error:
            yield Lack(column, error.message, error.hint)


# ---- for `discreet init`


def columns_in(path: Path, *, header: bool = True, table: str | None = None) -> tuple[list[Drafted], CsvFormat | None]:
    """The columns of a file with the types that they seem to have, and how a CSV file is written; ``table`` is one of DuckDB."""
    if table is not None or path.suffix.lower() in (".parquet", ".pq"):
        return guarded("the schema cannot be read", lambda: _stored_columns(path, table), tell=True), None
    form = guarded("the file cannot be read", lambda: _form(path, header=header), tell=True)
    return guarded("the file cannot be read", lambda: _csv_columns(path, form), tell=True)


def tables_in(path: Path) -> list[str]:
    """The tables of a DuckDB file, with their schema unless that is the usual one."""
    known = "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'source' ORDER BY ALL"
    found = guarded("the file cannot be read", lambda: _asked(path, "source", known), tell=True)
    return [name if schema == "main" else f"{schema}.{name}" for schema, name in found]


def _stored_columns(path: Path, table: str | None) -> list[Drafted]:
    """By their types; texts by what the first of them seem to be."""
    types = _stored_types(path, table)
    texts = [name for name, kind in types.items() if kind == "VARCHAR"]
    shown = ", ".join(map(quoted, texts))
    rows = _asked(path, table, f"SELECT {shown} FROM {_relation(path, table)} LIMIT {_FIRST_ROWS}") if texts else []
    seen = {name: guessed(name, [row[place] for row in rows if row[place] is not None]) for place, name in enumerate(texts)}
    return [seen.get(name) or guess_stored(name, kind) for name, kind in types.items()]


def _form(path: Path, *, header: bool) -> CsvFormat:
    """Encoding and delimiter, by the first bytes and the first line."""
    with opened(path) as stream:
        start = stream.read(1 << 16)
    encoding = "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8" if _is_utf8(start) else _of_one_byte(start)
    with closing(lines_of(path, encoding)) as lines:
        first = next(lines, "")
    delimiter = max(_DELIMITERS, key=first.count)  # the first of them where there is none
    return CsvFormat(delimiter=delimiter, encoding=encoding, header=header)


def _is_utf8(start: bytes) -> bool:
    try:
        start[:-4].decode("utf-8")  # the cut may be inside a letter
    except UnicodeDecodeError as error:
        return error.start >= len(start) - 8
    return True


def _of_one_byte(start: bytes) -> str:
    """Latin-1 has no letters where Windows has a euro sign and curly quotes."""
    return "windows-1252" if any(0x80 <= byte < 0xA0 for byte in start) else "latin-1"


def _csv_columns(path: Path, form: CsvFormat) -> tuple[list[Drafted], CsvFormat]:
    with closing(lines_of(path, form.encoding)) as lines:
        split = splitter(form)
        rows = [split(line) for line in islice(lines, _FIRST_ROWS)]
    if not rows:
        raise FactsError("the file is empty", hint="write a file with a line of names and rows below it", file=str(path))
    if form.header:
        names, rows = rows[0], rows[1:]
        if any(is_data(name) for name in names):
            raise FactsError("the first line looks like data, not like names of columns",
                             hint="write --no-header if it is a row; nothing of it was written down", file=str(path))  # fmt: skip
    else:
        names = [f"column_{place + 1}" for place in range(len(rows[0]))]
        form = replace(form, names=tuple(names))
    return [guessed(name, (row[place] for row in rows if place < len(row))) for place, name in enumerate(names)], form


# ---- both


def _csv_names(file: Path, form: CsvFormat) -> list[str]:
    with closing(lines_of(file, form.encoding)) as lines:
        return split_header(lines, form)[0]


def _stored_types(file: Path, table: str | None) -> dict[str, str]:
    """The types of a Parquet file, or of a table in a DuckDB file, by column."""
    return {row[0]: row[1] for row in _asked(file, table, f"DESCRIBE SELECT * FROM {_relation(file, table)}")}


def _relation(file: Path, table: str | None) -> str:
    if table is None:
        return f"read_parquet({quoted_text(escape(str(file)))}, hive_partitioning = false)"
    return "source." + ".".join(quoted(part) for part in _schema_and_name(table))


def _asked(file: Path, table: str | None, sql: str) -> list[Any]:
    """What a database of its own says, that has a DuckDB file attached if ``table`` is in one."""
    import duckdb

    with duckdb.connect(":memory:", config={**limits(), "autoinstall_known_extensions": "false"}) as connection:
        if table is not None:
            connection.execute(f"ATTACH {quoted_text(str(file))} AS source (READ_ONLY)")
        return connection.execute(sql).fetchall()


def _schema_and_name(table: str) -> Sequence[str]:
    *before, name = table.split(".")
    return (before[-1] if before else "main", name)
