"""Values per unit: what each unit comes to, as a column of a table that has one row for each of them. Rule 39.

    SELECT segment, AVG(LEAST(s, 8000)) FROM (SELECT id, segment, SUM(x) AS s FROM t GROUP BY id, segment) GROUP BY segment

That table is asked like any other whose unit is the row: one unit is one of its rows at most. Its facts follow from those of the
table. A value is called by its text, so that the same value has one name, whatever it is called in a question.
Proof: docs/proofs/values_per_unit.md
"""

from dataclasses import replace
from fractions import Fraction

from discreet.facts.joins import joined
from discreet.facts.model import Column as Declared
from discreet.facts.model import EachRow, Facts, Integer, Number
from discreet.questions.algebra import Aggregate, Column, PerUnit, Question
from discreet.questions.bounds import bounds_of, is_whole, may_be_null
from discreet.questions.nulls import with_nulls_replaced
from discreet.questions.text import to_text
from discreet.questions.walk import every

__all__ = ["COUNTS", "ONE_ROW_EACH", "VALUES", "unit_facts", "used_alone", "value_name"]

VALUES = ("count_rows", "count", "sum", "mean", "min", "max")
COUNTS = VALUES[:2]
ONE_ROW_EACH = "one row for each unit"  # how such a table is described; what to do about missing bounds is said by it

_WIDEST_WHOLE, _FARTHEST_WHOLE = 1 << 31, 1 << 51  # on the grid of whole numbers, as statistics/grids.py has it


def value_name(value: Aggregate) -> str:
    """The name of the column that has this value of each unit."""
    return to_text(value)


def unit_facts(per_unit: PerUnit, facts: Facts) -> Facts:
    """What is public about the table that has one row for each unit of the table that ``facts`` are about."""
    if isinstance(facts.unit, EachRow):
        return facts  # they are about that table already
    inside = joined(facts, (join.table for join in per_unit.joins))
    named = (*per_unit.keys, *per_unit.moving)
    keys = [replace(column, per_unit=False) for column in facts.columns if column.name in named]
    values = [_column(value, inside) for value in per_unit.values]
    is_all = per_unit.where is None and not per_unit.joins and all(value.filter is None for value in per_unit.values)
    is_everybody = is_all and not per_unit.moving  # else a unit may have several rows
    return replace(
        facts, unit=EachRow(), columns=(*keys, *values), joins=(), description=ONE_ROW_EACH,
        rows=facts.units if is_everybody else None, units=None, rows_about=facts.units,
    )  # fmt: skip


def _column(value: Aggregate, facts: Facts) -> Declared:
    """The column of a value. ``null`` says that it is never missing: then nothing is replaced by it."""
    name = value_name(value)
    if value.of is None or value.kind in COUNTS:
        return Integer(name, 0, None, null=0)
    of = with_nulls_replaced(value.of, facts)
    low, high = bounds_of(of, facts) or (None, None)
    is_never_null = value.filter is None and not may_be_null(of, facts)
    lower, upper = (low, high) if value.kind != "sum" else (_end(low, -1), _end(high, 1))
    null = (Fraction(0) if value.kind == "sum" else lower) if is_never_null else None
    if low is not None and high is not None and value.kind != "mean" and is_whole(of, facts) and _is_near(low, high):
        return Integer(name, _whole(lower), _whole(upper), _whole(null))
    return Number(name, lower, upper, null)


def _whole(number: Fraction | None) -> int | None:
    return None if number is None else int(number)


def _end(bound: Fraction | None, side: int) -> Fraction | None:
    """A sum of any number of values has an end where none of them is beyond 0."""
    return Fraction(0) if bound is not None and bound * side <= 0 else None


def _is_near(low: Fraction, high: Fraction) -> bool:
    return high - low <= _WIDEST_WHOLE and max(-low, high) <= _FARTHEST_WHOLE


def used_alone(question: Question) -> Question:
    """The question without values and keys that it does not look at."""
    per_unit = question.per_unit
    if per_unit is None:
        return question
    places = [*(each.value for each in question.outputs), *(each.by for each in question.order), *question.keys]
    places += [each for each in (question.where, question.having) if each is not None]
    read = {one.name for place in places for one in every(place) if isinstance(one, Column)}
    values = sorted((each for each in per_unit.values if value_name(each) in read), key=value_name)
    keys = sorted(name for name in per_unit.keys if name in read)
    moving = tuple(sorted(per_unit.moving))  # also those that are not looked at: they decide which rows a unit has
    return replace(question, per_unit=replace(per_unit, values=tuple(dict.fromkeys(values)), keys=tuple(keys), moving=moving))
