"""Constants as people write them."""

import re
import sys
from datetime import date, datetime
from fractions import Fraction

from discreet.errors import ParameterError
from discreet.exact import exact

__all__ = ["is_float", "parse_day", "parse_moment", "parse_number"]

_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_MOMENT = re.compile(_DAY + r"([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?)?")
_MOST_DIGITS = 100
_LARGEST = Fraction(sys.float_info.max)


def parse_number(text: str) -> Fraction | None:
    """The number exactly as written; None if it is absurdly long, or infinite or nearly nothing in float64."""
    try:
        number = exact(text)
    except ParameterError:
        return None
    return number if is_float(number) and len(text) <= _MOST_DIGITS else None


def is_float(number: Fraction) -> bool:
    """Whether float64 has a number near this one: neither too large for it, nor so small that it would be 0."""
    return abs(number) <= _LARGEST and bool(number) == bool(float(number))


def parse_day(text: str) -> date | None:
    """A day written as 2020-01-31, or None."""
    if not re.fullmatch(_DAY, text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def parse_moment(text: str) -> datetime | None:
    """A moment written as 2020-01-31 12:00:00 (a T for the space, seconds and fractions if wanted) or a day; or None."""
    if not _MOMENT.fullmatch(text):
        return None
    whole, dot, fraction = text.partition(".")
    try:
        return datetime.fromisoformat(f"{whole}.{fraction:0<6}" if dot else whole)
    except ValueError:
        return None
