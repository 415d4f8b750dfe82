"""From plans to settled answers: crossed out, tried, charged all together or not at all, run, settled. Rules 15 to 17.

A question becomes a plan without touching data; what is stored is crossed out of it; the rest is charged; only then is the table
read; noise is added; the answer is settled; and only a settled answer leaves. Nothing is ever refunded.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from discreet.curator.alarms import as_fault
from discreet.curator.desk import Desk
from discreet.curator.followers import followers
from discreet.curator.names import Asker, asker_of
from discreet.curator.refusals import by_parts
from discreet.curator.replays import check_old
from discreet.curator.stock import Busy, Look
from discreet.errors import DiscreetError, Fault, LedgerFault
from discreet.ledger.entries.charges import Changed, Frozen, Granted, Outcome, Request, Stored, Used, Viewed, Wish
from discreet.planning.excluded import check_groups
from discreet.planning.plan import Plan
from discreet.planning.purchase import Purchase, bought_whole
from discreet.questions.algebra import Question
from discreet.questions.normal import fingerprint

__all__ = ["Answered", "Awaited", "Batch", "Crossed", "Order", "Told", "answered", "crossed", "recovered"]


@dataclass(frozen=True, slots=True)
class Order:
    """A plan that somebody wants an answer to, and how they want to see it."""

    desk: Desk
    plan: Plan
    confidence: Fraction
    simultaneous: bool = False
    analyst: Asker = None
    key: str | None = None
    anew: bool = False
    is_holders: bool = False  # a release of the data holder
    wish: Wish | None = None  # what its price was worked out for

    @property
    def request(self) -> Request:
        """What is asked of the ledger, if all of it is bought."""
        found = self.desk.request(self.plan, self.analyst, self.key)
        return replace(found, anew=self.anew, is_holders=self.is_holders, wish=self.wish)


@dataclass(frozen=True, slots=True)
class Batch:
    """Orders for one price, and the questions as they were asked, some of which may be the same."""

    asked: tuple[Question, ...]
    orders: tuple[Order, ...]


class Awaited(Exception):
    """Somebody works on a charge that an order could use, and whoever asked does not wait here until it is over."""

    def __init__(self, charge: int) -> None:
        super().__init__(charge)
        self.charge = charge


Told = Callable[[Order], None]  # which one is worked on now


@dataclass(frozen=True, slots=True)
class Crossed:
    """An order without what is stored, and what is to be charged for the rest."""

    order: Order
    purchase: Purchase
    request: Request
    finished: frozenset[int] = frozenset()  # charges that dead processes had left, and that were worked off for it
    is_old: bool = False  # by a version without names of statistics, or whose plans cannot be followed: it stands for itself

    @property
    def is_bought(self) -> bool:
        """Whether something is to be charged and read for it."""
        return not self.is_old and not self.purchase.is_free

    @property
    def waits(self) -> bool:
        """Whether somebody worked on what it could use, when it was looked at."""
        return any(each.is_running for each in self.request.seen)

    def with_key(self, key: str) -> "Crossed":
        """The same under a key, by which it is charged once."""
        return replace(self, order=replace(self.order, key=key), request=replace(self.request, key=key))

    def answered(self, found: Stored | Viewed) -> "Answered":
        """What is stored; new to whoever asks if a crash had kept it from them."""
        return Answered(self.order, self.purchase, found, is_new=isinstance(found, Stored) and found.charge in self.finished)


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of an order: settled now or before, or a view of what is stored."""

    order: Order
    purchase: Purchase
    outcome: Stored | Viewed
    is_new: bool

    @property
    def charges(self) -> dict[int, Request]:
        """All charges whose draws are in the answer, by number."""
        used = {each.charge for each in self.outcome.request.uses}
        own = {} if isinstance(self.outcome, Viewed) else {self.outcome.charge: self.outcome.request}
        return own | {charge: self.order.desk.ledger.charged(charge) for charge in used}


def answered(
    orders: Sequence[Order], told: Told = lambda _: None, seen: Crossed | None = None, *, is_patient: bool = True
) -> list[Answered]:
    """Every order, charged all together or not at all. What is paid for is worked off even if a part of it fails.

    ``seen``: the only one, as it was crossed out a moment ago; whether that is still so is decided when it is charged. Without
    ``is_patient``, raises Awaited before anything is charged where somebody else's charge would be waited for.
    """
    ledger = orders[0].desk.ledger
    for order in orders:
        order.desk.refuse_tapes()
    if seen is not None and (seen.waits or not seen.is_bought or ledger.frozen(seen.request) is not None):
        seen = None
    while True:
        ready = [crossed(order, waits=True, is_patient=is_patient) for order in orders] if seen is None else [seen]
        following = followers(ready)                                         # what others here buy tells these as well
        leading = [each for place, each in enumerate(ready) if place not in following]
        for each in (*leading, *following.values()):
            _try_out(each)
        for desk in {id(each.order.desk): each.order.desk for each in leading if each.is_bought}.values():
            desk.ready()                                                       # a source that is gone costs nothing
        try:
            with by_parts(ledger, [each.request for each in leading]):
                outcomes = ledger.reserve([each.request for each in leading], _can_follow(orders))  # durable, never refunded
        except Changed:                                                      # somebody else has bought some of it meanwhile
            seen = None
            continue
        found = iter(_worked(leading, outcomes, told))
        return [_followed(each.order) if place in following else next(found) for place, each in enumerate(ready)]


def _followed(order: Order) -> Answered:
    """A view of what others of its batch have bought, which is stored by now: nothing is charged for it after them."""
    if not crossed(order, waits=True).purchase.is_free:
        raise LedgerFault("what was bought for other questions is not there any more", hint="ask this one again")
    return answered([order])[0]


def crossed(order: Order, *, waits: bool, is_patient: bool = True) -> Crossed:
    """The order without what is stored. ``waits``: for what others work on, or go on with it if they are dead.

    Without ``is_patient``, raises Awaited where it would wait.
    """
    desk, request = order.desk, order.request
    whole = bought_whole(order.plan)
    if order.anew:
        return Crossed(order, whole, _buying(request, whole, Look()))
    if _is_of_another_version(desk, request):
        return Crossed(order, whole, request, is_old=True)
    finished: set[int] = set()
    while True:
        look = Look()
        try:
            purchase = desk.stock.crossed_out(whole, request, look, waits=waits)
        except Busy as busy:
            if not is_patient and desk.ledger.is_worked_on(busy.charge):
                raise Awaited(busy.charge) from None
            finished |= _go_on_with(busy.charge, order)
            continue
        found = _buying(request, purchase, look)
        if found.is_free:
            found = replace(found, replays=desk.ledger.same_answer(found))
        elif waits and (reason := desk.ledger.frozen(found)) is not None:
            raise reason
        return Crossed(order, purchase, found, frozenset(finished))


def _is_of_another_version(desk: Desk, request: Request) -> bool:
    """Whether the question is answered in a way of which nothing but the answer itself can be used."""
    charge = desk.ledger.known_charge(request)
    return charge is not None and not desk.stock.means_the_same(charge)


def _buying(request: Request, purchase: Purchase, look: Look) -> Request:
    uses = tuple(Used(each.place, each.slot, each.draw.charge, each.draw.place, each.draw.slot) for each in purchase.uses)
    return replace(
        request, event=purchase.event, bought=purchase.bought, names=purchase.names, uses=uses,
        seen=look.seen, looked_for=look.names,
    )  # fmt: skip


def _go_on_with(charge: int, order: Order) -> set[int]:
    """Wait a little for a charge; if its worker is dead, work it off, and say so."""
    desk = order.desk
    desk.ready()                                                               # a source that is gone costs no attempt
    granted = desk.ledger.waited_for(charge, asker_of(order.analyst), _can_follow([order]))
    if granted is None:
        return set()
    with desk.ledger.working(granted):
        _run([_Work(granted, order, bought_whole(order.plan))], lambda _: None)
    return {charge}


def _can_follow(orders: Sequence[Order]) -> Callable[[Request], bool]:
    desks = {order.desk.facts.name: order.desk for order in orders}
    return lambda request: desks[request.table].can_follow(request)


def _try_out(each: Crossed) -> None:
    """What comes after a release is tried on made-up ones: it cannot fail afterwards."""
    order = each.order
    if each.is_old:
        check_old(order.desk.ledger.known([each.request])[0], order.desk.stock)
    else:
        if not each.purchase.is_free:
            check_groups(order.plan.question.keys, order.plan.axes)
        order.desk.trials.try_out(each.purchase, each.request, order.confidence, order.simultaneous)


# ---- after the charge


def _worked(ready: Sequence[Crossed], outcomes: Sequence[Outcome], told: Told) -> list[Answered]:
    pairs = list(zip(ready, outcomes, strict=True))
    waiting = [_Work(found, each.order, each.purchase) for each, found in pairs if isinstance(found, Granted)]
    with ready[0].order.desk.ledger.working(*(each.granted for each in waiting)):
        settled = _run(waiting, told)
    return [
        settled[found.charge] if isinstance(found, Granted) else each.answered(found)
        for each, found in pairs
    ]


def recovered(desk: Desk, granted: Sequence[Granted], confidence: Fraction) -> list[Answered]:
    """Charges that crashes left behind, worked off."""
    bought = [desk.stock.purchase_of(each.request) for each in granted]
    pairs = zip(granted, bought, strict=True)
    waiting = [_Work(each, Order(desk, its.plan, confidence, wish=each.request.wish), its) for each, its in pairs]
    with desk.ledger.working(*granted):
        return list(_run(waiting, lambda _: None).values())


@dataclass(frozen=True, slots=True)
class _Work:
    """A charge to run. After a crash its own plan is followed, not that of whoever found it."""

    granted: Granted
    order: Order
    planned: Purchase

    def purchase(self) -> Purchase:
        """What is bought, by whose public time it is settled. Raises LedgerFault where this version plans it otherwise."""
        return self.order.desk.stock.purchase_of(self.granted.request) if self.granted.is_resumed else self.planned

    def named(self, found: Purchase) -> Purchase:
        """The same with the names of whoever asks now, if that is what they ask."""
        if not self.granted.is_resumed:
            return found
        same = fingerprint(found.plan.question) == fingerprint(self.order.plan.question)
        return replace(found, plan=replace(found.plan, question=self.order.plan.question)) if same else found


def _run(waiting: Sequence[_Work], told: Told) -> dict[int, Answered]:
    """Every granted charge run and settled. When one fails the others are still worked off: they are paid for."""
    settled: dict[int, Answered] = {}
    failed: list[DiscreetError] = []
    left = list(waiting)
    try:
        while left:
            work = left[0]
            told(work.order)
            wait: Callable[[], None] = lambda: None  # noqa: E731 - what is planned otherwise now is told at once: no row was read
            try:
                purchase = work.purchase()
                wait = work.order.desk.pace(purchase.plan)
                settled[work.granted.charge] = _settled(work, work.named(purchase), wait)
            except Frozen as reason:  # settled and kept, and not delivered
                failed.append(reason)
            except Exception as error:  # noqa: BLE001 - its text may quote a row
                wait()
                failed.append(work.order.desk.failed(work.granted, as_fault(error)))
            left.pop(0)
    except BaseException:  # interrupted: the charges are kept and never resumed, and nobody is to blame
        for work in left:
            work.order.desk.failed(work.granted, Fault("interrupted", freezes=False))
        raise
    if failed:
        raise failed[0] from None
    return settled


def _settled(work: _Work, purchase: Purchase, wait: Callable[[], None]) -> Answered:
    order = work.order
    stored = order.desk.settled(work.granted, purchase, order.confidence, order.simultaneous, wait)
    return Answered(order, purchase, stored, is_new=True)
