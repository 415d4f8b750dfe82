"""Terms: pieces of SQL with what is publicly known about their values."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Literal

from sqlglot import exp

from discreet.engines.dialects import Dialect

__all__ = [
    "Kind",
    "NULL",
    "Term",
    "Types",
    "alike",
    "as_type",
    "between",
    "cases",
    "column",
    "day",
    "infix",
    "is_one_of",
    "midnight",
    "moment",
    "real",
    "real_literal",
    "text",
    "whole_literal",
]

Kind = Literal["number", "text", "truth", "day", "moment", "null"]
Types = Literal["BIGINT", "BOOLEAN", "DATE", "DOUBLE", "TEXT", "TIMESTAMP"]

NULL = exp.Null()


@dataclass(frozen=True, slots=True)
class Term:
    """An SQL expression over the columns that there are from stage ``stage`` on.

    A number is a float64 that is never NaN and lies between ``low`` and ``high``. It is held as DOUBLE, or, if ``whole``, as an
    integer type: then it is at most 2^53 in size.
    """

    sql: exp.Expr
    kind: Kind
    stage: int = 0
    low: float = -math.inf
    high: float = math.inf
    whole: bool = False

    @property
    def is_finite(self) -> bool:
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def is_short(self) -> bool:
        """Whether it may be written twice: a column or a constant."""
        sql = self.sql
        while isinstance(sql, exp.Paren | exp.Neg | exp.Cast) and isinstance(sql.this, exp.Literal | exp.Neg | exp.Null):
            sql = sql.this
        return isinstance(sql, exp.Column | exp.Literal | exp.Boolean | exp.Null)


# ---- pieces; each stands by itself in a larger expression


def column(name: str, table: str | None = None) -> exp.Expr:
    """A column by its name, quoted."""
    return exp.column(exp.to_identifier(name, quoted=True), table=table)


def infix(kind: type[exp.Expr], left: exp.Expr, right: exp.Expr) -> exp.Expr:
    """Left and right with an operator between them, in parentheses."""
    return exp.Paren(this=kind(this=left, expression=right))


def between(value: exp.Expr, low: exp.Expr, high: exp.Expr) -> exp.Expr:
    """Whether low ≤ value ≤ high."""
    return exp.Paren(this=exp.Between(this=value, low=low, high=high))


def is_one_of(value: exp.Expr, choices: Iterable[exp.Expr]) -> exp.Expr:
    """Whether a value equals one of several."""
    return exp.Paren(this=exp.In(this=value, expressions=list(choices)))


def cases(*whens: tuple[exp.Expr, exp.Expr], otherwise: exp.Expr | None = None) -> exp.Expr:
    """The value beside the first condition that is true."""
    return exp.Case(ifs=[exp.If(this=test, true=value) for test, value in whens], default=otherwise)


def as_type(value: exp.Expr, to: Types, *, safely: bool = False) -> exp.Expr:
    """The value as another type; ``safely``: NULL where that is not possible."""
    kind = exp.DataType.build(to)
    return exp.TryCast(this=value, to=kind) if safely else exp.Cast(this=value, to=kind)


def text(value: str) -> exp.Expr:
    """A text constant. Half a surrogate pair is no character and becomes '?'."""
    return exp.Literal.string(value.encode("utf-8", "replace").decode("utf-8"))


def whole_literal(value: int) -> exp.Expr:
    """A whole constant."""
    number = exp.Literal.number(str(abs(value)))
    return number if value >= 0 else exp.Paren(this=exp.Neg(this=number))


def real_literal(value: float, dialect: Dialect) -> exp.Expr:
    """The float64 ``value``, which is not NaN, to the last bit."""
    if math.isinf(value):
        return exp.cast(exp.Literal.string("Infinity" if value > 0 else "-Infinity"), "DOUBLE")
    digits = repr(abs(value))
    number = dialect.real(digits if "e" in digits else f"{digits}e0")
    return number if value >= 0 else exp.Paren(this=exp.Neg(this=number))


def day(value: date) -> exp.Expr:
    """A day as a constant."""
    return exp.cast(exp.Literal.string(value.isoformat()), "DATE")


def moment(value: datetime) -> exp.Expr:
    """A moment as a constant."""
    return exp.cast(exp.Literal.string(value.isoformat(sep=" ")), "TIMESTAMP")


# ---- numbers of both kinds


def real(term: Term, dialect: Dialect) -> Term:
    """The same number, held as DOUBLE."""
    if not term.whole:
        return term
    is_constant = isinstance(term.sql, exp.Literal | exp.Paren)
    sql = real_literal(term.low, dialect) if is_constant else as_type(term.sql, "DOUBLE")
    return replace(term, sql=sql, whole=False)


def midnight(term: Term) -> Term:
    """A day as its first moment; all else as it is."""
    return replace(term, sql=as_type(term.sql, "TIMESTAMP"), kind="moment") if term.kind == "day" else term


def alike(terms: list[Term], dialect: Dialect) -> list[Term]:
    """The terms as one kind and one SQL type. Raises TypeError if they have no kind in common."""
    kinds = {term.kind for term in terms} - {"null"}
    if kinds == {"day", "moment"}:
        return [midnight(term) for term in terms]
    if len(kinds) > 1:
        raise TypeError("unlike values")
    if kinds == {"number"} and not all(term.whole for term in terms if term.kind == "number"):
        return [real(term, dialect) if term.kind == "number" else term for term in terms]
    return terms
