"""What is publicly known about the numbers that an expression can be: an interval, whether NULL, whether whole.

Interval arithmetic over the declared bounds. Engines compute in float64, so the ends are floats and every operation widens them
to the next float outward unless the end is exact: since rounding is monotone, no computed value leaves the interval.
"""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from operator import add, mul, sub, truediv
from typing import assert_never

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
)
from discreet.questions.curves import Curve, curve_range, power_range
from discreet.questions.spans import is_truth, longest, years_of
from discreet.questions.walk import parts

__all__ = ["WIDEST_WHOLE", "beyond_bounds", "bounds_of", "ends_of", "is_whole", "may_be_null", "unbounded_operand"]

WIDEST_WHOLE = 2.0**53  # whole numbers up to here are computed without rounding
_EXACTLY: dict[Operation, Callable[[Fraction, Fraction], Fraction]] = {
    "add": add,
    "subtract": sub,
    "multiply": mul,
    "divide": truediv,
}
_PARTS: dict[Part, tuple[int, int]] = {
    "quarter": (1, 4),
    "month": (1, 12),
    "week": (1, 53),
    "doy": (1, 366),
    "day": (1, 31),
    "hour": (0, 23),
    "minute": (0, 59),
    "weekday": (1, 7),
    "dow": (0, 6),
    "day_number": (-719_162, 2_932_896),
    "hour_number": (-17_259_888, 70_389_527),
}


@dataclass(frozen=True, slots=True)
class _Known:
    """Values are in [low, high] or NULL; infinite ends are not known, and low > high means NULL only."""

    low: float = -math.inf
    high: float = math.inf
    null: bool = True
    whole: bool = False

    @property
    def bounded(self) -> bool:
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def empty(self) -> bool:
        return self.low > self.high


_NOTHING = _Known(math.inf, -math.inf, null=True, whole=True)


def bounds_of(expression: Expression, facts: model.Facts) -> tuple[Fraction, Fraction] | None:
    """The least and the greatest number that the expression can be on any table, or None where nothing bounds it.

    What is always NULL is between 0 and 0.
    """
    known = _Analysis(facts).of(expression)
    if known.empty:
        return Fraction(0), Fraction(0)
    return (Fraction(known.low), Fraction(known.high)) if known.bounded else None


def ends_of(expression: Expression, facts: model.Facts) -> tuple[float, float]:
    """The same, each end by itself: it is infinite where nothing bounds the expression on that side."""
    known = _Analysis(facts).of(expression)
    return (0.0, 0.0) if known.empty else (known.low, known.high)


def may_be_null(expression: Expression, facts: model.Facts) -> bool:
    """Whether the expression can be NULL on some row."""
    return _Analysis(facts).of(expression).null


def is_whole(expression: Expression, facts: model.Facts) -> bool:
    """Whether the expression is a whole number by construction, computed without rounding."""
    return _Analysis(facts).of(expression).whole


def beyond_bounds(aggregate: Aggregate, facts: model.Facts) -> Expression | None:
    """1 where the aggregated column is at a declared bound (or was beyond it), else 0, NULL where it has no value.

    None if the aggregate is not of a number column that has the bound.
    """
    column = facts.column(aggregate.of.name) if isinstance(aggregate.of, Column) else None
    if aggregate.of is None or not isinstance(column, model.Number | model.Integer):
        return None
    ends: list[Expression] = []
    if aggregate.kind in ("at_bounds", "at_lower") and column.lower is not None:
        ends.append(Apply("less_equal", (aggregate.of, Literal(Fraction(column.lower)))))
    if aggregate.kind in ("at_bounds", "at_upper") and column.upper is not None:
        ends.append(Apply("less_equal", (Literal(Fraction(column.upper)), aggregate.of)))
    if not ends:
        return None
    inside = Case(((Apply("is_null", (aggregate.of,)), Literal(None)),), Literal(Fraction(0)))
    return Case(tuple((end, Literal(Fraction(1))) for end in ends), inside)


def unbounded_operand(expression: Expression, facts: model.Facts) -> Expression | None:
    """A part that is computed with although nothing bounds it, so that it could be infinite."""
    analysis = _Analysis(facts)
    analysis.of(expression)
    return analysis.unbounded


class _Analysis:
    """One walk over an expression: each part is looked at once."""

    def __init__(self, facts: model.Facts) -> None:
        self._facts = facts
        self._columns = {column.name: column for column in facts.columns}
        self.unbounded: Expression | None = None

    def of(self, expression: Expression) -> _Known:
        inner = [self.of(part) for part in parts(expression)]
        match expression:
            case Column(name):
                return _of_column(self._columns.get(name))
            case Literal(value):
                return _of_literal(value)
            case Apply():
                return self._applied(expression, inner)
            case Case():
                return _either([*inner[1::2], inner[-1]])
            case Bin(width=width, origin=origin):
                return self._binned(expression, inner[0], _of_literal(width), _of_literal(origin))
            case DatePart(part, of):
                low, high = _PARTS[part] if part in _PARTS else years_of(of, self._facts, iso=part == "isoyear")
                return _Known(low, high, inner[0].null, whole=True)
            case Cast():
                return self._cast(expression, inner[0])
            case Power(exponent=exponent):
                return self._powered(expression, float(exponent), inner[0])
            case In() | Like() | DateTrunc() | Substring():
                return _Known(null=inner[0].null)
            case KeyOf() | Overall():
                return _Known()
            case Aggregate(kind=kind):
                counts = kind in ("count_rows", "count_units", "count", "count_distinct")  # a running count need not be whole
                return _Known(0.0 if counts else -math.inf, null=not counts, whole=counts or (kind == "sum" and inner[0].whole))
            case _:
                assert_never(expression)

    def _applied(self, expression: Apply, inner: list[_Known]) -> _Known:
        null = any(one.null for one in inner)
        match expression.operation:
            case "least":
                return _least(inner)
            case "greatest":
                return _negated(_least([_negated(one) for one in inner]))
            case "coalesce":
                return _coalesced(inner)
            case "clamp":
                return _clamped(*inner)
            case "is_null":
                return _Known(null=False)
            case "and" | "or" | "not" | "equal" | "not_equal" | "less" | "less_equal" | "greater" | "greater_equal":
                return _Known(null=null)
            case "lower" | "upper":
                return _Known(null=null)
            case "length":
                return _Known(0.0, longest(expression.of[0], self._facts), null, whole=True)
            case _:
                if not self._all_bounded(expression, inner):
                    return _Known(null=True)
                if any(one.empty for one in inner):
                    return _NOTHING
                if expression.operation in ("sqrt", "ln", "exp"):
                    return self._curved(expression, expression.operation, inner[0])
                return _computed(expression, inner, null=null)

    def _cast(self, expression: Cast, of: _Known) -> _Known:
        """A truth value is 1 or 0, a number is itself; what a text reads as is bounded by nothing."""
        if expression.to not in ("number", "whole"):
            return _Known(null=of.null or expression.to != "text")
        if is_truth(expression.of, self._facts):
            return _Known(0.0, 1.0, of.null, whole=True)
        return of if of.bounded else _Known(null=True, whole=expression.to == "whole")

    def _powered(self, expression: Power, exponent: float, of: _Known) -> _Known:
        if not self._all_bounded(expression, [of]):
            return _Known(null=True)
        if of.empty:
            return _NOTHING
        found = power_range(exponent, of.low, of.high)
        if found is None:
            self.unbounded = self.unbounded or expression
            return _Known(null=True)
        is_whole = of.whole and exponent >= 0 and exponent.is_integer() and max(map(abs, found)) <= WIDEST_WHOLE
        return _Known(*found, of.null, is_whole)

    def _curved(self, expression: Apply, name: Curve, of: _Known) -> _Known:
        found = curve_range(name, of.low, of.high)
        if found is None:
            self.unbounded = self.unbounded or expression
            return _Known(null=True)
        return _Known(*found, of.null)

    def _all_bounded(self, expression: Expression, inner: list[_Known]) -> bool:
        loose = [part for part, one in zip(parts(expression), inner, strict=True) if not one.bounded and not one.empty]
        if loose and self.unbounded is None:
            self.unbounded = loose[0]
        return not loose

    def _binned(self, expression: Bin, of: _Known, width: _Known, origin: _Known) -> _Known:
        if not self._all_bounded(expression, [of]):
            return _Known(null=True)
        if of.empty:
            return _NOTHING
        place = _stepped(_arithmetic("divide", _arithmetic("subtract", of, origin), width), math.floor)
        found = _arithmetic("add", origin, _arithmetic("multiply", place, width))
        return _Known(found.low, found.high, of.null, found.whole and width.whole and origin.whole)


# ---- leaves


def _of_column(column: model.Column | None) -> _Known:
    match column:
        case model.Number(lower=lower, upper=upper):
            return _Known(_float(lower, -math.inf), _float(upper, math.inf))
        case model.Integer(lower=lower, upper=upper):
            return _Known(_float(lower, -math.inf), _float(upper, math.inf), whole=True)
        case model.Category(values=values):
            codes = [value for value in values if isinstance(value, int)]
            return _Known(_float(min(codes), 0), _float(max(codes), 0), whole=True) if codes else _Known()
        case _:
            return _Known()


def _of_literal(value: object) -> _Known:
    if value is None:
        return _NOTHING
    if not isinstance(value, Fraction):
        return _Known(null=False)
    number = float(value)
    return _Known(number, number, null=False, whole=number.is_integer())


def _float(number: Fraction | int | None, unknown: float) -> float:
    try:
        return unknown if number is None else float(number)
    except OverflowError:
        return unknown


# ---- choosing one of several


def _either(options: list[_Known]) -> _Known:
    return _Known(
        min(one.low for one in options),
        max(one.high for one in options),
        any(one.null for one in options),
        all(one.whole for one in options),
    )


def _coalesced(inner: list[_Known]) -> _Known:
    reached = []
    for one in inner:
        reached.append(one)
        if not one.null:
            break
    found = _either(reached)
    return _Known(found.low, found.high, reached[-1].null, found.whole)


def _least(inner: list[_Known]) -> _Known:
    # NULL is skipped: an argument caps the result only if it is never NULL
    either = _either(inner)
    caps = [one.high for one in inner if not one.null]
    return _Known(either.low, min([either.high, *caps]), not caps, either.whole)


def _clamped(one: _Known, low: _Known, high: _Known) -> _Known:
    if one.empty:
        return _NOTHING
    least, most = (min(max(end, low.low), high.high) for end in (one.low, one.high))
    return _Known(least, most, one.null, one.whole and low.whole and high.whole)


def _negated(one: _Known) -> _Known:
    return _Known(-one.high, -one.low, one.null, one.whole)


# ---- arithmetic


def _computed(expression: Apply, inner: list[_Known], *, null: bool) -> _Known:
    first = inner[0]
    match expression.operation:
        case "negate":
            return _negated(first)
        case "abs":
            least = 0.0 if first.low <= 0 <= first.high else min(abs(first.low), abs(first.high))
            return _Known(least, max(abs(first.low), abs(first.high)), null, first.whole)
        case "floor":
            return _stepped(first, math.floor)
        case "ceil":
            return _stepped(first, math.ceil)
        case "round":
            return _stepped(first, _rounded)
        case "remainder":
            return _remainder(first, inner[1])
        case _:
            return _arithmetic(expression.operation, *inner)


def _stepped(one: _Known, step: Callable[[float], int]) -> _Known:
    if not one.bounded:
        return _Known(null=one.null)
    return _Known(float(step(one.low)), float(step(one.high)), one.null, whole=True)


def _rounded(number: float) -> int:
    return int(math.copysign(math.floor(abs(number) + 0.5), number))


def _remainder(one: _Known, by: _Known) -> _Known:
    if by.low == by.high == 0:
        return _NOTHING
    whole = one.whole and by.whole
    most = max(abs(by.low), abs(by.high)) - whole  # nearer to zero than what it is divided by: of whole numbers, by one
    low, high = max(min(one.low, 0.0), -most), min(max(one.high, 0.0), most)
    return _Known(low, high, one.null or by.null or by.low <= 0 <= by.high, whole)


def _arithmetic(operation: Operation, one: _Known, by: _Known) -> _Known:
    if operation == "divide" and by.low == by.high == 0:
        return _NOTHING
    null = one.null or by.null
    others: Sequence[float] = (by.low, by.high)
    if operation == "divide" and by.low <= 0 <= by.high:
        null = True  # a division by zero; a whole number that is not zero is at least 1 away from it
        others = [number for number in (by.low, -1.0, 1.0, by.high) if by.low <= number <= by.high and number] if by.whole else []
    if not one.bounded or not by.bounded or not others:
        return _Known(null=null)
    ends = [_EXACTLY[operation](Fraction(left), Fraction(right)) for left, right in product((one.low, one.high), others)]
    low, high = _down(min(ends)), _up(max(ends))
    return _Known(low, high, null, one.whole and by.whole and operation != "divide" and max(abs(low), abs(high)) <= WIDEST_WHOLE)


def _down(number: Fraction) -> float:
    """The greatest float that is not above the number."""
    try:
        near = float(number)
    except OverflowError:
        return -math.inf if number < 0 else sys.float_info.max
    return math.nextafter(near, -math.inf) if near > number else near


def _up(number: Fraction) -> float:
    return -_down(-number)
