"""The table that has one row for each unit, as engines make it: values on public grids. Proof: docs/proofs/values_per_unit.md

The grid is as fine as that of a sum. A unit's exact sum is brought to within 2^53 steps, that of some millions of the largest
values, so that it is a float64 like every other number; what the question clamps it to is far inside as a rule.
"""

from typing import Literal

from discreet.engines.rules.choice import key_for
from discreet.engines.wanted import Bound, Grid, UnitRows, UnitValue
from discreet.facts.joins import joined
from discreet.facts.model import Facts
from discreet.planning.caps import groups_of_unit
from discreet.planning.cells import cells_of, most_cells
from discreet.questions.algebra import Aggregate, AggregateKind, Column, Expression, Question
from discreet.questions.bounds import bounds_of, is_whole
from discreet.questions.nulls import with_nulls_replaced
from discreet.questions.per_unit import COUNTS, unit_facts, value_name
from discreet.statistics.grids import grid_for

__all__ = ["unit_rows"]

_KINDS: dict[AggregateKind, Literal["count", "sum", "mean", "min", "max"]] = {
    "count_rows": "count", "count": "count", "sum": "sum", "mean": "mean", "min": "min", "max": "max",
}  # fmt: skip


def unit_rows(question: Question, facts: Facts) -> UnitRows | None:
    """What the question reads in place of the rows of the table; None if it reads those. ``facts`` are the table's own."""
    asked = question.per_unit
    if asked is None:
        return None
    inside = joined(facts, (join.table for join in asked.joins))
    values = tuple(_value(value, inside) for value in asked.values)
    moving = tuple(map(Column, asked.moving))
    cells, groups = cells_of(moving, inside)[0] if moving else (), groups_of_unit(question, inside)
    bound = Bound(key_for(facts.name), groups=groups if groups < most_cells(moving, inside) else None)
    named = (*asked.keys, *asked.moving)
    return UnitRows(unit_facts(asked, facts).columns, named, values, asked.where, asked.joins, cells, bound)


def _value(value: Aggregate, facts: Facts) -> UnitValue:
    of = None if value.of is None else with_nulls_replaced(value.of, facts)
    grid = None if of is None or value.kind in COUNTS else _grid(of, facts, value_name(value))
    return UnitValue(value_name(value), _KINDS[value.kind], of, grid, value.filter)


def _grid(of: Expression, facts: Facts, what: str) -> Grid:
    bounds = bounds_of(of, facts)
    assert bounds is not None, "values of units have public bounds"
    return grid_for(bounds, is_whole=is_whole(of, facts), degree=1, noise=None, what=what)
