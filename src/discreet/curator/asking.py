"""The curator: the only place where data meets budget.

A question becomes a plan without touching data; the plan is charged; only then is the table read; noise is added; the answer is
settled; and only a settled answer leaves. Nothing is ever refunded.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Unpack

from discreet.answers.answer import Answer, BudgetState
from discreet.answers.quote import Quote
from discreet.curator.advice import free_parts, how_to_ask, join_notes, split_of, warnings_for
from discreet.curator.alarms import Failing
from discreet.curator.held import Held
from discreet.curator.left_out import left_out
from discreet.curator.names import public_name
from discreet.curator.orders import Answered, Order, answered, crossed, recovered
from discreet.curator.refusals import by_parts
from discreet.curator.replays import released_rows, shown_again
from discreet.curator.request import Ask, Asked, Weights, Words
from discreet.curator.results import answer_from, answer_of, document_of, offers_of, quoted_columns, ranges_of
from discreet.curator.statements import statement_about
from discreet.curator.stock import Stock
from discreet.curator.trials import Passed, Trials
from discreet.curator.verbs import Verbs
from discreet.engines.wanted import Engine
from discreet.errors import AccessError, LedgerFault
from discreet.exact import Number
from discreet.facts.model import Facts
from discreet.ledger.alarms import asker_named
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.charges import Granted, Request, Stored, Viewed, cut_off
from discreet.ledger.entries.signatures import problem_with
from discreet.ledger.foresight import prospect
from discreet.ledger.stops import stopped_for
from discreet.mechanisms.accuracy import read_confidence
from discreet.mechanisms.observing import observer
from discreet.noise.keystream import Keystream, source
from discreet.planning.batches import make_plans
from discreet.planning.build import make_plan
from discreet.planning.partition import cells_touched
from discreet.planning.plan import Plan
from discreet.planning.price import Price, read_price
from discreet.planning.purchase import Purchase, bought_whole
from discreet.planning.shares import weights_behind
from discreet.planning.staged import opened
from discreet.privacy.losses import Pure
from discreet.questions.algebra import Question
from discreet.questions.builder import Rows
from discreet.questions.joins import beside
from discreet.questions.normal import fingerprint
from discreet.questions.text import to_text
from discreet.releasing.stages import released_from, released_parts
from discreet.statistics.part import Released
from discreet.views.expected import readable_group
from discreet.views.stored import view_of

__all__ = ["Curator"]


class Curator(Verbs, Held, Failing):
    """Answers questions about one table until its budget is spent."""

    def __init__(
        self, facts: Facts, opening: Callable[[], Engine], ledger: Ledger, place: Path | None = None, passed: Passed | None = None
    ) -> None:
        self.facts = facts
        self._opening = opening  # quotes and replays need no engine
        self._engine: Engine | None = None
        self._ledger = ledger
        self._place = place  # of the ledger on disk; None for a table in memory
        self._trials = Trials(ledger, place) if passed is None else Trials(ledger, place, passed)
        self._stock = Stock(facts, ledger)

    @property
    def budget(self) -> BudgetState:
        """Cap, spent and remaining, and all analysts: for the data holder."""
        return self._ledger.state(self.facts.name)

    def budget_for(self, analyst: str | None = None) -> BudgetState:
        """The same as one analyst sees it, or whoever gives no name: what is left for them, and of others nothing."""
        return self._ledger.state(self.facts.name, asker_named(self._asker(analyst)))

    @property
    def all_rows(self) -> Rows:
        """Where questions in Python begin."""
        return Rows(self.facts, asker=self)

    def quote(self, question: Asked, **words: Unpack[Words]) -> Quote:
        """What ``question`` would cost and how good its answer would be. Spends nothing and reads no data.

        ``Words`` in ``curator.request`` says what may stand beside the question.
        """
        ask = Ask.of(question, **words)
        asked, sure = ask.read(self.facts), ask.sure
        plan = make_plan(asked, self.facts, self._priced(ask, asked), ask.weights)
        order = Order(self, plan, sure, ask.simultaneous, ask.analyst, anew=ask.anew)
        found = crossed(order, waits=False)
        rows = released_rows(plan, self._stock, sure, found.request)
        purchase, view = found.purchase, view_of(found.purchase).plan
        with by_parts(self._ledger, [found.request]):
            cost = self._ledger.cost(self.facts.name, purchase.event)
            then = prospect(self._ledger, found.request)
        least, counted = readable_group(view, sure) or (None, "rows")
        return Quote(
            table=self.facts.name,
            question=to_text(asked),
            cost=cost,
            takes=None if then.takes == cost else then.takes,
            after=then.after,
            affordable=then.is_enough,
            split=split_of(purchase),
            free=free_parts(purchase),
            offers=offers_of(purchase, sure, ask.rows_assumed, rows),
            columns=quoted_columns(view, sure, ask.rows_assumed, rows),
            confidence=sure,
            cells=plan.groups,
            readable_group=least,
            counted=counted,
            budget=self._state_for(order),
            replay=found.is_old or purchase.is_free,
            left_out=left_out(view),
            warnings=(*self._stops(found.request), *warnings_for(view), *join_notes(plan), *how_to_ask(plan)),
        )

    def ask(self, question: Asked, **words: Unpack[Words]) -> Answer:
        """Answer ``question`` with noise worth the price; what was bought before at its share of that or more is free.

        ``Words`` in ``curator.request`` says what may stand beside the question: ``epsilon`` = 0.1 first of all.
        """
        ask = Ask.of(question, **words)
        asked, sure = ask.read(self.facts), ask.sure
        price = self._priced(ask, asked)
        if ask.rehearse:
            return self._rehearsed(asked, price, ask.weights, sure, ask.simultaneous)
        plan = make_plan(asked, self.facts, price, ask.weights)               # may refuse; has read no data
        (found,) = answered([Order(self, plan, sure, ask.simultaneous, ask.analyst, ask.key, ask.anew)])
        return self.answer(found)

    def ask_all(
        self,
        questions: Sequence[str | Question],
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        confidence: Number = "0.95",
        weights: Weights | None = None,
        analyst: str | None = None,
        simultaneous: bool = False,
    ) -> list[Answer]:
        """Several questions for one price, charged together or not at all. Every statistic inside gets an equal share."""
        asked, sure = [Ask.of(question).read(self.facts) for question in questions], read_confidence(confidence)
        plans = make_plans(asked, self.facts, read_price(epsilon=epsilon, delta=delta, rho=rho), weights)
        found = answered([Order(self, plan, sure, simultaneous, analyst) for plan in plans])
        by_question = {fingerprint(plan.question): (plan, each) for plan, each in zip(plans, found, strict=True)}
        return [self._named(*by_question[fingerprint(each)], each) for each in asked]

    def open(self) -> None:
        """Look at the source now; else the first question does.

        Raises AccessError if it is not what was registered, SourceFault if it is gone.
        """
        self._ready()

    def close(self) -> None:
        """Let go of the table and of the ledger."""
        if self._engine is not None:
            self._engine.close()
        self._ledger.close()

    # ---- the flow

    def answer(self, found: Answered) -> Answer:
        """What came of an order, as an answer. All of it is post-processing of what was released."""
        order, purchase, outcome = found.order, found.purchase, found.outcome
        if isinstance(outcome, Viewed):
            return self._viewed(order, purchase, outcome.request)
        if not found.is_new and problem_with(outcome.receipt, "receipt", self._ledger.key.public) is not None:
            raise LedgerFault("a stored receipt is not what was signed", hint="run discreet ledger verify")
        document, ranges = shown_again(
            purchase, outcome, self._stock, order.confidence, order.simultaneous, is_new=found.is_new
        )
        cost = self._ledger.cost(self.facts.name, outcome.request.event)  # what it was bought for, be it now or before
        answer = answer_of(
            document, order.plan, id=outcome.id, cost=cost, budget=self._state_for(order), replayed=not found.is_new,
            receipt=self._receipt_for(order.analyst, outcome),
        )  # fmt: skip
        return replace(answer, ranges=ranges)

    def _receipt_for(self, analyst: str | None, stored: Stored) -> dict[str, Any] | None:
        """The receipt of whoever asks; none where it would name somebody else, whose answer was kept before it had parts."""
        asker = self._asker(analyst)
        return dict(stored.receipt) if not asker or stored.request.analyst in ("", asker) else None

    def _viewed(self, order: Order, purchase: Purchase, request: Request) -> Answer:
        """An answer that follows from stored draws. Nothing of it is kept: it can be had again at any time."""
        view = view_of(purchase)
        released = self._stock.released(view, ())
        statement = statement_about(replace(purchase, plan=opened(view.plan, released)), request)
        document = document_of(purchase, released, order.confidence, order.simultaneous)
        receipt = self._ledger.view_receipt(request, statement, document)
        cost = self._ledger.cost(self.facts.name, purchase.event)
        told = {"id": receipt["answer"], "cost": cost, "budget": self._state_for(order), "replayed": True, "receipt": receipt}
        answer = answer_of(document, order.plan, **told)
        return replace(answer, ranges=ranges_of(view.plan, released, order.confidence))

    def _settled(self, granted: Granted, purchase: Purchase, confidence: Fraction, simultaneous: bool) -> Stored:
        """Run and settle one charge."""
        fresh: Released = ()
        if purchase.bought:
            self._refuse_tapes()                                             # nobody has put one on since the charge
            fresh = released_parts(purchase.plan, purchase.bought, self._opened())  # may read again while it chooses
            self._still_the_same()                                           # what was read is of the version that was charged
        view = view_of(purchase)
        released = self._stock.released(view, fresh)
        statement = statement_about(replace(purchase, plan=opened(view.plan, released)), granted.request)
        return self._ledger.settle(granted, fresh, statement, document_of(purchase, released, confidence, simultaneous))

    def recover(self) -> list[Answer]:
        """Answer what crashes left behind. Nothing is charged again."""
        self._refuse_tapes()
        self._ready()
        granted, sure = self._ledger.taken_over(self.facts.name, self._can_follow), read_confidence("0.95")
        found = recovered(self, granted, sure)
        if left := self._ledger.abandoned(self.facts.name):                  # for another version
            raise cut_off(len(left))
        return [self.answer(each) for each in found]

    def _can_follow(self, request: Request) -> bool:
        return self._stock.followed(request) is not None

    def _refuse_tapes(self) -> None:
        """Noise that repeats itself, or is written down, is for tables in memory (rule 32)."""
        if self._place is not None and (source.get() is not Keystream or observer.get() is not None):
            raise AccessError("a registered table is asked with real noise only", hint="use a table in memory for tests")

    # ---- to and from the ledger

    def _request_for(self, order: Order) -> Request:
        return replace(self._request(order.plan, order.analyst, order.key), anew=order.anew, is_holders=order.is_holders)

    def _request(self, plan: Plan, analyst: str | None, key: str | None) -> Request:
        return Request(
            table=self.facts.name,
            version=self.facts.version,
            fingerprint=fingerprint(plan.question),
            question=to_text(plan.question),
            price=plan.price,
            event=plan.event,
            weights=weights_behind(plan),
            cells=self._cells(plan),
            analyst=self._asker(analyst),
            key=public_name(key, "key") or None,
            beside=() if self._place is None else beside(plan.question, self.facts),
        )

    def _stops(self, request: Request) -> tuple[str, ...]:
        """That this would be refused if it were asked now; of what happened, only a reference."""
        reason = stopped_for(self._ledger, request)
        if reason is None:
            return ()
        return (f"asking is stopped: {reason.message}" + (f" (reference {reason.reference})" if reason.reference else ""),)

    def _priced(self, ask: Ask, asked: Question) -> Price:
        """What is offered. A wish is turned into a price by counts that were released before, where there are some."""
        if ask.within is None:
            return ask.price(asked, self.facts, None)
        plan = make_plan(asked, self.facts, Pure(epsilon=1))
        rows = released_rows(plan, self._stock, ask.sure, self._request(plan, ask.analyst, None))
        return ask.price(asked, self.facts, rows)

    def _cells(self, plan: Plan) -> tuple[str, ...] | None:
        """The cells to charge. Where a unit can leave one and enter another, two of them cost twice what the whole does."""
        cells = cells_touched(plan.question, self.facts)
        return None if cells is not None and len(cells) > 1 and self.facts.neighbours == "change_one" else cells

    def _state_for(self, order: Order) -> BudgetState:
        """The budget as whoever asks sees it: the table's, and themself."""
        return self.budget if order.is_holders else self.budget_for(order.analyst)

    def _asker(self, analyst: str | None) -> str:
        return public_name(analyst, "analyst")

    def _named(self, plan: Plan, found: Answered, asked: Question) -> Answer:
        """An answer with the names of one of those who asked the same."""
        if plan.question == asked:
            return self.answer(found)
        order = replace(found.order, plan=replace(plan, question=asked))
        purchase = replace(found.purchase, plan=replace(found.purchase.plan, question=asked))  # opened, where it was staged
        return self.answer(replace(found, order=order, purchase=purchase, is_new=False))

    def _rehearsed(
        self, asked: Question, price: Price, weights: Weights | None, confidence: Fraction, simultaneous: bool
    ) -> Answer:
        from discreet.engines.made_up import rehearsal

        made = rehearsal(self.facts)
        plan = make_plan(asked, made.facts, price, weights)
        with by_parts(self._ledger, [self._request(plan, None, None)]):
            cost = self._ledger.cost(self.facts.name, plan.event)
        released = released_from(plan, made.engine) if plan.vectors else ()
        answer = answer_from(
            bought_whole(plan), released, confidence, simultaneous,
            id="rehearsal", cost=cost, budget=self.budget, replayed=False, receipt=None,
        )  # fmt: skip
        return replace(answer, rehearsed=True, warnings=(made.note, *answer.warnings))

    def __repr__(self) -> str:
        from discreet.answers.words import table_in_words

        return table_in_words(self.facts, self.budget)

    def _repr_html_(self) -> str:
        from discreet.answers.pages import table_as_html

        return table_as_html(self.facts, self.budget)
