"""``SUM(x) PER UNIT BETWEEN 0 AND 8000``: what one unit adds to a sum is bounded, and none of its rows is left out. Rule 39.

The total of a unit in a group (of its rows that meet FILTER and have a value) is brought between the two; a unit that has no such
row there adds 0, whatever the two are. Proof: docs/proofs/unit-totals.md
"""

from fractions import Fraction

from discreet.errors import QuestionError
from discreet.exact import exact
from discreet.facts.model import ByColumn, Facts
from discreet.questions.algebra import Aggregate, AggregateKind, Apply, Expression, Literal, Question
from discreet.questions.bounds import bounds_of, ends_of, is_whole
from discreet.questions.constants import read_constant
from discreet.questions.cursor import Cursor
from discreet.questions.literals import is_float
from discreet.questions.nulls import with_nulls_replaced
from discreet.questions.places import Misfit
from discreet.questions.walk import every

__all__ = ["argument_of", "bounds_units", "check_unit_range", "given_range", "parse_unit_range"]

Ends = tuple[Fraction, Fraction]

_EXAMPLE = "write SUM(x) PER UNIT BETWEEN 0 AND 100"


# ---- as it is written


def parse_unit_range(kind: AggregateKind, cursor: Cursor) -> Ends | None:
    """The bounds behind an aggregate, if they come next."""
    if not cursor.comes("PER", "UNIT", "BETWEEN"):
        return None
    if kind != "sum":
        hint = "write PER UNIT 5 ROWS at the end: so many of each are counted" if kind in ("count_rows", "count") else _EXAMPLE
        raise cursor.refused(cursor.token, "only what a unit adds to a sum is bounded", hint)
    for _ in range(3):
        cursor.take()
    low = _number(cursor)
    cursor.expect("AND")
    return low, _number(cursor)


def _number(cursor: Cursor) -> Fraction:
    token, found = cursor.token, read_constant(cursor).value
    if not isinstance(found, Fraction):
        raise cursor.refused(token, f"expected a number, found {token}", _EXAMPLE)
    return found


def given_range(given: object) -> Ends:
    """The bounds as Python writes them. Raises QuestionError for what is no pair of numbers."""
    if isinstance(given, tuple | list) and len(given) == 2:
        return exact(given[0], "per_unit"), exact(given[1], "per_unit")
    hint = "write per_unit=(0, 8000): the least and the most that a unit adds"
    raise QuestionError("per_unit is no pair of numbers", hint=hint)


# ---- whether it can be


def check_unit_range(aggregate: Aggregate, facts: Facts) -> None:
    """Raises Misfit where what a unit adds cannot be bounded so."""
    if aggregate.unit_range is None:
        return
    low, high = aggregate.unit_range
    if not isinstance(facts.unit, ByColumn):
        raise Misfit(aggregate, "each row is a unit of its own here", "bound its value: SUM(CLAMP(x, 0, 100))")
    if not (is_float(low) and is_float(high) and low < high):
        raise Misfit(aggregate, "a unit adds something between two numbers, the lower one first", _EXAMPLE)
    assert aggregate.of is not None
    if is_whole(aggregate.of, facts) and not (low.denominator == high.denominator == 1):
        raise Misfit(aggregate, "whole numbers are added up here, and a bound is none", "write whole numbers as bounds")


def bounds_units(question: Question) -> bool:
    """Whether the question bounds what units add to one of its sums."""
    places = [*(each.value for each in question.outputs), *(each.by for each in question.order)]
    places += [] if question.having is None else [question.having]
    return any(isinstance(one, Aggregate) and one.unit_range is not None for place in places for one in every(place))


# ---- what is added up


def argument_of(aggregate: Aggregate, facts: Facts) -> Expression | None:
    """The number that is added up, null rules written out, where public bounds hold it; None if there are none.

    Where no value is below 0, one above the upper bound brings the total there by itself, and may as well be that bound: then
    numbers need no upper bound of their own, and a finer grid holds them. The same the other way round.
    """
    assert aggregate.of is not None
    assert aggregate.unit_range is not None
    of = with_nulls_replaced(aggregate.of, facts)
    (low, high), (least, most) = aggregate.unit_range, ends_of(of, facts)
    if least >= 0 and least < high < most:
        return _clamp(of, Fraction(least), high)
    if most <= 0 and least < low < most:
        return _clamp(of, low, Fraction(most))
    return None if bounds_of(of, facts) is None else of


def _clamp(of: Expression, low: Fraction, high: Fraction) -> Expression:
    return Apply("clamp", (of, Literal(low), Literal(high)))
