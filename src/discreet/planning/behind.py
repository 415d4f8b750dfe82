"""The count behind a statistic: if it was ever released, it says how many rows there are, and quotes may use it. Rule 29."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import floor

from discreet.facts.model import Facts
from discreet.planning.estimates import estimate
from discreet.planning.opening import opened
from discreet.planning.plan import Derived, Found, Keys, Plan, Ranks, Vector
from discreet.planning.release import Released
from discreet.planning.together import Confidence
from discreet.planning.vectors import aggregates_in_expression, drops_rows, with_nulls_replaced
from discreet.questions.algebra import Aggregate, Apply, Expression, KeyOf, Output, Question
from discreet.questions.check import checked
from discreet.questions.functions import BOUNDED
from discreet.questions.joins import facts_seen
from discreet.questions.naming import unlike
from discreet.questions.ranked import SIZE_KINDS

__all__ = ["Counted", "Counts", "count_behind", "counts_for", "rows_at_least"]

Counted = int | Sequence[int]  # rows that there are at least, or at least in each cell
Counts = Counted | Mapping[str, Counted]  # for all outputs, or for each by name


def count_behind(value: Expression, question: Question, facts: Facts) -> Question | None:
    """The question that counts the rows behind an output ``value``: same WHERE, same keys, shown first; None if there is no one.

    COUNT(*), or COUNT(x) where rows without x are dropped, with the FILTER of the aggregate. An output of several aggregates has
    such a count only if all are about the same rows.
    """
    facts, aggregates = facts_seen(question, facts), aggregates_in_expression(value)
    if any(each.kind in SIZE_KINDS for each in aggregates):
        return None  # units are behind it, not rows
    behind = dict.fromkeys(_count(each, facts) for each in aggregates)
    if len(behind) != 1:
        return None
    names = [(column.name, column.name.rpartition(".")[2]) for column in facts.columns]
    columns = [name for pair in names for name in pair]  # a key may not share its name with another output
    keys = [Output(unlike(f"key_{place + 1}", columns), KeyOf(place)) for place in range(len(question.keys))]
    counted = Output(unlike("rows", columns), next(iter(behind)))
    return checked(replace(question, outputs=(*keys, counted), having=None, order=(), limit=None), facts)


def _count(aggregate: Aggregate, facts: Facts) -> Aggregate:
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


def counts_for(question: Question, facts: Facts) -> dict[str, Question]:
    """For each output that is not a key, by name: the count behind it, where there is one."""
    found = {output.name: count_behind(output.value, question, facts) for output in question.outputs}
    return {name: count for name, count in found.items() if count is not None}


def rows_at_least(plan: Plan, released: Released, confidence: Confidence) -> dict[str, tuple[int, ...]]:
    """What a released answer says about how many rows there are: per output and cell, the lower end of the count behind it.

    For the answer to a count as above, and for that to any question whose statistics come with the number of their rows.
    """
    found, plan = {}, opened(plan, released)
    for output in plan.question.outputs:
        places = {plan.source(each) for each in aggregates_in_expression(output.value)}
        if len(places) == 1 and isinstance(place := places.pop(), Derived) and _has_count(plan.vectors[place.vector]):
            counting = replace(plan, sources=((_ROWS, place),))
            low = estimate(counting, _ROWS, released, float(1 - confidence)).low
            found[output.name] = tuple(max(1, floor(each)) for each in low)
    return found


_ROWS = Aggregate("count_rows")


def _has_count(vector: Vector | Ranks | Keys | Found) -> bool:
    return isinstance(vector, Vector) and vector.estimator in ("count", "bernstein", "tensor")
