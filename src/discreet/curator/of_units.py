"""What is said of units where all their rows count: once each, or for what they come to between two numbers. Rules 28 and 39."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from fractions import Fraction

from discreet.facts.model import ByColumn
from discreet.planning.caps import groups_of_unit
from discreet.planning.cells import most_cells
from discreet.planning.plan import Plan
from discreet.plots.numerals import grouped
from discreet.questions.algebra import Apply, Column, Literal, PerUnit
from discreet.questions.bounds import bounds_of
from discreet.questions.disjoint import is_per_unit
from discreet.questions.text import name_text, to_text

__all__ = ["beyond_bounds", "bound_text", "bounded_units", "counted_once"]

_LONG = 1 << 50  # numbers are written to six digits from here on


def bounded_units(plan: Plan) -> Iterable[str]:
    """What the question itself lets a unit add to a sum. Rule 39."""
    unit, where = plan.facts.unit, " of one group" if plan.question.keys else ""
    for each in (aggregate for aggregate, _ in plan.sources):
        if each.unit_range is not None and isinstance(unit, ByColumn):
            what, (low, high) = to_text(replace(each, unit_range=None)), map(bound_text, each.unit_range)
            yield f"each {unit.column} adds between {low} and {high} to {what}{where}; the ± does not cover what is beyond"


def beyond_bounds(plan: Plan) -> Iterable[str]:
    """What tells how many units a sum bounds: a question about what each of them comes to."""
    question, unit = plan.question, plan.facts.unit
    if question.joins or not all(is_per_unit(key, plan.facts) for key in question.keys):
        return  # what a unit comes to in one group, no subquery tells
    for each in (aggregate for aggregate, _ in plan.sources):
        is_held = each.of is not None and bounds_of(each.of, plan.facts) is not None  # else a subquery cannot add it up
        if each.unit_range is not None and is_held and isinstance(unit, ByColumn):
            value, (low, high) = replace(each, unit_range=None), each.unit_range
            s, name = Column("s"), name_text(unit.column)
            where = "" if question.where is None else f" WHERE {to_text(question.where)}"
            rows = f"(SELECT {name}, {to_text(value)} AS s FROM {name_text(plan.facts.name)}{where} GROUP BY {name})"
            share = Apply("or", (Apply("less", (s, Literal(low))), Apply("less", (Literal(high), s))))
            yield f"SELECT AVG({to_text(share)}) FROM {rows} asks for the share of units beyond the two"


def counted_once(plan: Plan) -> str:
    """What a unit counts for where each of them is one row."""
    per_unit = plan.question.per_unit
    if per_unit is None:
        return ""
    if per_unit.moving:
        return _once_in_each(per_unit, plan)
    return f"each {per_unit.unit} counts once, by what its rows come to; rows without a {per_unit.unit} are left out"


def _once_in_each(per_unit: PerUnit, plan: Plan) -> str:
    keys, groups = tuple(map(Column, per_unit.moving)), groups_of_unit(plan.question, plan.facts)
    cells, named = most_cells(keys, plan.facts), " and ".join(map(to_text, keys))
    most = f"of at most {grouped(groups)} of the {grouped(cells)}" if groups < cells else f"of the {grouped(cells)}"
    what = "values" if len(keys) == 1 else "combinations"
    cut = "; the ± does not cover what is cut" if groups < cells else ""
    return (f"each {per_unit.unit} counts once in each {most} {what} of {named}, by what its rows there come to{cut}; "
            f"rows without a {per_unit.unit} are left out")  # fmt: skip


def bound_text(end: object) -> str:
    """A bound: ``1 000``, ``0.5``, or a day."""
    if isinstance(end, date) or not isinstance(end, int | Fraction):
        return str(end)
    return grouped(int(end)) if end.denominator == 1 and -_LONG < end < _LONG else f"{float(end):.6g}"
