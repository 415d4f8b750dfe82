"""Conditions on what is stored in a column, where they say the same as conditions on its value.

A number outside its bounds counts as the nearest of them. Whether it is at least 20 can be seen without that if 20 is above the
lower bound and not above the upper one: whatever is moved stays on its side of 20. Engines test a bare column much faster.
Proof: docs/proofs/filters.md
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from fractions import Fraction
from typing import Any

from sqlglot import exp

from discreet.engines.rules.values import nearest
from discreet.engines.sql.dialect import Dialect
from discreet.engines.sql.reading import Bare, Member
from discreet.engines.sql.terms import Term, alike, infix, is_one_of, real_literal
from discreet.questions.algebra import Apply, Column, Expression, In, Literal

__all__ = ["COMPARED", "Comparison", "comparison_of", "on_stored"]

COMPARED: Mapping[str, type[exp.Expr]] = {
    "equal": exp.EQ,
    "not_equal": exp.NEQ,
    "less": exp.LT,
    "less_equal": exp.LTE,
    "greater": exp.GT,
    "greater_equal": exp.GTE,
}
_TURNED: Mapping[str, str] = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal"}
_MET_BY_NAN = ("not_equal", "not_in", "greater", "greater_equal")  # it is above all other numbers

Constant = Fraction | str | bool | date | datetime | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A condition on one column and constants: an operation of the language, ``in`` or ``not_in``."""

    operation: str
    column: Column
    constants: Sequence[Constant]


def comparison_of(condition: Expression) -> Comparison | None:
    """The condition as a comparison with constants, if it is one."""
    match condition:
        case Apply(operation, (Column() as column, Literal(constant))) if operation in COMPARED:
            return Comparison(operation, column, [constant])
        case Apply(operation, (Literal(constant), Column() as column)) if operation in COMPARED:
            return Comparison(_TURNED.get(operation, operation), column, [constant])
        case In(Column() as column, literals) if literals:
            return Comparison("in", column, [literal.value for literal in literals])
        case Apply("not", (In(Column() as column, literals),)) if literals:
            return Comparison("not_in", column, [literal.value for literal in literals])
        case _:
            return None


def on_stored(asked: Comparison, of: Bare | Member | None, constants: list[Term], dialect: Dialect) -> Term | None:
    """What is true on exactly the rows on which the comparison is; None if that needs the column's value.

    ``constants`` are those of the comparison, as terms.
    """
    if of is None or not all(_is_same(asked.operation, of, constant) for constant in asked.constants):
        return None
    x, *rest = (term.sql for term in alike([of.x, *constants], dialect))
    found = _written(asked.operation, x, rest)
    for known in _known(asked.operation, of, dialect):
        found = infix(exp.And, found, known)
    return Term(found, "truth", of.x.stage)


def _written(operation: str, x: exp.Expr, constants: list[exp.Expr]) -> exp.Expr:
    match operation:
        case "in":
            return is_one_of(x, constants)
        case "not_in":
            return exp.Paren(this=exp.Not(this=is_one_of(x, constants)))
        case _:
            return infix(COMPARED[operation], x, constants[0])


def _known(operation: str, of: Bare | Member, dialect: Dialect) -> list[exp.Expr]:
    """What else must hold, lest the value be NULL though x meets the condition."""
    if isinstance(of, Member):
        return []
    x = of.x.sql
    is_number = [infix(exp.LTE, x, real_literal(float("inf"), dialect))] if of.nan and operation in _MET_BY_NAN else []
    is_integer = [infix(exp.EQ, x, dialect.floor(x))] if of.integer else []
    return is_number + is_integer


def _is_same(operation: str, of: Bare | Member, constant: Constant) -> bool:
    """Whether x meets the condition exactly if its value does, unless that is NULL."""
    c = _as_stored(of.x, constant)
    if c is None:
        return False
    if isinstance(of, Member):
        return operation in ("equal", "in") and c in of.values
    match operation:
        case "less" | "greater_equal":
            return bool(of.low < c <= of.high)
        case "less_equal" | "greater":
            return bool(of.low <= c < of.high)
        case _:
            return bool(of.low < c < of.high)


def _as_stored(x: Term, constant: Constant) -> Any:
    """The constant as a value like x; None if the two cannot be compared as they are."""
    match x.kind, constant:
        case "number", Fraction():
            return nearest(constant)
        case "text", str():
            return constant
        case "day", datetime():
            return None  # a day becomes a moment only after it was brought into our years
        case ("day", date()) | ("moment", datetime()):
            return constant
        case "moment", date():
            return datetime.combine(constant, time())
        case _:
            return None
