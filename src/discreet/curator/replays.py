"""Plans of what was charged before, and what released answers say about later ones.

A stored answer is shown as it was when it was settled. Intervals of another confidence are worked out from its plan, where this
version makes the plan that was charged, to the letter; the values beside them are still those that the receipt signs.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from discreet.answers.document import Document
from discreet.answers.ranges import RangeTotals
from discreet.curator.results import document_of, ranges_of
from discreet.errors import LedgerFault, Refused
from discreet.facts.model import Facts
from discreet.ledger import Ledger
from discreet.ledger.entries.charges import Request, Stored
from discreet.ledger.entries.documents import document_from
from discreet.planning.behind import counts_for, rows_at_least
from discreet.planning.build import make_plan
from discreet.planning.outputs import Shown
from discreet.planning.plan import Plan
from discreet.planning.price import LEAST, Price
from discreet.planning.release import Released
from discreet.planning.shares import weights_behind
from discreet.planning.vectors import aggregates_in_expression
from discreet.plots.numerals import percent
from discreet.privacy.losses import Concentrated, Pure
from discreet.questions.algebra import Aggregate, Question
from discreet.questions.normal import fingerprint
from discreet.questions.sql import read_sql
from discreet.remedies import Remedy

__all__ = ["plan_again", "plan_followed", "released_as_planned", "released_rows", "shown_again", "shown_or_none"]

_WHOSE = {True: "all at once", False: "each by itself"}
_ANY_PRICE: tuple[Price, ...] = (Pure(epsilon=LEAST), Concentrated(rho=LEAST**2))


def plan_again(request: Request, facts: Facts) -> Plan:
    """The plan that a request was charged for. It must come out as it was: then its loss is the one that was charged."""
    plan = plan_followed(request, facts)
    if plan is None:
        raise LedgerFault("a stored plan cannot be followed any more", hint="use the version of discreet that it was made with")
    return plan


def plan_followed(request: Request, facts: Facts) -> Plan | None:
    """The same; None where this version reads or plans the question differently."""
    try:
        plan = make_plan(read_sql(request.question, facts), facts, request.price, request.weights)
    except Refused:
        return None
    return plan if plan.event == request.event and fingerprint(plan.question) == request.fingerprint else None


def _charged(plan: Plan, stored: Stored) -> Plan | None:
    """The plan of a stored answer with the names of this asker; None if it cannot be followed."""
    theirs = stored.request
    same = (theirs.price, theirs.event, theirs.weights) == (plan.price, plan.event, weights_behind(plan))
    charged = plan if same else plan_followed(theirs, plan.facts)
    return None if charged is None else replace(charged, question=plan.question)


def shown_or_none(plan: Plan, stored: Stored | None) -> Stored | None:
    """The same answer. Raises LedgerFault, before anything is charged, if it cannot be shown any more."""
    if stored is not None:
        _check_can_show(plan, stored)
    return stored


def _check_can_show(plan: Plan, stored: Stored) -> None:
    """Raises LedgerFault if a stored answer can be shown neither by its plan nor as it was shown."""
    if stored.document is None and _charged(plan, stored) is None:
        raise LedgerFault(
            "the question is planned differently now, and the version that answered it kept nothing to show without its plan",
            hint=Remedy("use that version, which shows it for free; or ask with {anew}, which is charged again"),
        )


def shown_again(
    plan: Plan, stored: Stored, confidence: Fraction, simultaneous: bool
) -> tuple[Document, tuple[RangeTotals, ...]]:
    """What is shown of a stored answer to those who asked ``plan``, and the trees behind its running counts."""
    _check_can_show(plan, stored)
    charged = _charged(plan, stored)
    document = None if stored.document is None else _named(document_from(stored.document), plan)
    is_same = document is not None and (document.confidence, document.simultaneous) == (confidence, simultaneous)
    if charged is None:
        assert document is not None
        return _noted(document, is_same=is_same), ()
    released = released_as_planned(charged, stored.released)
    ranges = ranges_of(charged, released, confidence)
    if document is not None and is_same:  # to the last digit what the receipt signs
        return document, ranges
    made = document_of(charged, released, confidence, simultaneous)
    if document is None:
        return made, ranges
    if all(map(_belongs, document.table.columns, made.table.columns)):
        return _with_values(made, document), ranges
    return _noted(document, is_same=False), ()


def _belongs(signed: Shown, made: Shown) -> bool:
    """Whether intervals that were made now stand beside the signed values: same rows, and around what is shown in them."""
    if len(signed.values) != len(made.values):
        return False
    if made.intervals is None:
        return made.kind != "key" or signed.values == made.values
    triples = zip(signed.values, made.values, made.intervals, strict=True)
    return all(value == now or _is_inside(value, interval) for value, now, interval in triples)


def _is_inside(value: Any, interval: tuple[Any, Any]) -> bool:
    try:
        return bool(interval[0] <= value <= interval[1])
    except TypeError:  # nothing is shown there
        return False


def _with_values(made: Document, signed: Document) -> Document:
    """The intervals that were made now beside the values that the receipt signs, whatever formula this version has for them."""
    pairs = zip(made.table.columns, signed.table.columns, strict=True)
    columns = tuple(replace(now, values=before.values) for now, before in pairs)
    return replace(made, table=replace(made.table, columns=columns))


def _named(document: Document, plan: Plan) -> Document:
    """A document with the names of this asker."""
    pairs = zip(document.table.columns, plan.question.outputs, strict=True)
    columns = tuple(replace(column, name=output.name) for column, output in pairs)
    return replace(document, table=replace(document.table, columns=columns))


def _noted(document: Document, *, is_same: bool) -> Document:
    """A document with a note that it is shown as it was, whatever confidence was asked for."""
    note = "this version plans or works the question out differently: the answer is shown as it was stored"
    if not is_same:
        note += f", with intervals of {percent(document.confidence)}, {_WHOSE[document.simultaneous]}"
    return replace(document, warnings=(*document.warnings, note))


def released_as_planned(plan: Plan, released: Released) -> Released:
    """Stored integers in the width that the plan works with."""
    pairs = zip(plan.vectors, released, strict=True)
    return tuple(values if vector.are_few else np.asarray(values, dtype=np.int64) for vector, values in pairs)


def released_rows(
    question: Question, facts: Facts, ledger: Ledger, confidence: Fraction, asker: str
) -> dict[str, tuple[int, ...]]:
    """Per output, how many rows are behind it at least, where a count of them was released before (rule 29)."""
    found = {}
    sized = [output for output in question.outputs if any(not _is_count(each) for each in aggregates_in_expression(output.value))]
    for name, count in counts_for(replace(question, outputs=tuple(sized)), facts).items():  # the error of a count needs no count
        stored = _any_answer(fingerprint(count), facts, ledger, asker)
        if stored is None:
            continue
        plan = plan_followed(stored.request, facts)
        if plan is None:
            continue
        least = list(rows_at_least(plan, released_as_planned(plan, stored.released), confidence).values())
        if least:
            found[name] = least[0]
    return found


def _is_count(aggregate: Aggregate) -> bool:
    return aggregate.kind in ("count_rows", "count")


def _any_answer(asked: str, facts: Facts, ledger: Ledger, asker: str) -> Stored | None:
    answers = (ledger.answered(facts.name, facts.version, asked, price, asker) for price in _ANY_PRICE)
    return next((stored for stored in answers if stored is not None), None)
