"""Tokens → constants: numbers, texts, dates, timestamps, TRUE, FALSE and NULL."""

from datetime import date, datetime

from discreet.questions.algebra import Literal
from discreet.questions.cursor import Cursor
from discreet.questions.literals import parse_day, parse_moment, parse_number
from discreet.questions.tokens import Token

__all__ = ["at_constant", "read_constant"]

_EXAMPLES = {"DATE": "write DATE '2020-01-31'", "TIMESTAMP": "write TIMESTAMP '2020-01-31 12:00:00'"}


def at_constant(cursor: Cursor) -> bool:
    """Whether a constant comes next."""
    token, after = cursor.token, cursor.after
    if token.key in ("+", "-"):
        return after.kind == "number"
    if token.key in ("DATE", "TIMESTAMP"):
        return after.kind == "text"
    return token.kind in ("number", "text") or token.key in ("TRUE", "FALSE", "NULL")


def read_constant(cursor: Cursor) -> Literal:
    """The constant that must come next."""
    if not at_constant(cursor):
        raise cursor.unexpected("a constant")
    token = cursor.take()
    match token.key:
        case "TRUE" | "FALSE":
            return Literal(token.key == "TRUE")
        case "NULL":
            return Literal(None)
        case "DATE" | "TIMESTAMP":
            return _time(token.key, cursor.take(), cursor)
        case "+" | "-":
            return _number(cursor.take(), cursor, negative=token.key == "-")
        case _:
            return Literal(token.text) if token.kind == "text" else _number(token, cursor, negative=False)


def _number(token: Token, cursor: Cursor, *, negative: bool) -> Literal:
    number = parse_number(token.text)
    if number is None:
        raise cursor.refused(token, f"{token} is too long or too large for a number", "numbers end at about 1.8e308")
    return Literal(-number if negative else number)


def _time(key: str, token: Token, cursor: Cursor) -> Literal:
    found: date | datetime | None = parse_day(token.text) if key == "DATE" else parse_moment(token.text)
    if found is None:
        raise cursor.refused(token, f"{token} is not a {key.lower()}", _EXAMPLES[key])
    return Literal(found)
