"""Questions of the data holder's, prepared one by one and then asked together, over the tables of one folder.

A plan follows from what was written and from the facts alone, so that it has the same price on every run: what is answered costs
nothing, and what a crash left behind is resumed without a charge.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from discreet.answers.answer import Answer, as_strings
from discreet.answers.losses import is_enough
from discreet.answers.quote import QuotedColumn
from discreet.curator.advice import warnings_for
from discreet.curator.answering import answer_to
from discreet.curator.asking import Curator
from discreet.curator.described import Behind, Described, behind, described
from discreet.curator.followers import followers
from discreet.curator.left_out import left_out
from discreet.curator.orders import Answered, Crossed, Order, answered, crossed
from discreet.curator.replays import released_rows
from discreet.curator.request import Ask
from discreet.curator.results import quoted_columns
from discreet.curator.specimens import specimen_of
from discreet.curator.statements import statement_about
from discreet.facts.model import Facts
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.charges import Request
from discreet.ledger.entries.signatures import signed
from discreet.ledger.foresight import Foreseen, Worth, foreseen, worth
from discreet.ledger.registry import is_frozen, known
from discreet.planning.build import make_plan
from discreet.planning.price import Price
from discreet.privacy.events import Event
from discreet.privacy.events import Sequence as InSequence
from discreet.privacy.losses import Loss
from discreet.questions.algebra import Question
from discreet.questions.normal import fingerprint
from discreet.views.stored import view_of

__all__ = ["Batch", "Delivered", "Expected", "Foreseen", "Prepared", "Worth", "prepare"]

Told = Callable[["Prepared"], None]  # which one is asked now


@dataclass(frozen=True, eq=False)
class Prepared:
    """A question with its plan, for the data holder: it counts against the cap, and against no analyst. Nothing is spent yet."""

    order: Order
    assuming: int | None = None

    @property
    def facts(self) -> Facts:
        """What is public about its table."""
        return self.order.desk.facts

    @property
    def question(self) -> Question:
        """What is asked."""
        return self.order.plan.question

    @property
    def fingerprint(self) -> str:
        """The same for questions that ask the same."""
        return fingerprint(self.question)

    @property
    def cells(self) -> int:
        """How many groups its answer has; 0 where keys are not public."""
        return self.order.plan.groups

    @property
    def warnings(self) -> tuple[str, ...]:
        """Advice about its price."""
        return warnings_for(view_of(self.crossed.purchase).plan)

    @property
    def left_out(self) -> tuple[str, ...]:
        """What its intervals will not cover, with bounds that were found before."""
        return left_out(view_of(self.crossed.purchase).plan)

    @property
    def whole_cost(self) -> Loss:
        """What it costs in the money of its table's budget if nothing of it is stored. Refused if it has no price there."""
        return self.priced(self.order.plan.event)

    @property
    def request(self) -> Request:
        """What would be charged."""
        return self.crossed.request

    @cached_property
    def is_free(self) -> bool:
        """Whether it is answered already, or paid for and left by a crash."""
        if self.request.is_free or self.request.bought is None:
            return True
        price, left = self.request.price, self.order.desk.ledger.abandoned(self.facts.name)
        same = [each.price for each in left if each.fingerprint == self.request.fingerprint]
        return any(type(each) is type(price) and is_enough(each, price) for each in same)

    def expected(self, crossed: Crossed) -> tuple[QuotedColumn, ...]:
        """The ± that every column will have, by what is stored and by counts that were released before."""
        order = self.order
        rows = released_rows(order.plan, order.desk.stock, order.confidence, crossed.request)
        return quoted_columns(view_of(crossed.purchase).plan, order.confidence, self.assuming, rows)

    def specimen(self) -> "Delivered":
        """An answer of the right shape about nothing, with all that its receipt will state, of what is stored as well."""
        cap, request = as_strings(self.order.desk.ledger.state(self.facts.name).cap), self.request
        rest = {"budget": {"before": cap, "after": cap, "cap": cap}, "entry": {"at": ""}}
        receipt = statement_about(self.crossed.purchase, request, left_out(self.crossed.purchase.plan)) | rest
        made, paid = replace(specimen_of(self.order), receipt=receipt), self.priced(request.event)
        charge = replace(request, event=self.order.plan.event)
        return Delivered(self, made, behind(self.crossed.purchase, receipt), {0: charge}, paid)

    def priced(self, event: Event) -> Loss:
        """What an event costs in the money of its table's budget."""
        return self.order.desk.cost(event)

    @cached_property
    def crossed(self) -> Crossed:
        """The question without what is stored."""
        return crossed(self.order, waits=False)


@dataclass(frozen=True, slots=True)
class Delivered:
    """An answer, what is behind it, and all charges whose draws are in it, made now or before.

    ``paid`` is what was charged for it alone, then or now: nothing where all of it had been released for other questions.
    """

    prepared: Prepared
    answer: Answer
    behind: Behind
    charges: Mapping[int, Request]
    paid: Loss

    @property
    def receipt(self) -> dict[str, Any]:
        """The signed certificate."""
        return dict(self.answer.receipt or {})

    @property
    def columns(self) -> tuple[Described, ...]:
        """What each column means, and how its numbers came about."""
        return described(self.prepared.order.plan, self.behind)


@dataclass(frozen=True, slots=True)
class Expected:
    """What a question of a batch will cost and how good it will be.

    ``is_free`` if it is answered already, or paid for; ``is_shared`` if all of it follows from what others of the batch buy.
    """

    cost: Loss
    is_free: bool
    is_shared: bool
    columns: tuple[QuotedColumn, ...]


@dataclass(frozen=True, eq=False)
class Batch:
    """Questions that are charged together or not at all. Their tables have one ledger."""

    prepared: tuple[Prepared, ...]

    @property
    def facts(self) -> tuple[Facts, ...]:
        """What is public about each table."""
        return tuple({each.facts.name: each.facts for each in self.prepared}.values())

    @property
    def frozen(self) -> tuple[str, ...]:
        """The tables that nobody may ask."""
        names = [each.name for each in self.facts]
        return tuple(name for name in names if known(self._ledger, name) and is_frozen(self._ledger, name))

    @property
    def public_key(self) -> bytes:
        """The key by which receipts and releases are checked, as PEM."""
        return self._ledger.key.public_pem()

    def sign_release(self, note: Mapping[str, Any]) -> dict[str, Any]:
        """What lists a published folder, signed as such and as nothing else."""
        return signed("release", note, self._ledger.key)

    def ask(self, told: Told) -> list[Delivered]:
        """Every answer, in order. What is paid for is worked off even if a part fails."""
        places = {id(each.order): each for each in self.prepared}
        found = answered([each.order for each in self.prepared], lambda order: told(places[id(order)]))
        return [_delivered(*pair) for pair in zip(self.prepared, found, strict=True)]

    def expected(self, each: Prepared) -> Expected:
        """What one of them will cost and how good it will be, as it is asked with the others."""
        then = self._following.get(id(each.order))
        event = InSequence(()) if each.is_free or then is not None else each.request.event
        return Expected(each.priced(event), each.is_free, then is not None, each.expected(then or each.crossed))

    @cached_property
    def _following(self) -> dict[int, Crossed]:
        """What buys nothing of its own, by its order."""
        ready = [each.crossed for each in self.prepared]
        return {id(ready[place].order): then for place, then in followers(ready).items()}

    def budgets(self) -> tuple[Foreseen, ...]:
        """Every budget as it is now."""
        return tuple(foreseen(self._ledger, [], [each.name for each in self.facts]))

    def budgets_after(self) -> tuple[Foreseen, ...]:
        """Every budget if all that is not free were charged."""
        charged = [each.request for each in self.prepared if not each.is_free and id(each.order) not in self._following]
        return tuple(foreseen(self._ledger, charged, [each.name for each in self.facts]))

    def worth(self, delivered: Sequence[Delivered]) -> tuple[Worth, ...]:
        """What these answers cost together, as if nothing else had ever been asked: each draw once."""
        charges = {(each.prepared.facts.name, number): charge for each in delivered for number, charge in each.charges.items()}
        return tuple(worth(self._ledger, list(charges.values())))

    @property
    def _ledger(self) -> Ledger:
        return self.prepared[0].order.desk.ledger


def prepare(curator: Curator, ask: Ask, question: Question, price: Price) -> Prepared:
    """A question at a price, both as read from ``ask``, which says how its answer is to look. May refuse; has read no data."""
    plan = make_plan(question, curator.facts, price, ask.weights)
    return Prepared(Order(curator.desk, plan, ask.sure, ask.simultaneous, is_holders=True), ask.rows_assumed)


def _delivered(prepared: Prepared, found: Answered) -> Delivered:
    answer, paid = answer_to(found), prepared.priced(found.outcome.request.event)
    return Delivered(prepared, answer, behind(found.purchase, answer.receipt or {}), found.charges, paid)
