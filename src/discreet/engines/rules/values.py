"""How stored values are read: one set of rules and one grammar for every engine.

'' and '?' are NULL, whatever the type; so is everything that the rules below do not read.

- number: a numeral (``spellings``) with spaces around it, or a stored number. 'inf' and what is too large are infinite and become
  the nearest bound; without a bound, the largest float64. NaN is NULL.
- integer: a number that is whole ('12', '12.0', '1e3'); 12.5 is NULL.
- category of whole numbers: a number that equals a declared value; of texts: a text that is one, character by character.
- boolean: one of the declared words, else 1/0, t/f, true/false, yes/no, in any case, with spaces around it; a stored number that
  is one of them.
- timestamp: a moment as ``moments`` reads it, in the zone of the column; a stored date is its midnight.
- date: a day as 2020-01-31, or the day of a moment.
- numbers, truth values, dates and moments are in texts of MOST_CHARACTERS at most, spaces included: a longer one is NULL.
- text: cut at its declared length. A stored whole number is its digits where text is declared, a stored real number is NULL.
"""

import math
import re
import sys
from datetime import date, datetime, time
from fractions import Fraction
from functools import lru_cache
from typing import assert_never

from discreet.engines.rules.moments import day_in, moment_in
from discreet.engines.rules.spellings import trimmed, truths, unmarked
from discreet.facts import model

__all__ = [
    "LARGEST",
    "MISSING",
    "Raw",
    "SAFE",
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
            return _number_within(column, _number(raw, column.decimal, column.thousands))
        case model.Category(values=values):
            return _member(values, raw)
        case model.Boolean():
            return _truth(column, raw)
        case model.Date():
            low_day, high_day = day_bounds(column)
            return None if (day := day_in(column, raw)) is None else min(max(day, low_day), high_day)
        case model.Timestamp():
            low, high = moment_bounds(column)
            return None if (moment := moment_in(column, raw)) is None else min(max(moment, low), high)
        case model.Text(max_length=length):
            return None if (text := _text(raw)) is None else text[:length]
        case _:
            assert_never(column)


def _number(raw: Raw, decimal: str = ".", thousands: str = "") -> float | None:
    """A float64, perhaps infinite, never NaN."""
    match raw:
        case str():
            plain = unmarked(trimmed(raw), decimal, thousands)
            return None if plain is None else float(plain)
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


def _truth(column: model.Boolean, raw: Raw) -> bool | None:
    if isinstance(raw, bool):
        return raw
    found = truths(column)
    if isinstance(raw, int | float):
        return True if raw in found.true_numbers else False if raw in found.false_numbers else None
    if not isinstance(raw, str):
        return None
    word = trimmed(raw)
    return True if _compiled(found.true).fullmatch(word) else False if _compiled(found.false).fullmatch(word) else None


_compiled = lru_cache(maxsize=256)(re.compile)


def _text(raw: Raw) -> str | None:
    if isinstance(raw, int) and not isinstance(raw, bool):
        return str(raw)
    return raw if isinstance(raw, str) else None
