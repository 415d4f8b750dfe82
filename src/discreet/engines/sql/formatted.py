"""Texts in a format to ISO 8601, in SQL: what ``moments`` does with one text, part by part."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from sqlglot import exp

from discreet.engines.rules.moments import MONTHS, compiled
from discreet.engines.sql.sheet import Sheet
from discreet.engines.sql.terms import Term, appended, cases, infix, text

__all__ = ["as_iso"]

Part = Callable[[str], exp.Expr]  # of a code


def as_iso(written: str, trimmed: Term, sheet: Sheet) -> Term:
    """A text that a format reads as ISO 8601, with numbers perhaps beyond what days and clocks have; else NULL."""
    form = compiled(written)
    x = sheet.named(trimmed)
    x = sheet.named(replace(x, sql=cases((sheet.dialect.matches(x.sql, form.pattern), x.sql))))

    def part(code: str) -> exp.Expr:
        return sheet.dialect.part(x.sql, f"^{form.pattern}$", form.groups[code])

    iso = [_year(part, form.groups), text("-"), _month(part, form.groups), text("-"), _two(part("%d"))]
    if form.hour is not None:
        hour = _two(part("%H")) if form.hour == "%H" else _of_twelve(part)
        iso += [text(" "), hour, text(":"), _two(part("%M")) if "%M" in form.groups else text("00")]
    for code, before in (("%S", ":"), ("%f", ".")):
        if code in form.groups:
            iso += [text(before), _two(part(code)) if code == "%S" else part(code)]
    return replace(x, sql=appended(*iso, *([part("%z")] if "%z" in form.groups else [])))


def _two(digits: exp.Expr) -> exp.Expr:
    """One digit or two, as two."""
    return exp.Right(this=appended(text("0"), digits), expression=exp.Literal.number(2))


def _year(part: Part, groups: Mapping[str, int]) -> exp.Expr:
    if "%Y" in groups:
        return part("%Y")
    century = cases((infix(exp.LT, part("%y"), text("69")), text("20")), otherwise=text("19"))
    return appended(century, part("%y"))


def _month(part: Part, groups: Mapping[str, int]) -> exp.Expr:
    if "%m" in groups:
        return _two(part("%m"))
    name = exp.Lower(this=exp.Left(this=part("%b" if "%b" in groups else "%B"), expression=exp.Literal.number(3)))
    return cases(*((infix(exp.EQ, name, text(month[:3].lower())), text(f"{place:02}")) for place, month in enumerate(MONTHS, 1)))


def _of_twelve(part: Part) -> exp.Expr:
    """The hour of a clock with twelve, as one with twenty-four writes it."""
    hour, after_noon = _two(part("%I")), infix(exp.EQ, exp.Lower(this=part("%p")), text("pm"))
    by_day, by_night = (
        cases(*((infix(exp.EQ, hour, text(f"{place:02}")), text(f"{place % 12 + more:02}")) for place in range(1, 13)))
        for more in (12, 0)
    )
    return cases((after_noon, by_day), otherwise=by_night)
