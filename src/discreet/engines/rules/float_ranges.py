"""Between which float64 the result of an operation lies. Rounding is monotone, so the ends round as the values do."""

import math
from collections.abc import Iterable

from discreet.engines.rules import evaluate

__all__ = ["ALL", "Range", "binary", "hull", "unary"]

Range = tuple[float, float]

ALL = (-math.inf, math.inf)


def hull(ranges: Iterable[Range]) -> Range:
    """The smallest range around all of them."""
    lows, highs = zip(*ranges, strict=True)
    return min(lows), max(highs)


def binary(operation: str, x: Range, y: Range) -> Range:
    """The range of x + y, x - y, x * y, x / y or x % y. NULL and NaN aside."""
    match operation:
        case "add":
            ends = [x[0] + y[0], x[1] + y[1]]
        case "subtract":
            ends = [x[0] - y[1], x[1] - y[0]]
        case "multiply":
            ends = [a * b for a in x for b in y]
        case "divide" if y[0] > 0 or y[1] < 0:
            ends = [a / b for a in x for b in y]
        case "remainder":
            most = max(map(abs, x))
            ends = [-most, most]
        case _:
            return ALL
    return ALL if any(map(math.isnan, ends)) else (min(ends), max(ends))


def unary(operation: str, x: Range) -> Range:
    """The range of -x, |x|, floor(x), ceil(x) or round(x)."""
    ends = [evaluate.unary(operation, end) for end in x]
    if operation == "abs" and x[0] <= 0 <= x[1]:
        ends.append(0.0)
    return min(ends), max(ends)
