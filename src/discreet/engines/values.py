"""How stored values are read: one set of rules and one grammar for every engine.

'' and '?' are NULL, whatever the type; so is everything that the rules below do not read.

- number: the grammar NUMBER with spaces around it, or a stored number. 'inf' and what is too large are infinite and become the
  nearest bound; without a bound, the largest float64. NaN is NULL.
- integer: a number that is whole ('12', '12.0', '1e3'); 12.5 is NULL.
- category of whole numbers: a number that equals a declared value; of texts: a text that is one, character by character.
- boolean: 1/0, t/f, true/false, yes/no in any case, with spaces around it; a stored 1 or 0.
- date: 2020-01-31, with spaces around it, from year 1 to 9999; the day of a stored moment.
- timestamp: a date, or a date, a space or T, hours and minutes, perhaps seconds and up to nine digits of them, of which six
  count; a stored date is its midnight.
- text: cut at its declared length. A stored whole number is its digits where text is declared, a stored real number is NULL.
"""

import math
import re
import sys
from datetime import UTC, date, datetime, time
from fractions import Fraction
from typing import assert_never

from discreet.facts import model

__all__ = [
    "DAY",
    "FALSE",
    "LARGEST",
    "MISSING",
    "MOMENT",
    "NUMBER",
    "Raw",
    "SAFE",
    "TRUE",
    "Value",
    "day_bounds",
    "moment_bounds",
    "nearest",
    "number_bounds",
    "read",
]

Raw = None | bool | int | float | str | date | datetime
Value = None | bool | float | str | date | datetime

LARGEST = sys.float_info.max
SAFE = 1 << 53  # up to here every whole number is a float64
MISSING = ("", "?")
TRUE = ("1", "t", "true", "yes")
FALSE = ("0", "f", "false", "no")

# No look-around and no back-references, so that RE2, PostgreSQL and Java read these as Python does. At most 64 digits on each
# side of the point: then the sign of the exponent alone tells what is too large from what is too small.
NUMBER = (
    r"[+-]?([0-9]{1,64}([.][0-9]{0,64})?|[.][0-9]{1,64})([eE][+-]?[0-9]{1,5})?"
    r"|[+-]?[iI][nN][fF]([iI][nN][iI][tT][yY])?"
)
DAY = r"([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-[0-9]{2}-[0-9]{2}"
MOMENT = DAY + r"([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?)?"

_NUMBER, _DAY, _MOMENT = re.compile(NUMBER), re.compile(DAY), re.compile(MOMENT)


def nearest(value: Fraction | int) -> float:
    """The finite float64 nearest to ``value``."""
    try:
        return float(value)
    except OverflowError:
        return LARGEST if value > 0 else -LARGEST


def number_bounds(column: model.Number | model.Integer) -> tuple[float, float]:
    """Between which float64 the values of ``column`` are."""
    lower = -LARGEST if column.lower is None else nearest(column.lower)
    return lower, LARGEST if column.upper is None else nearest(column.upper)


def day_bounds(column: model.Date) -> tuple[date, date]:
    """Between which days the values of ``column`` are."""
    return column.lower or date.min, column.upper or date.max


def moment_bounds(column: model.Timestamp) -> tuple[datetime, datetime]:
    """Between which moments the values of ``column`` are."""
    return column.lower or datetime.combine(date.min, time.min), column.upper or datetime.combine(date.max, time.max)


def read(column: model.Column, raw: Raw) -> Value:
    """The value of ``column`` that is stored as ``raw``."""
    if raw is None or raw in MISSING:
        return None
    match column:
        case model.Number() | model.Integer():
            return _number_within(column, _number(raw))
        case model.Category(values=values):
            return _member(values, raw)
        case model.Boolean():
            return _truth(raw)
        case model.Date():
            low_day, high_day = day_bounds(column)
            return None if (day := _day(raw)) is None else min(max(day, low_day), high_day)
        case model.Timestamp():
            low, high = moment_bounds(column)
            return None if (moment := _moment(raw)) is None else min(max(moment, low), high)
        case model.Text(max_length=length):
            return None if (text := _text(raw)) is None else text[:length]
        case _:
            assert_never(column)


def _number(raw: Raw) -> float | None:
    """A float64, perhaps infinite, never NaN."""
    match raw:
        case str():
            trimmed = raw.strip(" ")
            return float(trimmed) if _NUMBER.fullmatch(trimmed) else None
        case float():
            return None if math.isnan(raw) else raw
        case int() if not isinstance(raw, bool):
            return nearest(raw)
        case _:
            return None


def _number_within(column: model.Number | model.Integer, number: float | None) -> float | None:
    if number is None or (isinstance(column, model.Integer) and math.isfinite(number) and not number.is_integer()):
        return None
    lower, upper = number_bounds(column)
    return min(max(number, lower), upper)


def _member(values: tuple[int | str, ...], raw: Raw) -> float | str | None:
    if any(isinstance(value, str) for value in values):
        text = _text(raw)
        return text if text in values else None
    number = _number(raw)
    return next((number for value in values if isinstance(value, int) and number == nearest(value)), None)


def _truth(raw: Raw) -> bool | None:
    word = str(int(raw)) if isinstance(raw, bool | int | float) and raw in (0, 1) else raw
    if not isinstance(word, str):
        return None
    trimmed = word.strip(" ").lower()
    return True if trimmed in TRUE else False if trimmed in FALSE else None


def _day(raw: Raw) -> date | None:
    match raw:
        case datetime():
            return _without_zone(raw).date()
        case date():
            return raw
        case str():
            trimmed = raw.strip(" ")
            return _calendar(trimmed) if _DAY.fullmatch(trimmed) else None
        case _:
            return None


def _calendar(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:  # 30 February
        return None


def _moment(raw: Raw) -> datetime | None:
    match raw:
        case datetime():
            return _without_zone(raw)
        case date():
            return datetime.combine(raw, time())
        case str():
            trimmed = raw.strip(" ")
            day = _calendar(trimmed[:10]) if _MOMENT.fullmatch(trimmed) else None
            return None if day is None else datetime.combine(day, _time_of_day(trimmed[11:26]))
        case _:
            return None


def _time_of_day(text: str) -> time:
    """The time in '', '12:00', '12:00:05' or '12:00:05.25'."""
    return time.fromisoformat(text.ljust(15, "0") if "." in text else text) if text else time()


def _without_zone(moment: datetime) -> datetime:
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def _text(raw: Raw) -> str | None:
    if isinstance(raw, int) and not isinstance(raw, bool):
        return str(raw)
    return raw if isinstance(raw, str) else None
