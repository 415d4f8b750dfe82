"""Recompute everything from the entries: the chain, the signatures, every running total, the state of every charge.

Entries are read one at a time, and of each charge only what is running is kept: memory does not grow with the ledger. Each
problem names the entry or the row that was touched. Cutting the end off, or putting an old file back, leaves a ledger that
agrees with itself: only a witness that was kept elsewhere finds it (rule 34).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from sqlite3 import Connection
from typing import Any

from discreet.errors import DiscreetError, ParameterError
from discreet.ledger.admission import UNCOUNTED
from discreet.ledger.alarms import asker_named
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.amounts import Amount, Money
from discreet.ledger.entries.books import Books, Standing
from discreet.ledger.entries.chain import SIGNED, START, Entry, each_entry, hash_of, head, now
from discreet.ledger.entries.codec import canonical, event_from, price_from
from discreet.ledger.entries.signatures import is_signed_act, problem_with, signed
from discreet.ledger.rows import account_of, books_of, price_row
from discreet.ledger.sqlite.turns import about_sqlite

__all__ = ["Verified", "verify", "witness"]

_MOST_FAULTS = 3  # of a named analyst on one table, then frozen: in ledgers from before faults were alarms


@dataclass(frozen=True, slots=True)
class Verified:
    """What verification found."""

    entries: int
    head: str
    problems: tuple[str, ...]
    rollback: str  # excluded, or not excluded
    notes: tuple[str, ...] = ()  # what is no problem, but should be known

    @property
    def ok(self) -> bool:
        """Whether everything agrees."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "ok": self.ok, "entries": self.entries, "head": self.head, "rollback": self.rollback, "problems": list(self.problems),
            "notes": list(self.notes),
        }  # fmt: skip


def witness(ledger: Ledger) -> dict[str, Any]:
    """A signed note of how far the ledger has come, to be kept elsewhere."""
    with ledger.database.reading() as connection:
        number, _, found = head(connection)
        accounts = [name for (name,) in connection.execute("SELECT name FROM accounts ORDER BY name")]
        totals = {name: list(books_of(connection, name, "").spent().to_texts()) for name in accounts}
    return signed("witness", {"entries": number, "head": found, "totals": totals, "at": now()}, ledger.key)


def verify(ledger: Ledger, note: Mapping[str, Any] | None = None) -> Verified:
    """Check all of a ledger, against a witness if there is one."""
    with ledger.database.reading() as connection:
        damaged = [f"the file is damaged: {said}" for (said,) in connection.execute("PRAGMA integrity_check") if said != "ok"]
        problems = damaged or _chain(connection, ledger) or _replayed(connection, ledger)
        if note is not None:
            problems += _witnessed(connection, ledger, note)
        number, _, found = head(connection)
    excluded = note is not None and not problems
    notes = () if ledger.database.in_memory else about_sqlite()
    return Verified(number, found, tuple(problems), "excluded" if excluded else "not excluded", notes)


def _chain(connection: Connection, ledger: Ledger) -> list[str]:
    """Every hash and signature, from the first entry on. The first broken link is named; what follows hangs on it."""
    before, expected = START, 1
    for number, at, kind, body, found, signature in connection.execute("SELECT * FROM entries ORDER BY number"):
        if number != expected:
            return [f"entry {expected} is missing"]
        if hash_of(before, number, at, kind, body) != found:
            return [f"entry {number} ({kind}) was changed"]
        if kind in SIGNED and not is_signed_act(ledger.key, found, signature):
            return [f"entry {number} ({kind}) is not signed by this ledger's key"]
        before, expected = found, expected + 1
    return []


def _witnessed(connection: Connection, ledger: Ledger, note: Mapping[str, Any]) -> list[str]:
    if (wrong := problem_with(note, "witness", ledger.key.public)) is not None:
        raise ParameterError(wrong, hint="give a witness of this ledger, as discreet ledger witness wrote it")
    row = connection.execute("SELECT hash FROM entries WHERE number = ?", (note["entries"],)).fetchone()
    if note["entries"] and (row is None or row[0] != note["head"]):
        return [f"the ledger was rolled back: the witness has seen entry {note['entries']}, which is gone or another one now"]
    return []


@dataclass(slots=True)
class _Replay:
    """A ledger filled anew from its entries. Rows of charges and answers are compared as soon as their entries are read."""

    connection: Connection
    ledger: Ledger
    accounts: dict[str, tuple[Money, Amount]] = field(default_factory=dict)
    books: dict[str, Books] = field(default_factory=dict)
    tables: dict[str, tuple[Any, ...]] = field(default_factory=dict)  # account, digest, budget, stamps, frozen
    analysts: dict[tuple[str, str], tuple[int, bool]] = field(default_factory=dict)
    alarms: dict[tuple[int, str], tuple[str, str, bool, bool]] = field(default_factory=dict)  # account, reference, what it froze
    ends: set[tuple[str, str]] = field(default_factory=set)  # table, last day
    running: dict[int, int] = field(default_factory=dict)  # charges and their attempts
    asked: dict[int, tuple[Any, ...]] = field(default_factory=dict)  # of running charges: table and analyst
    problems: list[str] = field(default_factory=list)

    def take(self, entry: Entry) -> None:
        """Do again what an entry says was done."""
        body = entry.body
        match entry.kind:
            case "register":
                account = body["account"]
                money = Money(body["currency"], body["has_delta"])
                self.accounts.setdefault(account, (money, Amount.from_texts(*body["cap"])))
                self._stand(body, account, frozen=False)
                standing = Standing(body["version"], 1, body["touched"])
                self.books.setdefault(account, Books()).tables[body["table"]] = standing
            case "raise":
                money, _ = self.accounts[body["account"]]
                self.accounts[body["account"]] = money, Amount.from_texts(*body["cap"])
            case "version":
                account, _, _, _, frozen = self.tables[body["table"]]
                self._stand(body, account, frozen=frozen)
                books = self.books[account]
                epoch = books.tables[body["table"]].epoch + body["no_unit_in_both"]
                books.move(body["table"], Standing(body["version"], epoch, body["touched"]))
            case "charge":
                self._charge(entry)
            case "resume":
                self.running[body["charge"]] += 1
                if self.running[body["charge"]] != body["attempt"]:
                    self.problems.append(f"entry {entry.number} skips an attempt")
            case "settle":
                self._end(body["charge"], "settled")
                self.problems += _answer_differs(self.connection, self.ledger, entry)
            case "fault":
                self._fault(body)
            case "end":
                self.ends.add((body["table"], body["expires"]))
            case "freeze" | "unfreeze":
                self._freeze(body, frozen=entry.kind == "freeze")
            case "source":
                pass  # whether a source is what it was changes no total
            case _:
                self.problems.append(f"entry {entry.number} is of an unknown kind")

    def _stand(self, body: Mapping[str, Any], account: str, *, frozen: bool) -> None:
        kept = canonical(body["budget"]), canonical(body["stamps"])
        self.tables[body["table"]] = account, body["digest"], *kept, int(frozen)

    def _charge(self, entry: Entry) -> None:
        body = entry.body
        account = self.tables[body["table"]][0]
        money, cap = self.accounts[account]
        amount = Amount.from_texts(*body["amount"])
        if money.price(event_from(body["event"])) != amount:
            self.problems.append(f"entry {entry.number} was charged another amount than its event costs")
        self.books[account].charge(body["table"], body.get("cells"), amount, body.get("counts_for", body["analyst"]))
        if not self.books[account].spent().fits(cap):
            self.problems.append(f"entry {entry.number} spends more than the cap of {account}")
        self.running[entry.number] = 1
        self.asked[entry.number] = body["table"], body["analyst"]
        price = price_row(price_from(body["price"]))
        asked = body["table"], body["analyst"], body["version"], body["fingerprint"], *price, body.get("key")
        found = self.connection.execute(_ASKED, (entry.number,)).fetchone()
        if found is not None and found != asked:
            self.problems.append(f"charge {entry.number} was changed without an entry")

    def _end(self, charge: int, state: str) -> tuple[Any, ...]:
        """A charge is not running any more; whose it was."""
        found = self.connection.execute("SELECT state, attempt FROM charges WHERE number = ?", (charge,)).fetchone()
        if found != (state, self.running.pop(charge)):
            self.problems.append(f"the state of charge {charge} was changed without an entry")
        return self.asked.pop(charge)

    def _ended(self, charge: int) -> tuple[Any, ...]:
        """Whose a charge is that was settled or written off before; its row was compared with its entry."""
        found = self.connection.execute("SELECT tbl, analyst FROM charges WHERE number = ?", (charge,)).fetchone()
        return tuple(found)

    def _fault(self, body: Mapping[str, Any]) -> None:
        is_late = body["charge"] not in self.running and bool(body.get("frozen"))  # of a worker who was taken for dead
        table, analyst = self._ended(body["charge"]) if is_late else self._end(body["charge"], "faulted")
        if "frozen" in body:
            account = self.tables[table][0]
            for asker in body["frozen"]:
                self.alarms[body["charge"], asker] = account, body["reference"], True, body["tables"]
        elif analyst and body["reference"] not in UNCOUNTED:
            faults, frozen = self.analysts.get((table, analyst), (0, False))
            self.analysts[table, analyst] = faults + 1, frozen or faults + 1 >= _MOST_FAULTS

    def _freeze(self, body: Mapping[str, Any], *, frozen: bool) -> None:
        if "analyst" in body:
            self.analysts[body["table"], body["analyst"]] = 0, frozen
        else:
            self.tables[body["table"]] = *self.tables[body["table"]][:-1], int(frozen)
        if "reopens" in body:
            self.ends = {(table, day) for table, day in self.ends if table != body["table"]}
        if not frozen:
            self._lift(self.tables[body["table"]][0], body.get("analyst"))

    def _lift(self, account: str, asker: str | None) -> None:
        """The data holder has looked at all alarms of an account, or lets one asker go on."""
        for (charge, who), (where, reference, _, tables) in list(self.alarms.items()):
            if where == account and (asker is None or who == asker_named(asker)):
                del self.alarms[charge, who]
                if asker is not None and tables:  # they stay frozen for everybody
                    self.alarms[charge, who] = where, reference, False, tables


_WITHOUT_ENTRY = """
SELECT charges.number FROM charges LEFT JOIN entries ON entries.number = charges.number AND entries.kind = 'charge'
WHERE entries.number IS NULL
"""
_UNSETTLED = """
SELECT answers.charge FROM answers LEFT JOIN charges ON charges.number = answers.charge AND charges.state = 'settled'
WHERE charges.number IS NULL
"""
_ASKED = "SELECT tbl, analyst, version, fingerprint, kind, price, price_delta, key FROM charges WHERE number = ?"


def _replayed(connection: Connection, ledger: Ledger) -> list[str]:
    """Where the running tables differ from what the entries say."""
    replay = _Replay(connection, ledger)
    for entry in each_entry(connection):
        try:
            replay.take(entry)
        except (DiscreetError, LookupError, TypeError, ValueError):
            return [*replay.problems, f"entry {entry.number} ({entry.kind}) does not follow from those before it"]
    problems = replay.problems
    for name, (money, cap) in replay.accounts.items():
        try:
            kept, books = account_of(connection, name), books_of(connection, name, None)
        except (ArithmeticError, LookupError, TypeError, ValueError):
            problems.append(f"the cap or a total of {name} was changed without an entry, and cannot be read")
            continue
        if kept != (money, cap):
            problems.append(f"the cap of {name} was changed without an entry")
        problems += _differences(name, books, replay.books[name])
    return problems + _rows_differ(connection, replay)


def _answer_differs(connection: Connection, ledger: Ledger, entry: Entry) -> list[str]:
    """A stored answer against the digests in the entry that settled it, and its receipt against its signature."""
    charge, wanted = entry.body["charge"], entry.body["digest"]
    found = connection.execute(
        "SELECT id, released, receipt, document FROM answers LEFT JOIN documents USING (charge) WHERE charge = ?", (charge,)
    ).fetchone()
    identity, released, receipt, document = found or ("", "", "", None)
    is_shown = (None if document is None else sha256(document).hexdigest()) == entry.body.get("document")
    if not entry.hash.startswith(identity or "-") or _digest(released) != wanted or not is_shown:
        return [f"the stored answer of charge {charge} was changed"]
    return [] if _is_receipt(receipt, ledger, entry.hash, wanted) else [f"the receipt of charge {charge} was changed"]


def _digest(stored: str) -> str:
    return sha256(stored.encode()).hexdigest()


def _is_receipt(stored: str, ledger: Ledger, entry: str, released: str) -> bool:
    try:
        receipt = json.loads(stored)
        agrees = receipt["entry"]["hash"] == entry and receipt.get("released", released) == released
        return agrees and problem_with(receipt, "receipt", ledger.key.public) is None
    except (AttributeError, LookupError, TypeError, ValueError):
        return False


def _differences(account: str, kept: Books, found: Books) -> list[str]:
    problems = []
    if kept.tables != found.tables:
        problems.append(f"a version in {account} was changed without an entry")
    if kept.totals != found.totals:
        touched = sorted({key for key, _ in kept.totals.items() ^ found.totals.items()})
        problems += [f"the total of table {table}{_of(who)} was changed without an entry" for table, _, who in touched]
    if kept.cells != found.cells:
        cells = sorted({key for key, _ in kept.cells.items() ^ found.cells.items()})
        told = "of table {}{} was changed without an entry"
        problems += [f"the total of cell {cell} {told.format(table, _of(who))}" for table, _, cell, who in cells]
    return problems


def _of(who: str) -> str:
    return f", analyst {who}," if who else ""


def _rows_differ(connection: Connection, replay: _Replay) -> list[str]:
    """What is left once all entries were read: running charges, rows that no entry speaks of, tables and who is frozen."""
    running = dict(connection.execute("SELECT number, attempt FROM charges WHERE state = 'running'"))
    changed = {number for number, _ in running.items() ^ replay.running.items()}
    changed |= {number for (number,) in connection.execute(_WITHOUT_ENTRY)}
    problems = [f"the state of charge {number} was changed without an entry" for number in sorted(changed)]
    unsettled = connection.execute(_UNSETTLED)
    problems += [f"an answer was stored for charge {charge}, which was not settled" for (charge,) in unsettled]
    registered = connection.execute("SELECT name, account, digest, budget, stamps, frozen FROM tables")
    if {name: tuple(row) for name, *row in registered} != replay.tables:
        problems.append("a registered table was changed, frozen or unfrozen without an entry")
    found = connection.execute("SELECT * FROM analysts")
    if {(table, name): (faults, bool(frozen)) for table, name, faults, frozen in found} != replay.analysts:
        problems.append("an analyst was frozen or unfrozen without an entry")
    rows = connection.execute("SELECT charge, asker, account, reference, froze_asker, froze_tables FROM alarms")
    if {(charge, who): (*kept, bool(asker), bool(tables)) for charge, who, *kept, asker, tables in rows} != replay.alarms:
        problems.append("an analyst or a table was frozen or unfrozen without an entry")
    if set(connection.execute("SELECT tbl, expires FROM ends")) != replay.ends:
        problems.append("the end of a budget was changed without an entry")
    return problems
