"""Answers and quotes as people and programs get them, made from plans and released integers."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from discreet.answers.answer import Answer, AnswerColumn, BudgetState
from discreet.answers.quote import QuotedColumn
from discreet.curator.advice import split_of, warnings_for
from discreet.planning.behind import Counts
from discreet.planning.expected import expected_errors
from discreet.planning.outputs import answer_table
from discreet.planning.plan import Plan
from discreet.planning.release import Released
from discreet.privacy.losses import Loss
from discreet.questions.words import to_text

__all__ = ["answer_from", "quoted_columns"]


def answer_from(
    plan: Plan,
    released: Released,
    confidence: Fraction,
    simultaneous: bool,
    *,
    id: str,  # noqa: A002 - as the answer calls it
    cost: Loss,
    budget: BudgetState,
    replayed: bool,
    receipt: Mapping[str, Any] | None,
) -> Answer:
    """The rows of an answer with their intervals. Everything here is post-processing of what was released."""
    table = answer_table(plan, released, float(confidence), simultaneous)
    columns = table.columns
    return Answer(
        id=id,
        table=plan.facts.name,
        question=to_text(plan.question),
        columns=tuple(AnswerColumn(c.name, c.kind, c.labels) for c in columns),
        rows=tuple({c.name: c.values[i] for c in columns} for i in range(table.rows)),
        intervals=tuple({c.name: c.intervals[i] for c in columns if c.intervals is not None} for i in range(table.rows)),
        confidence=confidence,
        cost=cost,
        budget=budget,
        split=split_of(plan),
        replayed=replayed,
        warnings=warnings_for(plan),
        receipt=receipt,
    )


def quoted_columns(plan: Plan, confidence: Fraction, assuming: int | None, released: Counts) -> tuple[QuotedColumn, ...]:
    """The ± that every column will have."""
    found = expected_errors(plan, float(confidence), assuming, released)
    return tuple(QuotedColumn(each.name, each.plus_minus, each.basis, each.rows) for each in found)
