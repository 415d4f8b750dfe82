"""How much of one unit a question reads, and in which of two forms. Proof: docs/proofs/units.md

Rows form: of each unit some rows stay, and any statistic is taken of them. Clamped form, for counts and sums of whole numbers:
what a unit comes to in a cell is brought into a public range, so that no row has to be left out. Both are decided from caps, keys
and aggregates alone, and the clamped form is taken where it is no worse.
"""

from collections.abc import Sequence
from dataclasses import replace

from discreet.engines.rules.choice import key_for
from discreet.engines.wanted import Bound
from discreet.errors import QuestionError
from discreet.facts.joins import join_of, multiplicity
from discreet.facts.model import MOST_OF_UNIT, ByColumn, Companion, Facts
from discreet.planning.cells import most_cells
from discreet.questions.algebra import Aggregate, Column, Question
from discreet.questions.disjoint import is_per_unit
from discreet.questions.text import to_text
from discreet.questions.unit_range import bounds_units
from discreet.remedies import Remedy
from discreet.statistics.clamping import Reach
from discreet.statistics.summed import Summed
from discreet.statistics.vector import VectorDraft

__all__ = ["bound_of", "bounded_alone", "caps_checked", "clamped", "groups_of_unit", "matches_of", "reach_of", "rows_checked"]


def matches_of(question: Question, facts: Facts) -> int:
    """How many rows one row of the table can become by the joins of the question. Rule 26, docs/proofs/joins.md.

    Of rows that are made of units: how many a unit has at most, one for each of its groups. Rule 39.
    """
    if question.per_unit is not None:
        return groups_of_unit(question, facts)
    found = multiplicity(facts, (join.table for join in question.joins))
    if found > MOST_OF_UNIT:
        raise QuestionError(
            f"one row may become {found:,} rows by these joins", hint="join fewer lookups, or declare a smaller max_matches"
        )
    return found


def groups_of_unit(question: Question, facts: Facts) -> int:
    """How many rows a unit has in a table made of units: one, or one in each group by columns that may differ in its rows."""
    moving = () if question.per_unit is None else question.per_unit.moving
    cells = most_cells(tuple(map(Column, moving)), facts)
    return cells if question.caps.groups is None else min(cells, question.caps.groups)


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
    of_rows = None if bounds_units(question) else rows  # who keeps all its rows may be in as many groups as there are
    most_groups = min(each for each in (groups, of_rows, cells) if each is not None)
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


def bounded_alone(drafts: Sequence[VectorDraft]) -> None:
    """Refuses what leaves out rows beside sums that are bounded per unit, which read all of them."""
    totals = [draft.what for draft in drafts if draft.statistic.is_bounded]
    if totals:
        raise QuestionError(
            f"{totals[0]} reads all rows of a unit, and what is asked for beside it only some",
            hint="ask for it in a question of its own; COUNT(DISTINCT unit) may stand beside it",
        )


def caps_checked(aggregate: Aggregate, question: Question, facts: Facts) -> Bound:
    """The caps that AT_CAPS is about: those on rows, and of groups by the key that it names. Refused if nothing can be cut."""
    key = () if aggregate.of is None else (aggregate.of,)
    reach = reach_of(replace(question, keys=(*question.keys, *key)), facts)
    assert reach is not None
    if any(isinstance(join_of(facts, join.table), Companion) for join in question.joins):
        raise QuestionError("rows of confidential tables are cut before they are joined", hint="ask AT_CAPS() of one table alone")
    rows, groups, per_group = reach.caps
    if aggregate.of is None:  # all rows of a unit are one group
        found = Bound(0, rows=min((each for each in (rows, per_group) if each is not None), default=None))
    else:
        found = Bound(0, groups if groups is not None and groups < reach.cells else None, per_group, rows)
    if found != Bound(0):
        return found
    named = "" if groups is None or aggregate.of is not None else "; of a cap on groups AT_CAPS(key) tells, which names their key"
    raise QuestionError(
        f"no cap of this question cuts anything that {to_text(aggregate)} looks at",
        hint=Remedy(f"write {{max_rows=10}} beside the price, or PER UNIT 10 ROWS at the end{named}"),
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


def clamped(drafts: Sequence[VectorDraft], reach: Reach) -> tuple[VectorDraft, ...] | None:
    """The drafts in the clamped form; None where that is not possible, or where leaving out rows gives less noise."""
    per_group = reach.rows_per_group
    adds_up = any(not (draft.statistic.is_of_units or draft.statistic.is_bounded) for draft in drafts)
    forms = [draft.statistic.clamped(per_group) for draft in drafts]
    if adds_up and (per_group is None or reach.rows is None or reach.groups * per_group > reach.rows):
        return None
    found = [_clamped(draft, form, reach) for draft, form in zip(drafts, forms, strict=True) if form is not None]
    return tuple(found) if len(found) == len(drafts) else None


def _clamped(draft: VectorDraft, form: Summed, reach: Reach) -> VectorDraft:
    scope = draft.scope
    if scope.grouped:
        scope = replace(scope, rows_per_unit=None, groups_per_unit=reach.groups)
    else:
        scope = replace(scope, rows_per_unit=reach.rows_per_group)
    return replace(draft, statistic=form, scope=scope)
