"""Terms: pieces of SQL with what is publicly known about their values.

Every piece is total: it has a value, perhaps NULL, on every row that can be stored. Casts are made here and nowhere else. A plain
one takes only what it cannot fail on: a whole number needs a term whose range says that it fits. Proof: docs/proofs/totality.md
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Literal

from sqlglot import exp

from discreet.engines.sql.dialect import Dialect

__all__ = [
    "Kind",
    "NULL",
    "Term",
    "Types",
    "WIDEST",
    "alike",
    "appended",
    "as_day",
    "as_moment",
    "as_real",
    "as_text",
    "as_whole",
    "between",
    "cases",
    "column",
    "day",
    "infix",
    "is_one_of",
    "midnight",
    "moment",
    "named",
    "real",
    "real_literal",
    "text",
    "truth_as_whole",
    "typed_null",
    "whole_literal",
]

Kind = Literal["number", "text", "truth", "day", "moment", "null"]
Types = Literal["BIGINT", "BOOLEAN", "DATE", "DOUBLE", "TEXT", "TIMESTAMP"]

NULL = exp.Null()
WIDEST = 1 << 62  # whole numbers of this size, and differences of two of them, are BIGINT


@dataclass(frozen=True, slots=True)
class Term:
    """An SQL expression over the columns that there are from stage ``stage`` on.

    A number is a float64 that is never NaN and lies between ``low`` and ``high``. It is held as DOUBLE, or, if ``whole``, as an
    integer type: then it is at most 2^53 in size. Days and moments are of the years 1 to 9999.
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
        inner = exp.Literal | exp.Neg | exp.Cast | exp.Null
        while isinstance(sql, exp.Paren | exp.Neg | exp.Cast) and isinstance(sql.this, inner):
            sql = sql.this
        return isinstance(sql, exp.Column | exp.Literal | exp.Boolean | exp.Null)


# ---- pieces; each stands by itself in a larger expression


def column(name: str, table: str | None = None) -> exp.Expr:
    """A column by its name, quoted."""
    return exp.Column(this=exp.Identifier(this=name, quoted=True), table=None if table is None else exp.to_identifier(table))


def named(sql: exp.Expr, name: str) -> exp.Expr:
    """An output under a name of ours."""
    return exp.Alias(this=sql, alias=exp.Identifier(this=name, quoted=False))


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


def text(value: str) -> exp.Expr:
    """A text constant. Half a surrogate pair is no character and becomes '?'."""
    return exp.Literal.string(value.encode("utf-8", "replace").decode("utf-8"))


def appended(first: exp.Expr, *rest: exp.Expr) -> exp.Expr:
    """Texts one after the other; NULL if one of them is."""
    for one in rest:
        first = exp.DPipe(this=first, expression=one)
    return exp.Paren(this=first)


def whole_literal(value: int) -> exp.Expr:
    """A whole constant."""
    number = exp.Literal(this=str(abs(value)), is_string=False)
    return number if value >= 0 else exp.Paren(this=exp.Neg(this=number))


def real_literal(value: float, dialect: Dialect) -> exp.Expr:
    """The float64 ``value``, which is not NaN, to the last bit."""
    if math.isinf(value):
        return _cast(exp.Literal.string("Infinity" if value > 0 else "-Infinity"), "DOUBLE")
    digits = repr(abs(value))
    number = dialect.real(digits if "e" in digits else f"{digits}e0")
    return number if value >= 0 else exp.Paren(this=exp.Neg(this=number))


def day(value: date) -> exp.Expr:
    """A day as a constant."""
    return _cast(exp.Literal.string(value.isoformat()), "DATE")


def moment(value: datetime) -> exp.Expr:
    """A moment as a constant."""
    return _cast(exp.Literal.string(value.isoformat(sep=" ")), "TIMESTAMP")


# ---- other types


def typed_null(of: Types) -> exp.Expr:
    """NULL, of a type."""
    return _cast(exp.Null(), of)


def as_text(value: exp.Expr) -> exp.Expr:
    """Any value as an engine writes it."""
    return _cast(value, "TEXT")


def as_real(value: exp.Expr) -> exp.Expr:
    """A whole number, or a DOUBLE, as a DOUBLE."""
    return _cast(value, "DOUBLE")


def truth_as_whole(term: Term, dialect: Dialect) -> Term:
    """A truth value as 0 or 1, as BIGINT."""
    return replace(term, sql=dialect.truth_as_whole(term.sql), kind="number", low=0.0, high=1.0, whole=True)


def as_whole(term: Term) -> Term:
    """A whole number as BIGINT. Raises ValueError if the term's range does not say that it fits."""
    if not (term.kind == "number" and -WIDEST <= term.low <= term.high <= WIDEST):
        raise ValueError("nothing says that this is a whole number of 64 bits")
    is_so = isinstance(term.sql, exp.Cast) and term.sql.is_type("BIGINT")
    return replace(term, sql=term.sql if is_so else _cast(term.sql, "BIGINT"), whole=True)


def as_day(term: Term) -> Term:
    """The day of a moment."""
    return replace(term, sql=_cast(term.sql, "DATE"), kind="day")


def as_moment(term: Term) -> Term:
    """A day as its first moment."""
    return replace(term, sql=_cast(term.sql, "TIMESTAMP"), kind="moment")


def _cast(value: exp.Expr, to: Types) -> exp.Expr:
    return exp.Cast(this=value, to=_type(to))


def _type(name: Types) -> exp.DataType:
    return exp.DataType(this=exp.DataType.Type[name], nested=False)  # DataType.build would parse the name


def real(term: Term, dialect: Dialect) -> Term:
    """The same number, held as DOUBLE."""
    if not term.whole:
        return term
    is_constant = isinstance(term.sql, exp.Literal | exp.Paren)
    sql = real_literal(term.low, dialect) if is_constant else as_real(term.sql)
    return replace(term, sql=sql, whole=False)


def midnight(term: Term) -> Term:
    """A day as its first moment; all else as it is."""
    return as_moment(term) if term.kind == "day" else term


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
