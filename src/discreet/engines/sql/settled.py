"""Columns that are declared constant per unit, as SQL: every row of a unit has the least of its values, as in ``choice.settled``.

What is stored is not trusted to keep the promise. The values are settled before any question looks at a row, from the rows of the
unit alone, so that for every question the column is constant within each unit. Proof: docs/proofs/units.md
"""

from dataclasses import replace

from sqlglot import exp

from discreet.engines.sql.bounding import unit_term
from discreet.engines.sql.dialect import Dialect
from discreet.engines.sql.layout import Field, Layout
from discreet.engines.sql.reading import read_column
from discreet.engines.sql.sheet import Sheet
from discreet.engines.sql.terms import column
from discreet.facts.model import Facts

__all__ = ["is_settled", "settled_layout", "to_settled"]


def is_settled(facts: Facts) -> bool:
    """Whether there is nothing to settle."""
    return not any(each.per_unit for each in facts.columns)


def to_settled(facts: Facts, layout: Layout, dialect: Dialect) -> str:
    """The SELECT of a stored table whose columns constant per unit are read and settled; rows without a unit are left out."""
    assert layout.unit is not None
    sheet = Sheet(layout, dialect)
    unit = unit_term(layout.unit, dialect)
    names = {each.name: layout.fields[each.name].name for each in facts.columns}
    per_unit = [each for each in facts.columns if each.per_unit]
    read = [(read_column(each, layout.fields[each.name], sheet), names[each.name]) for each in per_unit]
    least = [exp.alias_(dialect.least(value), name) for value, name in read]
    # one row per unit: its value of every column that is constant
    units = f"{sheet.select(exp.alias_(unit, 'w_u'), *least)} GROUP BY 1"
    rows = [column(names[each.name], "p" if each.per_unit else "s") for each in facts.columns]
    found = ", ".join(map(sheet.text, [*rows, column(layout.unit.name, "s")]))
    return f"SELECT {found} FROM {layout.relation or layout.table} AS s JOIN ({units}) AS p ON {sheet.text(unit)} = p.w_u"


def settled_layout(facts: Facts, layout: Layout, table: str) -> Layout:
    """How that SELECT, under the name ``table``, holds its columns."""
    read = {each.name: Field(layout.fields[each.name].name, "read") for each in facts.columns if each.per_unit}
    return replace(layout, table=table, fields={**layout.without_narrow().fields, **read})
