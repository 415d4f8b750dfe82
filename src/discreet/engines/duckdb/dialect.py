"""How DuckDB spells it."""

from typing import TYPE_CHECKING

from sqlglot import exp

from discreet.engines.sql.dialect import Dialect, Tried
from discreet.engines.wanted import LOW_BITS

if TYPE_CHECKING:
    from discreet.engines.sql.terms import Types

__all__ = ["DUCKDB"]

_SHORT_LIST = 64  # so many groups of a unit are chosen by a heap, more by a window: heaps take memory for every unit


class _DuckDB(Dialect):
    name = "duckdb"
    has_sets = True
    clamps_keys = True

    def real(self, digits: str) -> exp.Expr:
        return _digits(digits)  # 1e0 is DOUBLE; 1.0 would be DECIMAL

    def tried(self, value: exp.Expr, of: Tried, to: "Types") -> exp.Expr:
        return exp.TryCast(this=value, to=_type(to))

    def halves(self, total: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
        """SUM of BIGINT is HUGEINT in DuckDB, and only BIGINT leaves it exactly. Both halves are below 2^63."""
        high = exp.BitwiseRightShift(this=total, expression=_digits(str(LOW_BITS)))
        low = exp.BitwiseAnd(this=total, expression=_digits(str((1 << LOW_BITS) - 1)))
        return exp.Cast(this=high, to=_type("BIGINT")), exp.Cast(this=low, to=_type("BIGINT"))

    def wide(self, whole: str) -> str:
        return f"CAST({whole} AS HUGEINT)"

    def at_most(self, total: str, high: int) -> str:
        return f"CASE WHEN {total} < {high} THEN TRY_CAST({total} AS BIGINT) ELSE {high} END"  # LEAST is slower

    def firsts(self, packed: str, groups: int, *, wide: bool, alone: bool) -> str | None:
        return f"UNNEST(MIN({packed}, {groups}))" if groups <= _SHORT_LIST else None

    def matches(self, text: exp.Expr, pattern: str) -> exp.Expr:
        return exp.func("REGEXP_FULL_MATCH", text, exp.Literal.string(pattern))

    def part(self, text: exp.Expr, pattern: str, group: int) -> exp.Expr:
        return exp.RegexpExtract(this=text, expression=exp.Literal.string(pattern), group=exp.Literal.number(group))

    def like(self, text: exp.Expr, pattern: exp.Expr) -> exp.Expr:
        return exp.Paren(this=exp.Like(this=text, expression=pattern))

    def hashed(self, text: exp.Expr) -> exp.Expr:
        start = exp.func("SUBSTRING", exp.MD5(this=text), _digits("1"), _digits("15"))
        return self.tried(exp.DPipe(this=exp.Literal.string("0x"), expression=start, safe=True), "text", "BIGINT")

    def micros(self, moment: exp.Expr) -> exp.Expr:
        return exp.func("EPOCH_US", moment)

    def at_micros(self, micros: exp.Expr) -> exp.Expr:
        return exp.func("MAKE_TIMESTAMP", micros, dialect="duckdb")


def _digits(text: str) -> exp.Expr:
    return exp.Literal(this=text, is_string=False)


def _type(name: str) -> exp.DataType:
    return exp.DataType(this=exp.DataType.Type[name], nested=False)


DUCKDB = _DuckDB()
