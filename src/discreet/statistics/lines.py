"""REGR_SLOPE and REGR_INTERCEPT in the units of their numbers. Proof: docs/proofs/relations.md, "A line"."""

import numpy as np

from discreet.questions.algebra import AggregateKind
from discreet.statistics.estimate import Estimate
from discreet.statistics.on_grid import OnGrid
from discreet.statistics.ranges import size
from discreet.statistics.reach import Floats
from discreet.statistics.regression import Line, intercept, slope
from discreet.statistics.summed import Noisy

__all__ = ["LINES", "line_of"]

LINES: tuple[AggregateKind, ...] = ("regr_slope", "regr_intercept", "regr_r2")


def line_of(x: OnGrid, y: OnGrid, sums: Floats, noisy: Noisy, kind: AggregateKind, alpha: float) -> Estimate:
    """The line of y on x, out of sums whose terms of x come first."""
    with np.errstate(all="ignore"):  # where x may not vary, nothing is said
        if kind == "regr_slope":
            line = slope(sums, noisy.law, alpha)
            found = Estimate(line.value, line.low, line.high).scaled(y.span / x.span)
            return found.widened(_moved(line, x, y, noisy)[1])
        line = intercept(sums, noisy.law, x.grid.low * x.step / x.span, alpha)
        found = Estimate(line.value, line.low, line.high).scaled(y.span, y.grid.low * y.step)
        steepest, moved = _moved(line, x, y, noisy)
        farthest = max(map(abs, x.range(noisy.facts)))
        return found.widened(y.rounding(noisy.facts) + moved * farthest + steepest * x.rounding(noisy.facts))


def _moved(line: Line, x: OnGrid, y: OnGrid, noisy: Noisy) -> tuple[Floats, Floats]:
    """How steep the line can be, and how much of that rounding to the grid can have moved."""
    steepest = size(line.slope) * y.span / x.span
    r, s = x.rounding(noisy.facts), y.rounding(noisy.facts)
    if not r and not s:
        return steepest, np.zeros_like(steepest)
    deviation = x.span * np.sqrt(line.variance[0])
    a = r / deviation
    apart = (a * y.span / 2 + s + a * s) / deviation
    return steepest, np.where(a < 1, (steepest + apart) / (1 - a) ** 2 - steepest, np.inf)
