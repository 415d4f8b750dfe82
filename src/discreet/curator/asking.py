"""The curator: the only place where data meets budget.

A question becomes a plan without touching data; the plan is charged; only then is the table read; noise is added; the answer is
settled; and only a settled answer leaves. Nothing is ever refunded.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Unpack

from discreet.answers.answer import Answer, BudgetState
from discreet.answers.quote import Quote
from discreet.curator.advice import clamping_notes, join_notes, split_of, warnings_for
from discreet.curator.alarms import Failing, as_fault
from discreet.curator.held import Held
from discreet.curator.names import public_name
from discreet.curator.refusals import by_parts
from discreet.curator.replays import plan_again, plan_followed, released_rows, shown_again, shown_or_none
from discreet.curator.request import Ask, Asked, Weights, Words
from discreet.curator.results import answer_from, answer_of, document_of, quoted_columns
from discreet.curator.statements import statement_about
from discreet.curator.trials import Trials
from discreet.curator.verbs import Verbs
from discreet.engines.wanted import Engine
from discreet.errors import AccessError, DiscreetError, Fault, LedgerFault
from discreet.exact import Number
from discreet.facts.model import Facts
from discreet.ledger import Ledger
from discreet.ledger.entries.charges import Frozen, Granted, Request, Stored, cut_off
from discreet.ledger.entries.signatures import problem_with
from discreet.ledger.stops import stopped_for
from discreet.mechanisms.accuracy import read_confidence
from discreet.mechanisms.observing import observer
from discreet.noise.keystream import Keystream, source
from discreet.planning.build import make_plan
from discreet.planning.expected import readable_group
from discreet.planning.opening import opened, released_from
from discreet.planning.partition import cells_touched
from discreet.planning.plan import Plan
from discreet.planning.price import Price, read_price
from discreet.planning.release import Released
from discreet.planning.several import make_plans
from discreet.planning.shares import weights_behind
from discreet.questions.algebra import Question
from discreet.questions.builder import Rows
from discreet.questions.joins import beside
from discreet.questions.normal import fingerprint
from discreet.questions.text import to_text

__all__ = ["Curator"]


class Curator(Verbs, Held, Failing):
    """Answers questions about one table until its budget is spent."""

    def __init__(self, facts: Facts, opening: Callable[[], Engine], ledger: Ledger, place: Path | None = None) -> None:
        self.facts = facts
        self._opening = opening  # quotes and replays need no engine
        self._engine: Engine | None = None
        self._ledger = ledger
        self._place = place  # of the ledger on disk; None for a table in memory
        self._trials = Trials(ledger, place)

    @property
    def budget(self) -> BudgetState:
        """Cap, spent and remaining."""
        return self._ledger.state(self.facts.name)

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
        rows = released_rows(asked, self.facts, self._ledger, sure, self._asker(ask.analyst))
        plan = make_plan(asked, self.facts, ask.price(asked, self.facts, rows), ask.weights)
        with self._by_parts([plan]):
            cost = self._ledger.cost(self.facts.name, plan.event)
            takes = self._ledger.takes(self.facts.name, plan.event, self._cells(plan))
        least, counted = readable_group(plan, sure) or (None, "rows")
        return Quote(
            table=self.facts.name,
            question=to_text(asked),
            cost=cost,
            takes=None if takes == cost else takes,
            split=split_of(plan),
            columns=quoted_columns(plan, sure, ask.rows_assumed, rows),
            confidence=sure,
            cells=plan.wanted.cells,
            readable_group=least,
            counted=counted,
            budget=self.budget,
            replay=self._stored(plan, ask.analyst) is not None,
            warnings=(*self._stops(plan, ask.analyst), *warnings_for(plan), *join_notes(plan), *clamping_notes(plan)),
        )

    def ask(self, question: Asked, **words: Unpack[Words]) -> Answer:
        """Answer ``question`` with noise worth the price, or again for free if it was answered at that price or a higher one.

        ``Words`` in ``curator.request`` says what may stand beside the question: ``epsilon`` = 0.1 first of all.
        """
        ask = Ask.of(question, **words)
        asked, sure = ask.read(self.facts), ask.sure
        who = self._asker(ask.analyst)
        rows = released_rows(asked, self.facts, self._ledger, sure, who) if ask.within is not None else None
        price = ask.price(asked, self.facts, rows)
        if ask.rehearse:
            return self._rehearsed(asked, price, ask.weights, sure, ask.simultaneous)
        plan = make_plan(asked, self.facts, price, ask.weights)               # may refuse; has read no data
        (answer,) = self._answers([plan], sure, ask.analyst, ask.key, ask.simultaneous, anew=ask.anew)
        return answer

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
        answers = self._answers(plans, sure, analyst, None, simultaneous)
        by_question = {fingerprint(plan.question): (plan, answer) for plan, answer in zip(plans, answers, strict=True)}
        return [self._named(by_question[fingerprint(each)], each, sure, analyst, simultaneous) for each in asked]

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

    def _answers(
        self, plans: Sequence[Plan], confidence: Fraction, analyst: str | None, key: str | None, simultaneous: bool,
        anew: bool = False,
    ) -> list[Answer]:
        self._refuse_tapes()
        requests = [replace(self._request(plan, analyst, key), anew=anew) for plan in plans]
        known = self._ledger.known(requests)                                 # whoever is frozen goes no further
        stored = [shown_or_none(plan, found) for plan, found in zip(plans, known, strict=True)]
        new = [pair for pair, found in zip(zip(plans, requests, strict=True), stored, strict=True) if found is None]
        for plan, request in new:
            self._trials.try_out(plan, request, confidence, simultaneous)    # what comes after a release cannot fail then
        if new:
            self._ready()                                                    # a source that is gone costs nothing
        with self._by_parts(plans):
            outcomes = self._ledger.reserve(requests, self._can_follow)      # durable from here on, never refunded
        settled = self._worked(outcomes, plans, confidence, simultaneous)
        replays = [isinstance(outcome, Stored) for outcome in outcomes]
        together = zip(plans, settled, replays, strict=True)
        return [self._answer(plan, stored, confidence, simultaneous, replayed=free) for plan, stored, free in together]

    def _can_follow(self, request: Request) -> bool:
        return plan_followed(request, self.facts) is not None

    def _worked(
        self, outcomes: Sequence[Granted | Stored], plans: Sequence[Plan | None], confidence: Fraction, simultaneous: bool
    ) -> list[Stored]:
        """Every granted charge run and settled. When one fails the others are still worked off: they are paid for."""
        waiting = [(outcome, plan) for outcome, plan in zip(outcomes, plans, strict=True) if isinstance(outcome, Granted)]
        with self._ledger.working(*(granted for granted, _ in waiting)):
            settled = self._worked_off(waiting, confidence, simultaneous)
        return [outcome if isinstance(outcome, Stored) else settled[outcome.charge] for outcome in outcomes]

    def _worked_off(
        self, waiting: list[tuple[Granted, Plan | None]], confidence: Fraction, simultaneous: bool
    ) -> dict[int, Stored]:
        settled: dict[int, Stored] = {}
        failed: list[DiscreetError] = []
        try:
            while waiting:
                granted, plan = waiting[0]
                try:
                    settled[granted.charge] = self._settled(granted, plan, confidence, simultaneous)
                except Frozen as reason:  # settled and kept, and not delivered
                    failed.append(reason)
                except Exception as error:  # noqa: BLE001 - its text may quote a row
                    failed.append(self._failed(granted, as_fault(error)))
                waiting.pop(0)
        except BaseException:  # interrupted: the charges are kept and never resumed, and nobody is to blame
            for left, _ in waiting:
                self._failed(left, Fault("interrupted", freezes=False))
            raise
        if failed:
            raise failed[0] from None
        return settled

    def _settled(self, granted: Granted, plan: Plan | None, confidence: Fraction, simultaneous: bool) -> Stored:
        """Run and settle one charge. After a crash its own plan is followed, not that of whoever found it."""
        if plan is None or granted.is_resumed:
            plan = plan_again(granted.request, self.facts)
        released: Released = ()
        if plan.vectors:
            self._refuse_tapes()                                             # nobody has put one on since the charge
            released = released_from(plan, self._opened())                   # may read again while it chooses keys and values
            self._still_the_same()                                           # what was read is of the version that was charged
        statement = statement_about(opened(plan, released), granted.request)
        return self._ledger.settle(granted, released, statement, document_of(plan, released, confidence, simultaneous))

    def recover(self) -> list[Answer]:
        """Answer what crashes left behind. Nothing is charged again."""
        self._refuse_tapes()
        self._ready()
        granted, sure = self._ledger.taken_over(self.facts.name, self._can_follow), read_confidence("0.95")
        settled = self._worked(granted, [None] * len(granted), sure, False)
        if left := self._ledger.abandoned(self.facts.name):                  # for another version
            raise cut_off(len(left))
        plans = [plan_again(stored.request, self.facts) for stored in settled]
        return [self._answer(plan, stored, sure, False, replayed=False) for plan, stored in zip(plans, settled, strict=True)]

    def _refuse_tapes(self) -> None:
        """Noise that repeats itself, or is written down, is for tables in memory (rule 32)."""
        if self._place is not None and (source.get() is not Keystream or observer.get() is not None):
            raise AccessError("a registered table is asked with real noise only", hint="use a table in memory for tests")

    # ---- to and from the ledger

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

    def _stops(self, plan: Plan, analyst: str | None) -> tuple[str, ...]:
        """That this would be refused if it were asked now; of what happened, only a reference."""
        reason = stopped_for(self._ledger, self._request(plan, analyst, None))
        if reason is None:
            return ()
        return (f"asking is stopped: {reason.message}" + (f" (reference {reason.reference})" if reason.reference else ""),)

    def _cells(self, plan: Plan) -> tuple[str, ...] | None:
        """The cells to charge. Where a unit can leave one and enter another, two of them cost twice what the whole does."""
        cells = cells_touched(plan.question, self.facts)
        return None if cells is not None and len(cells) > 1 and self.facts.neighbours == "change_one" else cells

    def _by_parts(self, plans: Sequence[Plan]) -> AbstractContextManager[None]:
        return by_parts(self._ledger, self.facts.name, plans, self._cells)

    def _asker(self, analyst: str | None) -> str:
        return public_name(analyst, "analyst")

    def _stored(self, plan: Plan, analyst: str | None = None) -> Stored | None:
        """What is stored already, as far as the asker may know of it."""
        asked, who = fingerprint(plan.question), self._asker(analyst)
        return self._ledger.answered(self.facts.name, self.facts.version, asked, plan.price, who)

    def _answer(self, plan: Plan, stored: Stored, confidence: Fraction, simultaneous: bool, *, replayed: bool) -> Answer:
        if replayed and problem_with(stored.receipt, "receipt", self._ledger.key.public) is not None:
            raise LedgerFault("a stored receipt is not what was signed", hint="run discreet ledger verify")
        document, ranges = shown_again(plan, stored, confidence, simultaneous)
        cost = self._ledger.cost(self.facts.name, stored.request.event)
        answer = answer_of(
            document, plan, id=stored.id, cost=cost, budget=self.budget, replayed=replayed, receipt=dict(stored.receipt)
        )
        return replace(answer, ranges=ranges)

    def _named(
        self, found: tuple[Plan, Answer], asked: Question, confidence: Fraction, analyst: str | None, simultaneous: bool
    ) -> Answer:
        """An answer with the names of one of those who asked the same."""
        plan, answer = found
        if plan.question == asked:
            return answer
        stored = self._stored(plan, analyst)
        assert stored is not None
        return self._answer(replace(plan, question=asked), stored, confidence, simultaneous, replayed=True)

    def _rehearsed(
        self, asked: Question, price: Price, weights: Weights | None, confidence: Fraction, simultaneous: bool
    ) -> Answer:
        from discreet.engines.made_up import rehearsal

        made = rehearsal(self.facts)
        plan = make_plan(asked, made.facts, price, weights)
        with self._by_parts([plan]):
            cost = self._ledger.cost(self.facts.name, plan.event)
        released = released_from(plan, made.engine) if plan.vectors else ()
        answer = answer_from(
            plan, released, confidence, simultaneous,
            id="rehearsal", cost=cost, budget=self.budget, replayed=False, receipt=None,
        )  # fmt: skip
        return replace(answer, rehearsed=True, warnings=(made.note, *answer.warnings))

    def __repr__(self) -> str:
        from discreet.answers.words import table_in_words

        return table_in_words(self.facts, self.budget)

    def _repr_html_(self) -> str:
        from discreet.answers.pages import table_as_html

        return table_as_html(self.facts, self.budget)
