"""Parameters in the text of a question, and the table that it is about: what a service is not told separately."""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any

from discreet.dbapi.exceptions import DataError, ProgrammingError
from discreet.exact import shown

__all__ = ["bound", "table_in"]

_PIECE = re.compile(r"('(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/)|(\?)|([A-Za-z_]\w*)|(.)", re.DOTALL)


def bound(sql: str, parameters: Sequence[Any]) -> str:
    """The question with a value in the place of each ``?`` that stands neither in a text, a name nor a comment."""
    values = iter(parameters)
    parts: list[str] = []
    used = 0
    for piece in _PIECE.finditer(sql):
        if piece[2] is None:
            parts.append(piece[0])
            continue
        try:
            parts.append(_literal(next(values)))
        except StopIteration:
            raise ProgrammingError(f"there are more than {used} places for parameters; give a value for each ?") from None
        used += 1
    if used != len(parameters):
        raise ProgrammingError(f"{len(parameters)} parameters for {used} places; give a value for each ?")
    return "".join(parts)


def _literal(value: Any) -> str:
    """A value as the language writes it."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case int():
            return str(value)
        case float() if isfinite(value):
            return _decimal(Decimal(repr(value)))
        case Decimal() if value.is_finite():
            return _decimal(value)
        case Fraction() if "/" not in shown(value):
            return shown(value)
        case datetime() | date():
            return f"'{value.isoformat()}'"
    if callable(item := getattr(value, "item", None)):  # a number of NumPy's
        return _literal(item())
    raise DataError(f"a parameter cannot be a {type(value).__name__}: give a number, a text, a truth value, a date or None")


def _decimal(value: Decimal) -> str:
    return f"{value:f}"


def table_in(sql: str, tables: Collection[str]) -> str:
    """The table that a question is about: the first after FROM that is one."""
    known, named = {each.casefold(): each for each in tables}, list(_after_from(sql))
    found = next((known[each.casefold()] for each in named if each.casefold() in known), None)
    if found is None:
        what = f"there is no table {named[0]!r} for you" if named else "a question has FROM and a table"
        raise ProgrammingError(f"{what}; you may ask: {', '.join(sorted(tables)) or 'none'}")
    return found


def _after_from(sql: str) -> Iterator[str]:
    is_next = False
    for piece in _PIECE.finditer(sql):
        text, is_word = piece[0], piece[3] is not None
        if is_next and (is_word or text.startswith('"')):
            yield text if is_word else text[1:-1].replace('""', '"')
        if not text.isspace() and not text.startswith(("--", "/*")):
            is_next = is_word and text.casefold() == "from"
