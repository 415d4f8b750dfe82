"""What an answer will be worth: the ± of every column before anything is spent, and the price of a ± that is wished for.

Never looks at data: where an error depends on how many rows there are, it is worked out for a size that is public or assumed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from math import prod
from typing import Literal

from discreet.errors import QuestionError
from discreet.facts.model import Facts
from discreet.mechanisms.accuracy import least_price
from discreet.planning.build import make_plan
from discreet.planning.caps import reach_of
from discreet.planning.cells import cells_of, unknown_key
from discreet.planning.choosing import aggregates_in, aggregates_in_expression, known_rows_behind
from discreet.planning.plan import Axis, Derived, Plan
from discreet.planning.price import Price
from discreet.planning.shares import Weights
from discreet.planning.staged import opened
from discreet.privacy.losses import Pure
from discreet.questions.aggregates import FORMS
from discreet.questions.algebra import Aggregate, Column, Expression, KeyOf, Output, Question
from discreet.questions.unbounded import unbounded_in
from discreet.remedies import Remedy
from discreet.statistics.bounds import ASSUMED, Found
from discreet.statistics.part import Off, Released
from discreet.views.counts_behind import Counted, Counts
from discreet.views.rows import answer_table, is_drawn, kind_of
from discreet.views.simultaneous import Confidence

__all__ = ["Basis", "Expected", "expected_errors", "price_within", "readable_group", "size_for"]

Basis = Literal[
    "rows", "released", "assuming", "rows_about", "rows_kept", "table", "units", "table_of_units",  # sizes it is worked out for
    "rank", "rank_of_units", "count", "range", "none", "public",
]  # fmt: skip

_SIZES = (100, 1000, 10_000)  # of a group, where nothing says how large it is
_STEADY = ("count", "count_rows", "count_units", "count_distinct", "running_rows", "sum")  # whose error rows do not change
_COUNTED = {"count_units": "units", "count_distinct": "values"}  # in place of rows


@dataclass(frozen=True, slots=True)
class Expected:
    """The ± of one column: in ranks where the basis is that, or in parts of the range that is found for it.

    ``rows`` is the size of a group that it was worked out for, None if it does not depend on it.
    """

    name: str
    plus_minus: float
    basis: Basis
    rows: int | None


def size_for(
    facts: Facts, question: Question, value: Expression, assuming: int | None, counted: Counted | None = None
) -> tuple[int, Basis] | None:
    """How many rows of a group the error of ``value`` is worked out for, and where that comes from. Rule 29.

    Public rows where the known-n form holds; else ``counted``, the lower end of a noisy count of the same rows and version, of
    several groups the least that is told (one that may have few or none will have too few rows to be shown, or a wide ±); else
    ``assuming``; else an even part of what the facts say about the table, if it is public how many groups there are.
    """
    aggregates = aggregates_in_expression(value)
    groups = prod(max(1, len(axis.values)) for axis in cells_of(question.keys, facts)[1])
    if _is_of_units(value):
        units = assuming if assuming is not None or facts.units is None else max(1, facts.units // groups)
        return None if units is None else (units, "units")
    if facts.rows is not None and all(known_rows_behind(each, question, facts) is not None for each in aggregates):
        return facts.rows, "rows"
    if counted is not None:
        least = counted if isinstance(counted, int) else min((each for each in counted if each > 0), default=1)
        return max(1, least), "released"
    if assuming is not None:
        return assuming, "assuming"
    if any(unknown_key(key, facts) for key in question.keys):
        return None  # nobody knows how many groups there will be
    about, basis = _about(question, facts)
    return (max(1, about // groups), basis) if about is not None else None


def _about(question: Question, facts: Facts) -> tuple[int | None, Basis]:
    """How many rows there are by what the facts say; of units under a cap, so many if it cuts none, or all that it leaves."""
    about, reach = facts.rows if facts.rows is not None else facts.rows_about, reach_of(question, facts)
    if about is None or reach is None or reach.rows is None:
        return about, "rows_about"
    return (about if facts.units is None else min(about, facts.units * reach.rows)), "rows_kept"


def expected_errors(
    plan: Plan, confidence: Confidence, assuming: int | None, released: Counts | None = None
) -> tuple[Expected, ...]:
    """The ± of every column that has one; for sizes 100, 1 000 and 10 000 where nothing says how large the table is.

    ``released`` is how many rows there are at least by a count that was released before, as ``behind.rows_at_least`` gives it.
    """
    loose = set(unbounded_in(aggregates_in(plan.question), plan.facts))
    plan = _as_if_found(plan)  # where bounds matter, only their distance is used
    at = lru_cache(partial(_at, plan, confidence))
    found = []
    for place, output in enumerate(plan.question.outputs):
        if isinstance(output.value, KeyOf):
            continue
        if (off := _off(plan, output.value, float(1 - confidence))) is not None:
            found.append(Expected(output.name, float(off[0]), off[1], None))
            continue
        counted = released.get(output.name) if isinstance(released, Mapping) else released
        size = size_for(plan.facts, plan.question, output.value, assuming, counted)
        unknown: Basis = "table_of_units" if _is_of_units(output.value) else "table"
        sizes: list[tuple[int, Basis]] = [(n, unknown) for n in _SIZES] if size is None else [size]
        if loose & _scaled(output.value):
            found += _in_ranges(output, [(n, at(n)[place]) for n, _ in sizes], _depends_on_rows(plan, output.value))
        elif _depends_on_rows(plan, output.value):
            found += [Expected(output.name, at(rows)[place], basis, rows) for rows, basis in sizes]
        else:
            basis: Basis = "none" if is_drawn(plan, output.value) else "public"
            found.append(Expected(output.name, at(sizes[0][0])[place], basis, None))
    return tuple(found)


def _is_of_units(value: Expression) -> bool:
    """Whether its error depends on how many units there are, and not on how many rows."""
    return any(each.kind == "at_caps" for each in aggregates_in_expression(value))


def _off(plan: Plan, value: Expression, alpha: float) -> Off | None:
    """How far off a choice may be; None if the output is a number with an interval."""
    source = plan.source(value) if isinstance(value, Aggregate) else None
    return plan.vectors[source.vector].off(source.filter, alpha) if isinstance(source, Derived) else None


def _as_if_found(plan: Plan) -> Plan:
    """The plan at assumed bounds, if it has to find some."""
    return opened(plan, _assumed(plan, 1)) if any(isinstance(each, Found) for each in plan.vectors) else plan


def _scaled(value: Expression) -> set[str]:
    """The columns that stand alone in aggregates of an output which grow with their numbers."""
    aggregates = [each for each in aggregates_in_expression(value) if FORMS[each.kind].grows != "no"]
    return {part.name for each in aggregates for part in (each.of, each.and_of) if isinstance(part, Column)}


def _in_ranges(output: Output, errors: list[tuple[int, float]], depends_on_rows: bool) -> list[Expected]:
    """Errors that were worked out for assumed bounds, in parts of their distance; infinite where that says nothing."""
    is_linear = isinstance(output.value, Aggregate) and FORMS[output.value.kind].grows == "linearly"
    if not is_linear:
        return [Expected(output.name, float("inf"), "range", None)]
    width = float(ASSUMED[1] - ASSUMED[0])
    found = [Expected(output.name, error / width, "range", rows) for rows, error in errors]
    return found if depends_on_rows else [replace(found[0], rows=None)]


def _depends_on_rows(plan: Plan, value: Expression) -> bool:
    if not isinstance(value, Aggregate):
        return True  # quotients and products of aggregates
    part = plan.behind(value)
    return part is not None and value.kind not in _STEADY and not part.is_steady


def _at(plan: Plan, confidence: Confidence, rows: int) -> list[float]:
    """The ± of every column in a group of this many rows; 0 for keys."""
    one_cell = replace(
        plan,
        axes=tuple(Axis(axis.values[:1] or (None,)) for axis in plan.axes),
        wanted=replace(plan.wanted, keys=()),
        question=replace(plan.question, having=None, order=(), limit=None),
    )
    table = answer_table(one_cell, _assumed(plan, rows), confidence, is_expected=True)
    return [0.0 if shown.intervals is None else _half(*shown.intervals[0]) for shown in table.columns]


def _assumed(plan: Plan, rows: int) -> Released:
    """What would be released without noise for ``rows`` rows whose values lie low in their range."""
    return tuple(each.assumed(rows) for each in plan.vectors)


def _half(low: object, high: object) -> float:
    return (float(high) - float(low)) / 2 if isinstance(low, int | float) and isinstance(high, int | float) else float("inf")


def readable_group(plan: Plan, confidence: Confidence) -> tuple[int, str] | None:
    """The least count that its own ± does not blur by more than a tenth, and what it counts; None if no count is released."""
    for output in plan.question.outputs:
        value = output.value
        if isinstance(value, Aggregate) and kind_of(value) == "count" and isinstance(plan.source(value), Derived):
            alone = replace(plan, question=replace(plan.question, outputs=(output,)))
            (half,) = _at(_as_if_found(alone), confidence, 1000)
            return max(1, round(10 * half)), _COUNTED.get(value.kind, "rows")
    return None


def price_within(
    question: Question,
    facts: Facts,
    within: Mapping[str, Fraction],
    confidence: Confidence,
    assuming: int | None,
    *,
    weights: Weights | None = None,
    released: Counts | None = None,
) -> Price:
    """The least epsilon (three digits) at which every named column's expected ± is as small as wished."""
    names = {output.name for output in question.outputs if aggregates_in_expression(output.value)}
    if unknown := sorted(set(within) - names):
        raise QuestionError(f"there is no number {unknown[0]!r} in the answer", hint=f"name one of: {', '.join(sorted(names))}")
    make_plan(question, facts, Pure(epsilon=1), weights)  # what is wrong with the weights is wrong at every price

    def meets(epsilon: Fraction) -> bool:
        try:
            plan = make_plan(question, facts, Pure(epsilon=epsilon), weights)
        except QuestionError:
            if epsilon >= 1:
                raise
            return False  # a price at which the noise is out of reach is too low
        return _is_met(expected_errors(plan, confidence, assuming, released), within)

    return Pure(epsilon=least_price(meets))


def _is_met(expected: tuple[Expected, ...], within: Mapping[str, Fraction]) -> bool:
    for found in expected:
        if found.name in within:
            if found.basis in ("rank", "rank_of_units", "count"):
                raise QuestionError(
                    f"how far off the value of {found.name} is depends on the data; its rank is what a price buys",
                    hint=Remedy("write {epsilon=1}, and see in the quote how far off the rank may be"),
                )
            if found.basis == "range":
                raise QuestionError(
                    f"how good {found.name} is depends on the bounds that will be found",
                    hint=Remedy("write {epsilon=1}, and see in the quote how good it is beside the range found"),
                )
            if found.basis in ("table", "table_of_units"):
                what, more = ("rows", ", or rows_about in the facts") if found.basis == "table" else ("units", "")
                raise QuestionError(
                    f"how good {found.name} is depends on how many {what} there are, which nothing public says",
                    hint=Remedy(f"write {{assuming=1000}} beside within{more}"),
                )
            if found.plus_minus > within[found.name]:
                return False
    return True
