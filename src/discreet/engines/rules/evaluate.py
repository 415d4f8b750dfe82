"""The value of a row expression, in plain Python: what the closed language means, written once without SQL."""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from fractions import Fraction
from operator import mul
from typing import Literal as OneOfThese
from typing import assert_never

from discreet.engines.rules.values import SAFE, Value, nearest, read
from discreet.engines.wanted import Grid
from discreet.facts import model
from discreet.questions.algebra import (
    Aggregate,
    Apply,
    Bin,
    Case,
    Cast,
    Column,
    DatePart,
    DateTrunc,
    Expression,
    In,
    KeyOf,
    Like,
    Literal,
    Operation,
    Overall,
    Part,
    Power,
    Substring,
    To,
    Transform,
)
from discreet.questions.curves import chain, curve, power
from discreet.questions.letters import in_case
from discreet.questions.spans import truncated

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
        case DateTrunc() | Cast() | Substring() | Power():
            found = evaluate(expression.of, row)
            return None if found is None else _transform(expression, found)
        case Bin(of, width, origin):
            steps = binned(number(evaluate(of, row)), width, origin)
            return None if steps is None else _known(nearest(origin) + steps * nearest(width))
        case Aggregate() | Overall() | KeyOf():
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
        case "sqrt" | "ln" | "exp":
            (x,) = (number(value) for value in of)
            return None if x is None else curve(operation, x)
        case "lower" | "upper" | "length":
            (value,) = of
            return None if value is None else _of_text(operation, _text(value))
        case "least" | "greatest":
            found = _alike([value for value in of if value is not None])
            return (min if operation == "least" else max)(found, default=None)  # type: ignore[type-var]
        case "coalesce":
            return next((value for value in of if value is not None), None)
        case "clamp":
            x, low, high = (number(value) for value in of)
            return None if x is None or low is None or high is None else min(max(x, low), high)
        case "and" | "or":
            truths = [_truth(value) for value in of]
            return _any(truths) if operation == "or" else _not(_any([_not(truth) for truth in truths]))
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


def _of_text(operation: OneOfThese["lower", "upper", "length"], text: str) -> Value:
    match operation:
        case "lower" | "upper":
            return in_case(text, operation)
        case "length":
            return float(len(text))
        case _:
            assert_never(operation)


def _transform(expression: Transform, value: Value) -> Value:
    """Of a value that is not NULL."""
    match expression:
        case DateTrunc(period):
            first = truncated(period, _moment(value))
            return first if isinstance(value, datetime) else first.date()
        case Cast(to=to):
            return _cast(value, to)
        case Substring(start=start, count=count):
            return _text(value)[start - 1 :][:count]
        case Power(exponent=exponent):
            x = number(value)
            return None if x is None else _known(_power(x, nearest(exponent)))
        case _:
            assert_never(expression)


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
_READ_AS: dict[To, model.Column] = {
    "number": model.Number("cast"),
    "whole": model.Integer("cast"),
    "day": model.Date("cast"),
    "moment": model.Timestamp("cast"),
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


def _power(x: float, exponent: float) -> float | None:
    if not exponent.is_integer():
        return power(x, exponent)
    found = chain(x, abs(int(exponent)), mul)
    return found if exponent >= 0 else _divide(1.0, found)


def _cast(value: Value, to: To) -> Value:
    """The value as another kind. Texts are read as columns of that type are."""
    match value, to:
        case str(), "number" | "whole" | "day" | "moment":
            return read(_READ_AS[to], value)
        case bool(), "number" | "whole":
            return float(value)
        case float(), "number" | "whole":
            return value
        case bool(), "text":
            return "true" if value else "false"
        case float(), "text":
            return str(int(min(max(value, -SAFE), SAFE)))
        case datetime(), "day":
            return value.date()
        case date(), "text" if not isinstance(value, datetime):
            return value.isoformat()
        case date(), "moment":
            return _moment(value)
        case _:
            raise TypeError(f"no cast to {to}")


def _moment(value: Value) -> datetime:
    if not isinstance(value, date):
        raise TypeError("only days and moments have parts")
    return value if isinstance(value, datetime) else datetime.combine(value, time())


def _part(part: Part, value: Value) -> float | None:
    if value is None:
        return None
    moment = _moment(value)
    match part:
        case "year" | "month" | "day" | "hour" | "minute":
            return float(getattr(moment, part))
        case "quarter":
            return float((moment.month + 2) // 3)
        case "weekday":
            return float(moment.isoweekday())
        case "dow":
            return float(moment.isoweekday() % 7)
        case "week":
            return float(moment.isocalendar().week)
        case "isoyear":
            return float(moment.isocalendar().year)
        case "doy":
            return float(moment.timetuple().tm_yday)
        case "day_number" | "hour_number":
            days = (moment.date() - date(1970, 1, 1)).days
            return float(days if part == "day_number" else days * 24 + moment.hour)
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
