"""What an answer will be worth: the ± of every column before anything is spent, and the price of a ± that is wished for.

Never looks at data: where an error depends on how many rows there are, it is worked out for a size that is public or assumed.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np

from discreet.errors import QuestionError
from discreet.facts.model import Facts
from discreet.mechanisms.accuracy import least_price
from discreet.planning.build import make_plan
from discreet.planning.outputs import answer_table, kind_of
from discreet.planning.plan import Derived, Plan, Vector
from discreet.planning.price import Price
from discreet.planning.release import Released
from discreet.planning.vectors import aggregates_in_expression
from discreet.privacy.losses import Pure
from discreet.questions.algebra import Aggregate, Expression, Question

__all__ = ["Basis", "Expected", "expected_errors", "price_within", "readable_group", "size_for"]

Basis = Literal["rows", "released", "assuming", "rows_about", "table", "none"]

_SHARE, _SPREAD = 0.05, 0.2  # of the range: where values are assumed to lie, mostly low as incomes do, and how widely


@dataclass(frozen=True, slots=True)
class Expected:
    """The ± of one column; ``rows`` is the size of a group that it was worked out for, None if it does not depend on it."""

    name: str
    plus_minus: float
    basis: Basis
    rows: int | None


def size_for(facts: Facts, question: Question, assuming: int | None) -> tuple[int, Basis] | None:
    """The number of rows that an error is worked out for, and where it comes from. Rule 29."""
    is_whole_table = question.where is None and not question.keys
    if facts.rows is not None and facts.neighbours == "change_one" and is_whole_table:
        return facts.rows, "rows"
    if assuming is not None:
        return assuming, "assuming"
    about = facts.rows if facts.rows is not None else facts.rows_about
    return (about, "rows_about") if about is not None else None


def expected_errors(plan: Plan, confidence: float, assuming: int | None) -> tuple[Expected, ...]:
    """The ± of every column that has one; for sizes 100, 1 000 and 10 000 where nothing says how large the table is."""
    size = size_for(plan.facts, plan.question, assuming)
    groups = 1 if assuming is not None else plan.wanted.cells
    sizes: list[tuple[int, Basis]] = [(n, "table") for n in (100, 1000, 10000)]
    if size is not None:
        sizes = [(max(1, size[0] // groups), size[1])]
    found: dict[tuple[str, int | None], Expected] = {}
    for rows, basis in sizes:
        for name, value, plus_minus in _at(plan, rows, confidence):
            depends = _depends_on_rows(plan, value)
            entry = Expected(name, plus_minus, basis if depends else "none", rows if depends else None)
            found.setdefault((name, entry.rows), entry)
    return tuple(found.values())


def _depends_on_rows(plan: Plan, value: Expression) -> bool:
    if not isinstance(value, Aggregate):
        return True  # quotients and products of aggregates
    if not isinstance(source := plan.source(value), Derived) or value.kind in ("count", "count_rows", "sum"):
        return False
    return plan.vectors[source.vector].estimator != "count"


def _at(plan: Plan, rows: int, confidence: float) -> list[tuple[str, Expression, float]]:
    """(name, value, ±) of every column but the keys, in a group of this many rows."""
    one_cell = replace(
        plan,
        axes=tuple(replace(axis, values=axis.values[:1], labels=()) for axis in plan.axes),
        wanted=replace(plan.wanted, keys=()),
        question=replace(plan.question, having=None, order=(), limit=None),
    )
    table = answer_table(one_cell, _assumed(plan.vectors, rows), confidence)
    columns = zip(table.columns, plan.question.outputs, strict=True)
    return [(shown.name, output.value, _half(shown.intervals)) for shown, output in columns if shown.intervals is not None]


def _half(intervals: list[tuple[object, object]]) -> float:
    low, high = intervals[0]
    return (float(high) - float(low)) / 2 if isinstance(low, int | float) and isinstance(high, int | float) else float("inf")


def _assumed(vectors: tuple[Vector, ...], rows: int) -> Released:
    """Vectors as they would be without noise for ``rows`` rows whose values lie low in their range."""
    mean, square = _SHARE, _SHARE**2 + (_SHARE * (1 - _SHARE)) * _SPREAD
    found = []
    for vector in vectors:
        width = float(vector.grid.width) if vector.grid else 1.0
        low = float(vector.grid.low) if vector.grid else 0.0
        match vector.estimator:
            case "count":
                each = [float(rows)]
            case "sum":
                each = [rows * (low + width * mean)]
            case "variance_numerator":
                each = [rows**2 * width**2 * (square - mean**2)]
            case "bernstein":
                terms = [1 - mean, mean] if vector.degree == 1 else [1 - 2 * mean + square, 2 * (mean - square), square]
                each = [rows * width**vector.degree * term for term in terms]
        found.append(np.array([[[value]] * len(vector.filters) for value in each]))
    return tuple(found)


def readable_group(plan: Plan, confidence: float) -> int | None:
    """The least count that its own ± does not blur by more than a tenth; None if no count is released."""
    for _, value, half in _at(plan, 1000, confidence):
        if isinstance(value, Aggregate) and kind_of(value) == "count" and isinstance(plan.source(value), Derived):
            return max(1, round(10 * half))
    return None


def price_within(
    question: Question, facts: Facts, within: dict[str, Fraction], confidence: float, assuming: int | None
) -> Price:
    """The least epsilon (three digits) at which every named column's expected ± is as small as wished."""
    names = {output.name for output in question.outputs if aggregates_in_expression(output.value)}
    if unknown := sorted(set(within) - names):
        raise QuestionError(f"there is no number {unknown[0]!r} in the answer", hint=f"name one of: {', '.join(sorted(names))}")
    meets = _meets(question, facts, within, confidence, assuming)
    return Pure(epsilon=least_price(meets))


def _meets(
    question: Question, facts: Facts, within: dict[str, Fraction], confidence: float, assuming: int | None
) -> Callable[[Fraction], bool]:
    def meets(epsilon: Fraction) -> bool:
        try:
            plan = make_plan(question, facts, Pure(epsilon=epsilon))
        except QuestionError:
            if epsilon >= 1:
                raise
            return False  # a price at which the noise is out of reach is too low
        for found in expected_errors(plan, confidence, assuming):
            if found.name in within:
                if found.basis == "table":
                    raise QuestionError(
                        f"how good {found.name} is depends on how many rows there are, which nothing public says",
                        hint="write assuming=1000 beside within, or rows_about in the facts",
                    )
                if found.plus_minus > within[found.name]:
                    return False
        return True

    return meets
