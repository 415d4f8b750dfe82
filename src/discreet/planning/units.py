"""How much of one unit a question reads, and in which of two forms. Proof: docs/proofs/units.md

Rows form: of each unit some rows stay, and any statistic is taken of them. Clamped form, for counts and sums of whole numbers:
what a unit comes to in a cell is brought into a public range, so that no row has to be left out. Both are decided from caps, keys
and aggregates alone, and the clamped form is taken where it is no worse.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from discreet.engines.choice import key_for
from discreet.engines.wanted import LOW_BITS, Bound, Grid, Measure
from discreet.errors import QuestionError
from discreet.facts.joins import multiplicity
from discreet.facts.model import MOST_OF_UNIT, ByColumn, Facts
from discreet.planning.cells import most_cells
from discreet.questions.algebra import Expression, Question
from discreet.questions.disjoint import is_per_unit
from discreet.remedies import Remedy
from discreet.sensitivities.contribution import Sensitivity
from discreet.sensitivities.scope import Scope
from discreet.sensitivities.statistic import Bounds, Count, Sum, UnitTotals
from discreet.sensitivities.table import sensitivity_of

if TYPE_CHECKING:
    from discreet.planning.vectors import Draft

__all__ = [
    "Reach",
    "bound_of",
    "clamp_of",
    "clamped",
    "clamped_measures",
    "clamped_sensitivity",
    "matches_of",
    "reach_of",
    "rows_checked",
    "spread_over_groups",
]

_CLAMPED = ("count", "sum", "units")


@dataclass(frozen=True, slots=True)
class Reach:
    """The most that one unit can put into the cells of a question; None where nothing limits it.

    ``rows`` in all, ``rows_per_group`` in one cell, ``groups`` cells; ``cells`` is how many cells there are for one unit: a key
    that is constant per unit makes no more of them. ``caps`` are what was written, times what a row may become by joins: rows,
    groups, per group.
    """

    rows: int | None
    rows_per_group: int | None
    groups: int
    cells: int
    caps: tuple[int | None, int | None, int | None]


def matches_of(question: Question, facts: Facts) -> int:
    """How many rows one row of the table can become by the joins of the question. Rule 26, docs/proofs/joins.md."""
    found = multiplicity(facts, (join.table for join in question.joins))
    if found > MOST_OF_UNIT:
        raise QuestionError(
            f"one row may become {found:,} rows by these joins", hint="join fewer lookups, or declare a smaller max_matches"
        )
    return found


def reach_of(question: Question, facts: Facts) -> Reach | None:
    """From the caps of the question, or else of the facts, and the number of cells; None if every row is a unit of its own.

    Caps are about the table: where one of its rows may become several by joins, the joined rows are capped at as many times more.
    """
    unit, said = facts.unit, question.caps
    if not isinstance(unit, ByColumn):
        return None
    times = matches_of(question, facts)
    rows = _times(unit.max_rows if said.rows is None else said.rows, times)
    groups = _times(unit.max_groups if said.groups is None else said.groups, times)
    per_group = _times(unit.max_rows_per_group if said.rows_per_group is None else said.rows_per_group, times)
    cells = most_cells(tuple(key for key in question.keys if not is_per_unit(key, facts)), facts)
    most_groups = min(each for each in (groups, rows, cells) if each is not None)
    together = None if per_group is None else per_group * most_groups
    return Reach(
        rows=min((each for each in (rows, together) if each is not None), default=None),
        rows_per_group=min((each for each in (rows, per_group) if each is not None), default=None),
        groups=most_groups,
        cells=cells,
        caps=(rows, groups, per_group),
    )


def _times(cap: int | None, matches: int) -> int | None:
    if cap is not None and cap * matches > MOST_OF_UNIT:
        raise QuestionError(
            f"a unit may have {cap * matches:,} joined rows or groups", hint=f"cap it so that there are {MOST_OF_UNIT:,} at most"
        )
    return None if cap is None else cap * matches


def rows_checked(reach: Reach) -> None:
    """Refuses a question whose rows nothing limits."""
    if reach.rows is None:
        raise QuestionError(
            "nothing limits how many rows of one unit enter this question",
            hint=Remedy("write {max_rows=10} beside the price, or PER UNIT 10 ROWS at the end; or max_rows into the facts; "
                        "ROWS_PER_UNIT(0.95) asks how many most units have"),
        )


def bound_of(question: Question, facts: Facts, *, is_clamped: bool) -> Bound | None:
    """What the engine leaves of each unit; None if every row is a unit of its own."""
    reach = reach_of(question, facts)
    if reach is None:
        return None
    key = key_for(facts.name)
    if is_clamped:
        return Bound(key, groups=reach.groups if reach.groups < reach.cells else None)
    rows, groups, per_group = reach.caps
    if reach.cells == 1:
        return Bound(key, rows=reach.rows)
    groups = groups if groups is not None and groups < reach.cells else None
    is_slack = rows is not None and per_group is not None and rows <= per_group
    return Bound(key, groups, None if is_slack else per_group, rows if rows == reach.rows else None)


# ---- the clamped form


def clamped(drafts: Sequence["Draft"], reach: Reach) -> tuple["Draft", ...] | None:
    """The drafts in the clamped form; None where that is not possible, or where leaving out rows gives less noise."""
    if any(draft.estimator not in _CLAMPED for draft in drafts):
        return None
    adds_up = any(draft.estimator != "units" for draft in drafts)
    per_group = reach.rows_per_group
    if adds_up and (per_group is None or reach.rows is None or reach.groups * per_group > reach.rows):
        return None
    return tuple(_clamped(draft, reach) for draft in drafts)


def _clamped(draft: "Draft", reach: Reach) -> "Draft":
    scope = draft.scope
    if scope.grouped:
        scope = replace(scope, rows_per_unit=None, groups_per_unit=reach.groups)
    else:
        scope = replace(scope, rows_per_unit=reach.rows_per_group)
    return replace(draft, scope=scope, per_unit=1 if draft.estimator == "units" else reach.rows_per_group)


def clamped_sensitivity(estimator: str, x: Bounds, most: int, scope: Scope) -> Sensitivity:
    """How far one unit moves counts and sums that are clamped to ``most`` rows' worth per unit and cell."""
    if not scope.grouped:
        return sensitivity_of(Count() if estimator == "count" else Sum(x), scope)
    low, high = (0, most) if estimator == "count" else (most * x.low, most * x.high)
    return sensitivity_of(UnitTotals(Bounds(low, high)), scope)


def spread_over_groups(sensitivity: Sensitivity, reach: Reach | None, x: Bounds, scope: Scope) -> Sensitivity:
    """The sensitivity of sums over rows that stay, where no group holds all of a unit's rows: squares add up to less.

    A sum of both signs that is replaced is left as it is unless all groups are equally full: see the proof, "Squares".
    """
    if reach is None or reach.rows is None or reach.rows_per_group is None or not scope.grouped:
        return sensitivity
    full = min(reach.groups, reach.rows // reach.rows_per_group)
    rest = reach.rows - full * reach.rows_per_group if full < reach.groups else 0
    if scope.neighbours == "change_one" and x.low < 0 < x.high and rest:
        return sensitivity
    squares = full * reach.rows_per_group**2 + rest**2
    return replace(sensitivity, l2_squared=sensitivity.l2_squared * squares / reach.rows**2)


def clamp_of(grid: Grid, most: int) -> tuple[int, int]:
    """Between what a unit's sum in a cell is clamped, in steps: as far as ``most`` rows could bring it."""
    return most * min(grid.low, 0), most * max(grid.high, 0)


def clamped_measures(
    estimator: str, of: Expression | None, grid: Grid | None, condition: Expression | None, most: int
) -> list[Measure]:
    """What the engine adds up: a count, or clamped sums, after how many units there are if sums may be below 0."""
    if estimator != "sum":
        return [Measure(0, of, None, condition, within=(0, most))]
    assert grid is not None
    low, high = clamp_of(grid, most)
    if high - low > 1 << LOW_BITS:
        fits = (1 << LOW_BITS) // (max(grid.high, 0) - min(grid.low, 0))
        raise QuestionError(
            f"one unit could add {high - low:,} to a sum, which is too much to be added up exactly",
            hint=f"cap the rows of a unit at {fits:,} or fewer, or subtract a constant so that the numbers are nearer 0",
        )
    sums = Measure(1, of, grid, condition, within=(low, high))
    return [Measure(0, within=(0, 1)), sums] if grid.low < 0 else [sums]
