"""Arithmetic over released values, in every cell, with interval arithmetic. NaN stands for NULL. All of it is post-processing."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from discreet.planning.choosing import aggregates_in_expression
from discreet.planning.plan import Plan
from discreet.planning.staged import opened
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
    Overall,
    Power,
    Substring,
)
from discreet.statistics.estimate import Estimate, fixed
from discreet.statistics.part import Released
from discreet.statistics.reach import Floats
from discreet.views.branches import cases, coalesced
from discreet.views.estimates import estimate
from discreet.views.few import ALL_SHOWN, Few
from discreet.views.overall import overall, overalls_in
from discreet.views.together import ends_together

__all__ = ["Risk", "cell_of", "evaluate", "evaluate_output", "evaluated", "shared_risk"]

Risk = Callable[[Aggregate | Overall], float]  # how often the interval of an aggregate, or of its total, may miss


def evaluated(plan: Plan, value: Expression, released: Released, alpha: float) -> Estimate:
    """An output in every cell, with intervals that miss its exact value with probability at most ``alpha`` each."""
    return evaluate_output(opened(plan, released), value, released, shared_risk(value, alpha), ALL_SHOWN)


def evaluate_output(plan: Plan, value: Expression, released: Released, risk: Risk, few: Few) -> Estimate:
    """An output in every cell: by the noise of all its aggregates at once, where the risk is its own and its form allows it."""
    found = evaluate(plan, value, released, risk, few)
    ends = ends_together(plan, value, released, risk.alpha) if isinstance(risk, SharedRisk) else None
    if ends is None:
        return found
    return few.without(Estimate(found.value, np.fmin(ends[0], found.value), np.fmax(ends[1], found.value)), value)


@dataclass(frozen=True, slots=True)
class SharedRisk:
    """What may go wrong with one output: its aggregates and their totals share it."""

    alpha: float
    leaves: int

    def __call__(self, _: Aggregate | Overall) -> float:
        return self.alpha / self.leaves


def shared_risk(value: Expression, alpha: float) -> SharedRisk:
    """The aggregates of one output, and their totals, share what may go wrong."""
    return SharedRisk(alpha, len(aggregates_in_expression(value)) + len(overalls_in(value)) or 1)


def cell_of(plan: Plan, place: int) -> NDArray[np.intp]:
    """For every cell of the answer, the place of its value on one axis; the last axis moves fastest."""
    sizes = [len(axis.values) for axis in plan.axes]
    return np.asarray(np.unravel_index(np.arange(plan.wanted.cells), sizes)[place])


def evaluate(plan: Plan, expression: Expression, released: Released, risk: Risk, few: Few) -> Estimate:
    """An expression over released values in every cell, with interval arithmetic. NaN stands for NULL.

    What is of too ``few`` rows is NULL, and so is all that is worked out from it; AND, OR and NOT have three values.
    """
    found = _evaluate(plan, expression, released, risk, few)
    is_logic = isinstance(expression, Apply) and expression.operation in ("and", "or", "not")
    return found if is_logic else few.without(found, expression)


def _evaluate(plan: Plan, expression: Expression, released: Released, risk: Risk, few: Few) -> Estimate:
    match expression:
        case Aggregate():
            return estimate(plan, expression, released, risk(expression))
        case Literal(value):
            return fixed(float(value) if isinstance(value, Fraction | bool) else np.nan, plan.wanted.cells)
        case KeyOf(place):
            numbers = np.array([float(v) if isinstance(v, int | float) else np.nan for v in plan.axes[place].values])
            values = numbers[cell_of(plan, place)]
            return Estimate(values, values, values)
        case Overall(of):
            return overall(plan, of, released, risk(expression))
        case Apply("divide", (Aggregate(kind="count_rows" | "count") as above, Overall(of))) if above == of:
            return _share(evaluate(plan, above, released, risk, few), overall(plan, of, released, risk(Overall(of))))
        case Apply("coalesce", of):
            return coalesced(of, lambda part: evaluate(plan, part, released, risk, few))
        case Apply(operation, of):
            with np.errstate(all="ignore"):
                return _apply(operation, [evaluate(plan, part, released, risk, few) for part in of])
        case Case():
            return cases(expression, lambda part: evaluate(plan, part, released, risk, few))
        case In(of, values):
            tested = evaluate(plan, of, released, risk, few)
            return _apply("or", [_apply("equal", [tested, evaluate(plan, value, released, risk, few)]) for value in values])
        case Column() | Like() | DatePart() | DateTrunc() | Cast() | Substring() | Power() | Bin():
            raise AssertionError("rows are not seen after release")
        case _:
            assert_never(expression)


def _share(own: Estimate, total: Estimate) -> Estimate:
    """A count as a part of all counts: between 0 and 1."""
    with np.errstate(all="ignore"):
        return _divide(own, total).within(0.0, 1.0)


def _parts(found: Estimate) -> tuple[Floats, Floats, Floats]:
    return found.value, found.low, found.high


def _hull(value: Floats, *corners: Floats) -> Estimate:
    return Estimate(value, np.minimum.reduce(corners), np.maximum.reduce(corners))


def _apply(operation: str, of: list[Estimate]) -> Estimate:
    a, b = of[0], of[-1]
    match operation:
        case "add":
            return Estimate(a.value + b.value, a.low + b.low, a.high + b.high)
        case "subtract":
            return Estimate(a.value - b.value, a.low - b.high, a.high - b.low)
        case "negate":
            return Estimate(-a.value, -a.high, -a.low)
        case "multiply":
            return _hull(a.value * b.value, a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high)
        case "divide" | "remainder":
            return _divide(a, b) if operation == "divide" else _remainder(a, b)
        case "abs":
            lowest = np.where((a.low <= 0) & (a.high >= 0), 0.0, np.minimum(np.abs(a.low), np.abs(a.high)))
            return Estimate(np.abs(a.value), lowest, np.maximum(np.abs(a.low), np.abs(a.high)))
        case "floor" | "ceil" | "round":
            return Estimate(*(_stepped(operation, part) for part in _parts(a)))
        case "least" | "greatest":
            choose = np.fmin if operation == "least" else np.fmax
            return Estimate(*(choose.reduce([_parts(each)[i] for each in of]) for i in range(3)))
        case "clamp":
            return Estimate(*(np.clip(part, of[1].value, of[2].value) for part in _parts(a)))
        case _:
            truth = _truth(operation, [each.value for each in of])
            return Estimate(truth, truth, truth)


def _stepped(operation: str, x: Floats) -> Floats:
    if operation == "round":
        return np.asarray(np.sign(x) * np.floor(np.abs(x) + 0.5))
    return np.asarray(np.floor(x) if operation == "floor" else np.ceil(x))


def _divide(a: Estimate, b: Estimate) -> Estimate:
    value = np.where(b.value == 0, np.nan, a.value / b.value)
    spans_zero = (b.low <= 0) & (b.high >= 0)  # then nothing bounds the quotient
    found = _hull(value, a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high)
    return Estimate(value, np.where(spans_zero, -np.inf, found.low), np.where(spans_zero, np.inf, found.high))


def _remainder(a: Estimate, b: Estimate) -> Estimate:
    """a % b has the sign of a and is nearer to zero than both."""
    most = np.maximum(np.abs(b.low), np.abs(b.high))
    low, high = np.maximum(np.minimum(a.low, 0.0), -most), np.minimum(np.maximum(a.high, 0.0), most)
    return Estimate(np.where(b.value == 0, np.nan, np.fmod(a.value, b.value)), low, high)


def _truth(operation: str, of: list[Floats]) -> Floats:
    """1 true, 0 false, NaN for NULL."""
    a, b = of[0], of[-1]
    match operation:
        case "and" | "or":
            settles = 1.0 if operation == "or" else 0.0  # one such value decides, whatever the others are
            unknown = np.where(np.any([np.isnan(x) for x in of], axis=0), np.nan, 1.0 - settles)
            return np.where(np.any([x == settles for x in of], axis=0), settles, unknown)
        case "not":
            return 1.0 - a
        case "is_null":
            return np.isnan(a).astype(np.float64)
    compare = {
        "equal": np.equal,
        "not_equal": np.not_equal,
        "less": np.less,
        "less_equal": np.less_equal,
        "greater": np.greater,
        "greater_equal": np.greater_equal,
    }[operation]
    return np.where(np.isnan(a) | np.isnan(b), np.nan, compare(a, b).astype(np.float64))
