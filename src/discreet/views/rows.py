"""From released integers to the rows of an answer: HAVING, ORDER BY, LIMIT, and numbers as people read them."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.facts.model import Category
from discreet.planning.choosing import aggregates_in_expression
from discreet.planning.plan import Derived, Plan
from discreet.planning.staged import opened
from discreet.questions.aggregates import FORMS, Kind
from discreet.questions.algebra import Aggregate, Column, Expression, KeyOf, Output, Overall
from discreet.questions.bounds import is_whole
from discreet.statistics.mode import Mode
from discreet.statistics.part import Released
from discreet.statistics.ranks import Ranks
from discreet.statistics.reach import Floats
from discreet.views.arithmetic import Risk, cell_of, evaluate, evaluate_output, shared_risk
from discreet.views.estimates import estimate
from discreet.views.few import ALL_SHOWN, Few, few_in
from discreet.views.simultaneous import Confidence, risks_together

__all__ = ["Kind", "Shown", "Table", "answer_table", "cells_shown", "is_drawn", "kind_of"]

_WIDE = 2.0**62  # from here on whole numbers are made one by one


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
    too_few: tuple[int, ...] = ()  # the rows in which it is of too few rows: no value, no interval. Rule 28


@dataclass(frozen=True, slots=True)
class Table:
    """The answer's columns, rows already chosen and sorted."""

    columns: tuple[Shown, ...]
    rows: int


def answer_table(
    plan: Plan, released: Released, confidence: Confidence, simultaneous: bool = False, *, is_expected: bool = False
) -> Table:
    """Every output of the question with its intervals: each holds with this confidence, or all at once if ``simultaneous``.

    ``is_expected``: it is about as many rows as a quote says, and none are too few.
    """
    plan = opened(plan, released)
    few = ALL_SHOWN if is_expected else few_in(plan, released, confidence)
    rows = _chosen_rows(plan, released, few)
    if not simultaneous:
        risk = float(1 - confidence)  # of an exact confidence, however near to 1
        shown = [_shown(plan, o, released, shared_risk(o.value, risk), rows, few) for o in plan.question.outputs]
        return Table(tuple(shown), len(rows))
    cells = len(rows) if _is_choice_public(plan) else plan.groups  # rows chosen by their noise: all must hold
    risks = risks_together(plan, confidence, cells)
    shown = [_shown(plan, o, released, lambda a: risks.get(a, 1.0), rows, few) for o in plan.question.outputs]
    return Table(tuple(shown), len(rows))


def _some_risk(_: Aggregate | Overall) -> float:
    """Any will do where only values are looked at."""
    return 0.05


def kind_of(expression: Expression) -> Kind:
    """What a column of the answer is, for people and charts."""
    match expression:
        case KeyOf():
            return "key"
        case Aggregate(q=q) if q == Fraction(1, 2) and expression.kind == "quantile":
            return "median"
        case Aggregate(kind):
            return FORMS[kind].kind
        case _:
            return "derived"


def _chosen_rows(plan: Plan, released: Released, few: Few) -> NDArray[np.intp]:
    """The cells that the answer shows, in order: those without a value to sort by last. Decided on released values."""
    rows = cells_shown(plan)
    if plan.question.having is not None:
        holds = evaluate(plan, plan.question.having, released, _some_risk, few).value
        rows = rows[holds[rows] == 1.0]
    for order in reversed(plan.question.order):
        by = _sort_key(plan, order.by, released, few)[rows]
        places = np.argsort(-by if order.descending else by, kind="stable")
        rows = rows[places]
    return rows if plan.question.limit is None else rows[: plan.question.limit]


def cells_shown(plan: Plan) -> NDArray[np.intp]:
    """All cells but those that WHERE leaves no row in."""
    is_shown = np.ones(plan.wanted.cells, bool)
    for place, axis in enumerate(plan.axes):
        if axis.excluded:
            is_shown &= ~np.isin(cell_of(plan, place), axis.excluded)
    return np.flatnonzero(is_shown)


def _sort_key(plan: Plan, by: Expression, released: Released, few: Few) -> Floats:
    if isinstance(by, KeyOf):
        cells, values = cell_of(plan, by.place).astype(np.float64), plan.axes[by.place].values  # in the order of the facts
        return np.where(cells == len(values) - 1, np.nan, cells) if values and values[-1] is None else cells
    return evaluate(plan, by, released, _some_risk, few).value


def _is_choice_public(plan: Plan) -> bool:
    """Whether which cells are shown does not depend on what was released."""
    return plan.question.having is None and all(isinstance(order.by, KeyOf) for order in plan.question.order)


def _shown(plan: Plan, output: Output, released: Released, risk: Risk, rows: NDArray[np.intp], few: Few) -> Shown:
    shown = _column(plan, output.name, output.value, released, risk, rows, few)
    if (cells := few.of(output.value)) is None or not (places := np.flatnonzero(cells[rows]).tolist()):
        return shown
    values, intervals = list(shown.values), list(shown.intervals or ())
    for place in places:
        values[place], intervals[place] = None, (None, None)
    return replace(shown, values=values, intervals=intervals, too_few=tuple(places))


def _column(
    plan: Plan, name: str, value: Expression, released: Released, risk: Risk, rows: NDArray[np.intp], few: Few
) -> Shown:
    kind = kind_of(value)
    if isinstance(value, KeyOf):
        axis = plan.axes[value.place]
        values = [axis.values[cell] for cell in cell_of(plan, value.place)[rows]]
        labels = dict(zip(axis.values, axis.labels, strict=False)) | ({None: axis.null_label} if axis.null_label else {})
        return Shown(name, kind, values, None, labels)
    part = plan.behind(value) if isinstance(value, Aggregate) else None
    if isinstance(value, Aggregate) and isinstance(part, Ranks):
        return _ranked(plan, name, value, part, released, risk(value), rows)
    if isinstance(value, Aggregate) and isinstance(part, Mode):
        return _mode(plan, name, value, part, released, risk(value), rows)
    found = evaluate_output(plan, value, released, risk, few)
    whole = isinstance(value, Aggregate) and (kind == "count" or (kind == "sum" and _is_whole_sum(plan, value)))
    whole = whole and (part is None or not part.shares_noise)  # bins of a tree add up to their running counts, unrounded
    intervals = _intervals(found.low[rows], found.high[rows], whole)
    return Shown(name, kind, _numbers(found.value[rows], whole), intervals, {}, None, is_drawn(plan, value))


def is_drawn(plan: Plan, value: Expression) -> bool:
    """Whether noise is behind an output: it is not public then, however narrow its interval. Rule 28."""
    return any(isinstance(plan.source(each), Derived) for each in aggregates_in_expression(value))


def _ranked(
    plan: Plan, name: str, value: Aggregate, part: Ranks, released: Released, alpha: float, rows: NDArray[np.intp]
) -> Shown:
    """A value chosen by its rank: an interval of ranks for free, one of values where its ends were bought. Rule 30."""
    source = plan.source(value)
    assert isinstance(source, Derived)
    found, whole = estimate(plan, value, released, alpha), part.is_whole(plan.facts)
    bought = value.interval and part.has_ends(plan.told(released), source.filter, alpha)
    pairs = zip(found.low[rows], found.high[rows], strict=True)
    ends = [_ends(low, high, whole) if bought else (None, None) for low, high in pairs]
    far = part.rank_reach(source.filter, alpha)
    return Shown(name, kind_of(value), [_number(each, whole) for each in found.value[rows]], ends, {}, (-far, far), True)


def _mode(
    plan: Plan, name: str, value: Aggregate, part: Mode, released: Released, alpha: float, rows: NDArray[np.intp]
) -> Shown:
    """A value of a list, and how many rows fewer than the most frequent one it may have."""
    source = plan.source(value)
    assert isinstance(source, Derived)
    shown: list[object] = [part.values[place] for place in released[source.vector][0, source.filter, rows].tolist()]
    column = plan.facts.column(part.of.name) if isinstance(part.of, Column) else None
    labels: dict[object, str] = {}
    if isinstance(column, Category):
        labels = dict(zip(column.values, column.labels, strict=False))
    far = part.off(source.filter, alpha)[0]
    return Shown(name, kind_of(value), shown, [(None, None)] * len(rows), labels, (-far, 0), True)


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
