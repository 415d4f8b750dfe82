"""One row for each unit, in SQL: a relation that stands in the place of the table. Proof: docs/proofs/values_per_unit.md

Rows are grouped by what tells units apart wherever they are bounded, and never by a column as it is read: "01" and "1" are two
units. Sums are exact, as wide as HUGEINT, and each is brought into its range once, at the end.
"""

from dataclasses import replace

from sqlglot import exp

from discreet.engines.rules.values import SAFE, nearest
from discreet.engines.sql.bounding import Bounded, unit_term
from discreet.engines.sql.dialect import Dialect, raw
from discreet.engines.sql.expressions import Expressions
from discreet.engines.sql.gridded import steps_of
from discreet.engines.sql.layout import Field, Layout
from discreet.engines.sql.sheet import Sheet
from discreet.engines.sql.terms import Term, infix, named, real_literal
from discreet.engines.sql.writer import filtered, total_of
from discreet.engines.wanted import Measure, UnitRows, UnitValue
from discreet.facts.model import EachRow, Facts
from discreet.questions.algebra import Column

__all__ = ["with_unit_rows"]


def with_unit_rows(rows: UnitRows, facts: Facts, layout: Layout, dialect: Dialect) -> tuple[Facts, Layout]:
    """The table of units, and how it is held; ``facts`` and ``layout`` are those of the rows inside, joined and settled."""
    bounded = Bounded(rows.inside, facts, layout, dialect) if rows.cells else None
    sheet = Sheet(layout, dialect) if bounded is None else bounded.sheet
    write = Expressions(facts, sheet) if bounded is None else bounded.write
    found = [named(sheet.dialect.least(write.term(Column(key))), f"p{place}") for place, key in enumerate(rows.keys)]
    values = [_Value(f"{place}", each, write, sheet) for place, each in enumerate(rows.values)]
    found += [part for value in values for part in value.parts()]
    # one row for each unit (and cell): p0, p1, ..., and of each value the sum a0 and the count b0, or one of these
    inner = _of_units(rows, found, write, sheet) if bounded is None else _of_groups(found, bounded)
    outputs = [f"p{place}" for place in range(len(rows.keys))] + [f"{value.text()} AS r{value.place}" for value in values]
    names = {key: Field(f"p{place}", "read") for place, key in enumerate(rows.keys)}
    names |= {value.of.name: Field(f"r{value.place}", "real") for value in values}
    relation = f"(SELECT {', '.join(outputs) or '1 AS p'} FROM ({inner}) AS g)"
    seen = replace(facts, unit=EachRow(), columns=rows.columns, joins=())
    return seen, Layout(layout.table, names, relation=relation, matches=layout.matches)  # of groups a unit may have as many


def _of_units(rows: UnitRows, found: list[exp.Expr], write: Expressions, sheet: Sheet) -> str:
    assert sheet.layout.unit is not None
    unit = unit_term(sheet.layout.unit, sheet.dialect)
    met = [*write.conditions(rows.where), Term(exp.Not(this=infix(exp.Is, unit, exp.Null())), "truth")]
    return f"{sheet.select(named(unit, 'w_u'), *found, where=met)} GROUP BY 1"


def _of_groups(found: list[exp.Expr], bounded: Bounded) -> str:
    """Of the groups of each unit those that stay, by the same choice as where rows are counted in them."""
    outputs = ", ".join(["w_u", "w_cell", *map(bounded.sheet.text, found)])
    return f"SELECT {outputs} FROM {bounded.kept()} GROUP BY w_u, w_cell"


class _Value:
    """One value of each unit, as a DOUBLE that is whole steps of its grid."""

    def __init__(self, place: str, of: UnitValue, write: Expressions, sheet: Sheet) -> None:
        self.place, self.of, self._write, self._sheet = place, of, write, sheet

    def parts(self) -> list[exp.Expr]:
        """What is added up over the rows of a unit."""
        of, measure = self.of, Measure(0, self.of.of, self.of.grid, self.of.filter)
        rows = named(total_of(measure, self._write, self._sheet), f"b{self.place}")
        if of.kind == "count":
            return [rows]
        if of.kind in ("sum", "mean"):
            total = total_of(replace(measure, power=1), self._write, self._sheet)
            return [named(total, f"a{self.place}"), rows]
        assert of.of is not None
        assert of.grid is not None
        steps = steps_of(of.of, of.grid, self._write, self._sheet).sql
        extreme = exp.Min(this=steps) if of.kind == "min" else exp.Max(this=steps)
        return [named(filtered(extreme, measure, self._write), f"a{self.place}")]

    def text(self) -> str:
        """What they come to."""
        total, rows, grid = f"a{self.place}", f"b{self.place}", self.of.grid
        if grid is None:
            return f"CAST({rows} AS {self._sheet.dialect.double})"
        match self.of.kind:
            case "sum":  # up to 2^63 rows, each at most 2^51 away from 0: far from what HUGEINT holds
                exact = f"({total} + {rows} * {self._sheet.dialect.wide(str(grid.low))})" if grid.low else total
                steps = f"CASE WHEN ({rows} > 0) THEN CAST(LEAST(GREATEST({exact}, {-SAFE}), {SAFE}) AS BIGINT) END"
            case "mean":  # no u is below 0, so that what is cut off is what the floor leaves
                mean = self._sheet.text(self._sheet.dialect.quotient(raw(total), raw(f"GREATEST({rows}, 1)"), wide=True))
                floor = f"CAST(LEAST(({mean}), {grid.width}) AS BIGINT)"
                steps = f"CASE WHEN ({rows} > 0) THEN {floor} + ({grid.low}) END"
            case _:
                steps = f"({total} + ({grid.low}))"
        step = self._sheet.text(real_literal(nearest(grid.step), self._sheet.dialect))
        return f"CAST(({steps}) AS {self._sheet.dialect.double}) * {step}"
