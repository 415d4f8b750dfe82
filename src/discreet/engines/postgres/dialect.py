"""How PostgreSQL spells it.

Three things make it unlike others. Its operators on float8 raise where a result overflows or underflows: functions of its own
aggregates do the same arithmetic and never raise. A cast that fails raises: texts are asked first whether they are valid. And it
works constants out while it plans, also in branches that no row takes: nothing constant is left for it that could fail.
"""

import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres

from discreet.engines.postgres.remainders import remainder
from discreet.engines.rules.float_ranges import binary
from discreet.engines.sql.dialect import Dialect, Tried, raw
from discreet.engines.sql.terms import Term, as_real, between, cases, infix, real_literal, text
from discreet.engines.wanted import LOW_BITS

if TYPE_CHECKING:
    from sqlglot.generator import Generator

    from discreet.engines.sql.terms import Types

__all__ = ["POSTGRES"]

_LARGEST = sys.float_info.max
_FIRST, _LAST = -(2.0**63), 2.0**63 - 1024  # the outermost float64 that are BIGINT
_NAMES = {"DATE": "date", "TIMESTAMP": "timestamp", "BIGINT": "bigint", "DOUBLE": "double precision"}
_PIECE = 30  # bits: a sum of 2^33 such numbers is below 2^63
_DAY = 86_400_000_000  # microseconds
_NEAR = 64  # float64 beside the border of what POWER takes: libraries differ in the last digits


class _Generator(Postgres.Generator):  # type: ignore[misc, valid-type]  # made by a metaclass
    """Division as it stands: what is divided here has its type already. Texts by code points, whatever the database does."""

    def div_sql(self, expression: exp.Div) -> str:
        return str(self.binary(expression, "/"))

    def cast_sql(self, expression: exp.Cast, safe_prefix: str | None = None) -> str:
        written = super().cast_sql(expression, safe_prefix)
        return f'{written} COLLATE "C"' if expression.is_type("TEXT") else str(written)


class _Postgres(Dialect):
    name = "postgres"
    frames_places = True
    double = "DOUBLE PRECISION"
    repeats = frozenset({"combined", "floor", "power", "tried"})
    folds = True
    gridding = "last"  # a product of any number may overflow
    most_nodes = 4000  # planned in some 20 ms
    fence = " OFFSET 0"

    @property
    def for_joined(self) -> Dialect:
        return _Joined()

    def generator(self) -> "Generator":
        return _Generator(dialect="postgres")

    # ---- numbers

    def real(self, digits: str) -> exp.Expr:
        return as_real(text(digits))  # a bare 1.5e0 is numeric

    def combined(self, operation: str, left: Term, right: Term) -> exp.Expr | None:
        if operation == "remainder":
            return raw(f"({remainder(*(self.generator().generate(each.sql) for each in (left, right)))})")
        if _is_plain(operation, left, right):
            return None
        x, y = left.sql, right.sql
        match operation:
            case "add":
                return _sum(_known(x), exp.Neg(this=_known(y)), self)
            case "subtract":
                return _sum(_known(x), _known(y), self)
            case "multiply":
                one, zero = self.real("1e0"), self.real("0e0")
                return _called("FLOAT8_REGR_INTERCEPT", _array(one, exp.Neg(this=_known(x)), one, zero, zero, _known(y)))
            case _:  # of 0 it is NULL
                zero = self.real("0e0")
                return _called("FLOAT8_AVG", _array(exp.Coalesce(this=y, expressions=[zero]), _known(x), zero))

    def power(self, x: Term, exponent: float) -> exp.Expr:
        found = super().power(x, exponent)
        low, high = _powers(exponent)
        beyond, below = (math.inf, 0.0) if exponent > 0 else (0.0, math.inf)
        whens = [(infix(exp.GT, x.sql, real_literal(high, self)), real_literal(beyond, self))] if x.high > high else []
        if x.low < low:  # 0 to a power is 0, and never underflows
            small = infix(exp.LT, x.sql, real_literal(low, self))
            whens.append((small, real_literal(below, self)))
        return cases(*whens, otherwise=found) if whens else found

    def tried(self, value: exp.Expr, of: Tried, to: "Types") -> exp.Expr:
        cast = exp.Cast(this=value, to=exp.DataType(this=exp.DataType.Type[to], nested=False))
        if of in ("whole", "moment"):
            return cast  # nothing of theirs is too large
        if of == "number":
            return cases((between(value, real_literal(_FIRST, self), real_literal(_LAST, self)), cast))
        valid = _called("PG_INPUT_IS_VALID", value, text(_NAMES[to]))
        if to != "DOUBLE":
            return cases((valid, cast))
        # digits of a number that is not valid overflow or underflow: which of the two, the sign of the exponent tells
        is_large = exp.RegexpLike(this=value, expression=text("[eE][+]?[0-9]"))
        is_below = exp.RegexpLike(this=value, expression=text("^ *-"))
        ends = cases((is_below, real_literal(-math.inf, self)), otherwise=real_literal(math.inf, self))
        zero = infix(exp.Is, value, exp.Null())
        return cases((valid, cast), (is_large, ends), (exp.Not(this=zero), self.real("0e0")))

    def truth_as_whole(self, truth: exp.Expr) -> exp.Expr:
        return raw_cast(exp.Cast(this=truth, to=exp.DataType(this=exp.DataType.Type.INT, nested=False)), "BIGINT")

    def quotient(self, left: exp.Expr, right: exp.Expr, *, wide: bool = False) -> exp.Expr:
        return _called("DIV", left, right) if wide else exp.Div(this=left, expression=right)

    # ---- sums and what is wider than 64 bits

    def summed(
        self, value: exp.Expr, over: Callable[[exp.Expr], exp.Expr] | None = None, *, most: int = 1 << LOW_BITS,
        of_unit: bool = False
    ) -> exp.Expr:
        """SUM of INTEGER is one BIGINT; that of BIGINT keeps 128 bits apart, which takes twice as long for many groups."""
        if of_unit and most < 1 << _PIECE:
            value = exp.Cast(this=value, to=exp.DataType(this=exp.DataType.Type.INT, nested=False))
        return super().summed(value, over, most=most, of_unit=of_unit)

    def halves(self, total: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
        """SUM of BIGINT is NUMERIC."""
        base = exp.Literal.number(1 << LOW_BITS)
        return raw_cast(_called("DIV", total, base), "BIGINT"), raw_cast(_called("MOD", total, base), "BIGINT")

    def wide(self, whole: str) -> str:
        return f"CAST({whole} AS NUMERIC)"

    def firsts(self, packed: str, groups: int, *, wide: bool, alone: bool) -> str | None:
        return f"MIN({packed})" if groups == 1 and not wide else None

    # ---- texts

    def matches(self, text: exp.Expr, pattern: str) -> exp.Expr:
        return exp.Paren(this=exp.RegexpLike(this=text, expression=exp.Literal.string(f"^(?:{pattern})$")))

    def matches_short(self, text: exp.Expr, pattern: str, most: int) -> exp.Expr:
        """A pattern takes four times the memory of the text that it is tried on, and more than 1 GB raises."""
        is_short = infix(exp.LTE, _called("LENGTH", text), exp.Literal.number(most))
        return self.matches(cases((is_short, text)), pattern)

    def part(self, text: exp.Expr, pattern: str, group: int) -> exp.Expr:
        one, none = exp.Literal.number(1), exp.Literal.string("")
        match = _called("REGEXP_SUBSTR", text, exp.Literal.string(pattern), one, one, none, exp.Literal.number(group))
        found = exp.Coalesce(this=match, expressions=[none])
        return cases((exp.Not(this=infix(exp.Is, text, exp.Null())), found))

    def like(self, text: exp.Expr, pattern: exp.Expr) -> exp.Expr:
        return exp.Paren(this=exp.Escape(this=exp.Like(this=text, expression=pattern), expression=exp.Literal.string("")))

    def hashed(self, text: exp.Expr) -> exp.Expr:
        digest = _called("MD5", _called("CONVERT_TO", text, exp.Literal.string("UTF8")))
        start = _called("SUBSTR", digest, exp.Literal.number(1), exp.Literal.number(15))
        bits = exp.DPipe(this=exp.Literal.string("x"), expression=start)
        return raw_cast(exp.Cast(this=exp.Paren(this=bits), to=raw("BIT(60)")), "BIGINT")

    def lettered(self, constant: exp.Expr) -> exp.Expr:
        """Constants are in the order of the database, unless something beside them says otherwise."""
        return exp.Collate(this=constant, expression=exp.Identifier(this="C", quoted=True))

    # ---- time

    def micros(self, moment: exp.Expr) -> exp.Expr:
        seconds = exp.Extract(this=exp.var("EPOCH"), expression=moment)  # numeric, and exact
        return raw_cast(infix(exp.Mul, seconds, exp.Literal.number(1_000_000)), "BIGINT")

    def at_micros(self, micros: exp.Expr) -> exp.Expr:
        """Days and what is left of them: an interval is multiplied in float64, which holds both."""
        day = exp.Literal.number(_DAY)
        days, rest = exp.Paren(this=exp.Div(this=micros, expression=day)), exp.Paren(this=exp.Mod(this=micros, expression=day))
        by_day = infix(exp.Mul, days, raw("INTERVAL '1 day'"))
        by_micro = infix(exp.Mul, rest, raw("INTERVAL '1 microsecond'"))
        return infix(exp.Add, infix(exp.Add, raw("TIMESTAMP '1970-01-01 00:00:00'"), by_day), by_micro)

    def date_part(self, name: str, moment: exp.Expr) -> exp.Expr:
        return _called("DATE_PART", text(name.lower()), moment)

    # ---- rows

    def least(self, term: Term) -> exp.Expr:
        return _called("BOOL_AND", term.sql) if term.kind == "truth" else exp.Min(this=term.sql)


def raw_cast(value: exp.Expr, to: str) -> exp.Expr:
    """A cast of what is known to fit."""
    return exp.Cast(this=value, to=exp.DataType(this=exp.DataType.Type[to], nested=False))


def _called(name: str, *arguments: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=list(arguments))


def _array(*elements: exp.Expr) -> exp.Expr:
    return exp.Array(expressions=list(elements))


def _known(x: exp.Expr) -> exp.Expr:
    """NaN for NULL, which an array of a state must not have."""
    is_literal = isinstance(x, exp.Cast) and isinstance(x.this, exp.Literal)
    return x if is_literal else exp.Coalesce(this=x, expressions=[as_real(text("NaN"))])


def _sum(x: exp.Expr, y: exp.Expr, dialect: Dialect) -> exp.Expr:
    """x - y, as the intercept of a line: (Sy - Sx * Sxy / Sxx) / N."""
    one, zero = dialect.real("1e0"), dialect.real("0e0")
    return _called("FLOAT8_REGR_INTERCEPT", _array(one, y, one, x, zero, one))


def _is_plain(operation: str, left: Term, right: Term) -> bool:
    """Whether no finite operands overflow, and none but 0 become 0: then PostgreSQL's own operator never raises."""
    x, y = _finite(left), _finite(right)
    if operation == "divide" and y[0] <= 0 <= y[1]:
        return False
    if not all(map(math.isfinite, binary(operation, x, y))):
        return False
    match operation:
        case "multiply":
            return _smallest(left) >= 1 or _smallest(right) >= 1 or _smallest(left) * _smallest(right) > 0
        case "divide":
            most = max(map(abs, y))
            return most <= 1 or _smallest(left) / most > 0
        case _:
            return True


def _finite(x: Term) -> tuple[float, float]:
    return max(x.low, -_LARGEST), min(x.high, _LARGEST)


def _smallest(x: Term) -> float:
    """No value but 0 is nearer to 0 than this."""
    if x.low > 0 or x.high < 0:
        return min(abs(x.low), abs(x.high))
    is_whole = isinstance(x.sql, exp.Cast) and x.sql.is_type("DOUBLE") and isinstance(x.sql.this, exp.Column)
    return 1.0 if is_whole else 0.0


def _powers(exponent: float) -> tuple[float, float]:
    """Between which x POWER neither overflows nor underflows, a little inside of it."""
    low, high = sys.float_info.min, _LARGEST
    first = _border(exponent, low, 1.0)
    last = _border(exponent, high, 1.0)
    for _ in range(_NEAR):
        first, last = math.nextafter(first, 1.0), math.nextafter(last, 1.0)
    return first, last


def _border(exponent: float, far: float, near: float) -> float:
    """The outermost x towards ``far`` whose power is neither 0, infinite nor denormal."""
    if _is_sound(far, exponent):
        return far
    a, b = math.log(far), math.log(near)
    for _ in range(200):
        middle = (a + b) / 2
        if _is_sound(math.exp(middle), exponent):
            b = middle
        else:
            a = middle
    return math.exp(b)


def _is_sound(x: float, exponent: float) -> bool:
    try:
        return sys.float_info.min <= math.pow(x, exponent) < math.inf
    except OverflowError:
        return False


class _Joined(_Postgres):
    """Rows of one unit may be more than 2^33 after a join."""

    def summed(
        self, value: exp.Expr, over: Callable[[exp.Expr], exp.Expr] | None = None, *, most: int = 1 << LOW_BITS,
        of_unit: bool = False
    ) -> exp.Expr:
        """SUM of BIGINT, which keeps 128 bits."""
        return super().summed(value, over, most=most)


POSTGRES = _Postgres()
