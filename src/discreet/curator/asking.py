"""The curator: the only place where data meets budget.

A question becomes a plan without touching data; the plan is charged; only then is the table read; noise is added; the answer is
settled; and only a settled answer leaves. Nothing is ever refunded.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self, Unpack

from discreet.answers.answer import Answer, BudgetState
from discreet.answers.quote import Quote
from discreet.curator.advice import free_parts, join_notes, no_keys, sizes_told, split_of, warnings_for
from discreet.curator.answering import answer_to, answer_with_names
from discreet.curator.desk import Desk
from discreet.curator.left_out import how_to_ask, left_out
from discreet.curator.names import Asker, asker_of
from discreet.curator.orders import Batch, Crossed, Order, answered, crossed, recovered
from discreet.curator.pace import public_numbers, public_seconds
from discreet.curator.refusals import by_parts
from discreet.curator.rehearsing import rehearsed
from discreet.curator.replays import released_rows
from discreet.curator.request import Ask, Asked, Weights, Words, WordsForAll
from discreet.curator.results import offers_of, quoted_columns
from discreet.curator.shape import groups_of
from discreet.curator.trials import Passed
from discreet.curator.wishes import priced
from discreet.engines.wanted import Engine
from discreet.errors import AccessError
from discreet.exact import Number
from discreet.facts.model import Companion, Facts
from discreet.ledger.alarms import Alarm
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.charges import Request, cut_off
from discreet.ledger.foresight import prospect
from discreet.ledger.logins import Account, not_there
from discreet.ledger.stops import stopped_for, stopped_on
from discreet.mechanisms.accuracy import read_confidence
from discreet.planning.batches import make_plans
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.algebra import Question
from discreet.questions.builder import Rows
from discreet.questions.normal import fingerprint
from discreet.questions.text import to_text
from discreet.questions.verbs import Verbs
from discreet.views.expected import readable_group
from discreet.views.stored import view_of

__all__ = ["Curator"]


class Curator(Verbs):
    """Answers questions about one table until its budget is spent."""

    def __init__(
        self, facts: Facts, opening: Callable[[], Engine], ledger: Ledger, place: Path | None = None, passed: Passed | None = None
    ) -> None:
        self.facts = facts
        self.desk = Desk(facts, opening, ledger, place, passed)  # where its orders are worked off

    @property
    def budget(self) -> BudgetState:
        """Cap, spent and remaining, and all analysts: for the data holder."""
        return self.desk.ledger.state(self.facts.name)

    def budget_for(self, analyst: Asker = None) -> BudgetState:
        """The same as one analyst sees it, or whoever gives no name: what is left for them, and of others nothing."""
        return self.desk.budget_for(analyst)

    def facts_for(self, analyst: Asker = None) -> Facts:
        """What is public about the table, for whoever asks: of other confidential tables, those that an account has a grant for.

        Raises MissingError if this one is not for them. An account is as it was when it was looked up: look it up each time.
        """
        if not isinstance(analyst, Account):
            return self.facts
        if not analyst.may_ask(self.facts.name):
            raise not_there(self.facts.name)
        seen = (join for join in self.facts.joins if not isinstance(join, Companion) or analyst.may_ask(join.facts.name))
        return replace(self.facts, joins=tuple(seen))

    @property
    def all_rows(self) -> Rows:
        """Where questions in Python begin."""
        return Rows(self.facts, asker=self)

    def quote(self, question: Asked, **words: Unpack[Words]) -> Quote:
        """What ``question`` would cost and how good its answer would be. Spends nothing and reads no data.

        ``Words`` in ``curator.request`` says what may stand beside the question.
        """
        ask = Ask.of(question, **words)
        asked, sure = ask.read(self.facts_for(ask.analyst)), ask.sure
        price, wish = priced(self.desk, ask, asked)
        plan = make_plan(asked, self.facts, price, ask.weights)
        order = Order(self.desk, plan, sure, ask.simultaneous, ask.analyst, anew=ask.anew, wish=wish)
        found = crossed(order, waits=False)
        rows = released_rows(plan, self.desk.stock, sure, found.request)
        purchase, view = found.purchase, view_of(found.purchase).plan
        with by_parts(self.desk.ledger, [found.request]):
            then = prospect(self.desk.ledger, found.request)
        is_old = found.is_old or purchase.is_free
        too_dear = (then.too_dear,) if then.too_dear and not is_old else ()
        least, counted = readable_group(view, sure) or (None, "rows")
        columns = quoted_columns(view, sure, ask.rows_assumed, rows)
        return Quote(
            table=self.facts.name,
            question=to_text(asked),
            cost=then.cost,
            takes=None if then.takes == then.cost else then.takes,
            after=then.after,
            affordable=then.is_enough and not too_dear,
            split=split_of(purchase),
            free=free_parts(purchase),
            offers=offers_of(purchase, sure, ask.rows_assumed, rows),
            columns=columns,
            confidence=sure,
            cells=plan.groups,
            readable_group=least,
            counted=counted,
            budget=then.before,
            replay=is_old,
            left_out=left_out(view),
            groups=groups_of(plan),
            is_empty=any(axis.values and not axis.shown for axis in plan.axes),
            warnings=(*self._stops(found.request), *too_dear, *no_keys(purchase), *warnings_for(view), *join_notes(plan),
                      *sizes_told(columns, rows, ask.rows_assumed), *how_to_ask(plan)),
        )

    def ask(self, question: Asked, **words: Unpack[Words]) -> Answer:
        """Answer ``question`` with noise worth the price; what was bought before at its share of that or more is free.

        ``Words`` in ``curator.request`` says what may stand beside the question: ``epsilon`` = 0.1 first of all.
        """
        ask = Ask.of(question, **words)
        return self.rehearse(ask) if ask.rehearse else self.answer(self.order(ask))

    def rehearse(self, ask: Ask, most: int | None = None) -> Answer:
        """An answer on made-up rows, free and about nobody; refused above so many numbers."""
        asked = ask.read(self.facts_for(ask.analyst))
        price, _ = priced(self.desk, ask, asked)
        return rehearsed(self.desk, asked, price, ask.weights, ask.sure, ask.simultaneous, most)

    def order(self, ask: Ask) -> Order:
        """A request as it will be worked off; may refuse, and has read no data."""
        asked = ask.read(self.facts_for(ask.analyst))
        price, wish = priced(self.desk, ask, asked)
        plan = make_plan(asked, self.facts, price, ask.weights)
        return Order(self.desk, plan, ask.sure, ask.simultaneous, ask.analyst, ask.key, ask.anew, wish=wish)

    def looked_up(self, order: Order) -> Crossed:
        """An order without what is stored now, as far as whoever asks may know; waits for nobody, and has read no data."""
        return crossed(order, waits=False)

    def seconds(self, seen: Crossed) -> float:
        """How long an order takes in public; 0 if it is answered already, as far as anybody may know: then no row is read."""
        return public_seconds(seen.order.plan) if seen.is_bought else 0.0

    def numbers(self, seen: Crossed) -> int:
        """How many numbers the ledger keeps of an order, by its plan; 0 if it is answered already, as far as anybody may know."""
        return public_numbers(seen.order.plan) if seen.is_bought else 0

    def is_worked_on(self, charge: int) -> bool:
        """Whether somebody still works on what an order waits for."""
        return self.desk.ledger.is_worked_on(charge)

    def keep_pace(self) -> None:
        """From now on answers take as long as is public: for people who are not trusted. There is no way back."""
        self.desk.is_paced = True

    def answer(self, order: Order, seen: Crossed | None = None, *, is_patient: bool = True) -> Answer:
        """The answer to an order, which may have been looked up a moment ago: charged first.

        Without ``is_patient``, raises Awaited instead of waiting for a charge that somebody else works on.
        """
        (found,) = answered([order], seen=seen, is_patient=is_patient)
        return answer_to(found)

    def ask_all(self, questions: Sequence[str | Question], **words: Unpack[WordsForAll]) -> list[Answer]:
        """Several questions for one price, charged together or not at all. Every statistic inside gets an equal share."""
        return self.answer_all(self.batch(questions, **words))

    def batch(
        self,
        questions: Sequence[str | Question],
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        confidence: Number = "0.95",
        weights: Weights | None = None,
        analyst: Asker = None,
        simultaneous: bool = False,
    ) -> Batch:
        """The same as they will be worked off; may refuse, and has read no data."""
        facts, sure = self.facts_for(analyst), read_confidence(confidence)
        asked = [Ask.of(question).read(facts) for question in questions]
        plans = make_plans(asked, self.facts, read_price(epsilon=epsilon, delta=delta, rho=rho), weights)
        return Batch(tuple(asked), tuple(Order(self.desk, plan, sure, simultaneous, analyst) for plan in plans))

    def answer_all(self, batch: Batch, *, is_patient: bool = True) -> list[Answer]:
        """The answers to a batch, one for each of its questions; ``is_patient`` as in ``answer``."""
        found = answered(batch.orders, is_patient=is_patient)
        by_question = {fingerprint(each.plan.question): (each.plan, its) for each, its in zip(batch.orders, found, strict=True)}
        return [answer_with_names(*by_question[fingerprint(each)], each) for each in batch.asked]

    def open(self) -> None:
        """Look at the source now; else the first question does.

        Raises AccessError if it is not what was registered, SourceFault if it is gone.
        """
        self.desk.ready()

    def close(self) -> None:
        """Let go of the table and of the ledger."""
        self.desk.close()

    def __enter__(self) -> Self:
        """``with dc.open("t.toml") as t``: closed at the end, whatever happens."""
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def unfreeze(self, *, reason: str) -> list[Alarm]:
        """Let everybody ask a table in memory again. The faults that had frozen them, each with its charge and question."""
        return self.desk.unfreeze(reason=reason)

    def recover(self) -> list[Answer]:
        """Answer what crashes left behind. Nothing is charged again."""
        self.desk.refuse_tapes()
        self.desk.ready()
        granted, sure = self.desk.ledger.taken_over(self.facts.name, self.desk.can_follow), read_confidence("0.95")
        found = recovered(self.desk, granted, sure)
        if left := self.desk.ledger.abandoned(self.facts.name):                  # for another version
            raise cut_off(len(left))
        return [answer_to(each) for each in found]

    def stopped_for(self, analyst: Asker = None) -> AccessError | None:
        """Why somebody would be refused now, whatever they ask; None if they would not be."""
        return stopped_on(self.desk.ledger, self.facts.name, asker_of(analyst))

    def _stops(self, request: Request) -> tuple[str, ...]:
        """That this would be refused if it were asked now; of what happened, only a reference."""
        reason = stopped_for(self.desk.ledger, request)
        if reason is None:
            return ()
        return (f"asking is stopped: {reason.message}" + (f" (reference {reason.reference})" if reason.reference else ""),)

    def __repr__(self) -> str:
        from discreet.answers.words import table_in_words

        return table_in_words(self.facts, self.budget)

    def _repr_html_(self) -> str:
        from discreet.answers.pages import table_as_html

        return table_as_html(self.facts, self.budget)
