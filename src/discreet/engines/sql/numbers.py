"""Arithmetic on terms in float64, as the dialect at hand makes it total."""

import math
from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from discreet.engines.rules.float_ranges import binary, unary
from discreet.engines.sql.sheet import Sheet
from discreet.engines.sql.terms import WIDEST, Term, cases, infix, real_literal

__all__ = ["combined", "constant", "floored", "floored_whole", "without_nan"]

_TWO: Mapping[str, type[exp.Expr]] = {
    "add": exp.Add,
    "subtract": exp.Sub,
    "multiply": exp.Mul,
    "divide": exp.Div,
    "remainder": exp.Mod,
}


def constant(value: float, sheet: Sheet) -> Term:
    """A DOUBLE that is the same on every row."""
    return Term(real_literal(value, sheet.dialect), "number", low=value, high=value)


def combined(operation: str, left: Term, right: Term, sheet: Sheet, *, guarded: bool = False) -> Term:
    """x + y, x - y, x * y, x / y or x % y of DOUBLE; NaN only if one of them is infinite.

    With ``guarded`` a right side of 0 gives NULL; without, it must not be 0.
    """
    left, right = sheet.operand(left, "combined"), sheet.named(right) if guarded else sheet.operand(right, "combined")
    found = sheet.dialect.combined(operation, left, right)
    sql = infix(_TWO[operation], left.sql, right.sql) if found is None else found
    if guarded:
        sql = cases((infix(exp.NEQ, right.sql, real_literal(0.0, sheet.dialect)), sql))
    low, high = binary(operation, (left.low, left.high), (right.low, right.high))
    term = Term(sql, "number", max(left.stage, right.stage), low, high)
    return term if found is None else without_nan(term, sheet)  # which stands there for NULL too


def without_nan(term: Term, sheet: Sheet) -> Term:
    """NULL for NaN, which every engine sorts above infinity."""
    x = sheet.named(term)
    return replace(x, sql=cases((infix(exp.LTE, x.sql, real_literal(math.inf, sheet.dialect)), x.sql)))


def floored(x: Term, sheet: Sheet) -> Term:
    """The floor of a DOUBLE."""
    x = sheet.operand(x, "floor")
    low, high = unary("floor", (x.low, x.high))
    return replace(x, sql=sheet.dialect.floor(x.sql), low=low, high=high)


def floored_whole(x: Term, sheet: Sheet) -> Term:
    """The floor of a DOUBLE, as BIGINT. Raises ValueError if its range does not say that 64 bits hold it."""
    low, high = unary("floor", (x.low, x.high))
    if not -WIDEST <= low <= high <= WIDEST:
        raise ValueError("nothing says that 64 bits hold this floor")
    return replace(x, sql=sheet.dialect.whole_floor(x.sql), low=low, high=high, whole=True)
