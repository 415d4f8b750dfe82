"""Where engines differ in how they spell the same thing. All else in the SQL that we write is common to them."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from discreet.engines.wanted import LOW_BITS

__all__ = ["DIALECTS", "Dialect"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """One engine's ways. Each function is given and returns an expression that stands by itself in a larger one."""

    name: str  # as sqlglot knows it
    real: Callable[[str], exp.Expr]  # decimal digits with an exponent → the nearest float64
    matches: Callable[[exp.Expr, str], exp.Expr]  # whether a pattern matches all of a text
    part: Callable[[exp.Expr, str, int], exp.Expr]  # a group of the first match of a pattern in a text, '' if there is none
    like: Callable[[exp.Expr, exp.Expr], exp.Expr]  # LIKE without an escape character
    micros: Callable[[exp.Expr], exp.Expr]  # a moment of our years → microseconds since 1970
    at_micros: Callable[[exp.Expr], exp.Expr]  # and back
    halves: Callable[[exp.Expr], tuple[exp.Expr, exp.Expr]]  # a sum from 0 to 2^125 → its halves


def _digits(text: str) -> exp.Expr:
    return exp.Literal(this=text, is_string=False)


def _bigint() -> exp.Expr:
    return exp.DataType(this=exp.DataType.Type.BIGINT, nested=False)


def _duckdb_halves(total: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
    """SUM of BIGINT is HUGEINT in DuckDB, and only BIGINT leaves it exactly. Both halves are below 2^63."""
    high = exp.BitwiseRightShift(this=total, expression=_digits(str(LOW_BITS)))
    low = exp.BitwiseAnd(this=total, expression=_digits(str((1 << LOW_BITS) - 1)))
    return exp.Cast(this=high, to=_bigint()), exp.Cast(this=low, to=_bigint())


DIALECTS = {
    "duckdb": Dialect(
        name="duckdb",
        real=_digits,  # 1e0 is DOUBLE; 1.0 would be DECIMAL
        matches=lambda text, pattern: exp.func("REGEXP_FULL_MATCH", text, exp.Literal.string(pattern)),
        part=lambda text, pattern, group: exp.RegexpExtract(
            this=text, expression=exp.Literal.string(pattern), group=exp.Literal.number(group)
        ),
        like=lambda text, pattern: exp.Paren(this=exp.Like(this=text, expression=pattern)),
        micros=lambda moment: exp.func("EPOCH_US", moment),
        at_micros=lambda micros: exp.func("MAKE_TIMESTAMP", micros, dialect="duckdb"),
        halves=_duckdb_halves,
    )
}
