"""What becomes of requests, inside one transaction: answered before, worked on by somebody, taken over, or charged.

What is stored or running already is looked up in the transaction that charges: between the look and the charge nobody writes.
"""

from collections.abc import Sequence

from discreet.answers.answer import as_strings
from discreet.errors import BudgetError, LedgerFault, ParameterError
from discreet.ledger.admission import admit, admit_beside, check_analyst
from discreet.ledger.alarms import asker_named, delivered, viewed
from discreet.ledger.draws import changed_since, drawn_by, write_names
from discreet.ledger.entries.amounts import NOTHING, Amount, Money
from discreet.ledger.entries.books import ALL
from discreet.ledger.entries.charges import CanFollow, Changed, Granted, Outcome, Request, Viewed, cut_off
from discreet.ledger.entries.requests import price_row, request_body
from discreet.ledger.entries.signing import SigningKey
from discreet.ledger.failures import write_fault
from discreet.ledger.finding import Waiting, best, by_key, history
from discreet.ledger.freezes import frozen_for
from discreet.ledger.journal import append
from discreet.ledger.logins import check_grants
from discreet.ledger.owners import is_abandoned, lease_from, owner
from discreet.ledger.port import Snapshot, Transaction
from discreet.ledger.records import ChargeRecord
from discreet.ledger.rows import TableRow, books_of, charge_in, request_in, save_books, stored_in, table_record, table_row
from discreet.ledger.superseded import write_off_superseded

__all__ = ["MOST_ATTEMPTS", "Reserving", "abandoned"]

MOST_ATTEMPTS = 4  # the first, and three more after crashes


class Reserving:
    """One transaction that reserves. ``can_follow`` says whether this version plans a request as it was charged."""

    def __init__(self, transaction: Transaction, key: SigningKey, can_follow: CanFollow) -> None:
        self._transaction = transaction
        self._key = key
        self._can_follow = can_follow

    def outcomes(self, requests: Sequence[Request]) -> list[Outcome]:
        """What becomes of each request. The same question twice in a batch is one. Raises Waiting for what somebody works on."""
        found: dict[tuple[str, str], Outcome] = {}
        if len({(r.table, r.fingerprint, r.price) for r in requests}) > len({(r.table, r.fingerprint) for r in requests}):
            raise ParameterError("one question is asked twice at different prices", hint="ask it once, at the higher price")
        if any(changed_since(self._transaction, request) for request in requests):
            raise Changed
        for request in requests:
            row = self._admit(request)
            if (request.table, request.fingerprint) not in found:
                found[request.table, request.fingerprint] = self._outcome(row, request)
        return [found[request.table, request.fingerprint] for request in requests]

    def waited_for(self, number: int, asker: str) -> Granted | None:
        """A running charge whose worker is dead, to go on with; None if somebody works on it or has ended it.

        Refused, before a row is read, where the data holder has closed what it is about.
        """
        charge = charge_in(self._transaction, number)
        if charge.state != "running" or not is_abandoned(charge, self._transaction.clock()):
            return None
        request = request_in(self._transaction, number)
        self._admit(request)
        if (reason := frozen_for(self._transaction, request, asker)) is not None:
            raise reason
        if not self._can_follow(request):
            raise cut_off()
        return self._next_attempt(charge, asker)

    def taken_over(self, table: str) -> list[Granted]:
        """What dead processes left, for this one to go on with. What was tried too often is written off."""
        write_off_superseded(self._transaction, self._key, table)
        left = abandoned(self._transaction, table)
        ours = [charge for charge in left if self._can_follow(request_in(self._transaction, charge.number))]
        attempts = [self._next_attempt(charge) for charge in ours]
        return [granted for granted in attempts if granted is not None]

    def _admit(self, request: Request) -> TableRow:
        check_grants(self._transaction, request)
        row = table_row(self._transaction, request.table)
        admit(self._transaction, row, request)
        admit_beside(self._transaction, row, request)
        return row

    def _outcome(self, row: TableRow, request: Request) -> Outcome:
        transaction = self._transaction
        if (reason := frozen_for(transaction, request, request.analyst)) is not None:
            return history(transaction, request, reason)
        charge = by_key(transaction, request)
        if charge is None and not request.anew:
            charge = best(transaction, request)
        if charge is None and request.is_free:
            return self._viewed(request)
        if charge is None:
            return self._charged(row, request)
        if charge.state == "settled":
            delivered(transaction, charge.number, request.analyst)
            return stored_in(transaction, charge.number)
        if charge.state == "faulted":
            failed = LedgerFault("this request has failed before", hint="what it cost is kept; another key is another charge")
            failed.kept, failed.reference = failed.hint, charge.reference or failed.reference  # the one that is known of it
            raise failed
        return self._resumed(row, request, charge)

    def _viewed(self, request: Request) -> Outcome:
        """What follows from stored draws, which are in the asker's history from now on."""
        self._deliver(request)
        if request.replays is None:
            return Viewed(request)
        delivered(self._transaction, request.replays, request.analyst)
        return stored_in(self._transaction, request.replays)

    def _deliver(self, request: Request) -> None:
        for charge, place in sorted(drawn_by(request)):
            viewed(self._transaction, charge, place, request.analyst)

    def _charged(self, row: TableRow, request: Request) -> Granted:
        money, cap = row.money, row.cap
        asker = ALL if request.is_holders else asker_named(request.analyst)
        books = books_of(self._transaction, row.account, asker)
        amount = money.price(request.event)
        before, theirs = books.spent(now=request.table), books.spent(asker, now=request.table)
        books.charge(request.table, request.cells, amount, asker)
        after = books.spent(now=request.table)
        if not books.spent().fits(cap):
            told = money.too_much(amount, cap.minus(before).or_more(NOTHING), books.spent().beyond(cap))
            raise BudgetError(told, hint="ask for less precision, or for something already answered, which is free")
        for each in (row, *(table_row(self._transaction, table) for table, _ in request.beside)):
            check_analyst(self._transaction, each, books, asker, amount, theirs)
        body = request_body(request, amount, _around(money, cap, before, after), asker)
        entry = append(self._transaction, self._key, "charge", body)
        self._transaction.add(_running(entry.number, request, lease_from(self._transaction.clock())))
        write_names(self._transaction, entry.number, request)
        self._deliver(request)
        save_books(self._transaction, row.account, books)
        return Granted(entry.number, 1, request, request.analyst)

    def _resumed(self, row: TableRow, request: Request, charge: ChargeRecord) -> Outcome:
        """A charge that someone is working on: to be waited for, or to be taken over if they are dead."""
        if not is_abandoned(charge, self._transaction.clock()):
            raise Waiting
        if not self._can_follow(request_in(self._transaction, charge.number)):
            raise cut_off()
        granted = self._next_attempt(charge, request.analyst)
        if granted is not None:
            return granted
        if request.key is not None:  # a key is used once
            raise LedgerFault("this request has crashed too often", hint="ask again with another key")
        return self._charged(row, request)

    def _next_attempt(self, charge: ChargeRecord, asker: str | None = None) -> Granted | None:
        """A charge whose worker is dead, for this process to go on with; None, and written off, if it was tried too often."""
        if charge.attempt >= MOST_ATTEMPTS:
            write_fault(self._transaction, self._key, charge, "crashes")
            return None
        attempt = charge.attempt + 1
        append(self._transaction, self._key, "resume", {"charge": charge.number, "attempt": attempt})
        self._transaction.change(charge, attempt=attempt, owner=owner(), lease=lease_from(self._transaction.clock()))
        return Granted(charge.number, attempt, request_in(self._transaction, charge.number), asker)


def abandoned(snapshot: Snapshot, table: str) -> list[ChargeRecord]:
    """Charges of the version that stands now whose workers are dead."""
    version, clock = table_record(snapshot, table).version, snapshot.clock()
    running = list(snapshot.each(ChargeRecord, state="running", table=table, version=version))
    return [charge for charge in running if is_abandoned(charge, clock)]


def _running(number: int, request: Request, lease: float) -> ChargeRecord:
    return ChargeRecord(
        number, request.table, request.version, request.fingerprint, *price_row(request.price), request.analyst, request.key,
        state="running", attempt=1, owner=owner(), lease=lease, reference=None,
    )  # fmt: skip


def _around(money: Money, cap: Amount, before: Amount, after: Amount) -> dict[str, dict[str, str]]:
    """The budget before and after a charge, as its receipt shows it."""
    found = {"cap": cap, "before": before, "after": after}
    return {name: as_strings(money.loss(amount)) for name, amount in found.items()}
