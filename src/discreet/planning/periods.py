"""Cells of DATE_TRUNC: the periods between two moments, each called by its first day or moment."""

from datetime import datetime, timedelta
from fractions import Fraction

from discreet.engines.wanted import ByStep, Key
from discreet.errors import QuestionError
from discreet.planning.plan import Axis
from discreet.questions.algebra import Apply, DatePart, Expression, Literal, Period
from discreet.questions.spans import Span, truncated

__all__ = ["MOST_PERIODS", "periods"]

MOST_PERIODS = 10**6

_EPOCH, _DAY, _HOUR = datetime(1970, 1, 1), timedelta(days=1), timedelta(hours=1)  # noqa: DTZ001 - moments have no zone here
_MONDAY = Fraction(4)  # 5 January 1970, four days after its first
_STEPS: dict[Period, int] = {"week": 7}


def periods(period: Period, of: Expression, span: Span, null: bool) -> tuple[Key, Axis]:
    """The cells of a period, from the one that the first moment is in to that of the last; with ``null``, one more for NULL."""
    width, origin = Fraction(_STEPS.get(period, 1)), _MONDAY if period == "week" else Fraction(0)
    first, last = (int((_number(period, truncated(period, at)) - origin) // width) for at in span)
    count = last - first + 1
    if count > MOST_PERIODS:
        raise QuestionError(f"this key has {count:,} periods", hint="use longer periods")
    names = [_name(period, _begin(period, first + place)) for place in range(count)]
    key = ByStep(_numbered(period, of), width, origin, first, count + null, null)
    return key, Axis((*names, None) if null else tuple(names))


def _numbered(period: Period, of: Expression) -> Expression:
    """The number of the period in the rows: counted from the year 0, or from 1970."""
    match period:
        case "year":
            return DatePart("year", of)
        case "quarter" | "month":
            years = Apply("multiply", (DatePart("year", of), Literal(Fraction(4 if period == "quarter" else 12))))
            return Apply("add", (years, DatePart(period, of)))
        case "hour":
            return DatePart("hour_number", of)
        case _:
            return DatePart("day_number", of)


def _number(period: Period, at: datetime) -> Fraction:
    """The same of a moment."""
    match period:
        case "year":
            return Fraction(at.year)
        case "quarter":
            return Fraction(at.year * 4 + (at.month + 2) // 3)
        case "month":
            return Fraction(at.year * 12 + at.month)
        case "hour":
            return Fraction((at - _EPOCH) // _HOUR)
        case _:
            return Fraction((at - _EPOCH) // _DAY)


def _begin(period: Period, step: int) -> datetime:
    """The first moment of a period by the number of its step."""
    match period:
        case "year":
            return datetime(step, 1, 1)  # noqa: DTZ001
        case "quarter":
            return datetime((step - 1) // 4, (step - 1) % 4 * 3 + 1, 1)  # noqa: DTZ001
        case "month":
            return datetime((step - 1) // 12, (step - 1) % 12 + 1, 1)  # noqa: DTZ001
        case "week":
            return _EPOCH + (step * 7 + int(_MONDAY)) * _DAY
        case "hour":
            return _EPOCH + step * _HOUR
        case _:
            return _EPOCH + step * _DAY


def _name(period: Period, begin: datetime) -> str:
    return begin.isoformat(" ") if period == "hour" else begin.date().isoformat()
