"""Where one table is worked on: its engine, its ledger, what is stored of it. From a plan to a request, from a charge to its end.

Curators hand their orders to it. Nobody outside of this room needs one.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from discreet.answers.answer import BudgetState
from discreet.curator.alarms import Failing
from discreet.curator.held import Held
from discreet.curator.names import Asker, asker_of, public_name
from discreet.curator.pace import Pace
from discreet.curator.results import document_of
from discreet.curator.statements import statement_about
from discreet.curator.stock import Stock
from discreet.curator.trials import Passed, Trials
from discreet.engines.wanted import Engine
from discreet.errors import AccessError
from discreet.facts.model import Facts
from discreet.ledger.alarms import asker_named
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.charges import Granted, Request, Stored
from discreet.ledger.logins import Account
from discreet.mechanisms.observing import observer
from discreet.noise.keystream import Keystream, source
from discreet.planning.partition import cells_touched
from discreet.planning.plan import Plan
from discreet.planning.purchase import Purchase
from discreet.planning.shares import weights_behind
from discreet.planning.staged import opened
from discreet.privacy.events import Event
from discreet.privacy.losses import Loss
from discreet.questions.joins import beside
from discreet.questions.normal import fingerprint
from discreet.questions.text import to_text
from discreet.releasing.stages import released_parts
from discreet.statistics.part import Released
from discreet.views.stored import view_of

__all__ = ["Desk"]


class Desk(Held, Failing):
    """The desk of one table."""

    def __init__(
        self, facts: Facts, opening: Callable[[], Engine], ledger: Ledger, place: Path | None = None, passed: Passed | None = None
    ) -> None:
        self.facts = facts
        self.opening = opening  # quotes and replays need no engine
        self.engine: Engine | None = None
        self.ledger = ledger
        self.place = place  # of the ledger on disk; None for a table in memory
        self.trials = Trials(ledger, place) if passed is None else Trials(ledger, place, passed)
        self.stock = Stock(facts, ledger)
        self.is_paced = False  # whether answers are settled at their public times (rule 33)

    def close(self) -> None:
        """Let go of the table and of the ledger."""
        if self.engine is not None:
            self.engine.close()
        self.ledger.close()

    # ---- the budget

    def cost(self, event: Event) -> Loss:
        """What an event costs in the money of the table's budget."""
        return self.ledger.cost(self.facts.name, event)

    def budget_for(self, analyst: Asker) -> BudgetState:
        """The budget as one analyst sees it, or whoever gives no name."""
        return self.ledger.state(self.facts.name, asker_named(asker_of(analyst)))

    # ---- requests

    def request(self, plan: Plan, analyst: Asker = None, key: str | None = None) -> Request:
        """What is asked of the ledger for a plan, if all of it is bought."""
        return Request(
            table=self.facts.name,
            version=self.facts.version,
            fingerprint=fingerprint(plan.question),
            question=to_text(plan.question),
            price=plan.price,
            event=plan.event,
            weights=weights_behind(plan),
            cells=self._cells(plan),
            analyst=asker_of(analyst),
            by_account=isinstance(analyst, Account),
            key=public_name(key, "key") or None,
            beside=() if self.place is None else beside(plan.question, self.facts),
        )

    def _cells(self, plan: Plan) -> tuple[str, ...] | None:
        """The cells to charge. Where a unit can leave one and enter another, two of them cost twice what the whole does."""
        cells = cells_touched(plan.question, self.facts)
        return None if cells is not None and len(cells) > 1 and self.facts.neighbours == "change_one" else cells

    def can_follow(self, request: Request) -> bool:
        """Whether this version plans a request as it was charged."""
        return self.stock.followed(request) is not None

    # ---- charges

    def refuse_tapes(self) -> None:
        """Noise that repeats itself, or is written down, is for tables in memory (rule 32)."""
        if self.place is not None and (source.get() is not Keystream or observer.get() is not None):
            raise AccessError("a registered table is asked with real noise only", hint="use a table in memory for tests")

    def settled(
        self, granted: Granted, purchase: Purchase, confidence: Fraction, simultaneous: bool, wait: Callable[[], None]
    ) -> Stored:
        """Run and settle one charge; between the two, ``wait``."""
        fresh: Released = ()
        if purchase.bought:
            self.refuse_tapes()                                              # nobody has put one on since the charge
            with self.opened().at_once() as engine:
                fresh = released_parts(purchase.plan, purchase.bought, engine)  # may read again while it chooses
            self.still_the_same()                                            # what was read is of the version that was charged
        view = view_of(purchase)
        released = self.stock.released(view, fresh)
        document = document_of(purchase, released, confidence, simultaneous)
        known = replace(purchase, plan=opened(view.plan, released))
        statement = statement_about(known, granted.request, document.left_out or ())
        wait()
        stored = self.ledger.settle(granted, fresh, statement, document)
        self.stock.settled(granted, purchase)
        return stored

    def pace(self, plan: Plan) -> Callable[[], None]:
        """What waits for the public time of a plan, which begins now; nothing does where whoever asks is trusted."""
        return Pace(plan).wait if self.is_paced else lambda: None
