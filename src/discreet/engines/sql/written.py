"""Numbers, truth values, days and moments from what is stored, in SQL: as ``spellings`` and ``moments`` say.

Total on every text: patterns are constant, whatever they do not match is NULL, casts of texts are tried, and whole numbers are
brought into a small range before they are added up. Nothing here is clamped to what a column declares.
"""

from dataclasses import replace
from datetime import date, datetime, timedelta

from sqlglot import exp

from discreet.engines.rules.moments import DAY, FIRST, LAST, LOCAL, MOMENT, OFFSET, ZONED, steps_for
from discreet.engines.rules.spellings import MOST_CHARACTERS, marks_of, number_pattern, truths
from discreet.engines.sql.formatted import as_iso
from discreet.engines.sql.layout import Stored
from discreet.engines.sql.sheet import Sheet
from discreet.engines.sql.terms import (
    Term,
    as_moment,
    as_real,
    between,
    cases,
    day,
    infix,
    is_one_of,
    moment,
    text,
    whole_literal,
)
from discreet.facts import model
from discreet.facts.zones import Steps

__all__ = ["clamped", "day_of", "moment_of", "real_of", "truth_of"]

_EPOCH, _MICRO = datetime(1970, 1, 1), timedelta(microseconds=1)  # noqa: DTZ001 - moments have no zone here


def clamped(x: Term, low: exp.Expr, high: exp.Expr) -> Term:
    """The value, or the nearest end."""
    return replace(x, sql=cases((infix(exp.LT, x.sql, low), low), (infix(exp.GT, x.sql, high), high), otherwise=x.sql))


def _trimmed(value: exp.Expr) -> exp.Expr:
    """A text without the spaces around it, NULL if it is too long to spell anything; the value is a column or a constant."""
    length = exp.Anonymous(this="LENGTH", expressions=[value])
    short = cases((infix(exp.LTE, length, whole_literal(MOST_CHARACTERS)), value))
    return exp.Trim(this=short, expression=text(" "))  # by itself, TRIM takes other kinds of space too on some engines


# ---- numbers and truth values


def real_of(declared: model.Column, term: Term, stored: Stored, sheet: Sheet) -> Term:
    """A DOUBLE, perhaps infinite, perhaps NaN."""
    if stored == "whole":
        return replace(term, sql=as_real(term.sql))
    if stored != "text":
        return term
    decimal, thousands = _marks(declared)
    trimmed = sheet.operand(replace(term, sql=_trimmed(term.sql), kind="text"), "tried")
    plain = trimmed.sql
    for mark in marks_of(thousands):
        plain = exp.Replace(this=plain, expression=text(mark), replacement=text(""))
    if decimal != ".":
        plain = exp.Replace(this=plain, expression=text(decimal), replacement=text("."))
    matched = sheet.dialect.matches(trimmed.sql, number_pattern(decimal, thousands))
    found = sheet.tried(replace(trimmed, sql=plain), "text", "DOUBLE")
    return replace(term, sql=cases((matched, found.sql)), stage=found.stage)


def _marks(declared: model.Column) -> tuple[str, str]:
    return (declared.decimal, declared.thousands) if isinstance(declared, model.Number | model.Integer) else (".", "")


def truth_of(declared: model.Boolean, term: Term, stored: Stored, sheet: Sheet) -> Term:
    """A truth value."""
    said = truths(declared)
    match stored:
        case "text":
            word = _trimmed(term.sql)
            yes, no = (sheet.dialect.matches(word, pattern) for pattern in (said.true, said.false))
        case "whole" | "real":
            yes, no = (_is_one(term.sql, numbers) for numbers in (said.true_numbers, said.false_numbers))
        case _:
            return term
    return replace(term, sql=cases((yes, exp.true()), (no, exp.false())))


def _is_one(value: exp.Expr, numbers: tuple[int, ...]) -> exp.Expr:
    return is_one_of(value, map(whole_literal, numbers)) if numbers else exp.false()


# ---- days and moments


def day_of(declared: model.Date, term: Term, stored: Stored, sheet: Sheet) -> Term:
    """A day, of any year."""
    match stored:
        case "day":
            return sheet.named(replace(term, kind="day"))
        case "text" if not declared.format:
            trimmed = sheet.named(replace(term, sql=_trimmed(term.sql), kind="text"))
            is_day = sheet.dialect.matches(trimmed.sql, DAY)
            rest = sheet.named(replace(trimmed, sql=cases((is_day, exp.Null()), otherwise=trimmed.sql)))
            other = _iso_moment(declared, rest, sheet)
            whole, part = sheet.tried(trimmed, "text", "DATE"), sheet.tried(other, "moment", "DATE")
            return sheet.named(replace(part, sql=cases((is_day, whole.sql), otherwise=part.sql), kind="day"))
        case _:
            at = moment_of(declared, term, stored, sheet)
            return sheet.named(replace(sheet.tried(at, "moment", "DATE"), kind="day"))


def moment_of(declared: model.Timestamp | model.Date, term: Term, stored: Stored, sheet: Sheet) -> Term:
    """A moment, of any year."""
    match stored:
        case "text":
            trimmed = replace(term, sql=_trimmed(term.sql), kind="text")
            return _iso_moment(declared, as_iso(declared.format, trimmed, sheet) if declared.format else trimmed, sheet)
        case "day":
            within = clamped(replace(term, kind="day"), day(date.min), day(date.max))  # a later day may be no moment
            return sheet.named(as_moment(within))
        case "instant" if declared.zone:
            return _in_zone(declared, sheet.named(replace(term, kind="moment")), sheet)
        case _:
            return sheet.named(replace(term, kind="moment"))


def _iso_moment(declared: model.Timestamp | model.Date, iso: Term, sheet: Sheet) -> Term:
    """ISO 8601, by the clocks of the column's zone."""
    x = sheet.named(iso)
    is_local = sheet.dialect.matches(x.sql, MOMENT)
    cut = exp.Left(this=x.sql, expression=exp.Literal.number(26))  # microseconds
    local = cases((is_local, sheet.tried(replace(x, sql=cut), "text", "TIMESTAMP").sql))
    # what has no offset is NULL from here on, which costs nothing
    is_zoned = sheet.dialect.matches(x.sql, ZONED)
    zoned = sheet.named(replace(x, sql=cases((is_local, exp.Null()), (is_zoned, x.sql))))
    clock = replace(zoned, sql=sheet.dialect.part(zoned.sql, LOCAL, 0))
    shown = sheet.named(replace(sheet.tried(clock, "text", "TIMESTAMP"), kind="moment"))
    ahead = _offset(zoned, sheet)
    utc = _moved(replace(shown, stage=max(shown.stage, ahead.stage)), exp.Paren(this=exp.Neg(this=ahead.sql)), sheet)
    moved = _in_zone(declared, utc, sheet) if declared.zone else utc
    both = cases((exp.Is(this=zoned.sql, expression=exp.Null()), local), otherwise=moved.sql)
    return sheet.named(replace(moved, sql=both, kind="moment"))


def _offset(zoned: Term, sheet: Sheet) -> Term:
    """How many microseconds a text is ahead of UTC."""
    sign, hours, minutes = (replace(zoned, sql=sheet.dialect.part(zoned.sql, OFFSET, group)) for group in (1, 2, 3))
    h, m = _small(hours, 23, sheet), _small(minutes, 59, sheet)
    ahead = infix(exp.Add, infix(exp.Mul, h.sql, _micros(3600)), infix(exp.Mul, m.sql, _micros(60)))
    named = sheet.named(replace(h, sql=ahead, kind="number"))
    behind = infix(exp.EQ, sign.sql, text("-"))
    return sheet.named(replace(named, sql=cases((behind, exp.Neg(this=named.sql)), otherwise=named.sql)))


def _micros(seconds: int) -> exp.Expr:
    return whole_literal(seconds * 1_000_000)


def _small(digits: Term, most: int, sheet: Sheet) -> Term:
    """A whole number from 0 to ``most``; 0 where there are no digits."""
    found = sheet.tried(digits, "text", "BIGINT")
    number = exp.Coalesce(this=found.sql, expressions=[whole_literal(0)])
    held = exp.Least(this=exp.Greatest(this=number, expressions=[whole_literal(0)]), expressions=[whole_literal(most)])
    return replace(found, sql=held)


def _moved(at: Term, micros: exp.Expr, sheet: Sheet) -> Term:
    """So many microseconds later, at most a day or so; what leaves our years becomes their nearest end, what is outside stays."""
    first, last = ((end - _EPOCH) // _MICRO for end in (FIRST, LAST))
    later = infix(exp.Add, sheet.dialect.micros(at.sql), micros)
    inside = between(at.sql, moment(FIRST), moment(LAST))
    then = sheet.named(replace(at, sql=cases((inside, later)), kind="number"))
    ended = clamped(then, whole_literal(first), whole_literal(last)).sql
    back = cases((exp.Not(this=exp.Is(this=then.sql, expression=exp.Null())), sheet.dialect.at_micros(ended)), otherwise=at.sql)
    return sheet.named(replace(then, sql=back, kind="moment"))


def _in_zone(declared: model.Timestamp | model.Date, utc: Term, sheet: Sheet) -> Term:
    """A moment in UTC by the clocks of the column's zone."""
    return _moved(utc, _ahead(utc.sql, steps_for(declared)), sheet)


def _ahead(utc: exp.Expr, steps: Steps) -> exp.Expr:
    """How many microseconds a zone is ahead, found by halving."""
    if len(steps) == 1:
        return _micros(steps[0][1])
    middle = len(steps) // 2
    before = infix(exp.LT, utc, moment(steps[middle][0]))
    return cases((before, _ahead(utc, steps[:middle])), otherwise=_ahead(utc, steps[middle:]))
