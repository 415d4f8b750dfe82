"""What is publicly known about values that are no numbers: how long texts are, between which moments days lie."""

import math
from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from typing import assert_never

from discreet.facts import model
from discreet.questions.algebra import Apply, Case, Cast, Column, DateTrunc, Expression, In, Like, Literal, Period, Substring

__all__ = ["Span", "is_truth", "longest", "moments_of", "truncated", "years_of"]

Span = tuple[datetime, datetime]

_DIGITS = 17  # of a whole number up to 2^53, with its sign
_TRUTHS = ("and", "or", "not", "is_null", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal")


def is_truth(expression: Expression, facts: model.Facts) -> bool:
    """Whether the expression is true or false, or NULL."""
    match expression:
        case Column(name):
            return isinstance(facts.column(name), model.Boolean)
        case Literal(value):
            return isinstance(value, bool)
        case Apply(operation, of):
            return operation in _TRUTHS or (operation == "coalesce" and any(is_truth(part, facts) for part in of))
        case Case():
            return any(is_truth(one, facts) for one in _results(expression))
        case Cast(to=to):
            return to == "truth"
        case _:
            return isinstance(expression, In | Like)


def longest(text: Expression, facts: model.Facts) -> float:
    """How many characters a text can have at most."""
    match text:
        case Column(name):
            return _longest(facts.column(name))
        case Literal(value):
            return float(len(value)) if isinstance(value, str) else 0.0
        case Substring(of, _, count):
            return min(longest(of, facts), math.inf if count is None else count)
        case Case():
            return max(longest(one, facts) for one in _results(text))
        case Apply(of=of):
            return max(longest(one, facts) for one in of)
        case Cast():
            return float(_DIGITS)
        case _:
            return 0.0


def _longest(column: model.Column | None) -> float:
    match column:
        case model.Text(max_length=length):
            return float(length)
        case model.Category(values=values):
            return float(max((len(value) for value in values if isinstance(value, str)), default=0))
        case _:
            return 0.0


# ---- days and moments


def years_of(of: Expression, facts: model.Facts, *, iso: bool = False) -> tuple[float, float]:
    """Between which years a day or moment lies; those of ISO 8601, where weeks are not cut, if ``iso``."""
    span = moments_of(of, facts)
    if span is None:
        return -math.inf, math.inf
    low, high = (at.isocalendar().year if iso else at.year for at in span)
    return float(low), float(high)


def moments_of(of: Expression, facts: model.Facts) -> Span | None:
    """Between which moments a day or moment lies, a day being its midnight; None where nothing says it."""
    match of:
        case Column(name):
            return _declared(facts.column(name))
        case Literal(value):
            return (_moment(value), _moment(value)) if isinstance(value, date) else None
        case Apply("least" | "greatest" | "coalesce", inner):
            return _hull(inner, facts)
        case Case():
            return _hull(_results(of), facts)
        case DateTrunc(period, inner_of):
            span = moments_of(inner_of, facts)
            return None if span is None else (truncated(period, span[0]), truncated(period, span[1]))
        case Cast(inner_of, to):
            span = moments_of(inner_of, facts)
            return span if span is None or to == "moment" else (truncated("day", span[0]), truncated("day", span[1]))
        case _:
            return None


def truncated(period: Period, at: datetime) -> datetime:
    """The first moment of the period that a moment is in."""
    day = datetime.combine(at.date(), time())
    match period:
        case "hour":
            return day.replace(hour=at.hour)
        case "day":
            return day
        case "week":
            return day - timedelta(days=day.weekday())  # the first day of the first year is a Monday
        case "month":
            return day.replace(day=1)
        case "quarter":
            return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        case "year":
            return day.replace(month=1, day=1)
        case _:
            assert_never(period)


def _declared(column: model.Column | None) -> Span | None:
    if not isinstance(column, model.Date | model.Timestamp) or column.lower is None or column.upper is None:
        return None
    return _moment(column.lower), _moment(column.upper)


def _moment(value: date) -> datetime:
    return value if isinstance(value, datetime) else datetime.combine(value, time())


def _hull(several: Iterable[Expression], facts: model.Facts) -> Span | None:
    spans = [moments_of(one, facts) for one in several if one != Literal(None)]
    known = [span for span in spans if span is not None]
    return (min(low for low, _ in known), max(high for _, high in known)) if known and len(known) == len(spans) else None


def _results(case: Case) -> tuple[Expression, ...]:
    return (*(result for _, result in case.whens), case.otherwise)
