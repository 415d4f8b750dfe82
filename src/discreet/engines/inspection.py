"""What the rows of a source are read as, column by column: exact counts and spellings, for whoever holds them and nobody else.

Nothing of this is logged, stored, exported or served: the curator's office alone calls it, and writes none of it down.
Every row is in one of four counts of a column: read, NULL, unreadable or, of a category, undeclared. Values outside of the bounds
are read, as the nearest bound; texts that are too long are read up to their length, and count as outside.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from sqlglot import exp

from discreet.engines.duckdb.dialect import DUCKDB
from discreet.engines.duckdb.engine import let_go, started
from discreet.engines.duckdb.loading import from_duckdb, from_parquet, raw_csv, run
from discreet.engines.faults import guarded
from discreet.engines.sql.bounding import unit_term
from discreet.engines.sql.dialect import Dialect
from discreet.engines.sql.layout import Field, Layout
from discreet.engines.sql.reading import Bare, bare_column, present, read_column
from discreet.engines.sql.sheet import Sheet
from discreet.engines.sql.terms import Term, as_text, cases, column, day, infix, moment, real_literal, whole_literal
from discreet.engines.stamps import files_of
from discreet.errors import FactsError
from discreet.facts.model import ByColumn, Category, Column, EachRow, Facts, Source, Text

__all__ = ["Counted", "Inspection", "Units", "Unread", "inspected"]

_SHOWN = 5  # spellings of a column
_LETTERS = 60  # of each of them


@dataclass(frozen=True, slots=True)
class Unread:
    """A spelling that was not read, and in how many rows it is."""

    text: str
    rows: int


@dataclass(frozen=True, slots=True)
class Counted:
    """What became of the rows in one column; ``spellings`` are the commonest of those that were not read."""

    name: str
    read: int
    null: int
    unreadable: int
    undeclared: int
    outside: int
    spellings: tuple[Unread, ...]

    @property
    def is_lost(self) -> bool:
        """Whether there are values, and none of them can be read."""
        return not self.read and bool(self.unreadable or self.undeclared)


@dataclass(frozen=True, slots=True)
class Units:
    """How many units there are, and how many rows the largest has; of how many ``max_rows`` leaves out rows, and how many rows.

    Both are None where the facts have no such cap.
    """

    column: str
    units: int
    most_rows: int
    cut: int | None
    rows_cut: int | None


@dataclass(frozen=True, slots=True)
class Inspection:
    """All columns of a table; ``without_unit`` rows are left out of every answer. ``units`` where a column tells them apart."""

    rows: int
    without_unit: int
    columns: tuple[Counted, ...]
    units: Units | None = None


@dataclass(frozen=True, slots=True)
class _Held:
    """A table as an engine holds it, and a way to ask it."""

    ask: Callable[[str], list[Any]]
    layout: Layout
    dialect: Dialect


def inspected(facts: Facts, say: Callable[[str], None] = lambda _: None) -> Inspection:
    """Reads all rows of the facts' source. ``say`` is told what is being done. Errors have the engine's own words."""
    source = facts.located
    if source is None:
        raise FactsError("the source cannot be looked at from here", hint="write a CSV, Parquet or DuckDB file, or PostgreSQL")
    return guarded("the source could not be read", lambda: _inspected(facts, source, say), tell=True)


def _inspected(facts: Facts, source: Source, say: Callable[[str], None]) -> Inspection:
    elsewhere = {"postgresql": _in_postgres, "spark": _on_spark}.get(source.kind)
    with elsewhere(facts, source) if elsewhere is not None else _in_duckdb(facts, source, say) as held:
        rows, without_unit = _sizes(held)
        units, found = _units(held, facts.unit), []
        for place, declared in enumerate(facts.columns, 1):
            say(f"looking at {declared.name}, column {place} of {len(facts.columns)}, in {rows:,} rows")
            found.append(_counted(held, declared, rows))
        return Inspection(rows, without_unit, tuple(found), units)


@contextmanager
def _in_duckdb(facts: Facts, source: Source, say: Callable[[str], None]) -> Iterator[_Held]:
    files = files_of(source)
    connection, folder = started()
    try:
        say(f"reading {_size(files)} of {facts.source}")
        match source.kind, source.table:
            case "csv", _:
                layout = raw_csv(connection, facts, files)
            case "duckdb", str(table):
                layout = from_duckdb(connection, facts, files[0], table)
            case _:
                layout = from_parquet(connection, facts, files)
        yield _Held(lambda sql: run(connection, sql), layout, DUCKDB)
    finally:
        let_go(connection.close, folder)


@contextmanager
def _in_postgres(facts: Facts, source: Source) -> Iterator[_Held]:
    from discreet.engines.postgres.dialect import POSTGRES
    from discreet.engines.postgres.engine import Postgres

    with Postgres(facts, source, tell=True).held() as (ask, layout):
        yield _Held(ask, layout, POSTGRES)


@contextmanager
def _on_spark(facts: Facts, source: Source) -> Iterator[_Held]:
    from discreet.engines.spark.dialect import SPARK
    from discreet.engines.spark.engine import Spark

    with Spark(facts, source, tell=True).held() as (ask, layout):
        yield _Held(ask, layout, SPARK)


def _size(files: list[Path]) -> str:
    return f"{sum(file.stat().st_size for file in files) / 1e6:,.1f} MB"


def _sizes(held: _Held) -> tuple[int, int]:
    layout, sheet = held.layout, Sheet(held.layout, held.dialect)
    unit = exp.Count(this=exp.Star() if layout.unit is None else unit_term(layout.unit, sheet.dialect))
    ((rows, with_unit),) = held.ask(sheet.select(exp.Count(this=exp.Star()), unit))
    return rows, rows - with_unit


def _units(held: _Held, unit: ByColumn | EachRow) -> Units | None:
    layout, sheet = held.layout, Sheet(held.layout, held.dialect)
    if layout.unit is None or not isinstance(unit, ByColumn):
        return None
    whose = exp.alias_(unit_term(layout.unit, sheet.dialect), "whose")
    sizes = f"{sheet.select(whose, exp.alias_(exp.Count(this=exp.Star()), 'n'))} GROUP BY 1"
    cap = 0 if unit.max_rows is None else int(unit.max_rows)
    beyond = f"COUNT(*) FILTER (WHERE n > {cap}), COALESCE(CAST(SUM(GREATEST(n - {cap}, 0)) AS BIGINT), 0)"
    counts = f"SELECT COUNT(*), COALESCE(MAX(n), 0), {beyond} FROM ({sizes}) AS s WHERE whose IS NOT NULL"
    ((units, most, cut, rows_cut),) = held.ask(counts)
    return Units(unit.column, units, most, *((cut, rows_cut) if cap else (None, None)))


def _counted(held: _Held, declared: Column, rows: int) -> Counted:
    field = held.layout.fields[declared.name]
    sheet = Sheet(held.layout, held.dialect)
    there = _there(declared, field, sheet)
    value = sheet.named(read_column(declared, field, sheet))
    beyond = exp.Count(this=cases((_is_outside(declared, field, sheet), whole_literal(1))))
    counts = [exp.Count(this=there.sql), exp.Count(this=value.sql), beyond]
    ((stored, read, outside),) = held.ask(sheet.select(*counts))
    lost = stored - read
    is_category = isinstance(declared, Category)
    spellings = _spellings(held, field, sheet, there, value) if lost else ()
    return Counted(declared.name, read, rows - stored, 0 if is_category else lost, lost if is_category else 0, outside, spellings)


def _there(declared: Column, field: Field, sheet: Sheet) -> Term:
    """What is stored, NULL where that says nothing."""
    stored = present(declared, field, sheet)
    if field.stored != "real":
        return stored
    return sheet.named(Term(cases((infix(exp.LTE, stored.sql, real_literal(float("inf"), sheet.dialect)), stored.sql)), "number"))


def _is_outside(declared: Column, field: Field, sheet: Sheet) -> exp.Expr:
    """Whether a value was brought to its bound, or cut."""
    if isinstance(declared, Text) and field.stored == "text":
        return infix(exp.GT, exp.Length(this=column(field.name)), whole_literal(declared.max_length))
    bare = bare_column(declared, field, sheet)
    if not isinstance(bare, Bare):
        return exp.false()
    low, high = (_end(bare, end, sheet.dialect) for end in (bare.low, bare.high))
    x = sheet.named(bare.x).sql
    below, above = infix(exp.LT, x, low), infix(exp.GT, x, high)
    if bare.nan:
        above = infix(exp.And, above, infix(exp.LTE, x, real_literal(float("inf"), sheet.dialect)))
    either = infix(exp.Or, below, above)
    return infix(exp.And, either, infix(exp.EQ, x, sheet.dialect.floor(x))) if bare.integer else either


def _end(bare: Bare, end: float | date | datetime, dialect: Dialect) -> exp.Expr:
    match end:
        case float():
            return whole_literal(int(end)) if bare.x.whole else real_literal(end, dialect)
        case datetime():
            return moment(end)
        case _:
            return day(end)


def _spellings(held: _Held, field: Field, sheet: Sheet, there: Term, value: Term) -> tuple[Unread, ...]:
    """The commonest texts of what is there and was not read."""
    written = exp.Left(this=as_text(column(field.name)), expression=whole_literal(_LETTERS))
    lost = infix(exp.And, exp.Not(this=_is_null(there)), _is_null(value))
    where = [Term(lost, "truth", max(there.stage, value.stage))]
    counted = sheet.select(exp.alias_(written, "v"), exp.alias_(exp.Count(this=exp.Star()), "n"), where=where)
    return tuple(Unread(*row) for row in held.ask(f"{counted} GROUP BY 1 ORDER BY n DESC, v LIMIT {_SHOWN}"))


def _is_null(term: Term) -> exp.Expr:
    return exp.Is(this=term.sql, expression=exp.Null())
