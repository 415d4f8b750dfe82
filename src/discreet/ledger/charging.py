"""The ledger: reserve, settle, and what is left. The charge is durable before a row is read and is never refunded.

Everything that one act changes is changed in one transaction: the entry, the running totals, the state of the charge. The cost
of an act does not depend on how many came before.
"""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from sqlite3 import Connection
from threading import Event as Flag
from threading import Thread
from typing import Any

from discreet.answers.answer import BudgetState, as_strings
from discreet.answers.document import Document
from discreet.errors import AccessError, BudgetError, Fault, LedgerFault, ParameterError
from discreet.ledger.admission import admit, admit_beside, check_analyst, note_ends
from discreet.ledger.alarms import ANONYMOUS, asker_named, delivered, frozen_for
from discreet.ledger.entries.amounts import NOTHING, Amount, Money
from discreet.ledger.entries.books import ALL
from discreet.ledger.entries.chain import append, now
from discreet.ledger.entries.charges import CanFollow, Frozen, Granted, Outcome, Request, Stored, always, cut_off
from discreet.ledger.entries.codec import canonical
from discreet.ledger.entries.kept import Kept, kept_as
from discreet.ledger.entries.signatures import signed
from discreet.ledger.entries.signing import SigningKey
from discreet.ledger.failures import Failures, write_fault
from discreet.ledger.finding import Waiting, best, by_key, history, known, known_to, state_of
from discreet.ledger.owners import LEASE, is_dead, owner
from discreet.ledger.rows import (
    TableRow,
    books_of,
    price_row,
    request_body,
    request_in,
    save_books,
    stored_in,
    table_row,
)
from discreet.ledger.sqlite.database import BUSY, Database
from discreet.ledger.superseded import write_off_superseded
from discreet.planning.price import Price
from discreet.planning.release import Released
from discreet.privacy.events import Event
from discreet.privacy.losses import Loss

__all__ = ["Ledger", "MOST_ATTEMPTS"]

MOST_ATTEMPTS = 4  # the first, and three more after crashes
_PAUSE = 0.02


class Ledger:
    """Memory of spending, in a file or in this process. Safe for threads, processes and sudden death."""

    def __init__(self, database: Database, key: SigningKey) -> None:
        self.database = database
        self.key = key
        self._failures = Failures(database, key)

    # ---- the port

    def reserve(self, requests: Sequence[Request], can_follow: CanFollow = always) -> list[Outcome]:
        """Charge all of the requests or none. What is answered already comes back stored and costs nothing.

        What another process is working on is waited for; what a dead one left is granted again without a charge, or is a
        LedgerFault and stays as it was if this version cannot follow it.
        """
        while True:
            self._failures.write()
            try:
                with self.database.writing() as connection:
                    return self._reserved(connection, requests, can_follow)
            except Waiting:
                time.sleep(_PAUSE)
            except AccessError:
                self._note_ends(requests)
                raise

    def _note_ends(self, requests: Sequence[Request]) -> None:
        tables = {table for each in requests for table in (each.table, *(name for name, _ in each.beside))}
        with self.database.writing() as connection:
            note_ends(connection, self.key, sorted(tables))

    def settle(
        self, granted: Granted, released: Released, statement: Mapping[str, Any], document: Document | None = None
    ) -> Stored:
        """Keep the answer. Whoever comes second gets the answer of the first; only a stored answer may leave.

        Whoever holds the ledger is waited for, however long, with what was drawn (rule 15): it is paid for. Raises Frozen, with
        the answer kept, if who asked was frozen meanwhile: that is decided in the same transaction.
        """
        kept = kept_as(released, document)  # outside of the ledger, whose errors freeze nobody: these may depend on rows
        canonical(dict(statement)).encode()
        while True:
            try:
                stored, reason = self._settled(granted, released, statement, kept)
                break
            except Waiting:
                time.sleep(_PAUSE)
            except LedgerFault as fault:
                if fault.cause != BUSY:
                    raise
        if reason is not None:
            raise reason
        return stored

    def _settled(
        self, granted: Granted, released: Released, statement: Mapping[str, Any], kept: Kept
    ) -> tuple[Stored, Frozen | None]:
        """The stored answer, and why whoever asked does not get it."""
        with self.database.writing() as connection:
            reason = frozen_for(connection, granted.request, granted.asker)
            stored = self._stored(connection, granted, released, statement, kept, is_withheld=reason is not None)
            if reason is None:
                delivered(connection, granted.charge, granted.asker)
        return stored, reason

    def _stored(
        self, connection: Connection, granted: Granted, released: Released, statement: Mapping[str, Any], kept: Kept, *,
        is_withheld: bool,
    ) -> Stored:  # fmt: skip
        state, attempt = state_of(connection, granted.charge)
        if state == "settled":
            return stored_in(connection, granted.charge)
        if (state, attempt) != ("running", granted.attempt):
            _check_taken_over(connection, granted.charge, state)
        body = {"charge": granted.charge, "attempt": attempt, **kept.digests} | ({"withheld": True} if is_withheld else {})
        entry = append(connection, self.key, "settle", body)
        identity = entry.hash[:12]
        said = {**statement, "released": kept.digests["digest"], **kept.shown}
        receipt = self._receipt(connection, granted, said, identity, entry.number, entry.hash)
        connection.execute("UPDATE charges SET state = 'settled' WHERE number = ?", (granted.charge,))
        connection.execute(
            "INSERT INTO answers VALUES (?, ?, ?, ?)", (granted.charge, identity, kept.released, canonical(receipt))
        )
        if kept.document is not None:
            connection.execute("INSERT INTO documents VALUES (?, ?)", (granted.charge, kept.document))
        return Stored(identity, granted.request, released, receipt, kept.document)

    def fail(self, granted: Granted, fault: Fault) -> Frozen | None:
        """The charge is kept and never resumed (rule 15). Raises LedgerFault if this is written only later, when it can be.

        What is to be said instead of the fault if who asked was frozen before it: the same as of an answer they do not get.
        """
        return self._failures.note(granted, fault)

    def known(self, requests: Sequence[Request]) -> list[Stored | None]:
        """What is stored for each. Raises Frozen, before anything else is done, if who asks may only have their history."""
        with self.database.reading() as connection:
            return [known(connection, request) for request in requests]

    def answered(self, table: str, version: str, fingerprint: str, price: Price, asker: str = "") -> Stored | None:
        """The most precise stored answer to the same question at this price or a higher one that the asker may know of."""
        with self.database.reading() as connection:
            return known_to(connection, asker, table, version, fingerprint, price)

    def state(self, table: str) -> BudgetState:
        """Cap, spent and remaining of the table's budget, by cells and by analysts."""
        with self.database.reading() as connection:
            row = table_row(connection, table)
            books = books_of(connection, row.account, None)
        money, cap = row.money, row.cap
        spent = books.spent(now=table)
        kept = sorted((cell, amount) for (t, _, cell, who), amount in books.cells.items() if (t, who) == (table, ALL))
        names = sorted(({who for _, _, who in books.totals} | {who for _, _, _, who in books.cells}) - {ALL})
        names = [] if names == [ANONYMOUS] and row.per_analyst is None else names  # all of it is in the total
        left = cap.minus(spent).or_more(NOTHING)
        return BudgetState(
            money.loss(cap),
            money.loss(spent),
            money.loss(left),
            cells={cell: money.loss(amount) for cell, amount in kept},
            analysts={name: money.loss(books.spent(name, now=table)) for name in names},
            affordable=money.affordable(left),
        )

    def takes(self, table: str, event: Event, cells: Sequence[str] | None) -> Loss:
        """What a charge would take off the budget: less than its cost where another cell has borne as much already."""
        with self.database.reading() as connection:
            row = table_row(connection, table)
            books = books_of(connection, row.account, ALL)
        before = books.spent(now=table)
        books.charge(table, cells, row.money.price(event))
        return row.money.loss(books.spent(now=table).minus(before))

    def cost(self, table: str, event: Event) -> Loss:
        """What an event would cost in the money of the table's budget; refused if it has no price there."""
        with self.database.reading() as connection:
            money = table_row(connection, table).money
        return money.loss(money.price(event))

    def receipt(self, answer: str) -> dict[str, Any] | None:
        """The receipt of a stored answer."""
        with self.database.reading() as connection:
            found = connection.execute("SELECT receipt FROM answers WHERE id = ?", (answer,)).fetchone()
        return None if found is None else json.loads(found[0])

    def abandoned(self, table: str) -> list[Request]:
        """What dead processes were working on, of the version that stands now, and what may be tried again."""
        with self.database.reading() as connection:
            return [request_in(connection, number) for number, attempt in _left(connection, table) if attempt < MOST_ATTEMPTS]

    def taken_over(self, table: str, can_follow: CanFollow = always) -> list[Granted]:
        """What was abandoned, for this process to go on with. Nothing is charged, whoever asked.

        What has been tried as often as may be is written off instead; what this version cannot follow stays as it is.
        """
        self._failures.write()
        with self.database.writing() as connection:
            write_off_superseded(connection, self.key, table)
            left = [number for number, _ in _left(connection, table) if can_follow(request_in(connection, number))]
            attempts = [self._next_attempt(connection, number) for number in left]
        return [granted for granted in attempts if granted is not None]

    @contextmanager
    def working(self, *granted: Granted) -> Iterator[None]:
        """Inside, the leases of the charges are renewed."""
        done = Flag()
        if not granted:
            yield
            return
        renewing = Thread(target=self._renew, args=(granted, done), daemon=True)
        renewing.start()
        try:
            yield
        finally:
            done.set()

    def close(self) -> None:
        """Let go of the file."""
        self._failures.close()
        self.database.close()

    # ---- inside a transaction

    def _reserved(self, connection: Connection, requests: Sequence[Request], can_follow: CanFollow) -> list[Outcome]:
        """What becomes of each request. The same question twice in a batch is one."""
        outcomes: dict[tuple[str, str], Outcome] = {}
        if len({(r.table, r.fingerprint, r.price) for r in requests}) > len({(r.table, r.fingerprint) for r in requests}):
            raise ParameterError("one question is asked twice at different prices", hint="ask it once, at the higher price")
        for request in requests:
            row = table_row(connection, request.table)
            admit(connection, row, request)
            admit_beside(connection, row, request)
            if (request.table, request.fingerprint) not in outcomes:
                reason = frozen_for(connection, request, request.analyst)
                if reason is not None:
                    outcomes[request.table, request.fingerprint] = history(connection, request, reason)
                    continue
                outcomes[request.table, request.fingerprint] = self._outcome(connection, row, request, can_follow)
        return [outcomes[request.table, request.fingerprint] for request in requests]

    def _outcome(self, connection: Connection, row: TableRow, request: Request, can_follow: CanFollow) -> Outcome:
        if request.key is not None and (number := by_key(connection, request)) is not None:
            state = connection.execute("SELECT state FROM charges WHERE number = ?", (number,)).fetchone()[0]
        elif request.anew:
            number, state = None, ""
        else:
            number, state = best(connection, request.table, request.version, request.fingerprint, request.price)
        if number is None:
            return self._charge(connection, row, request)
        if state == "settled":
            delivered(connection, number, request.analyst)
            return stored_in(connection, number)
        if state == "faulted":
            raise LedgerFault("this request has failed before", hint="ask again with another key")
        return self._resumed(connection, row, request, number, can_follow)

    def _charge(self, connection: Connection, row: TableRow, request: Request) -> Granted:
        money, cap = row.money, row.cap
        asker = ALL if request.is_holders else asker_named(request.analyst)
        books = books_of(connection, row.account, asker)
        amount = money.price(request.event)
        before = books.spent(now=request.table)
        books.charge(request.table, request.cells, amount, asker)
        after = books.spent(now=request.table)
        if not books.spent().fits(cap):
            left = cap.minus(before)
            raise BudgetError(
                f"the question costs {money.words(amount)} and {money.words(left)} is left",
                hint="ask for less precision, or for something already answered, which is free",
            )
        for each in (row, *(table_row(connection, table) for table, _ in request.beside)):
            check_analyst(each, books, asker, money.words(amount))
        body = request_body(request, amount, _around(money, cap, before, after), asker)
        entry = append(connection, self.key, "charge", body)
        connection.execute(
            "INSERT INTO charges VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', 1, ?, ?, NULL)",
            (entry.number, request.table, request.version, request.fingerprint, *price_row(request.price),
             request.analyst, request.key, owner(), time.time() + LEASE),
        )
        save_books(connection, row.account, books)
        return Granted(entry.number, 1, request, request.analyst)

    def _resumed(
        self, connection: Connection, row: TableRow, request: Request, number: int, can_follow: CanFollow
    ) -> Outcome:
        """A charge that someone is working on: to be waited for, or to be taken over if they are dead."""
        found = connection.execute("SELECT owner, lease FROM charges WHERE number = ?", (number,)).fetchone()
        who, lease = found
        if not is_dead(who, lease, time.time()):
            raise Waiting
        if not can_follow(request_in(connection, number)):
            raise cut_off()
        granted = self._next_attempt(connection, number, request.analyst)
        if granted is not None:
            return granted
        if request.key is not None:  # a key is used once
            raise LedgerFault("this request has crashed too often", hint="ask again with another key")
        return self._charge(connection, row, request)

    def _next_attempt(self, connection: Connection, number: int, asker: str | None = None) -> Granted | None:
        """A charge whose worker is dead, for this process to go on with; None, and written off, if it was tried too often."""
        (attempt,) = connection.execute("SELECT attempt FROM charges WHERE number = ?", (number,)).fetchone()
        if attempt >= MOST_ATTEMPTS:
            write_fault(connection, self.key, number, "crashes")
            return None
        append(connection, self.key, "resume", {"charge": number, "attempt": attempt + 1})
        connection.execute(
            "UPDATE charges SET attempt = ?, owner = ?, lease = ? WHERE number = ?",
            (attempt + 1, owner(), time.time() + LEASE, number),
        )
        return Granted(number, attempt + 1, request_in(connection, number), asker)

    def _receipt(
        self, connection: Connection, granted: Granted, statement: Mapping[str, Any], identity: str, number: int, found: str
    ) -> dict[str, Any]:
        body = json.loads(connection.execute("SELECT body FROM entries WHERE number = ?", (granted.charge,)).fetchone()[0])
        said = {
            "answer": identity,
            **statement,
            "budget": body["budget"],
            "entry": {"charge": granted.charge, "number": number, "hash": found, "at": now()},
        }
        return signed("receipt", said, self.key)

    def _renew(self, granted: Sequence[Granted], done: Flag) -> None:
        while not done.wait(LEASE / 4):
            rows = [(time.time() + LEASE, each.charge, each.attempt) for each in granted]
            try:
                with self.database.writing() as connection:
                    connection.executemany("UPDATE charges SET lease = ? WHERE number = ? AND attempt = ?", rows)
            except LedgerFault:
                continue  # its own settling will tell


def _around(money: Money, cap: Amount, before: Amount, after: Amount) -> dict[str, dict[str, str]]:
    """The budget before and after a charge, as its receipt shows it."""
    found = {"cap": cap, "before": before, "after": after}
    return {name: as_strings(money.loss(amount)) for name, amount in found.items()}


def _left(connection: Connection, table: str) -> list[tuple[int, int]]:
    """Charges of the version that stands now whose workers are dead, each with how often it was tried."""
    version, clock = table_row(connection, table).version, time.time()
    rows = connection.execute(
        "SELECT number, attempt, owner, lease FROM charges WHERE state = 'running' AND tbl = ? AND version = ?", (table, version)
    ).fetchall()
    return [(number, attempt) for number, attempt, who, lease in rows if is_dead(who, lease, clock)]


def _check_taken_over(connection: Connection, charge: int, state: str) -> None:
    """Whoever was slow to settle waits for the one who took over, and gives up if they are dead as well."""
    who, lease = connection.execute("SELECT owner, lease FROM charges WHERE number = ?", (charge,)).fetchone()
    if state == "running" and not is_dead(who, lease, time.time()):
        raise Waiting
    raise LedgerFault("the charge was taken over after a crash", hint="ask again")
