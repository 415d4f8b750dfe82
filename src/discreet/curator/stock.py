"""What is stored of a table, for plans to be crossed out with: draws by what they are about, and their integers. Rule 16."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.curator.remembered import Remembered
from discreet.errors import LedgerFault, Refused
from discreet.facts.model import Facts
from discreet.ledger.charging import Ledger
from discreet.ledger.draws import is_bought
from discreet.ledger.entries.charges import Granted, Request, Seen, Used
from discreet.planning.build import make_plan
from discreet.planning.choosing import aggregates_in
from discreet.planning.plan import Plan
from discreet.planning.price import Price
from discreet.planning.purchase import Draw, Purchase, Use, bought_whole, crossed_out, event_of_bought
from discreet.planning.staged import opened
from discreet.questions.normal import fingerprint
from discreet.questions.sql import read_sql
from discreet.statistics.part import Part, Released
from discreet.views.stored import View

__all__ = ["Busy", "Look", "Stock", "as_planned"]

_MOST = 256  # charges whose requests and plans are remembered


class Busy(Exception):
    """A charge is being worked on whose draws a plan could use."""

    def __init__(self, charge: int) -> None:
        super().__init__(charge)
        self.charge = charge


@dataclass(slots=True)
class Look:
    """What one crossing out has looked for, and what it saw: the ledger compares that when it charges."""

    found: dict[str, tuple[Seen, ...]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """All that was looked for, in order."""
        return tuple(self.found)

    @property
    def seen(self) -> tuple[Seen, ...]:
        """All that was seen, in the same order."""
        return tuple(each for seen in self.found.values() for each in seen)

    def take(self, names: Sequence[str], seen: Sequence[Seen]) -> None:
        """Note what was seen under some names."""
        for name in names:
            self.found.setdefault(name, tuple(each for each in seen if each.name == name))


@dataclass(frozen=True, slots=True)
class Stock:
    """The stored draws of one table."""

    facts: Facts
    ledger: Ledger
    _settled: Remembered[tuple[Part, ...]] = field(default_factory=lambda: Remembered(_MOST))
    _charged: Remembered[Request] = field(default_factory=lambda: Remembered(_MOST))
    _same: Remembered[bool] = field(default_factory=lambda: Remembered(_MOST))

    def crossed_out(self, purchase: Purchase, request: Request, look: Look, *, waits: bool) -> Purchase:
        """The plan without what is stored. Raises Busy, if it ``waits``, where somebody works on what it could use."""

        def read(uses: Sequence[Use]) -> Released:
            self._check_settled(uses, look)
            return tuple(self.integers(use.draw) for use in uses)

        find = partial(self.draws, request, look=look, waits=waits)
        found = crossed_out(purchase.plan, find, read)
        self._check_settled(found.uses, look)
        if waits and found.bought:  # what another version works on is finished first, by whoever can
            for each in look.seen:
                if each.is_running and not self._draw(each):
                    raise Busy(each.charge)
        return found

    def draws(
        self, request: Request, names: Sequence[str], *, waits: bool, look: Look | None = None
    ) -> Mapping[str, Sequence[Draw]]:
        """What is stored under each of these names, and if it ``waits`` what is worked on too, as far as the asker may know."""
        seen = self.ledger.seen(request, names)
        if look is not None:
            look.take(names, seen)
        found: dict[str, list[Draw]] = {}
        own = self._own(seen, request)
        for each in sorted(seen, key=lambda one: (one.is_running, -one.charge if one.charge in own else one.charge)):
            if waits or not each.is_running:  # of two that are as good, the one that is there; of one's own, the last
                found.setdefault(each.name, []).extend(self._draw(each, is_own=each.charge in own))
        return found

    def alike(self, request: Request) -> dict[int, Request]:
        """What was charged for the same question at its price or above, by number, as far as whoever asks may know of it."""
        return {number: self._request(number) for number in self.ledger.alike(request)}

    def priced_at(self, request: Request, names: Sequence[str]) -> set[Price]:
        """At which prices what is stored under these names was bought."""
        return {self._request(each.charge).price for each in self.ledger.seen(request, names) if not each.is_running}

    def _own(self, seen: Sequence[Seen], request: Request) -> set[int]:
        """The charges by which whoever asks was answered this very question."""
        if len(seen) < 2:
            return set()  # there is nothing to choose
        charged = {each.charge: self._request(each.charge) for each in seen}
        asked = request.fingerprint, request.analyst
        return {number for number, theirs in charged.items() if (theirs.fingerprint, theirs.analyst) == asked}

    def _check_settled(self, uses: Sequence[Use], look: Look) -> None:
        running = {each.charge for each in look.seen if each.is_running}
        for use in uses:
            if use.draw.charge in running:
                raise Busy(use.draw.charge)

    def _draw(self, seen: Seen, *, is_own: bool = False) -> list[Draw]:
        vectors = self._vectors(seen.charge, is_running=seen.is_running)
        if vectors is None:
            return []
        if not is_bought(seen, self._request(seen.charge)):
            raise LedgerFault("what a charge has bought is not what its entry says", hint="run discreet ledger verify")
        return [Draw(seen.charge, seen.place, seen.slot, vectors[seen.place], is_own)]

    # ---- charges of before

    def followed(self, request: Request) -> Purchase | None:
        """What a request was charged for; None where this version cannot make its plan."""
        return self._planned(request) or self._planned(request, as_before=True)

    def _planned(self, request: Request, *, as_before: bool = False) -> Purchase | None:
        """The same by the way questions are planned now; or ``as_before``, where that was another one."""
        try:
            question = read_sql(request.question, self.facts)
            if as_before and not any(each.interval for each in aggregates_in(question)):
                return None
            plan = make_plan(question, self.facts, request.price, request.weights, as_before=as_before)
        except Refused:
            return None
        if fingerprint(plan.question) != request.fingerprint:
            return None
        purchase = self._purchase(plan, request)
        if purchase is None or purchase.event != request.event:
            return None
        if request.bought is None or request.names == purchase.names or request.names in purchase.earlier_names:
            return purchase
        return None  # of two vectors in another order the loss is the same

    def means_the_same(self, charge: int) -> bool:
        """Whether what a charge has bought, and all that it used, is of the exact integers that this version would take.

        That never changes either: of a settled charge the plan is made once.
        """
        return self._same.of(charge, lambda number: self._is_planned_so(self._request(number)))

    def _is_planned_so(self, request: Request) -> bool:
        purchase, used = self._planned(request), {each.charge for each in request.uses}
        if purchase is None or request.bought is None or purchase.names != request.names:
            return False
        return all(self.means_the_same(charge) for charge in used)

    def _purchase(self, plan: Plan, request: Request) -> Purchase | None:
        """What a request bought of a plan; None where what it used cannot be followed."""
        if request.bought is None or len(request.bought) == len(plan.vectors):
            return bought_whole(plan)
        uses = self._uses(request.uses)
        if uses is None or max((*request.bought, *(use.place for use in uses)), default=0) >= len(plan.vectors):
            return None
        first = [use for use in uses if plan.vectors[use.place].is_first]
        plan = opened(plan, tuple(self.integers(use.draw) for use in first)) if first else plan
        return Purchase(plan, request.bought, uses, event_of_bought(plan, request.bought))

    def _uses(self, used: Sequence[Used]) -> tuple[Use, ...] | None:
        found = []
        for each in used:
            vectors = self._vectors(each.charge, is_running=False)
            if vectors is None:
                return None
            found.append(Use(each.place, each.slot, Draw(each.charge, each.of, each.at, vectors[each.of])))
        return tuple(found)

    def _vectors(self, charge: int, *, is_running: bool) -> tuple[Part, ...] | None:
        """The vectors of a charge's plan as they were released; as they will be, as far as that is known, while it runs."""
        if (known := self._settled.get(charge)) is not None:
            return known
        purchase = self.followed(self._request(charge))
        if purchase is None or is_running:
            return None if purchase is None else purchase.plan.vectors
        vectors = purchase.plan.vectors
        if purchase.finds:
            vectors = opened(purchase.plan, self.ledger.stored(charge).released).vectors
        return self._settled.keep(charge, vectors)

    def settled(self, granted: Granted, purchase: Purchase) -> None:
        """A charge is settled by its plan, which needs not be made again. What it found may have been found by others first."""
        self._charged.keep(granted.charge, granted.request)
        if not purchase.finds:
            self._settled.keep(granted.charge, purchase.plan.vectors)

    def _request(self, charge: int) -> Request:
        """The request of a charge, which never changes: one look is enough."""
        return self._charged.of(charge, self.ledger.charged)

    # ---- integers

    def integers(self, draw: Draw) -> NDArray[Any]:
        """The released integers of the vector that a draw is of."""
        stored = self.ledger.stored(draw.charge)
        bought = stored.request.bought
        place = draw.place if bought is None else bought.index(draw.place)
        return as_planned(draw.vector, stored.released[place])

    def released(self, view: View, fresh: Released) -> Released:
        """All integers of an answer: those that were bought for it, in their order, and the stored ones."""
        bought = iter(fresh)
        known: dict[tuple[int, int], NDArray[Any]] = {}
        found = []
        for vector, draw in zip(view.plan.vectors, view.draws, strict=True):
            if draw is None:  # where no key was chosen, what would be about them is not bought
                integers = next(bought, None) if not view.plan.wanted.cells else next(bought)
                found.append(as_planned(vector, np.zeros(vector.shape(0), np.int64) if integers is None else integers))
                continue
            if draw.whole not in known:
                known[draw.whole] = self.integers(draw)
            found.append(known[draw.whole])
        return tuple(found)

    def purchase_of(self, request: Request) -> Purchase:
        """What a request was charged for. It must come out as it was: then its loss is the one that was charged."""
        purchase = self.followed(request)
        if purchase is None:
            how = "use the version of discreet that it was made with"
            raise LedgerFault("a stored plan cannot be followed any more", hint=how)
        return purchase


def as_planned(vector: Part, integers: NDArray[Any]) -> NDArray[Any]:
    """Stored integers in the width that the plan works with."""
    return np.asarray(integers, dtype=object if vector.are_few else np.int64)
