"""Answers and quotes as people and programs get them, made from plans and released integers."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import floor, log10
from typing import Any

import numpy as np

from discreet.answers.answer import Answer, AnswerColumn, BudgetState
from discreet.answers.document import Document
from discreet.answers.quote import QuotedColumn, QuotedOffer
from discreet.answers.ranges import RangeTotals
from discreet.curator.advice import free_parts, split_of, warnings_for
from discreet.curator.left_out import left_out
from discreet.engines.wanted import ByStep, Key
from discreet.planning.plan import Derived, Plan
from discreet.planning.price import Price
from discreet.planning.purchase import Purchase
from discreet.planning.staged import opened
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure
from discreet.questions.algebra import Aggregate, Bin, KeyOf, Question
from discreet.questions.naming import default_name
from discreet.questions.text import to_text
from discreet.statistics.part import Released
from discreet.statistics.running_counts import RunningCounts
from discreet.statistics.trees import consistent
from discreet.statistics.vector import Vector
from discreet.views.counts_behind import Counts
from discreet.views.expected import expected_errors
from discreet.views.rows import Table, answer_table
from discreet.views.stored import view_of

__all__ = ["answer_as_shown", "answer_from", "answer_of", "bin_widths", "document_of", "offers_of", "quoted_columns", "ranges_of"]


def answer_from(
    purchase: Purchase,
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
    answer = answer_of(
        document_of(purchase, released, confidence, simultaneous), purchase.plan,
        id=id, cost=cost, budget=budget, replayed=replayed, receipt=receipt,
    )  # fmt: skip
    return replace(answer, ranges=ranges_of(view_of(purchase).plan, released, confidence))


def document_of(purchase: Purchase, released: Released, confidence: Fraction, simultaneous: bool) -> Document:
    """All that is shown of an answer, as it is kept beside what was released: ``released`` are the integers of its view."""
    plan = view_of(purchase).plan
    table = answer_table(plan, released, confidence, simultaneous)
    known = opened(plan, released)  # which tells the bounds that were found
    free, more = free_parts(purchase), left_out(known)
    return Document(table, confidence, simultaneous, split_of(purchase), warnings_for(known), free, more)


def answer_of(
    document: Document,
    plan: Plan,
    *,
    id: str,  # noqa: A002 - as the answer calls it
    cost: Loss,
    budget: BudgetState,
    replayed: bool,
    receipt: Mapping[str, Any] | None,
) -> Answer:
    """A document as an answer. Of ``plan`` only the question and its table are looked at."""
    about = plan.facts.name, to_text(plan.question), bin_widths(plan.question)
    return answer_as_shown(document, *about, id=id, cost=cost, budget=budget, replayed=replayed, receipt=receipt)


def answer_as_shown(
    document: Document,
    table: str,
    question: str,
    widths: Mapping[str, float],
    *,
    id: str,  # noqa: A002 - as the answer calls it
    cost: Loss,
    budget: BudgetState,
    replayed: bool,
    receipt: Mapping[str, Any] | None,
) -> Answer:
    """A document as an answer, which needs no plan. ``widths`` are those of the bins that keys stand for."""
    columns, rows = document.table.columns, document.table.rows
    return Answer(
        id=id,
        table=table,
        question=question,
        columns=tuple(AnswerColumn(c.name, c.kind, c.labels, c.is_drawn, widths.get(c.name)) for c in columns),
        rows=tuple({c.name: c.values[i] for c in columns} for i in range(rows)),
        intervals=tuple({c.name: c.intervals[i] for c in columns if c.intervals is not None} for i in range(rows)),
        rank_intervals=_rank_intervals(document.table),
        too_few=_too_few(document.table),
        confidence=document.confidence,
        cost=cost,
        budget=budget,
        split=document.split,
        replayed=replayed,
        warnings=(*document.warnings, *_few_beside_counts(document.table)),
        receipt=receipt,
        simultaneous=document.simultaneous,
        free=document.free,
        left_out=document.left_out or (),
    )


def bin_widths(question: Question) -> dict[str, float]:
    """How wide the bins are that keys stand for, by the names of these keys."""
    keys = {output.name: question.keys[output.value.place] for output in question.outputs if isinstance(output.value, KeyOf)}
    return {name: float(key.width) for name, key in keys.items() if isinstance(key, Bin)}


def ranges_of(plan: Plan, released: Released, confidence: Fraction) -> tuple[RangeTotals, ...]:
    """The trees behind running counts, for totals over ranges."""
    found = []
    for output in plan.question.outputs:
        runs = isinstance(output.value, Aggregate) and output.value.kind == "running_rows"
        source = plan.source(output.value) if isinstance(output.value, Aggregate) and runs else None
        vector = plan.vectors[source.vector] if isinstance(source, Derived) else None
        if isinstance(source, Derived) and isinstance(vector, Vector) and isinstance(vector.statistic, RunningCounts):
            tree = vector.statistic.tree
            names = {o.value.place: o.name for o in plan.question.outputs if isinstance(o.value, KeyOf)}
            keys = [names.get(place, default_name(key, ())) for place, key in enumerate(plan.question.keys[:-1])]
            bins = consistent(tree, released[source.vector][:, source.filter, :].astype(np.float64))
            groups, law = tuple(product(*(axis.values for axis in plan.axes[:-1]))), vector.mechanism.law
            edges = _edges(plan.wanted.keys[-1])
            found.append(RangeTotals(output.name, edges, tuple(keys), groups, bins, tree, law, confidence))
    return tuple(found)


def _edges(key: Key) -> tuple[Fraction, ...]:
    """Where bins start, and where the last one ends."""
    assert isinstance(key, ByStep)
    return tuple(key.origin + (key.first + place) * key.width for place in range(key.cells + 1))


def _rank_intervals(table: Table) -> tuple[dict[str, tuple[int, int]], ...]:
    """Per row, of every value that was chosen by its rank and is shown."""
    found = {column.name: column.rank_interval for column in table.columns if column.rank_interval is not None}
    if not found:
        return ()
    rows = [dict(found) for _ in range(table.rows)]
    for column in table.columns:
        for place in column.too_few:
            rows[place].pop(column.name, None)
    return tuple(rows)


def _too_few(table: Table) -> tuple[tuple[str, ...], ...]:
    """Per row, the columns that are of too few rows there; nothing if none is anywhere."""
    rows: list[list[str]] = [[] for _ in range(table.rows)]
    for column in table.columns:
        for place in column.too_few:
            rows[place].append(column.name)
    return tuple(map(tuple, rows)) if any(rows) else ()


def _few_beside_counts(table: Table) -> tuple[str, ...]:
    """Where a count says that there are rows, and a statistic beside it that there may be none: by which count."""
    lows = [[low for low, _ in column.intervals] for column in table.columns if column.kind == "count" and column.intervals]
    sure = {place for column in lows for place, low in enumerate(column) if isinstance(low, int | float) and low >= 1}
    names = [column.name for column in table.columns if sure.intersection(column.too_few)]
    whose = "its rows are counted with noise of its own" if len(names) == 1 else "their rows are counted with noise of their own"
    return (f"{', '.join(names)}: too few rows though a count beside it is not small: {whose}",) if names else ()


def quoted_columns(plan: Plan, confidence: Fraction, assuming: int | None, released: Counts) -> tuple[QuotedColumn, ...]:
    """The ± that every column will have."""
    found = expected_errors(plan, confidence, assuming, released)
    return tuple(QuotedColumn(each.name, each.plus_minus, each.basis, each.rows) for each in found)


def offers_of(purchase: Purchase, confidence: Fraction, assuming: int | None, released: Counts) -> tuple[QuotedOffer, ...]:
    """What stored draws would tell for nothing where a more precise one is bought, and at what price that is taken."""
    if not purchase.offers:
        return ()
    found = []
    as_bought = quoted_columns(view_of(purchase).plan, confidence, assuming, released)
    for offer in purchase.offers:
        kept = tuple(place for place in purchase.bought if place != offer.place)
        instead = replace(purchase, bought=kept, uses=(*purchase.uses, *offer.uses), offers=())
        columns = quoted_columns(view_of(instead).plan, confidence, assuming, released)
        at = _lower(purchase.plan.price, offer.factor)
        found += [QuotedOffer(one.name, free.plus_minus, one.plus_minus, at)
                  for one, free in zip(as_bought, columns, strict=True) if free.plus_minus > one.plus_minus]  # fmt: skip
    return tuple(found)


def _lower(price: Price, factor: float) -> Loss:
    """A price, rounded down, at which noise is ``factor`` times as wide."""
    match price:
        case Pure(epsilon=epsilon):
            return Pure(epsilon=_rounded_down(float(epsilon) / factor))
        case Concentrated(rho=rho):
            return Concentrated(rho=_rounded_down(float(rho) / factor**2))
        case Approximate(epsilon=epsilon, delta=delta):
            return Approximate(epsilon=_rounded_down(float(epsilon) / factor), delta=delta)


def _rounded_down(number: float) -> Fraction:
    """To two digits."""
    unit = Fraction(10) ** (floor(log10(number)) - 1)
    return floor(Fraction(number) / unit) * unit
