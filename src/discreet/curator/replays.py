"""Plans of what was charged before, and what released answers say about later ones."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from discreet.errors import LedgerFault
from discreet.facts.model import Facts
from discreet.ledger.charges import Request, Stored
from discreet.ledger.sqlite import Ledger
from discreet.planning.behind import counts_for, rows_at_least
from discreet.planning.build import make_plan
from discreet.planning.plan import Plan
from discreet.planning.price import LEAST, Price
from discreet.planning.release import Released
from discreet.planning.vectors import aggregates_in_expression
from discreet.privacy.losses import Concentrated, Pure
from discreet.questions.algebra import Aggregate, Question
from discreet.questions.normal import fingerprint
from discreet.questions.sql import read_sql

__all__ = ["plan_again", "released_as_planned", "released_rows"]

_ANY_PRICE: tuple[Price, ...] = (Pure(epsilon=LEAST), Concentrated(rho=LEAST**2))


def plan_again(request: Request, facts: Facts) -> Plan:
    """The plan that a request was charged for. It must come out as it was: then its loss is the one that was charged."""
    plan = make_plan(read_sql(request.question, facts), facts, request.price, request.weights)
    if plan.event != request.event or fingerprint(plan.question) != request.fingerprint:
        raise LedgerFault("a stored plan cannot be followed any more", hint="use the version of discreet that it was made with")
    return plan


def released_as_planned(plan: Plan, released: Released) -> Released:
    """Stored integers in the width that the plan works with."""
    pairs = zip(plan.vectors, released, strict=True)
    return tuple(values if vector.are_few else np.asarray(values, dtype=np.int64) for vector, values in pairs)


def released_rows(question: Question, facts: Facts, ledger: Ledger, confidence: Fraction) -> dict[str, tuple[int, ...]]:
    """Per output, how many rows are behind it at least, where a count of them was released before (rule 29)."""
    found = {}
    sized = [output for output in question.outputs if any(not _is_count(each) for each in aggregates_in_expression(output.value))]
    for name, count in counts_for(replace(question, outputs=tuple(sized)), facts).items():  # the error of a count needs no count
        stored = _any_answer(fingerprint(count), facts, ledger)
        if stored is None:
            continue
        plan = plan_again(stored.request, facts)
        least = list(rows_at_least(plan, released_as_planned(plan, stored.released), confidence).values())
        if least:
            found[name] = least[0]
    return found


def _is_count(aggregate: Aggregate) -> bool:
    return aggregate.kind in ("count_rows", "count")


def _any_answer(asked: str, facts: Facts, ledger: Ledger) -> Stored | None:
    answers = (ledger.answered(facts.name, facts.version, asked, price) for price in _ANY_PRICE)
    return next((stored for stored in answers if stored is not None), None)
