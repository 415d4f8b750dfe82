"""Joins in SQL: the rows of the confidential table beside public lookups and other confidential tables, which an engine keeps."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from discreet.engines.rules.choice import columns_read, key_for
from discreet.engines.rules.lookups import read_before, rows_before
from discreet.engines.sql.bounding import to_kept, unit_text
from discreet.engines.sql.dialect import Dialect
from discreet.engines.sql.expressions import Expressions
from discreet.engines.sql.layout import Field, Layout
from discreet.engines.sql.names import safe_name
from discreet.engines.sql.reading import kind_of
from discreet.engines.sql.sheet import Sheet
from discreet.engines.wanted import Bound, CountsWanted, KeysWanted, Wanted
from discreet.facts.joins import multiplicity, qualified
from discreet.facts.model import Column as Declared
from discreet.facts.model import Companion, Facts, Joinable
from discreet.questions.algebra import Column

__all__ = ["KEY", "Stored", "comparable", "with_joined"]

KEY = "k"  # what the column is called that a joined table is found by


@dataclass(frozen=True, slots=True)
class Stored:
    """A joined table as the engine keeps it: its declared columns under safe names, and its key.

    Of a confidential one ``layout`` says where its units are; their rows are chosen anew for every question.
    """

    table: str
    join: Joinable
    layout: Layout | None = None


def comparable(sql: str, declared: Declared, dialect: Dialect) -> str:
    """A key as both sides compare it: numbers by value, with one zero."""
    kind = dialect.double
    return f"CAST({sql} AS {kind}) + CAST(0 AS {kind})" if kind_of(declared) == "number" else sql


def with_joined(
    layout: Layout,
    facts: Facts,
    wanted: Wanted | CountsWanted | KeysWanted,
    stored: Mapping[str, Stored],
    dialect: Dialect,
) -> Layout:
    """The layout of the table beside what it is joined with; ``facts`` are the table's own."""
    if not wanted.joins:
        return layout
    layout = layout.without_narrow()
    ours = [field.name for field in (*layout.fields.values(), *([] if layout.unit is None else [layout.unit]))]
    if (most := rows_before(wanted, facts)) is not None:
        stay = to_kept(read_before(wanted, facts), Bound(key_for(facts.name), rows=most), facts, layout, dialect)
        layout = replace(layout, relation=f"(SELECT {', '.join(ours)} FROM {stay})")
    sheet = Sheet(layout, dialect)
    write = Expressions(facts, sheet)
    declared = {column.name: column for column in facts.columns}
    keys, tables, outputs, fields = [], list[str](), [f"b.{name}" for name in ours], dict(layout.fields)
    for place, join in enumerate(wanted.joins):
        beside = stored[join.table]
        if beside.layout is None:
            keys.append(comparable(sheet.text(write.term(Column(join.column)).sql), declared[join.column], dialect))
            rows = beside.table
        else:
            assert layout.unit is not None
            keys.append(sheet.text(unit_text(layout.unit, dialect)))
            rows = _of_companion(beside, columns_read(wanted), dialect)
        tables.append(f"{'LEFT JOIN' if join.outer else 'JOIN'} {rows} AS l{place} ON b.k{place} = l{place}.{KEY}")
        for number, column in enumerate(beside.join.columns):
            name = f"j{place}_{number}"
            outputs.append(f"l{place}.{safe_name(number)} AS {name}")
            fields[qualified(join.table, column.name)] = Field(name, "read")
    rows = f"SELECT {', '.join([*ours, *(f'{key} AS k{place}' for place, key in enumerate(keys))])} FROM {sheet.rows()}"
    relation = f"(SELECT {', '.join(outputs)} FROM ({rows}) AS b {' '.join(tables)})"
    return replace(layout, fields=fields, relation=relation, matches=multiplicity(facts, (join.table for join in wanted.joins)))


def _of_companion(beside: Stored, read: Collection[str], dialect: Dialect) -> str:
    """The rows of another confidential table that stay, with the text of their unit as the key."""
    assert isinstance(beside.join, Companion)
    assert beside.layout is not None
    assert beside.layout.unit is not None
    theirs = beside.join.facts
    names = [column.name for column in theirs.columns if qualified(beside.join.name, column.name) in read]
    bound = Bound(key_for(theirs.name), rows=beside.join.max_matches)
    stay = to_kept(names, bound, theirs, beside.layout, dialect)
    columns = ", ".join(field.name for field in beside.layout.fields.values())
    unit = dialect.generator().generate(unit_text(beside.layout.unit, dialect))
    return f"(SELECT {columns}, {unit} AS {KEY} FROM {stay})"
