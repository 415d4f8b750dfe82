"""The count behind a statistic: if it was ever released, it says how many rows there are, and quotes may use it. Rule 29."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.facts.model import Facts
from discreet.planning.choosing import aggregates_in_expression, drops_rows
from discreet.planning.identity import count_name
from discreet.planning.plan import Derived, Plan
from discreet.planning.purchase import Draw
from discreet.questions.aggregates import BOUNDED
from discreet.questions.algebra import Aggregate, Apply, Expression
from discreet.questions.nulls import with_nulls_replaced
from discreet.questions.ranked import SIZE_KINDS
from discreet.views.estimates import estimate
from discreet.views.simultaneous import Confidence

__all__ = ["Counted", "Counts", "count_behind", "counts_for", "rows_at_least", "rows_behind"]

Counted = int | Sequence[int]  # rows that there are at least, or at least in each cell
Counts = Counted | Mapping[str, Counted]  # for all outputs, or for each by name


def count_behind(value: Expression, plan: Plan) -> str | None:
    """The name under which the count of the rows behind an output ``value`` is stored if it ever was; None if there is no one.

    COUNT(*), or COUNT(x) where rows without x are dropped, with the FILTER of the aggregate. An output of several aggregates has
    such a count only if all are about the same rows, or about parts of them by FILTER.
    """
    aggregates = aggregates_in_expression(value)
    if any(each.kind in (*SIZE_KINDS, "at_caps") for each in aggregates):
        return None  # units are behind it, not rows
    behind = dict.fromkeys(rows_behind(each, plan.facts) for each in aggregates)
    whole = list(behind) if len(behind) == 1 else [each for each in behind if each.filter is None]
    if len(whole) != 1:
        return None
    (count,) = whole
    of = None if count.of is None else with_nulls_replaced(count.of, plan.facts)
    return count_name(plan, of, count.filter)


def rows_behind(aggregate: Aggregate, facts: Facts) -> Aggregate:
    """The count of the rows that an aggregate is about."""
    if aggregate.and_of is not None and drops_rows(aggregate, facts):
        has = Apply("not", (Apply("is_null", (with_nulls_replaced(aggregate.and_of, facts),)),))
        only = has if aggregate.filter is None else Apply("and", (aggregate.filter, has))
        return Aggregate("count", aggregate.of, only)
    if aggregate.kind in BOUNDED and aggregate.of is not None:
        has = Apply("not", (Apply("is_null", (aggregate.of,)),))
        return Aggregate("count_rows", None, has if aggregate.filter is None else Apply("and", (aggregate.filter, has)))
    if drops_rows(aggregate, facts):
        return Aggregate("count", aggregate.of, aggregate.filter)
    return Aggregate("count_rows", None, aggregate.filter)


def counts_for(plan: Plan) -> dict[str, str]:
    """For each output whose error may depend on how many rows there are, by name: the name of the count behind it."""
    sized = [output for output in plan.question.outputs if not _is_count(output.value) and aggregates_in_expression(output.value)]
    found = {output.name: count_behind(output.value, plan) for output in sized}
    return {name: count for name, count in found.items() if count is not None}


def _is_count(value: Expression) -> bool:
    """The error of a count needs no count; that of a quotient of two does."""
    return isinstance(value, Aggregate) and value.kind in ("count_rows", "count")


def rows_at_least(plan: Plan, draw: Draw, integers: NDArray[Any], confidence: Confidence) -> tuple[int, ...] | None:
    """What a stored draw says about how many rows there are: per cell, the lower end of their count, 0 where there may be few or
    none; None if nothing.

    Few is what is counted to no better than half, where most cells that surely have a row are counted better than that.
    """
    if not draw.vector.tells_rows:
        return None
    counting = replace(plan, vectors=(draw.vector,), sources=((_ROWS, Derived(0, draw.slot)),))
    found = estimate(counting, _ROWS, (integers,), float(1 - confidence))
    is_there = found.low > 0
    is_clear = is_there & (2 * found.low >= found.value)
    told = np.where(is_clear if 2 * is_clear.sum() >= is_there.sum() else is_there, found.low, 0)
    return tuple(floor(each) for each in told)


_ROWS = Aggregate("count_rows")
