"""Functions of one value in SQL: characters of texts, periods of time, casts, and curves of numbers.

Each is given an argument that it takes on every engine: what lies outside is brought to the nearest value first. A clamp is a
CASE, since LEAST and GREATEST would take a number for NULL.
"""

from collections.abc import Mapping
from dataclasses import replace
from string import ascii_lowercase, ascii_uppercase

from sqlglot import exp

from discreet.engines.rules.float_ranges import ALL
from discreet.engines.rules.values import SAFE
from discreet.engines.sql.dialect import Dialect
from discreet.engines.sql.reading import read_text
from discreet.engines.sql.sheet import Sheet
from discreet.engines.sql.terms import (
    Term,
    as_day,
    as_moment,
    as_text,
    as_whole,
    cases,
    infix,
    midnight,
    real_literal,
    text,
    truth_as_whole,
    whole_literal,
)
from discreet.facts import model
from discreet.questions.algebra import Part, Period, To
from discreet.questions.curves import LEAST, MOST_EXPONENT, Curve, curve_range, power_range

__all__ = ["cast", "curved", "fractional_power", "held", "in_case", "length", "part_of", "substring", "truncated"]

_PARTS: Mapping[Part, tuple[str, int, int]] = {
    "year": ("YEAR", 1, 9999),
    "quarter": ("QUARTER", 1, 4),
    "month": ("MONTH", 1, 12),
    "day": ("DAY", 1, 31),
    "hour": ("HOUR", 0, 23),
    "minute": ("MINUTE", 0, 59),
    "weekday": ("ISODOW", 1, 7),
    "dow": ("DOW", 0, 6),
    "week": ("WEEK", 1, 53),
    "isoyear": ("ISOYEAR", 1, 9999),
    "doy": ("DOY", 1, 366),
}
_NUMBERED: Mapping[str, tuple[Period, int, int, int]] = {  # the period, its microseconds, its first and its last number
    "day_number": ("day", 86_400_000_000, -719_162, 2_932_896),
    "hour_number": ("hour", 3_600_000_000, -17_259_888, 70_389_527),
}
_READ_AS: dict[To, model.Column] = {
    "number": model.Number("cast"),
    "whole": model.Integer("cast"),
    "day": model.Date("cast"),
    "moment": model.Timestamp("cast"),
}


def _called(name: str, *arguments: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=list(arguments))


# ---- texts


def in_case(term: Term, *, lower: bool) -> Term:
    """A text with the letters A to Z in one case, and no other changed: engines disagree about the others."""
    before, after = (ascii_uppercase, ascii_lowercase) if lower else (ascii_lowercase, ascii_uppercase)
    return replace(term, sql=_called("TRANSLATE", term.sql, text(before), text(after)))


def length(term: Term, most: float, sheet: Sheet) -> Term:
    """How many characters a text has: ``most`` at most, by the facts, and by a CASE whatever cuts it."""
    x = sheet.named(replace(term, sql=_called("LENGTH", term.sql), kind="number"))
    longest = whole_literal(int(most))
    held = cases((infix(exp.GT, x.sql, longest), longest), otherwise=x.sql)
    return as_whole(replace(x, sql=held, low=0.0, high=most))


def substring(term: Term, start: int, count: int | None) -> Term:
    """Some characters of a text."""
    numbers = [exp.Literal.number(number) for number in (start, count) if number is not None]
    return replace(term, sql=_called("SUBSTRING", term.sql, *numbers))


# ---- time


def truncated(period: Period, term: Term) -> Term:
    """The first day or moment of a period. The years 1 to 9999 begin with a Monday and end with a year."""
    found = replace(midnight(term), sql=_called("DATE_TRUNC", text(period), midnight(term).sql))
    return as_day(found) if term.kind == "day" else found


def part_of(part: Part, of: Term, dialect: Dialect) -> Term:
    """A part of a day or moment, as a whole number."""
    at = midnight(of)  # some engines know no hour of a day
    if part in _NUMBERED:
        return _numbered(*_NUMBERED[part], at, dialect)
    name, low, high = _PARTS[part]
    return as_whole(Term(dialect.date_part(name, at.sql), "number", at.stage, float(low), float(high)))


def _numbered(period: Period, micros: int, first: int, last: int, of: Term, dialect: Dialect) -> Term:
    """How many periods lie between 1970 and a moment: that of their first moment, which no division rounds."""
    begin = truncated(period, of)
    number = exp.Paren(this=dialect.quotient(dialect.micros(begin.sql), whole_literal(micros)))
    return as_whole(Term(number, "number", begin.stage, float(first), float(last)))


# ---- casts


def cast(term: Term, to: To, sheet: Sheet) -> Term:
    """The value as another kind, NULL where it does not read as one. Raises TypeError if there is no such cast."""
    match term.kind, to:
        case "text", "number" | "whole" | "day" | "moment":
            return read_text(_READ_AS[to], term, sheet)
        case "truth" | "number", "number" | "whole":
            return truth_as_whole(term, sheet.dialect) if term.kind == "truth" else term
        case "number", "text":
            whole = as_whole(term if term.whole else held(term, -SAFE, SAFE, sheet))
            return replace(whole, sql=as_text(whole.sql), kind="text", whole=False)
        case "truth" | "day", "text":
            return replace(term, sql=as_text(term.sql), kind="text")
        case "moment", "day":
            return as_day(term)
        case "day", "moment":
            return as_moment(term)
        case _:
            raise TypeError(f"{term.kind} is not cast to {to}")


# ---- curves


def curved(name: Curve, x: Term, sheet: Sheet) -> Term:
    """SQRT, LN or EXP of a DOUBLE."""
    match name:
        case "sqrt":
            inside = held(x, 0.0, x.high, sheet)
        case "ln":
            inside = held(x, LEAST, x.high, sheet)
        case "exp":
            inside = held(x, -MOST_EXPONENT, MOST_EXPONENT, sheet)
    low, high = curve_range(name, inside.low, inside.high) or ALL
    found = replace(inside, sql=_called(name.upper(), inside.sql), low=low, high=high)
    return found if name == "sqrt" else _in_range(found, sheet)


def fractional_power(x: Term, exponent: float, sheet: Sheet) -> Term:
    """A DOUBLE to a power that is not whole."""
    inside = held(x, 0.0 if exponent > 0 else LEAST, x.high, sheet)
    low, high = power_range(exponent, inside.low, inside.high) or ALL
    inside = sheet.operand(inside, "power")
    return _in_range(replace(inside, sql=sheet.dialect.power(inside, exponent), low=low, high=high), sheet)


def _in_range(found: Term, sheet: Sheet) -> Term:
    """The value within its range, whatever a library makes of its last digits."""
    if not found.is_finite:
        return found
    x = sheet.named(found)
    return replace(x, sql=_ends(x.sql, found.low, found.high, sheet.dialect))


def held(x: Term, low: float, high: float, sheet: Sheet) -> Term:
    """A number, or the nearer of two others; NULL where it is."""
    if low <= x.low and x.high <= high:
        return x
    short, high = sheet.named(x), max(low, high)  # a number that is outside wherever it is has one end for both
    inside = max(low, min(x.low, high)), min(high, max(x.high, low))
    return replace(short, sql=_ends(short.sql, low, high, sheet.dialect), low=inside[0], high=inside[1])


def _ends(x: exp.Expr, low: float, high: float, dialect: Dialect) -> exp.Expr:
    least, most = real_literal(low, dialect), real_literal(high, dialect)
    return cases((infix(exp.LT, x, least), least), (infix(exp.GT, x, most), most), otherwise=x)
