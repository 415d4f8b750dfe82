"""Parameters in the text of a question, and the table that it is about: what a service is not told separately."""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any

from discreet.dbapi.exceptions import DataError, ProgrammingError
from discreet.exact import shown
from discreet.questions.tokens import end_of_comment

__all__ = ["bound", "table_in"]

_PIECE = re.compile(
    r"""(?P<mark>\?)|(?P<word>[^\W\d]\w*)|(?P<comment>--[^\n]*)
    |(?P<quoted>'[^']*(?:''[^']*)*'|"[^"]*(?:""[^"]*)*")|.""",
    re.DOTALL | re.VERBOSE,
)
_LOOSE = frozenset(" \t\r\n(),=<>")  # beside these a value needs no space


def bound(sql: str, parameters: Sequence[Any]) -> str:
    """The question with a value in the place of each ``?`` that stands neither in a text, a name nor a comment."""
    pieces = list(_pieces(sql))
    places = [at for at, (kind, _) in enumerate(pieces) if kind == "mark"]
    if len(places) != len(parameters):
        raise ProgrammingError(f"{len(parameters)} parameters for {len(places)} places; give a value for each ?")
    texts = [text for _, text in pieces]
    for at, value in zip(places, parameters, strict=True):
        before, after = texts[at - 1][-1:] if at else "", texts[at + 1][:1] if at + 1 < len(texts) else ""
        texts[at] = _space(before) + _literal(value) + _space(after)
    return "".join(texts)


def _space(beside: str) -> str:
    """What keeps a value apart from its neighbour: two minus signs would be a comment, two texts one text."""
    return "" if not beside or beside in _LOOSE else " "


def _pieces(sql: str) -> Iterator[tuple[str, str]]:
    """The parts of a text, each with its kind; comments as the language has them, one inside the other too."""
    at = 0
    while at < len(sql):
        if sql.startswith("/*", at):
            kind, end = "comment", end_of_comment(sql, at) or len(sql)
        else:
            found = _PIECE.match(sql, at)
            assert found is not None
            kind, end = found.lastgroup or "other", found.end()
        yield kind, sql[at:end]
        at = end


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
            return str(int(value))
        case float() if isfinite(value):
            return _decimal(Decimal(repr(float(value))))  # those of NumPy's are floats too, and say so
        case Decimal() if value.is_finite():
            return _decimal(value)
        case Fraction() if "/" not in shown(value):
            return shown(value)
        case date() if value == value:  # pandas has a moment that is none
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
    for kind, text in _pieces(sql):
        if is_next and (kind == "word" or text.startswith('"')):
            yield text if kind == "word" else text[1:-1].replace('""', '"')
        if not text.isspace() and kind != "comment":
            is_next = kind == "word" and text.casefold() == "from"
