"""What came of an order, as an answer. All of it is post-processing of what was released."""

from dataclasses import replace
from typing import Any

from discreet.answers.answer import Answer, BudgetState
from discreet.curator.names import Asker, asker_of
from discreet.curator.orders import Answered, Order
from discreet.curator.replays import shown_again
from discreet.curator.results import answer_of, document_of, ranges_of
from discreet.curator.statements import statement_about
from discreet.curator.wishes import missed
from discreet.errors import LedgerFault
from discreet.ledger.entries.charges import Request, Stored, Viewed
from discreet.ledger.entries.signatures import problem_with
from discreet.ledger.history import keep_view
from discreet.ledger.logins import Account
from discreet.planning.plan import Plan
from discreet.planning.purchase import Purchase
from discreet.planning.staged import opened
from discreet.privacy.events import Sequence
from discreet.questions.algebra import Question
from discreet.views.stored import view_of

__all__ = ["answer_to", "answer_with_names", "budget_seen_by"]

_NOTHING = Sequence(())


def answer_to(found: Answered) -> Answer:
    """What came of an order."""
    order, purchase, outcome = found.order, found.purchase, found.outcome
    if isinstance(outcome, Viewed):
        return _viewed(order, purchase, outcome.request)
    desk = order.desk
    if not found.is_new and problem_with(outcome.receipt, "receipt", desk.ledger.key.public) is not None:
        raise LedgerFault("a stored receipt is not what was signed", hint="run discreet ledger verify")
    document, ranges = shown_again(purchase, outcome, desk.stock, order.confidence, order.simultaneous, is_new=found.is_new)
    charged = desk.cost(outcome.request.event)  # now or before
    answer = answer_of(
        document, order.plan, id=outcome.id, cost=charged if found.is_new else desk.cost(_NOTHING),
        budget=budget_seen_by(order), replayed=not found.is_new, receipt=_receipt_for(order.analyst, outcome),
    )  # fmt: skip
    warnings = (*answer.warnings, *missed(document, order.wish))
    return replace(answer, ranges=ranges, paid=None if found.is_new else charged, warnings=warnings)


def answer_with_names(plan: Plan, found: Answered, asked: Question) -> Answer:
    """An answer with the names of one of those who asked the same."""
    if plan.question == asked:
        return answer_to(found)
    order = replace(found.order, plan=replace(plan, question=asked))
    purchase = replace(found.purchase, plan=replace(found.purchase.plan, question=asked))  # opened, where it was staged
    return answer_to(replace(found, order=order, purchase=purchase, is_new=False))


def budget_seen_by(order: Order) -> BudgetState:
    """The budget as whoever asks sees it: the table's, and themself. The data holder sees all of it."""
    desk = order.desk
    return desk.ledger.state(desk.facts.name) if order.is_holders else desk.budget_for(order.analyst)


def _receipt_for(analyst: Asker, stored: Stored) -> dict[str, Any] | None:
    """The receipt of whoever asks; none where it would name somebody else, whose answer was kept before it had parts."""
    asker = asker_of(analyst)
    return dict(stored.receipt) if not asker or stored.request.analyst in ("", asker) else None


def _viewed(order: Order, purchase: Purchase, request: Request) -> Answer:
    """An answer that follows from stored draws. It can be had again at any time; accounts find it in their history."""
    desk, view = order.desk, view_of(purchase)
    released = desk.stock.released(view, ())
    document = document_of(purchase, released, order.confidence, order.simultaneous)
    statement = statement_about(replace(purchase, plan=opened(view.plan, released)), request, document.left_out or ())
    receipt = desk.ledger.view_receipt(request, statement, document)
    if isinstance(order.analyst, Account):
        keep_view(desk.ledger, order.analyst.name, receipt, document)
    answer = answer_of(
        document, order.plan, id=receipt["answer"], cost=desk.cost(purchase.event), budget=budget_seen_by(order), replayed=True,
        receipt=receipt,
    )  # fmt: skip
    warnings = (*answer.warnings, *missed(document, order.wish))
    return replace(answer, ranges=ranges_of(view.plan, released, order.confidence), warnings=warnings)
