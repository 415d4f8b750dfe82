"""From released integers to the rows of an answer: arithmetic, HAVING, ORDER BY, LIMIT. All of it is post-processing."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal as OneOfThese
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from discreet.planning.estimates import Estimate, estimate
from discreet.planning.opening import opened
from discreet.planning.plan import Derived, Plan, Vector
from discreet.planning.ranked import has_ends, rank_reach
from discreet.planning.release import Released
from discreet.planning.spread import Floats
from discreet.planning.together import Confidence, risks_together
from discreet.planning.vectors import aggregates_in_expression
from discreet.questions.algebra import Aggregate, Apply, Bin, Case, Column, DatePart, Expression, In, KeyOf, Like, Literal
from discreet.questions.bounds import is_whole
from discreet.questions.ranked import RANKED_KINDS, SIZE_KINDS

__all__ = ["Kind", "Shown", "Table", "answer_table", "evaluated", "kind_of"]

Kind = OneOfThese[
    "key", "count", "sum", "mean", "variance", "stddev", "covariance", "correlation",
    "median", "quantile", "min", "max", "derived",
]  # fmt: skip
_WIDE = 2.0**62  # from here on whole numbers are made one by one

Risk = Callable[[Aggregate], float]  # how often the interval of an aggregate may miss


@dataclass(frozen=True, slots=True)
class Shown:
    """A column of the answer: values as people read them, and intervals unless it is a key."""

    name: str
    kind: Kind
    values: list[object]
    intervals: list[tuple[object, object]] | None
    labels: dict[object, str]
    rank_interval: tuple[int, int] | None = None  # of values that were chosen by rank: rows around the rank, in every cell
    is_drawn: bool = False  # noise is behind it: it is not public, however narrow its interval


@dataclass(frozen=True, slots=True)
class Table:
    """The answer's columns, rows already chosen and sorted."""

    columns: tuple[Shown, ...]
    rows: int


def answer_table(plan: Plan, released: Released, confidence: Confidence, simultaneous: bool = False) -> Table:
    """Every output of the question with its intervals: each holds with this confidence, or all at once if ``simultaneous``."""
    plan = opened(plan, released)
    rows = _chosen_rows(plan, released)
    if not simultaneous:
        risk = float(1 - confidence)  # of an exact confidence, however near to 1
        shown = [_shown(plan, o.name, o.value, released, _shared(o.value, risk), rows) for o in plan.question.outputs]
        return Table(tuple(shown), len(rows))
    cells = len(rows) if _is_choice_public(plan) else plan.wanted.cells  # rows chosen by their noise: all must hold
    risks = risks_together(plan, confidence, cells)
    shown = [_shown(plan, o.name, o.value, released, lambda a: risks.get(a, 1.0), rows) for o in plan.question.outputs]
    return Table(tuple(shown), len(rows))


def _some_risk(_: Aggregate) -> float:
    """Any will do where only values are looked at."""
    return 0.05


def kind_of(expression: Expression) -> Kind:
    """What a column of the answer is, for people and charts."""
    match expression:
        case KeyOf():
            return "key"
        case Aggregate(kind="count_rows" | "count_units" | "count" | "count_distinct" | "running_rows"):
            return "count"
        case Aggregate(kind="sum"):
            return "sum"
        case Aggregate(kind="mean" | "at_bounds" | "at_lower" | "at_upper"):
            return "mean"
        case Aggregate(kind="variance_pop" | "variance_samp"):
            return "variance"
        case Aggregate(kind="covariance_pop" | "covariance_samp"):
            return "covariance"
        case Aggregate(kind="correlation"):
            return "correlation"
        case Aggregate(kind="min" | "max" as end):
            return end
        case Aggregate(kind="quantile", q=q):
            return "median" if q == Fraction(1, 2) else "quantile"
        case Aggregate(kind="rows_per_unit" | "groups_per_unit"):
            return "quantile"
        case Aggregate():
            return "stddev"
        case _:
            return "derived"


def _chosen_rows(plan: Plan, released: Released) -> NDArray[np.intp]:
    """The cells that the answer shows, in order. Decided on released values, so it costs nothing."""
    rows = np.arange(plan.wanted.cells)
    if plan.question.having is not None:
        holds = _evaluate(plan, plan.question.having, released, _some_risk).value
        rows = rows[holds[rows] == 1.0]
    for order in reversed(plan.question.order):
        by = _sort_key(plan, order.by, released)[rows]
        places = np.argsort(-by if order.descending else by, kind="stable")
        rows = rows[places]
    return rows if plan.question.limit is None else rows[: plan.question.limit]


def _sort_key(plan: Plan, by: Expression, released: Released) -> Floats:
    if isinstance(by, KeyOf):
        return _cell_of(plan, by.place).astype(np.float64)  # keys sort in the order of the facts
    return _evaluate(plan, by, released, _some_risk).value


def _cell_of(plan: Plan, place: int) -> NDArray[np.intp]:
    """For every cell of the answer, the place of its value on one axis; the last axis moves fastest."""
    sizes = [len(axis.values) for axis in plan.axes]
    return np.asarray(np.unravel_index(np.arange(plan.wanted.cells), sizes)[place])


def _is_choice_public(plan: Plan) -> bool:
    """Whether which cells are shown does not depend on what was released."""
    return plan.question.having is None and all(isinstance(order.by, KeyOf) for order in plan.question.order)


def _shown(plan: Plan, name: str, value: Expression, released: Released, risk: Risk, rows: NDArray[np.intp]) -> Shown:
    kind = kind_of(value)
    if isinstance(value, KeyOf):
        axis = plan.axes[value.place]
        values = [axis.values[cell] for cell in _cell_of(plan, value.place)[rows]]
        return Shown(name, kind, values, None, dict(zip(axis.values, axis.labels, strict=False)))
    if isinstance(value, Aggregate) and value.kind in (*RANKED_KINDS, *SIZE_KINDS):
        return _ranked(plan, name, value, released, risk(value), rows)
    found = _evaluate(plan, value, released, risk)
    whole = isinstance(value, Aggregate) and (kind == "count" or (kind == "sum" and _is_whole_sum(plan, value)))
    whole = whole and not _is_fitted(plan, value)
    intervals = _intervals(found.low[rows], found.high[rows], whole)
    is_drawn = any(isinstance(plan.source(each), Derived) for each in aggregates_in_expression(value))
    return Shown(name, kind, _numbers(found.value[rows], whole), intervals, {}, None, is_drawn)


def _ranked(plan: Plan, name: str, value: Aggregate, released: Released, alpha: float, rows: NDArray[np.intp]) -> Shown:
    """A value chosen by its rank: an interval of ranks for free, one of values where its ends were bought. Rule 30."""
    found = estimate(plan, value, released, alpha)
    whole = value.kind in SIZE_KINDS or (value.of is not None and is_whole(value.of, plan.facts))
    bought = has_ends(plan, value, alpha)
    pairs = zip(found.low[rows], found.high[rows], strict=True)
    ends = [_ends(low, high, whole) if bought else (None, None) for low, high in pairs]
    far = rank_reach(plan, value, alpha)
    return Shown(name, kind_of(value), [_number(each, whole) for each in found.value[rows]], ends, {}, (-far, far), True)


def _is_fitted(plan: Plan, value: Expression) -> bool:
    """Whether a count comes out of a tree: not rounded, so that bins add up to their running counts."""
    source = plan.source(value) if isinstance(value, Aggregate) else None
    vector = plan.vectors[source.vector] if isinstance(source, Derived) else None
    return isinstance(vector, Vector) and vector.tree is not None


def evaluated(plan: Plan, value: Expression, released: Released, alpha: float) -> Estimate:
    """An output in every cell, with intervals that miss its exact value with probability at most ``alpha`` each."""
    return _evaluate(opened(plan, released), value, released, _shared(value, alpha))


def _shared(value: Expression, alpha: float) -> Risk:
    """The aggregates of one output share what may go wrong."""
    leaves = len(aggregates_in_expression(value)) or 1
    return lambda _: alpha / leaves


def _is_whole_sum(plan: Plan, aggregate: Aggregate) -> bool:
    return aggregate.of is not None and is_whole(aggregate.of, plan.facts)


def _numbers(values: Floats, whole: bool) -> list[object]:
    """As ``_number``, all at once where that can be."""
    if not np.isfinite(values).all() or (whole and (np.abs(values) >= _WIDE).any()):
        return [_number(each, whole) for each in values]
    return list((np.rint(values).astype(np.int64) if whole else values).tolist())


def _intervals(low: Floats, high: Floats, whole: bool) -> list[tuple[object, object]]:
    """As ``_ends``, all at once where that can be."""
    ends = np.concatenate([low, high])
    if not np.isfinite(ends).all() or (whole and (np.abs(ends) >= _WIDE).any()):
        return [_ends(*each, whole) for each in zip(low, high, strict=True)]
    if whole:
        low, high = np.floor(low).astype(np.int64), np.ceil(high).astype(np.int64)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _number(value: float, whole: bool) -> object:
    if not np.isfinite(value):
        return None
    return round(float(value)) if whole else float(value)


def _ends(low: float, high: float, whole: bool) -> tuple[object, object]:
    if whole and np.isfinite(low) and np.isfinite(high):
        return int(np.floor(low)), int(np.ceil(high))
    return _number(low, False), _number(high, False)


def _evaluate(plan: Plan, expression: Expression, released: Released, risk: Risk) -> Estimate:
    """An expression over released values in every cell, with interval arithmetic. NaN stands for NULL."""
    match expression:
        case Aggregate():
            return estimate(plan, expression, released, risk(expression))
        case Literal(value):
            return _constant(plan, float(value) if isinstance(value, Fraction | bool) else np.nan)
        case KeyOf(place):
            numbers = np.array([float(v) if isinstance(v, int | float) else np.nan for v in plan.axes[place].values])
            values = numbers[_cell_of(plan, place)]
            return Estimate(values, values, values)
        case Apply(operation, of):
            with np.errstate(all="ignore"):
                return _apply(operation, [_evaluate(plan, part, released, risk) for part in of])
        case Case(whens, otherwise):
            found = _evaluate(plan, otherwise, released, risk)
            for condition, then in reversed(whens):
                holds = _evaluate(plan, condition, released, risk).value == 1.0
                chosen = _evaluate(plan, then, released, risk)
                found = Estimate(*(np.where(holds, a, b) for a, b in zip(_parts(chosen), _parts(found), strict=True)))
            return found
        case In(of, values):
            tested = _evaluate(plan, of, released, risk)
            return _apply("or", [_apply("equal", [tested, _evaluate(plan, value, released, risk)]) for value in values])
        case Column() | Like() | DatePart() | Bin():
            raise AssertionError("rows are not seen after release")
        case _:
            assert_never(expression)


def _parts(found: Estimate) -> tuple[Floats, Floats, Floats]:
    return found.value, found.low, found.high


def _constant(plan: Plan, value: float) -> Estimate:
    fixed = np.full(plan.wanted.cells, value)
    return Estimate(fixed, fixed, fixed)


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
        case "least":
            return Estimate(*(np.fmin.reduce([_parts(each)[i] for each in of]) for i in range(3)))
        case "greatest":
            return Estimate(*(np.fmax.reduce([_parts(each)[i] for each in of]) for i in range(3)))
        case "coalesce":
            value, low, high = _parts(a)
            for each in of[1:]:
                is_null = np.isnan(value)
                value, low, high = (np.where(is_null, p, q) for p, q in zip(_parts(each), (value, low, high), strict=True))
            return Estimate(value, low, high)
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
