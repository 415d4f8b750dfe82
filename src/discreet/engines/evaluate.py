"""The value of a row expression, in plain Python: what the closed language means, written once without SQL."""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from fractions import Fraction
from typing import assert_never

from discreet.engines.values import Value, nearest
from discreet.engines.wanted import Grid
from discreet.questions.algebra import (
    Aggregate,
    Apply,
    Bin,
    Case,
    Column,
    DatePart,
    Expression,
    In,
    KeyOf,
    Like,
    Literal,
    Operation,
    Part,
)

__all__ = ["binned", "evaluate", "like", "number", "on_grid", "unary"]

Row = Mapping[str, Value]


def evaluate(expression: Expression, row: Row) -> Value:
    """The value of ``expression`` on one row. Raises TypeError if an operation does not fit its values, whatever they are."""
    match expression:
        case Column(name):
            return row[name]
        case Literal(value):
            return nearest(value) if isinstance(value, Fraction) else value
        case Apply(operation, of):
            return _apply(operation, [evaluate(part, row) for part in of])
        case In(of, values):
            return _any([_compare("equal", evaluate(of, row), evaluate(value, row)) for value in values])
        case Like(of, pattern):
            text = evaluate(of, row)
            return None if text is None else like(_text(text), pattern)
        case Case(whens, otherwise):
            return evaluate(next((value for test, value in whens if evaluate(test, row) is True), otherwise), row)
        case DatePart(part, of):
            return _part(part, evaluate(of, row))
        case Bin(of, width, origin):
            steps = binned(number(evaluate(of, row)), width, origin)
            return None if steps is None else _known(nearest(origin) + steps * nearest(width))
        case Aggregate() | KeyOf():
            raise TypeError("not a row expression")
        case _:
            assert_never(expression)


def binned(x: float | None, width: Fraction, origin: Fraction) -> float | None:
    """floor((x - origin) / width) in float64."""
    if x is None or nearest(width) == 0:
        return None
    steps = _known((x - nearest(origin)) / nearest(width))
    return None if steps is None else _floor(steps)


def unary(operation: str, x: float) -> float:
    """-x, |x|, floor(x), ceil(x) or round(x)."""
    return _ONE[operation](x)


def on_grid(x: float, grid: Grid) -> int:
    """X = clamp(floor(x / step + 1/2), low, high); ``x`` may be infinite."""
    return int(min(max(_floor(x / nearest(grid.step) + 0.5), grid.low), grid.high))


def like(text: str, pattern: str) -> bool:
    """Whether all of ``text`` matches a pattern of characters, % (any text) and _ (any character)."""
    place = begin = 0  # in the text: where we are, and where the latest % began
    at, star = 0, -1  # in the pattern: where we are, and the latest %
    while place < len(text):
        if at < len(pattern) and pattern[at] == "%":
            star, begin, at = at, place, at + 1
        elif at < len(pattern) and pattern[at] in ("_", text[place]):
            place, at = place + 1, at + 1
        elif star >= 0:
            begin += 1
            place, at = begin, star + 1
        else:
            return False
    return all(mark == "%" for mark in pattern[at:])


def _apply(operation: Operation, of: Sequence[Value]) -> Value:
    match operation:
        case "add" | "subtract" | "multiply" | "divide" | "remainder":
            left, right = (number(value) for value in of)
            return None if left is None or right is None else _known(_TWO[operation](left, right))
        case "negate" | "abs" | "floor" | "ceil" | "round":
            (x,) = (number(value) for value in of)
            return None if x is None else unary(operation, x)
        case "least" | "greatest":
            found = _alike([value for value in of if value is not None])
            return (min if operation == "least" else max)(found, default=None)  # type: ignore[type-var]
        case "coalesce":
            return next((value for value in of if value is not None), None)
        case "clamp":
            x, low, high = (number(value) for value in of)
            return None if x is None or low is None or high is None else min(max(x, low), high)
        case "and":
            held = _any([_not(_truth(value)) for value in of])
            return _not(held)
        case "or":
            return _any([_truth(value) for value in of])
        case "not":
            (truth,) = of
            return _not(_truth(truth))
        case "is_null":
            (value,) = of
            return value is None
        case "equal" | "not_equal" | "less" | "less_equal" | "greater" | "greater_equal":
            first, second = of
            return _compare(operation, first, second)
        case _:
            assert_never(operation)


def _divide(x: float, y: float) -> float | None:
    return None if y == 0 else x / y


def _remainder(x: float, y: float) -> float | None:
    return None if y == 0 or math.isinf(x) else math.fmod(x, y)


def _floor(x: float) -> float:
    return x if math.isinf(x) else float(math.floor(x))


def _round(x: float) -> float:
    return math.copysign(_floor(abs(x) + 0.5), x)


_TWO: dict[str, Callable[[float, float], float | None]] = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "multiply": lambda x, y: x * y,
    "divide": _divide,
    "remainder": _remainder,
}
_ONE: dict[str, Callable[[float], float]] = {
    "negate": lambda x: -x,
    "abs": abs,
    "floor": _floor,
    "ceil": lambda x: -_floor(-x),
    "round": _round,
}
_COMPARED: dict[str, Callable[[int], bool]] = {  # of the sign of left - right
    "equal": lambda sign: sign == 0,
    "not_equal": lambda sign: sign != 0,
    "less": lambda sign: sign < 0,
    "less_equal": lambda sign: sign <= 0,
    "greater": lambda sign: sign > 0,
    "greater_equal": lambda sign: sign >= 0,
}


def _compare(operation: str, left: Value, right: Value) -> bool | None:
    if left is None or right is None:
        return None
    first, second = _alike([left, right])
    return _COMPARED[operation]((first > second) - (first < second))  # type: ignore[operator]


def _any(truths: Sequence[bool | None]) -> bool | None:
    """Three-valued OR: true if one is, else NULL if one is."""
    return True if True in truths else None if None in truths else False


def _not(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


def _part(part: Part, value: Value) -> float | None:
    if value is None:
        return None
    if not isinstance(value, date):
        raise TypeError("only days and moments have parts")
    moment = value if isinstance(value, datetime) else datetime.combine(value, time())
    match part:
        case "year" | "month" | "day" | "hour" | "minute":
            return float(getattr(moment, part))
        case "quarter":
            return float((moment.month + 2) // 3)
        case "weekday":
            return float(moment.isoweekday())
        case _:
            assert_never(part)


# ---- values of the right kind


def _known(x: float | None) -> float | None:
    return None if x is None or math.isnan(x) else x


def number(value: Value) -> float | None:
    """The value, which is a number or NULL."""
    if value is not None and not isinstance(value, float):
        raise TypeError("not a number")
    return value


def _truth(value: Value) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise TypeError("not a truth value")
    return value


def _text(value: Value) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _alike(values: list[Value]) -> list[Value]:
    """The values with days as midnights if there is a moment among them."""
    if any(isinstance(value, datetime) for value in values):
        values = [
            datetime.combine(value, time()) if isinstance(value, date) and not isinstance(value, datetime) else value
            for value in values
        ]
    if len({type(value) for value in values}) > 1:
        raise TypeError("unlike values")
    return values
