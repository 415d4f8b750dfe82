"""Stored columns to declared values, in SQL: the rules of ``values``, total on everything that can be stored."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from fractions import Fraction
from typing import assert_never

from sqlglot import exp

from discreet.engines.rules.values import MISSING, SAFE, day_bounds, moment_bounds, nearest, number_bounds
from discreet.engines.sql.layout import Field, Stored
from discreet.engines.sql.sheet import Sheet
from discreet.engines.sql.terms import (
    Kind,
    Term,
    as_real,
    as_text,
    as_whole,
    between,
    cases,
    column,
    day,
    infix,
    is_one_of,
    moment,
    real_literal,
    text,
    typed_null,
    whole_literal,
)
from discreet.engines.sql.written import clamped, day_of, moment_of, real_of, truth_of
from discreet.errors import FactsError
from discreet.facts import model
from discreet.questions.types import column_type

__all__ = [
    "Bare",
    "FEW",
    "Member",
    "bare_column",
    "check_stored",
    "is_run",
    "is_whole",
    "kind_of",
    "one_of_numbers",
    "one_of_texts",
    "present",
    "read_column",
    "read_text",
]

FEW = 8  # so many values are compared one by one; more are looked up in a table

_READABLE: dict[Kind, tuple[Stored, ...]] = {
    "number": ("text", "whole", "real"),
    "text": ("text", "whole"),
    "truth": ("text", "whole", "real", "truth"),
    "day": ("text", "day", "moment", "instant"),
    "moment": ("text", "day", "moment", "instant"),
}


def kind_of(declared: model.Column) -> Kind:
    """The kind of a column's values: codes of a category are numbers here."""
    kind = column_type(declared)
    return "number" if kind == "code" else kind


def is_whole(declared: model.Column) -> bool:
    """Whether a column's values are whole numbers that every integer type of 64 bits and every float64 holds."""
    match declared:
        case model.Integer(lower=int(lower), upper=int(upper)):
            return -SAFE <= lower <= upper <= SAFE
        case model.Category(values=values):
            return all(isinstance(value, int) and abs(value) <= SAFE for value in values)
        case _:
            return False


def check_stored(declared: model.Column, stored: Stored) -> None:
    """Raises FactsError if a column of this type can not hold what is declared."""
    if stored not in _READABLE[kind_of(declared)]:
        what = type(declared).__name__.lower()
        raise FactsError(
            f"column {declared.name!r} is declared as {what}, and the source stores it as {_WORDS[stored]}",
            hint="declare it as what the source stores, or store it as text",
        )


_WORDS: dict[Stored, str] = {
    "text": "text",
    "whole": "whole numbers",
    "real": "real numbers",
    "truth": "true and false",
    "day": "dates",
    "moment": "timestamps",
    "instant": "timestamps",
    "read": "values",
}


@dataclass(frozen=True, slots=True)
class Bare:
    """A column that has not been brought into its range: its value is x, or the nearest of ``low`` and ``high``.

    x may be NaN, above all other numbers, or, if ``integer``, have digits after the point: then the value is NULL, as it is
    where x is.
    """

    x: Term
    low: float | date | datetime
    high: float | date | datetime
    nan: bool = False
    integer: bool = False


@dataclass(frozen=True, slots=True)
class Member:
    """A column before all but its declared values became NULL: its value is x if that is one of ``values``."""

    x: Term
    values: frozenset[float | str]


def bare_column(declared: model.Column, field: Field, sheet: Sheet) -> Bare | Member | None:
    """A declared column as it is before it is brought into its range, or to its values; None where nothing is done to it."""
    if field.stored == "read":
        return None
    stored = present(declared, field, sheet)
    match declared:
        case model.Number() | model.Integer():
            return _bare_number(declared, stored, field.stored, sheet)
        case model.Category(values=values) if stored.kind == "text":
            words = frozenset(value for value in values if isinstance(value, str) and text(value).name not in MISSING)
            return Member(Term(_text(column(field.name), field.stored), "text"), words)
        case model.Category(values=values):
            numbers = frozenset(nearest(value) for value in values if isinstance(value, int))
            return Member(_bare_category(declared, stored, field.stored, sheet), numbers)
        case model.Date():
            return Bare(day_of(declared, stored, field.stored, sheet), *day_bounds(declared))
        case model.Timestamp():
            return Bare(moment_of(declared, stored, field.stored, sheet), *moment_bounds(declared))
        case _:
            return None


def present(declared: model.Column, field: Field, sheet: Sheet) -> Term:
    """What is stored, NULL for texts that say nothing."""
    stored = Term(column(field.name), kind_of(declared))
    if field.stored != "text":
        return stored
    present = cases((exp.Not(this=is_one_of(stored.sql, map(text, MISSING))), stored.sql))
    return sheet.named(replace(stored, sql=present))


def read_column(declared: model.Column, field: Field, sheet: Sheet) -> Term:
    """The values of a declared column."""
    if field.stored == "read":
        return _bounded(replace(Term(column(field.name), kind_of(declared)), whole=is_whole(declared)), declared)
    return _read(declared, present(declared, field, sheet), field.stored, sheet)


def read_text(declared: model.Column, term: Term, sheet: Sheet) -> Term:
    """A text of the question as a column of another type would read it."""
    return _read(declared, sheet.named(replace(term, kind=kind_of(declared))), "text", sheet)


def _read(declared: model.Column, term: Term, stored: Stored, sheet: Sheet) -> Term:
    match declared:
        case model.Number() | model.Integer():
            return _bounded(_number(declared, term, stored, sheet), declared)
        case model.Category():
            return _category(declared, term, stored, sheet)
        case model.Boolean():
            return truth_of(declared, term, stored, sheet)
        case model.Date():
            return clamped(day_of(declared, term, stored, sheet), *map(day, day_bounds(declared)))
        case model.Timestamp():
            return clamped(moment_of(declared, term, stored, sheet), *map(moment, moment_bounds(declared)))
        case model.Text(max_length=length):
            cut = exp.Left(this=_text(term.sql, stored), expression=exp.Literal.number(length))
            return replace(term, sql=cut)
        case _:
            assert_never(declared)


# ---- numbers


def _bounded(term: Term, declared: model.Column) -> Term:
    match declared:
        case model.Number() | model.Integer():
            low, high = number_bounds(declared)
            return replace(term, low=low, high=high)
        case model.Category(values=values) if term.kind == "number":
            numbers = [nearest(value) for value in values if isinstance(value, int)]
            return replace(term, low=min(numbers, default=0.0), high=max(numbers, default=0.0))
        case _:
            return term


def _bare_number(declared: model.Number | model.Integer, term: Term, stored: Stored, sheet: Sheet) -> Bare:
    low, high = number_bounds(declared)
    if stored == "whole" and low.is_integer() and high.is_integer() and max(-low, high) <= SAFE:
        return Bare(replace(term, whole=True), low, high)
    number = sheet.named(real_of(declared, term, stored, sheet))
    return Bare(number, low, high, nan=stored == "real", integer=isinstance(declared, model.Integer))


def _number(declared: model.Number | model.Integer, term: Term, stored: Stored, sheet: Sheet) -> Term:
    number, (low, high) = _bare_number(declared, term, stored, sheet).x, number_bounds(declared)
    if number.whole:
        x, least, most = number.sql, whole_literal(int(low)), whole_literal(int(high))
        outside = cases((infix(exp.LT, x, least), least), (infix(exp.GT, x, most), most))
        return replace(number, sql=cases((between(x, least, most), x), otherwise=outside))
    x, least, most = number.sql, real_literal(low, sheet.dialect), real_literal(high, sheet.dialect)
    endless = real_literal(math.inf, sheet.dialect)
    outside = cases((infix(exp.LT, x, least), least), (infix(exp.LTE, x, endless), most))  # NaN is above
    inside = sheet.named(Term(between(x, least, most), "truth", number.stage))  # a column of its own is chosen by in less time
    whens = [(inside.sql, x)]
    if isinstance(declared, model.Integer):
        whens.insert(0, (infix(exp.NEQ, x, sheet.dialect.floor(x)), exp.Null()))
    found = replace(number, sql=cases(*whens, otherwise=outside), stage=inside.stage, low=low, high=high)
    return as_whole(found) if is_whole(declared) else found


# ---- categories


def _category(declared: model.Category, term: Term, stored: Stored, sheet: Sheet) -> Term:
    if term.kind == "text":
        texts = [value for value in declared.values if isinstance(value, str)]
        return one_of_texts(replace(term, sql=_text(term.sql, stored)), texts, sheet, sheet.layout.members.get(declared.name))
    numbers = [value for value in declared.values if isinstance(value, int)]
    number = _bare_category(declared, term, stored, sheet)
    found = _bounded(one_of_numbers(number, numbers, sheet, sheet.layout.members.get(declared.name)), declared)
    return as_whole(found) if is_whole(declared) and not number.whole else found


def _bare_category(declared: model.Category, term: Term, stored: Stored, sheet: Sheet) -> Term:
    """A number, declared or not."""
    if stored == "whole" and is_whole(declared):
        return replace(term, whole=True)
    return sheet.named(real_of(declared, term, stored, sheet))


def one_of_texts(term: Term, values: list[str], sheet: Sheet, table: str | None = None) -> Term:
    """The text if it is one of ``values``, else NULL."""
    if not values:
        return replace(term, sql=typed_null("TEXT"))
    if table is not None:
        return sheet.member(term, table)
    constants = list(dict.fromkeys(map(text, values)))  # each once: a row joins one of them at most
    if len(constants) > FEW:
        return sheet.member(term, constants)
    x = sheet.named(term)
    return replace(x, sql=cases((is_one_of(x.sql, constants), x.sql)))


def one_of_numbers(term: Term, values: Sequence[Fraction | int], sheet: Sheet, table: str | None = None) -> Term:
    """The number if it is one of ``values``, else NULL."""
    numbers = sorted({nearest(value) for value in values})
    if not numbers:
        return replace(term, sql=typed_null("DOUBLE"), whole=False)
    x = sheet.named(term)

    def constant(number: float) -> exp.Expr:
        return whole_literal(int(number)) if x.whole else real_literal(number, sheet.dialect)

    if is_run(numbers):
        inside = between(x.sql, constant(numbers[0]), constant(numbers[-1]))
        if not x.whole:
            inside = infix(exp.And, inside, infix(exp.EQ, x.sql, sheet.dialect.floor(x.sql)))
        return replace(x, sql=cases((inside, x.sql)))
    if len(numbers) <= FEW:
        return replace(x, sql=cases((is_one_of(x.sql, map(constant, numbers)), x.sql)))
    found = sheet.member(x, table or list(map(constant, numbers)))
    return found if x.whole else replace(found, sql=as_real(found.sql))


def is_run(numbers: list[float]) -> bool:
    """Whether sorted numbers are whole and follow each other without a gap."""
    first, last = numbers[0], numbers[-1]
    return max(-first, last) <= SAFE and last - first + 1 == len(numbers) and all(map(float.is_integer, numbers))


def _text(value: exp.Expr, stored: Stored) -> exp.Expr:
    return value if stored == "text" else as_text(value)
