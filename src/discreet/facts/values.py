"""What a fact may be: readers from a value in a file or in Python to the value meant. Each refuses with a ParameterError."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from math import ceil, floor
from numbers import Integral
from typing import TypeVar, cast

from discreet.errors import ParameterError
from discreet.exact import Number, exact
from discreet.facts.vocabulary import an, listed, nearest

__all__ = [
    "INT64",
    "Numeral",
    "Reader",
    "character",
    "day",
    "identifier",
    "moment",
    "name",
    "number",
    "one_of",
    "positive",
    "said",
    "text",
    "truth",
    "whole",
]

T = TypeVar("T")
Reader = Callable[[object, str], T]  # the value, and the key it belongs to

INT64 = (-(2**63), 2**63 - 1)
_LARGEST = 10**300  # bounds must have a float64
_NUMBER = "write a number such as 10 or 0.5, or a fraction in quotes such as \"1/3\""
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Numeral:
    """A decimal as it is written in a file: 0.1 is one tenth, and no float comes between."""

    text: str


def said(value: object) -> str:
    """A value as a message shows it."""
    match value:
        case Numeral(text=written):
            return _short(written)
        case bool():
            return str(value).lower()
        case str():
            return _short(repr(value))
        case int() | Integral():
            return str(int(value)) if int(value).bit_length() <= 128 else "a number of more than 38 digits"
        case date():
            return value.isoformat()
        case dict():
            return "a table of keys"
        case list() | tuple():
            return "a list"
        case float():
            return str(value)
        case Fraction():
            return _short(str(value)) if abs(value) < _LARGEST and value.denominator < _LARGEST else "a fraction of many digits"
        case _:
            return f"a {type(value).__name__}"


def _short(written: str) -> str:
    return written if len(written) <= 60 else f"{written[:59]}…"


def text(value: object, key: str) -> str:
    """Any text."""
    if not isinstance(value, str):
        quoted = f'"{said(value)}"' if isinstance(value, Numeral | Integral | date) else "a text"
        raise ParameterError(f"{key} is {said(value)}, not a text", hint=f"write {quoted}, in quotes")
    return str(value)


def name(value: object, key: str) -> str:
    """A text that can be a name: printable, without space at its ends."""
    written = text(value, key)
    if not written or len(written) > 128 or not written.isprintable() or written != written.strip():
        raise ParameterError(
            f"{key} is {said(written)}, not a name", hint="write 1 to 128 printable characters, without space before or after"
        )
    return written


def identifier(value: object, key: str) -> str:
    """A name that SQL needs no quotes for."""
    written = text(value, key)
    if not written.isidentifier() or len(written) > 63:
        raise ParameterError(
            f"{key} is {said(written)}, not a plain name",
            hint="write letters, digits and _, at most 63 and no digit first, such as ce_book",
        )
    return written


def character(value: object, key: str) -> str:
    """One character that can stand between or around the fields of a CSV file."""
    written = text(value, key)
    if len(written) != 1 or written.isalnum() or not (written.isprintable() or written == "\t"):
        raise ParameterError(f"{key} is {said(written)}, not a single mark", hint='write one character, such as "," or "\\t"')
    return written


def one_of(*choices: str) -> Reader[str]:
    """One of these words."""

    def read(value: object, key: str) -> str:
        if value not in choices or not isinstance(value, str):
            hint = nearest(value, choices) if isinstance(value, str) else f"write {listed(choices)}"
            raise ParameterError(f"{key} is {said(value)}, not {listed(choices)}", hint=hint)
        return str(value)

    return read


def truth(value: object, key: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise ParameterError(f"{key} is {said(value)}, not true or false", hint=f"write {key} = true or {key} = false")
    return value


def number(value: object, key: str) -> Fraction:
    """A finite number, exactly as written."""
    written = value.text if isinstance(value, Numeral) else value
    if isinstance(written, str) and written.strip().lower().lstrip("+-") in ("inf", "infinity", "nan"):
        raise ParameterError(f"{key} is {written}, not a finite number", hint=_NUMBER)
    if isinstance(written, bool):
        raise ParameterError(f"{key} is {said(written)}, not a number", hint=_NUMBER)
    try:
        found = exact(cast(Number, written), key)
    except ParameterError:
        raise ParameterError(f"{key} is {said(value)}, not a finite number", hint=_NUMBER) from None
    if abs(found) > _LARGEST:
        raise ParameterError(f"{key} is beyond ±1e300", hint="write a number that a float64 can hold")
    return found


def positive(value: object, key: str) -> Fraction:
    """A number above zero."""
    found = number(value, key)
    if found <= 0:
        raise ParameterError(f"{key} is {said(value)}, not above 0", hint=f"write {an(key)} above 0, such as 1 or 0.1")
    return found


def whole(at_least: int = INT64[0], at_most: int = INT64[1]) -> Reader[int]:
    """A whole number between these two."""

    def read(value: object, key: str) -> int:
        found = number(value, key)
        if found.denominator != 1:
            near = f"{said(floor(found))} or {said(ceil(found))}"
            raise ParameterError(f"{key} is {said(value)}, not a whole number", hint=f"write a whole number, such as {near}")
        if not at_least <= found <= at_most:
            limits = "within 64 bits" if (at_least, at_most) == INT64 else f"between {at_least} and {at_most}"
            limits = f"of at least {at_least}" if at_most == INT64[1] and at_least > INT64[0] else limits
            raise ParameterError(f"{key} is {said(value)}, not a whole number {limits}", hint=f"write a whole number {limits}")
        return int(found)

    return read


def day(value: object, key: str) -> date:
    """A day: a date, or a text such as 2017-01-31."""
    if isinstance(value, str) and _DAY.fullmatch(value):
        value = _from_iso(date.fromisoformat, value)
    if not isinstance(value, date) or isinstance(value, datetime):
        raise ParameterError(f"{key} is {said(value)}, not a day", hint=f"write {key} = 2017-01-31, without quotes or time")
    return date(value.year, value.month, value.day)


def moment(value: object, key: str) -> datetime:
    """A moment without time zone: a datetime, or a text such as 2017-01-31T12:00:00."""
    if isinstance(value, str) and _MOMENT.fullmatch(value):
        value = _from_iso(datetime.fromisoformat, value)
    if not isinstance(value, datetime) or value.tzinfo is not None:
        problem = "has a time zone" if isinstance(value, datetime) else "is not a day with a time"
        raise ParameterError(
            f"{key} is {said(value)}, which {problem}", hint=f"write {key} = 2017-01-31T12:00:00, without quotes or time zone"
        )
    return datetime.combine(value.date(), value.time())


def _from_iso(read: Callable[[str], T], written: str) -> T | str:
    try:
        return read(written)
    except ValueError:  # such as the 30th of February
        return written
