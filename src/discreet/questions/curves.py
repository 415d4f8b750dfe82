"""SQRT, LN, EXP and POWER: the arguments that they take, what they give, and between which numbers.

Arguments outside are brought to the nearest that a function takes, on every engine and before it is called: SQRT of what is
below 0 is 0. Where what it gives would have no end, as LN near 0, there is no range, and questions are refused while planning.
A whole power is a chain of products, which float64 rounds the same everywhere; LN, EXP and other powers are as the engine's
mathematical library rounds them, and ranges leave room for its last digits.
"""

import math
import sys
from collections.abc import Callable
from operator import mul
from typing import Literal, TypeVar

__all__ = ["Curve", "LEAST", "MOST_EXPONENT", "MOST_POWER", "Range", "chain", "curve", "curve_range", "power", "power_range"]

Curve = Literal["sqrt", "ln", "exp"]
Range = tuple[float, float]

T = TypeVar("T")

LEAST = sys.float_info.min  # positive, and all of its digits count
MOST_EXPONENT = 700.0  # EXP of it is finite, and so is one over that
MOST_POWER = 32

_SLACK = 4  # the last digits that libraries do not agree on


def curve(name: Curve, x: float) -> float:
    """The function of a finite number, brought into its domain."""
    match name:
        case "sqrt":
            return math.sqrt(max(x, 0.0))
        case "ln":
            return math.log(max(x, LEAST))
        case "exp":
            return math.exp(min(max(x, -MOST_EXPONENT), MOST_EXPONENT))


def curve_range(name: Curve, low: float, high: float) -> Range | None:
    """Between what the function of a number from ``low`` to ``high`` is; None where that has no end."""
    if (name == "ln" and low < LEAST) or (name == "exp" and high > MOST_EXPONENT):
        return None
    ends = curve(name, low), curve(name, high)
    return ends if name == "sqrt" else _widened(*ends)


def power(x: float, exponent: float) -> float:
    """``x`` to a constant power: of what is below 0, only whole ones; others are taken of 0 in its place."""
    if exponent.is_integer():
        found = chain(x, abs(int(exponent)), mul)
        return found if exponent >= 0 else 1 / found if found else math.inf
    try:
        return math.pow(max(x, 0.0 if exponent > 0 else LEAST), exponent)
    except OverflowError:
        return math.inf


def chain(x: T, times: int, product: Callable[[T, T], T]) -> T:
    """``x`` times itself, ``times`` ≥ 1, in the one order of products that all engines follow."""
    found, square = None, x
    while True:
        if times & 1:
            found = square if found is None else product(found, square)
        times >>= 1
        if not times:
            return square if found is None else found
        square = product(square, square)


def power_range(exponent: float, low: float, high: float) -> Range | None:
    """Between what the power of a number from ``low`` to ``high`` is; None where that has no end."""
    if not exponent.is_integer():
        low, high = max(low, 0.0), max(high, 0.0)
    if exponent < 0 and not (low >= LEAST or high <= -LEAST):
        return None
    ends = [power(low, exponent), power(high, exponent)]
    if exponent.is_integer() and exponent % 2 == 0 and exponent > 0 and low <= 0 <= high:
        ends.append(0.0)
    if not all(map(math.isfinite, ends)):
        return None
    return (min(ends), max(ends)) if exponent.is_integer() else _widened(min(ends), max(ends))


def _widened(low: float, high: float) -> Range:
    for _ in range(_SLACK if low < high else 0):  # what can be one number only is held to it
        low, high = math.nextafter(low, -math.inf), math.nextafter(high, math.inf)
    return low, high
