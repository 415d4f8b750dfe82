"""The functions of the language: what each name makes of its arguments."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from discreet.questions.algebra import (
    Apply,
    Bin,
    Case,
    DatePart,
    DateTrunc,
    Expression,
    Like,
    Literal,
    Operation,
    Part,
    Period,
    Power,
    Substring,
)
from discreet.questions.curves import MOST_POWER
from discreet.questions.letters import in_case
from discreet.questions.literals import is_float
from discreet.questions.places import Misfit

__all__ = [
    "FUNCTIONS", "Function", "PARTS", "ROWS_ALONE", "bin_of", "clamp", "in_any_case", "nullif", "rounded", "substring",
    "unwanted_by",
]  # fmt: skip

PARTS: dict[str, Part] = {
    "YEAR": "year",
    "QUARTER": "quarter",
    "MONTH": "month",
    "DAY": "day",
    "HOUR": "hour",
    "MINUTE": "minute",
    "WEEKDAY": "weekday",
    "ISODOW": "weekday",
    "ISOYEAR": "isoyear",
    "WEEK": "week",
    "WEEKOFYEAR": "week",
    "DOW": "dow",
    "DAYOFWEEK": "dow",
    "DOY": "doy",
    "DAYOFYEAR": "doy",
}
_PERIODS: tuple[Period, ...] = ("year", "quarter", "month", "week", "day", "hour")
ROWS_ALONE: tuple[Operation, ...] = ("sqrt", "ln", "exp", "lower", "upper", "length")  # not of what is released

_LONGEST = 1_000_000  # characters: beyond any text that a column holds

Arguments = tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """How many arguments a function takes (any number, if ``most`` is None), and what it makes of them."""

    least: int
    most: int | None
    make: Callable[[Arguments], Expression]


def nullif(value: Expression, unwanted: Expression) -> Case:
    """``value``, or NULL where it equals ``unwanted``."""
    return Case(((Apply("equal", (value, unwanted)), Literal(None)),), value)


def unwanted_by(case: Case) -> Expression | None:
    """What ``case`` turns into NULL, if it is a NULLIF."""
    match case:
        case Case(((Apply("equal", (left, right)), Literal(None)),), otherwise) if otherwise in (left, right):
            return right if left == otherwise else left
        case _:
            return None


def rounded(value: Expression, places: Expression | None = None) -> Apply:
    """``value`` to so many decimal places, half away from zero."""
    count = Fraction(0) if places is None else _number(places, "the places of ROUND")
    if count.denominator != 1 or abs(count) > 15:
        raise Misfit(places, "ROUND takes a whole number of places from -15 to 15", "write ROUND(x, 2)")
    power = Literal(Fraction(10 ** abs(int(count))))
    if count > 0:
        return Apply("divide", (Apply("round", (Apply("multiply", (value, power)),)), power))
    if count < 0:
        return Apply("multiply", (Apply("round", (Apply("divide", (value, power)),)), power))
    return Apply("round", (value,))


def bin_of(value: Expression, width: Expression, origin: Expression | None = None) -> Bin:
    """The lower end of the bin that ``value`` is in."""
    step = _number(width, "the width of BIN")
    if float(step) <= 0:
        raise Misfit(width, "the width of BIN is not above 0", "write BIN(x, 10)")
    return Bin(value, step, Fraction(0) if origin is None else _number(origin, "the origin of BIN"))


def clamp(value: Expression, low: Expression, high: Expression) -> Apply:
    """``value``, or the nearer of two constants where it is not between them; NULL stays NULL."""
    least, most = _number(low, "the lower end of CLAMP"), _number(high, "the upper end of CLAMP")
    if least > most:
        raise Misfit(low, "the lower end of CLAMP is above the upper one", "write CLAMP(x, 0, 100)")
    return Apply("clamp", (value, Literal(least), Literal(most)))


def substring(value: Expression, start: Expression, count: Expression | None = None) -> Substring:
    """The characters from the ``start``-th on."""
    first = _whole(start, "where SUBSTR begins", least=1)
    return Substring(value, first, None if count is None else _whole(count, "how many characters SUBSTR takes", least=0))


def in_any_case(value: Expression, pattern: str) -> Like:
    """ILIKE: LIKE of small letters, A to Z and no others."""
    return Like(Apply("lower", (value,)), in_case(pattern, "lower"))


def _starts_with(value: Expression, prefix: Expression) -> Expression:
    begins = _word(prefix, "what STARTS_WITH looks for", "STARTS_WITH(x, 'abc')")
    if not set(begins) & {"%", "_"}:
        return Like(value, f"{begins}%")
    return Apply("equal", (Substring(value, 1, len(begins)), prefix))


def _power(value: Expression, exponent: Expression) -> Power:
    power = _number(exponent, "the exponent of POWER")
    if not 0 < abs(power) <= MOST_POWER:
        raise Misfit(exponent, f"POWER takes an exponent from -{MOST_POWER} to {MOST_POWER}, and not 0", "write POWER(x, 2)")
    return Power(value, power)


def _bucket(value: Expression, low: Expression, high: Expression, count: Expression) -> Case:
    """WIDTH_BUCKET: which of ``count`` equal parts of the range a number is in; 0 below, count + 1 above."""
    start, end = _number(low, "where WIDTH_BUCKET begins"), _number(high, "where WIDTH_BUCKET ends")
    buckets = _whole(count, "how many parts WIDTH_BUCKET has", least=1)
    if not start < end:
        raise Misfit(high, "WIDTH_BUCKET ends where it begins, or before", "write WIDTH_BUCKET(x, 0, 100, 10)")
    above = Apply("subtract", (value, low)) if start else value
    width = (end - start) / buckets
    step = Fraction(repr(float(width))) if is_float(width) else width  # a third has no decimal: as text, it is its float64
    place = Apply("floor", (Apply("divide", (above, Literal(step))),))
    first, last = Literal(Fraction(1)), Literal(Fraction(buckets))
    inside = Apply("greatest", (Apply("least", (Apply("add", (place, first)), last)), first))
    whens: tuple[tuple[Expression, Expression], ...] = (
        (Apply("is_null", (value,)), Literal(None)),
        (Apply("less", (value, low)), Literal(Fraction(0))),
        (Apply("greater_equal", (value, high)), Literal(Fraction(buckets + 1))),
    )
    return Case(whens, inside)


def _truncated(period: Expression, value: Expression) -> DateTrunc:
    name = _word(period, "the period of DATE_TRUNC", "DATE_TRUNC('month', x)").casefold()
    for one in _PERIODS:
        if one == name:
            return DateTrunc(one, value)
    raise Misfit(period, f"DATE_TRUNC has no period {name!r}", f"there are: {', '.join(map(repr, _PERIODS))}")


def _dated(part: Expression, value: Expression) -> DatePart:
    name = _word(part, "the part of DATE_PART", "DATE_PART('year', x)").upper()
    if name not in PARTS:
        raise Misfit(part, f"DATE_PART has no part {name!r}", f"there are: {', '.join(PARTS)}")
    return DatePart(PARTS[name], value)


def _word(expression: Expression, what: str, example: str) -> str:
    if isinstance(expression, Literal) and isinstance(expression.value, str):
        return expression.value
    raise Misfit(expression, f"{what} is not a text", f"write {example}")


def _whole(expression: Expression, what: str, least: int) -> int:
    number = _number(expression, what)
    if number.denominator != 1 or not least <= number <= _LONGEST:
        raise Misfit(expression, f"{what} is not a whole number from {least} to {_LONGEST:,}", "write a whole number")
    return int(number)


def _number(expression: Expression, what: str) -> Fraction:
    if isinstance(expression, Literal) and isinstance(expression.value, Fraction) and is_float(expression.value):
        return expression.value
    raise Misfit(expression, f"{what} is not a number", "write a number, such as 10")


def _apply(operation: Operation, least: int = 1, most: int | None = 1) -> Function:
    return Function(least, most, lambda of: Apply(operation, of))


def _part(part: Part) -> Function:
    return Function(1, 1, lambda of: DatePart(part, of[0]))


FUNCTIONS: dict[str, Function] = {
    "ABS": _apply("abs"),
    "BIN": Function(2, 3, lambda of: bin_of(*of)),
    "CEIL": _apply("ceil"),
    "CEILING": _apply("ceil"),
    "CLAMP": Function(3, 3, lambda of: clamp(*of)),
    "COALESCE": _apply("coalesce", 1, None),
    "DATE_PART": Function(2, 2, lambda of: _dated(*of)),
    "DATE_TRUNC": Function(2, 2, lambda of: _truncated(*of)),
    "EXP": _apply("exp"),
    "FLOOR": _apply("floor"),
    "GREATEST": _apply("greatest", 1, None),
    "IF": Function(3, 3, lambda of: Case(((of[0], of[1]),), of[2])),
    "IFNULL": _apply("coalesce", 2, 2),
    "IIF": Function(3, 3, lambda of: Case(((of[0], of[1]),), of[2])),
    "LEAST": _apply("least", 1, None),
    "LENGTH": _apply("length"),
    "LN": _apply("ln"),
    "LOWER": _apply("lower"),
    "MOD": _apply("remainder", 2, 2),
    "NULLIF": Function(2, 2, lambda of: nullif(*of)),
    "POW": Function(2, 2, lambda of: _power(*of)),
    "POWER": Function(2, 2, lambda of: _power(*of)),
    "ROUND": Function(1, 2, lambda of: rounded(*of)),
    "SQRT": _apply("sqrt"),
    "STARTS_WITH": Function(2, 2, lambda of: _starts_with(*of)),
    "SUBSTR": Function(2, 3, lambda of: substring(*of)),
    "UPPER": _apply("upper"),
    "WIDTH_BUCKET": Function(4, 4, lambda of: _bucket(*of)),
    **{name: _part(part) for name, part in PARTS.items()},
}
