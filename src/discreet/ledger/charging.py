"""The ledger: reserve, settle, and what is left. The charge is durable before a row is read and is never refunded.

Everything that one act changes is changed in one transaction: the entry, the running totals, the state of the charge. The cost
of an act does not depend on how many came before. Where it is kept is the business of a store.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from discreet.answers.answer import BudgetState
from discreet.answers.document import Document
from discreet.errors import AccessError, Fault, LedgerFault, MissingError, TokenError
from discreet.ledger.admission import note_ends
from discreet.ledger.budgets import state_of
from discreet.ledger.draws import seen
from discreet.ledger.entries.chain import Entry
from discreet.ledger.entries.charges import CanFollow, Frozen, Granted, Outcome, Request, Seen, Stored, always
from discreet.ledger.entries.codec import canonical
from discreet.ledger.entries.kept import kept_as
from discreet.ledger.entries.signing import SigningKey
from discreet.ledger.failures import Failures
from discreet.ledger.finding import Waiting, alike, known, known_charge, same_answer
from discreet.ledger.freezes import frozen_for
from discreet.ledger.journal import each_entry, latest
from discreet.ledger.owners import is_abandoned, working
from discreet.ledger.port import BUSY, Store
from discreet.ledger.records import AnswerRecord
from discreet.ledger.reserving import MOST_ATTEMPTS, Reserving, abandoned
from discreet.ledger.rows import books_of, charge_in, request_in, stored_in, table_row
from discreet.ledger.settling import Settling, settled
from discreet.ledger.viewing import receipt_of_view
from discreet.privacy.events import Event
from discreet.privacy.losses import Loss
from discreet.statistics.part import Released

__all__ = ["Ledger"]

_PAUSE = 0.02


class Ledger:
    """Memory of spending, in any store. Safe for threads, processes and sudden death."""

    def __init__(self, store: Store, key: SigningKey) -> None:
        self.store = store
        self.key = key
        self._failures = Failures(store, key)

    # ---- charges

    def reserve(self, requests: Sequence[Request], can_follow: CanFollow = always) -> list[Outcome]:
        """Charge all of the requests or none. What is answered already comes back stored and costs nothing.

        Raises Changed, and charges nothing, if something else is stored by now than when the requests were crossed out. What
        another process is working on under the same key is waited for; what a dead one left is granted again without a
        charge, or is a LedgerFault and stays as it was if this version cannot follow it.
        """
        while True:
            self._failures.write()
            try:
                with self.store.writing() as transaction:
                    return Reserving(transaction, self.key, can_follow).outcomes(requests)
            except Waiting:
                time.sleep(_PAUSE)
            except (MissingError, TokenError):  # whoever may not ask a table leaves no trace on it
                raise
            except AccessError:
                self._note_ends(requests)
                raise

    def _note_ends(self, requests: Sequence[Request]) -> None:
        tables = {table for each in requests for table in (each.table, *(name for name, _ in each.beside))}
        with self.store.writing() as transaction:
            note_ends(transaction, self.key, sorted(tables))

    def settle(
        self, granted: Granted, released: Released, statement: Mapping[str, Any], document: Document | None = None
    ) -> Stored:
        """Keep the answer. Whoever comes second gets the answer of the first; only a stored answer may leave.

        Whoever holds the ledger is waited for, however long, with what was drawn (rule 15): it is paid for. Raises Frozen, with
        the answer kept, if who asked was frozen meanwhile: that is decided in the same transaction.
        """
        kept = kept_as(released, document)  # outside of the ledger, whose errors freeze nobody: these may depend on rows
        canonical(dict(statement)).encode()
        stored, reason = self._settled(Settling(granted, released, statement, kept))
        if reason is not None:
            raise reason
        return stored

    def _settled(self, settling: Settling) -> tuple[Stored, Frozen | None]:
        """The stored answer, and why whoever asked does not get it."""
        while True:
            try:
                with self.store.writing() as transaction:
                    return settled(transaction, self.key, settling)
            except Waiting:
                time.sleep(_PAUSE)
            except LedgerFault as fault:
                if fault.cause != BUSY:
                    raise

    def fail(self, granted: Granted, fault: Fault) -> Frozen | None:
        """The charge is kept and never resumed (rule 15). Raises LedgerFault if this is written only later, when it can be.

        What is to be said instead of the fault if who asked was frozen before it: the same as of an answer they do not get.
        """
        return self._failures.note(granted, fault)

    def abandoned(self, table: str) -> list[Request]:
        """What dead processes were working on, of the version that stands now, and what may be tried again."""
        with self.store.reading() as snapshot:
            left = [charge for charge in abandoned(snapshot, table) if charge.attempt < MOST_ATTEMPTS]
            return [request_in(snapshot, charge.number) for charge in left]

    def taken_over(self, table: str, can_follow: CanFollow = always) -> list[Granted]:
        """What was abandoned, for this process to go on with. Nothing is charged, whoever asked.

        What has been tried as often as may be is written off instead; what this version cannot follow stays as it is.
        """
        self._failures.write()
        with self.store.writing() as transaction:
            return Reserving(transaction, self.key, can_follow).taken_over(table)

    def waited_for(self, charge: int, asker: str, can_follow: CanFollow = always) -> Granted | None:
        """A running charge whose worker is dead, to go on with; None, after a while, if somebody works on it or has ended it.

        Raises LedgerFault, and leaves it as it is, if this version cannot follow it; AccessError if nobody may ask for it now.
        """
        self._failures.write()
        try:
            with self.store.writing() as transaction:
                found = Reserving(transaction, self.key, can_follow).waited_for(charge, asker)
        except AccessError:
            self._note_ends([self.charged(charge)])
            raise
        if found is None:
            time.sleep(_PAUSE)
        return found

    def is_worked_on(self, charge: int) -> bool:
        """Whether a charge is running, and its worker lives as far as anybody knows."""
        with self.store.reading() as snapshot:
            found = charge_in(snapshot, charge)
            return found.state == "running" and not is_abandoned(found, snapshot.clock())

    def working(self, *granted: Granted) -> AbstractContextManager[None]:
        """Inside, the leases of the charges are renewed."""
        return working(self.store, granted)

    # ---- what is known

    def known(self, requests: Sequence[Request]) -> list[Stored | None]:
        """The most precise stored answer to each question, at its price or more."""
        with self.store.reading() as snapshot:
            return [known(snapshot, request) for request in requests]

    def known_charge(self, request: Request) -> int | None:
        """The charge of the most precise stored answer, without the answer."""
        with self.store.reading() as snapshot:
            return known_charge(snapshot, request)

    def alike(self, request: Request) -> list[int]:
        """The charges for the same question at its price or above, as far as whoever asks may know of them."""
        with self.store.reading() as snapshot:
            return alike(snapshot, request)

    def frozen(self, request: Request) -> Frozen | None:
        """Why whoever asks may have nothing but their history; None if they may ask."""
        with self.store.reading() as snapshot:
            return frozen_for(snapshot, request, request.analyst)

    def seen(self, request: Request, names: Sequence[str]) -> tuple[Seen, ...]:
        """What is stored or worked on under these names, as far as whoever asks may know of it."""
        with self.store.reading() as snapshot:
            return seen(snapshot, request, names, frozen_for(snapshot, request, request.analyst))

    def same_answer(self, request: Request) -> int | None:
        """The charge that answered the same question with the draws that a request uses."""
        with self.store.reading() as snapshot:
            return same_answer(snapshot, request)

    def charged(self, charge: int) -> Request:
        """The request of a charge."""
        with self.store.reading() as snapshot:
            return request_in(snapshot, charge)

    def stored(self, charge: int) -> Stored:
        """The answer of a settled charge."""
        with self.store.reading() as snapshot:
            return stored_in(snapshot, charge)

    def view_receipt(self, request: Request, statement: Mapping[str, Any], document: Document) -> dict[str, Any]:
        """A signed statement about what follows from stored draws: as of the last of them, and the same whenever it is made."""
        with self.store.reading() as snapshot:
            return receipt_of_view(snapshot, self.key, request, statement, document)

    def state(self, table: str, asker: str | None = None) -> BudgetState:
        """Cap, spent and remaining of the table's budget, by cells; and by analysts, or for whoever asks theirs alone."""
        with self.store.reading() as snapshot:
            row = table_row(snapshot, table)
            return state_of(snapshot, row, books_of(snapshot, row.account, asker), asker)

    def cost(self, table: str, event: Event) -> Loss:
        """What an event would cost in the money of the table's budget; refused if it has no price there."""
        with self.store.reading() as snapshot:
            money = table_row(snapshot, table).money
        return money.loss(money.price(event))

    def receipt(self, answer: str) -> dict[str, Any] | None:
        """The receipt of a stored answer."""
        with self.store.reading() as snapshot:
            found = snapshot.one(AnswerRecord, id=answer)
        return None if found is None else json.loads(found.receipt)

    def entries(self, last: int | None = None) -> list[Entry]:
        """The last entries, or all of them, in order."""
        with self.store.reading() as snapshot:
            return list(latest(snapshot, most=last))[::-1]

    def each_entry(self) -> Iterator[Entry]:
        """Every entry in order, one at a time, as the ledger is now."""
        with self.store.reading() as snapshot:
            yield from each_entry(snapshot)

    def close(self) -> None:
        """Let go of the store."""
        self._failures.close()
        self.store.close()
