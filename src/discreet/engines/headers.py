"""Headers of sources: which columns there are. Of the rows nothing is read but, for a draft, what types they seem to have.

``lacking`` is what `discreet check` says about a source; it reads headers only. ``columns_in`` looks at the first rows of a CSV
file, at the wish of whoever holds the data; it returns names and types, and no value leaves it. Both are for whoever holds the
data, who is told the engine's own words where a file cannot be read.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from glob import escape
from itertools import islice
from pathlib import Path

from discreet.engines.faults import guarded
from discreet.engines.joining import look_at_stored
from discreet.engines.limits import limits
from discreet.engines.lines import lines_of, places_of, split_header, splitter
from discreet.engines.moments import DAY, MOMENT
from discreet.engines.spellings import FALSE, NUMBER, TRUE
from discreet.engines.stamps import files_of, is_missing
from discreet.engines.stored import quoted, quoted_text, view_of
from discreet.engines.values import MISSING
from discreet.errors import EngineFault, FactsError
from discreet.facts.draft import Drafted, Guess
from discreet.facts.model import ByColumn, CsvFormat, Facts, Source

__all__ = ["Lack", "columns_in", "lacking"]

_FIRST_ROWS = 2_000
_DELIMITERS = (",", ";", "\t", "|")
_NUMBER, _DAY, _MOMENT = re.compile(NUMBER), re.compile(DAY), re.compile(MOMENT)
_WORDS = {*TRUE, *FALSE} - {"0", "1"}
_STORED: tuple[tuple[str, Guess], ...] = (  # how the name of a DuckDB type begins
    ("BOOL", "boolean"), ("DATE", "date"), ("TIMESTAMP", "timestamp"), ("FLOAT", "number"), ("DOUBLE", "number"),
    ("DECIMAL", "number"), ("INT", "integer"), ("BIGINT", "integer"), ("TINYINT", "integer"), ("SMALLINT", "integer"),
    ("UINT", "integer"), ("UBIGINT", "integer"), ("UTINYINT", "integer"), ("USMALLINT", "integer"), ("HUGEINT", "integer"),
)  # fmt: skip


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
        case None | Source(kind="postgresql" | "spark"):
            return (Lack(None, "the source cannot be looked at from here", "write a CSV, Parquet or DuckDB file"),)
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


def columns_in(path: Path, *, header: bool = True) -> tuple[list[Drafted], CsvFormat | None]:
    """The columns of a CSV or Parquet file with the types that they seem to have, and how a CSV file is written."""
    if path.suffix.lower() in (".parquet", ".pq"):
        types = guarded("the schema cannot be read", lambda: _stored_types(path, None), tell=True)
        return [Drafted(name, _guess_stored(kind)) for name, kind in types.items()], None
    form = guarded("the file cannot be read", lambda: _form(path, header=header), tell=True)
    return guarded("the file cannot be read", lambda: _csv_columns(path, form), tell=True)


def _form(path: Path, *, header: bool) -> CsvFormat:
    """Encoding and delimiter, by the first bytes and the first line."""
    with path.open("rb") as stream:
        start = stream.read(1 << 16)
    encoding = "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8" if _is_utf8(start) else "latin-1"
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


def _csv_columns(path: Path, form: CsvFormat) -> tuple[list[Drafted], CsvFormat]:
    with closing(lines_of(path, form.encoding)) as lines:
        split = splitter(form)
        rows = [split(line) for line in islice(lines, _FIRST_ROWS)]
    if not rows:
        raise FactsError("the file is empty", hint="write a file with a line of names and rows below it", file=str(path))
    if form.header:
        names, rows = rows[0], rows[1:]
        if any(_is_data(name) for name in names):
            raise FactsError("the first line looks like data, not like names of columns",
                             hint="write --no-header if it is a row; nothing of it was written down", file=str(path))  # fmt: skip
    else:
        names = [f"column_{place + 1}" for place in range(len(rows[0]))]
        form = replace(form, names=tuple(names))
    found = [Drafted(name, _guess(row[place] for row in rows if place < len(row))) for place, name in enumerate(names)]
    return found, form


def _is_data(name: str) -> bool:
    """Whether a field of the first line cannot be meant as a name."""
    trimmed = name.strip()
    return any(form.fullmatch(trimmed) for form in (_NUMBER, _DAY, _MOMENT)) and not trimmed.isalpha()


def _guess(cells: Iterable[str]) -> Guess:
    """The narrowest type that reads every cell; text if there is none to read."""
    seen = {cell.strip(" ") for cell in cells} - set(MISSING)
    if not seen:
        return "text"
    if all(_NUMBER.fullmatch(cell) for cell in seen):
        return "integer" if all(cell.lstrip("+-").isdigit() for cell in seen) else "number"
    if {cell.casefold() for cell in seen} <= _WORDS:
        return "boolean"
    if all(_DAY.fullmatch(cell) for cell in seen):
        return "date"
    return "timestamp" if all(_MOMENT.fullmatch(cell) for cell in seen) else "text"


def _guess_stored(kind: str) -> Guess:
    return next((guess for start, guess in _STORED if kind.startswith(start)), "text")


# ---- both


def _csv_names(file: Path, form: CsvFormat) -> list[str]:
    with closing(lines_of(file, form.encoding)) as lines:
        return split_header(lines, form)[0]


def _stored_types(file: Path, table: str | None) -> dict[str, str]:
    """The types of a Parquet file, or of a table in a DuckDB file, by column."""
    import duckdb

    with duckdb.connect(":memory:", config={**limits(), "autoinstall_known_extensions": "false"}) as connection:
        relation = f"read_parquet({quoted_text(escape(str(file)))}, hive_partitioning = false)"
        if table is not None:
            connection.execute(f"ATTACH {quoted_text(str(file))} AS source (READ_ONLY)")
            relation = "source." + ".".join(quoted(part) for part in _schema_and_name(table))
        return {row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()}


def _schema_and_name(table: str) -> Sequence[str]:
    *before, name = table.split(".")
    return (before[-1] if before else "main", name)
