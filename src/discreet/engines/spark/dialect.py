"""How Spark spells it, with ANSI mode on: then what overflows raises, and nothing wraps or becomes NULL in silence."""

import re
import string
from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.dialects.spark import Spark

from discreet.engines.rules.values import SAFE
from discreet.engines.sql.dialect import Dialect, Tried
from discreet.engines.sql.terms import cases, infix
from discreet.engines.wanted import LOW_BITS

if TYPE_CHECKING:
    from sqlglot.generator import Generator

    from discreet.engines.sql.dialect import Over
    from discreet.engines.sql.terms import Term, Types

__all__ = ["SPARK"]

_PIECE = 30  # bits: a sum of 2^33 such numbers is below 2^63
_SHORT_LIST = 64  # so many groups of a unit are chosen from a sorted list, more by a window
_FUNCTIONS = {
    "YEAR": "YEAR", "QUARTER": "QUARTER", "MONTH": "MONTH", "DAY": "DAY", "HOUR": "HOUR", "MINUTE": "MINUTE",
    "WEEK": "WEEKOFYEAR", "DOY": "DAYOFYEAR",
}  # fmt: skip


class _Generator(Spark.Generator):  # type: ignore[misc, valid-type]  # made by a metaclass
    """TIMESTAMP is the type without a zone, which is what our moments are."""

    TYPE_MAPPING = {**Spark.Generator.TYPE_MAPPING, exp.DataType.Type.TIMESTAMP: "TIMESTAMP_NTZ"}  # noqa: RUF012 - as in its parent


class _Spark(Dialect):
    name = "spark"
    repeats = frozenset({"floor", "tried"})
    gridding = "inside"  # FLOOR of what has one is a BIGINT at once
    no_order = " ORDER BY NULL"

    @property
    def for_joined(self) -> Dialect:
        return _Joined()

    def generator(self) -> "Generator":
        return _Generator(dialect="spark")

    def real(self, digits: str) -> exp.Expr:
        return _digits(digits)  # 1e0 is DOUBLE; 1.0 would be DECIMAL

    def floor(self, x: exp.Expr) -> exp.Expr:
        """FLOOR of a DOUBLE is BIGINT there, and raises on what has none: beyond 2^53 all numbers are whole."""
        return _within(x, exp.Cast(this=exp.Floor(this=x), to=_type("DOUBLE")))

    def whole_floor(self, x: exp.Expr) -> exp.Expr:
        return exp.Floor(this=x)

    def ceil(self, x: exp.Expr) -> exp.Expr:
        return _within(x, exp.Cast(this=exp.Anonymous(this="CEIL", expressions=[x]), to=_type("DOUBLE")))

    def combined(self, operation: str, left: "Term", right: "Term") -> exp.Expr | None:
        """Sums and products of DOUBLE never fail; a division by 0 does, even of DOUBLE."""
        if operation not in ("divide", "remainder") or right.low == right.high != 0:
            return None
        name = "TRY_DIVIDE" if operation == "divide" else "TRY_MOD"
        return exp.Anonymous(this=name, expressions=[left.sql, right.sql])

    def tried(self, value: exp.Expr, of: Tried, to: "Types") -> exp.Expr:
        if of == "number" and to == "BIGINT":
            fits = exp.Paren(this=exp.Between(this=value, low=_below(1 << LOW_BITS), high=_real(1 << LOW_BITS)))
            return exp.Case(ifs=[exp.If(this=fits, true=exp.Cast(this=value, to=_type(to)))])
        return exp.TryCast(this=value, to=_type(to), safe=True)

    def quotient(self, left: exp.Expr, right: exp.Expr, *, wide: bool = False) -> exp.Expr:
        """DIV is BIGINT, of DECIMAL too: where nothing but the rows says that it fits, what divides evenly is divided."""
        if not wide:
            return exp.IntDiv(this=left, expression=right)
        x, y = (exp.Cast(this=each, to=_decimal()) for each in (left, right))
        even = exp.Paren(this=exp.Sub(this=x, expression=exp.Paren(this=exp.Mod(this=x.copy(), expression=y))))
        return exp.Cast(this=exp.Div(this=even, expression=y.copy()), to=_decimal())

    def summed(
        self, value: exp.Expr, over: Callable[[exp.Expr], exp.Expr] | None = None, *, most: int = 1 << LOW_BITS,
        of_unit: bool = False
    ) -> exp.Expr:
        """SUM of BIGINT is BIGINT there, and that of DECIMAL takes three times as long: pieces are added up, and put together."""

        def total(piece: exp.Expr) -> exp.Expr:
            added = exp.Sum(this=piece)
            return exp.Coalesce(this=over(added) if over else added, expressions=[_digits("0")])

        if most < 1 << _PIECE:
            return total(value)
        low = total(exp.BitwiseAnd(this=_paren(value), expression=_digits(str((1 << _PIECE) - 1))))
        if most < 1 << 2 * _PIECE:
            return _joined(low, total(_shifted(value, _PIECE)))
        middle = exp.BitwiseAnd(this=_shifted(value, _PIECE), expression=_digits(str((1 << _PIECE) - 1)))
        return _joined(low, total(middle), total(_shifted(value, 2 * _PIECE)))

    def counted(self, value: exp.Expr, over: "Over") -> exp.Expr:
        """All but those without one, which are few: a row that is not counted takes less time than one that is."""
        missing = exp.Paren(this=exp.Is(this=value, expression=exp.Null()))
        every, without = over(exp.Count(this=exp.Star())), over(exp.Count(this=exp.Star()), missing)
        return exp.Paren(this=exp.Sub(this=every, expression=without))

    def halved(self, value: exp.Expr, over: "Over", *, most: int) -> tuple[exp.Expr, exp.Expr] | None:
        """Numbers of 31 bits, each less 2^30: of 2^33 rows no sum is beyond 64 bits, and their number brings the rest back."""
        if most >= 2 << _PIECE:
            return None
        half = _digits(str(1 << _PIECE))
        is_short = most < 1 << _PIECE
        each = value if is_short else exp.Sub(this=exp.Coalesce(this=value, expressions=[half]), expression=half)
        found = exp.Coalesce(this=over(exp.Sum(this=each)), expressions=[_digits("0")])
        high, low = _shifted(found, LOW_BITS), _ended(found, LOW_BITS)
        if is_short:
            return high, low
        rows, left = self.counted(value, over), LOW_BITS - _PIECE
        back = exp.Mul(this=_ended(rows, left), expression=half)
        return exp.Add(this=high, expression=_shifted(rows, left)), exp.Add(this=low, expression=back)

    def halves(self, total: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
        whole = exp.Cast(this=total, to=_decimal())
        by = _digits(str(1 << LOW_BITS))
        return (
            exp.Cast(this=exp.Paren(this=exp.IntDiv(this=whole, expression=by)), to=_type("BIGINT")),
            exp.Cast(this=exp.Paren(this=exp.Mod(this=whole.copy(), expression=by)), to=_type("BIGINT")),
        )

    def wide(self, whole: str) -> str:
        return f"CAST({whole} AS DECIMAL(38, 0))"

    def firsts(self, packed: str, groups: int, *, wide: bool, alone: bool) -> str | None:
        if wide:
            return None  # DECIMAL has no bits
        if groups == 1:
            return f"MIN({packed})"
        if groups > _SHORT_LIST or not alone:  # a SELECT has one list at most
            return None
        return f"EXPLODE(SLICE(SORT_ARRAY(COLLECT_LIST({packed})), 1, {groups}))"

    def matches(self, text: exp.Expr, pattern: str) -> exp.Expr:
        whole = exp.Literal.string(rf"\A(?:{pattern})\z")  # $ would let a newline pass
        return exp.Anonymous(this="REGEXP_LIKE", expressions=[text, whole])

    def matches_short(self, text: exp.Expr, pattern: str, most: int) -> exp.Expr:
        """A text takes twice its memory again where a pattern is tried on it: a longer one is not looked into."""
        is_short = infix(exp.LTE, exp.Anonymous(this="LENGTH", expressions=[text]), _digits(str(most)))
        return self.matches(cases((is_short, text)), pattern)

    def part(self, text: exp.Expr, pattern: str, group: int) -> exp.Expr:
        return exp.Anonymous(this="REGEXP_EXTRACT", expressions=[text, exp.Literal.string(pattern), exp.Literal.number(group)])

    def like(self, text: exp.Expr, pattern: exp.Expr) -> exp.Expr:
        """LIKE is a pattern of Java there, which tries all places of one % for each place of another: with several, one stored
        text would decide whether a statement ends. So these are written as a pattern that never goes back."""
        if _is_quick(pattern.name):
            plain = exp.Literal.string(re.sub("%+", "%", pattern.name).replace("\\", "\\\\"))  # one by itself would raise
            return exp.Paren(this=exp.Like(this=text, expression=plain))
        return exp.Anonymous(this="REGEXP_LIKE", expressions=[text, exp.Literal.string(_without_going_back(pattern.name))])

    def hashed(self, text: exp.Expr) -> exp.Expr:
        digest = exp.Anonymous(this="MD5", expressions=[text])
        start = exp.Anonymous(this="SUBSTRING", expressions=[digest, _digits("1"), _digits("15")])
        number = exp.Anonymous(this="CONV", expressions=[start, _digits("16"), _digits("10")])
        return exp.TryCast(this=number, to=_type("BIGINT"), safe=True)

    def micros(self, moment: exp.Expr) -> exp.Expr:
        """In UTC, which the session is in, the type with a zone is the same moment."""
        zoned = exp.Cast(this=moment, to=_type("TIMESTAMPTZ"))
        return exp.Anonymous(this="UNIX_MICROS", expressions=[zoned])

    def at_micros(self, micros: exp.Expr) -> exp.Expr:
        return exp.Cast(this=exp.Anonymous(this="TIMESTAMP_MICROS", expressions=[micros]), to=_type("TIMESTAMP"))

    def date_part(self, name: str, moment: exp.Expr) -> exp.Expr:
        match name:
            case "ISODOW":  # WEEKDAY is 0 on Mondays
                weekday = exp.Anonymous(this="WEEKDAY", expressions=[moment])
                return exp.Paren(this=exp.Add(this=weekday, expression=_digits("1")))
            case "DOW":  # DAYOFWEEK is 1 on Sundays
                weekday = exp.Anonymous(this="DAYOFWEEK", expressions=[moment])
                return exp.Paren(this=exp.Sub(this=weekday, expression=_digits("1")))
            case "ISOYEAR":
                return exp.Anonymous(this="DATE_PART", expressions=[exp.Literal.string("YEAROFWEEK"), moment])
            case _:
                return exp.Anonymous(this=_FUNCTIONS[name], expressions=[moment])


class _Joined(_Spark):
    """Rows that a join has multiplied may be more than 2^33: sums are DECIMAL, which holds 2^63 times 2^62."""

    def summed(
        self, value: exp.Expr, over: Callable[[exp.Expr], exp.Expr] | None = None, *, most: int = 1 << LOW_BITS,
        of_unit: bool = False
    ) -> exp.Expr:
        total = exp.Sum(this=exp.Cast(this=value, to=_decimal()))
        return exp.Coalesce(this=over(total) if over else total, expressions=[_digits("0")])

    def halved(self, value: exp.Expr, over: "Over", *, most: int) -> tuple[exp.Expr, exp.Expr] | None:
        return None


def _is_quick(pattern: str) -> bool:
    """Whether a pattern of LIKE has one place to try: one %, or two around all the rest."""
    return len(re.findall("%+", pattern)) < 2 or "%" not in pattern.strip("%")


def _without_going_back(pattern: str) -> str:
    """A pattern of LIKE as one of Java: what is between two % is found where it is first, and stays there.

    If a text matches at all it does so, since what is found further left leaves more to the rest; and what is last is at the end.
    """
    first, *between, last = (_of_java(part) for part in re.split("%+", pattern))
    found = "".join(f"(?>.*?{part})" for part in between)
    return rf"(?s)\A{first}{found}" + (rf".*{last}\z" if last else "")


def _of_java(part: str) -> str:
    """A piece of a pattern between two %: runs of _ as one step, since Java takes room on its stack for each."""
    pieces = re.findall("_+|[^_]", part)
    return "".join(map(_piece_of_java, pieces))


def _piece_of_java(piece: str) -> str:
    if piece[0] == "_":
        return f".{{{len(piece)}}}" if len(piece) > 1 else "."
    return rf"\{piece}" if piece in string.punctuation else piece


def _within(x: exp.Expr, then: exp.Expr) -> exp.Expr:
    small = exp.Between(this=x, low=_below(SAFE), high=_real(SAFE))
    return exp.Case(ifs=[exp.If(this=exp.Paren(this=small), true=then)], default=x)


def _joined(*pieces: exp.Expr) -> exp.Expr:
    """The sum of pieces, the least of them first, as DECIMAL."""
    found: exp.Expr = exp.Cast(this=pieces[0], to=_decimal())
    by = 1
    for piece in pieces[1:]:
        by <<= _PIECE
        moved = exp.Mul(this=exp.Cast(this=piece, to=_decimal()), expression=_digits(str(by)))
        found = exp.Add(this=found, expression=moved)
    return exp.Paren(this=found)


def _shifted(value: exp.Expr, bits: int) -> exp.Expr:
    return exp.Anonymous(this="SHIFTRIGHT", expressions=[value, _digits(str(bits))])


def _ended(value: exp.Expr, bits: int) -> exp.Expr:
    """The last bits."""
    return exp.Paren(this=exp.BitwiseAnd(this=value, expression=_digits(str((1 << bits) - 1))))


def _paren(value: exp.Expr) -> exp.Expr:
    return exp.Paren(this=value)


def _real(whole: int) -> exp.Expr:
    return _digits(f"{whole}e0")


def _below(size: int) -> exp.Expr:
    return exp.Paren(this=exp.Neg(this=_real(size)))


def _digits(text: str) -> exp.Expr:
    return exp.Literal(this=text, is_string=False)


def _type(name: str) -> exp.DataType:
    return exp.DataType(this=exp.DataType.Type[name], nested=False)


def _decimal() -> exp.DataType:
    digits = [exp.DataTypeParam(this=_digits(each)) for each in ("38", "0")]
    return exp.DataType(this=exp.DataType.Type.DECIMAL, expressions=digits, nested=False)


SPARK = _Spark()
