"""The functions of the language: what each name makes of its arguments."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from discreet.questions.algebra import Apply, Bin, Case, DatePart, Expression, Literal, Operation, Part
from discreet.questions.literals import is_float
from discreet.questions.places import Misfit

__all__ = ["FUNCTIONS", "Function", "PARTS", "bin_of", "clamp", "nullif", "rounded", "unwanted_by"]

PARTS: dict[str, Part] = {
    "YEAR": "year",
    "QUARTER": "quarter",
    "MONTH": "month",
    "DAY": "day",
    "HOUR": "hour",
    "MINUTE": "minute",
    "WEEKDAY": "weekday",
    "ISODOW": "weekday",
}

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
    "FLOOR": _apply("floor"),
    "GREATEST": _apply("greatest", 1, None),
    "IFNULL": _apply("coalesce", 2, 2),
    "LEAST": _apply("least", 1, None),
    "MOD": _apply("remainder", 2, 2),
    "NULLIF": Function(2, 2, lambda of: nullif(*of)),
    "ROUND": Function(1, 2, lambda of: rounded(*of)),
    **{name: _part(part) for name, part in PARTS.items()},
}
