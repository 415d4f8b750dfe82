"""A ledger filled anew from its entries, one at a time: what verification compares with what is kept."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from discreet.ledger.admission import UNCOUNTED
from discreet.ledger.alarms import asker_named
from discreet.ledger.draws import records_of
from discreet.ledger.enrolled import Enrolled
from discreet.ledger.entries.amounts import NOTHING, Amount, Money
from discreet.ledger.entries.books import LOST, Books, Standing
from discreet.ledger.entries.chain import Entry
from discreet.ledger.entries.codec import canonical, event_from, price_from
from discreet.ledger.entries.requests import price_row
from discreet.ledger.entries.signatures import problem_with
from discreet.ledger.entries.signing import SigningKey
from discreet.ledger.port import Snapshot
from discreet.ledger.records import AlarmRecord, AnswerRecord, ChargeRecord, DrawRecord
from discreet.ledger.rows import charge_in, document_in, released_bytes

__all__ = ["Replay"]

_MOST_FAULTS = 3  # of a named analyst on one table, then frozen: in ledgers from before faults were alarms
_NO_ANSWER = AnswerRecord(0, "", "", "")


@dataclass(slots=True)
class Replay:
    """A ledger filled anew from its entries. Rows of charges and answers are compared as soon as their entries are read."""

    snapshot: Snapshot
    key: SigningKey
    accounts: dict[str, tuple[Money, Amount]] = field(default_factory=dict)
    books: dict[str, Books] = field(default_factory=dict)
    tables: dict[str, tuple[Any, ...]] = field(default_factory=dict)  # account, digest, budget, stamps, frozen
    analysts: dict[tuple[str, str], tuple[int, bool]] = field(default_factory=dict)
    alarms: dict[tuple[int, str], AlarmRecord] = field(default_factory=dict)
    enrolled: Enrolled = field(default_factory=Enrolled)
    ends: set[tuple[str, str]] = field(default_factory=set)  # table, last day
    running: dict[int, int] = field(default_factory=dict)  # charges and their attempts
    asked: dict[int, tuple[Any, ...]] = field(default_factory=dict)  # of running charges: table and analyst
    problems: list[str] = field(default_factory=list)
    _charges: "_Beside" = field(init=False)

    def __post_init__(self) -> None:
        self._charges = _Beside(self.snapshot.each(ChargeRecord))

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
            case "raise" | "lost":
                self._budget(entry)
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
                self.problems += _answer_differs(self.snapshot, self.key, entry)
            case "fault":
                self._fault(body)
            case "end":
                self.ends.add((body["table"], body["expires"]))
            case "freeze" | "unfreeze":
                self._freeze(body, frozen=entry.kind == "freeze")
            case "source" | "restored":
                pass  # whether a source is what it was, or a ledger a copy, changes no total
            case _:
                self.problems += self.enrolled.take(entry)

    def _budget(self, entry: Entry) -> None:
        """What is done to a budget itself: its cap is raised, or what was lost counts as spent."""
        account, body = entry.body["account"], entry.body
        if entry.kind == "raise":
            money, _ = self.accounts[account]
            self.accounts[account] = money, Amount.from_texts(*body["cap"])
        else:
            totals = self.books[account].totals
            totals[LOST] = totals.get(LOST, NOTHING).plus(Amount.from_texts(*body["amount"]))

    def _stand(self, body: Mapping[str, Any], account: str, *, frozen: bool) -> None:
        kept = canonical(body["budget"]), canonical(body["stamps"])
        self.tables[body["table"]] = account, body["digest"], *kept, frozen

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
        found = self._charges.take(entry.number)
        if found is not None and not _is_of(found, body):
            self.problems.append(f"charge {entry.number} was changed without an entry")
        if set(self.snapshot.each(DrawRecord, charge=entry.number)) != set(records_of(entry.number, body.get("names", ()))):
            self.problems.append(f"what charge {entry.number} has bought was changed without an entry")

    def _end(self, charge: int, state: str) -> tuple[Any, ...]:
        """A charge is not running any more; whose it was."""
        found, attempt = self.snapshot.one(ChargeRecord, number=charge), self.running.pop(charge)
        if found is None or (found.state, found.attempt) != (state, attempt):
            self.problems.append(f"the state of charge {charge} was changed without an entry")
        return self.asked.pop(charge)

    def _ended(self, charge: int) -> tuple[Any, ...]:
        """Whose a charge is that was settled or written off before; its row was compared with its entry."""
        found = charge_in(self.snapshot, charge)
        return found.table, found.analyst

    def _fault(self, body: Mapping[str, Any]) -> None:
        is_late = body["charge"] not in self.running and bool(body.get("frozen"))  # of a worker who was taken for dead
        table, analyst = self._ended(body["charge"]) if is_late else self._end(body["charge"], "faulted")
        if "frozen" in body:
            account = self.tables[table][0]
            for asker in body["frozen"]:
                alarm = AlarmRecord(body["charge"], account, asker, body["reference"], True, body["tables"])
                self.alarms[body["charge"], asker] = alarm
        elif analyst and body["reference"] not in UNCOUNTED:
            faults, frozen = self.analysts.get((table, analyst), (0, False))
            self.analysts[table, analyst] = faults + 1, frozen or faults + 1 >= _MOST_FAULTS

    def _freeze(self, body: Mapping[str, Any], *, frozen: bool) -> None:
        if "analyst" in body:
            self.analysts[body["table"], body["analyst"]] = 0, frozen
        else:
            self.tables[body["table"]] = *self.tables[body["table"]][:-1], frozen
        if "reopens" in body:
            self.ends = {(table, day) for table, day in self.ends if table != body["table"]}
        if not frozen:
            self._lift(self.tables[body["table"]][0], body.get("analyst"))

    def _lift(self, account: str, asker: str | None) -> None:
        """The data holder has looked at all alarms of an account, or lets one asker go on."""
        for key, alarm in list(self.alarms.items()):
            if alarm.account == account and (asker is None or alarm.asker == asker_named(asker)):
                del self.alarms[key]
                if asker is not None and alarm.froze_tables:  # they stay frozen for everybody
                    self.alarms[key] = replace(alarm, froze_asker=False)

    def unspoken(self) -> set[int]:
        """Charges that no entry speaks of, once all entries were taken."""
        return self._charges.rest()


class _Beside:
    """Charges in the order of their numbers, taken as entries speak of them."""

    def __init__(self, charges: Iterator[ChargeRecord]) -> None:
        self._charges = charges
        self._next = next(charges, None)
        self._passed: set[int] = set()

    def take(self, number: int) -> ChargeRecord | None:
        """The charge of a number; those before it that were not taken are spoken of by nobody."""
        while self._next is not None and self._next.number < number:
            self._passed.add(self._next.number)
            self._next = next(self._charges, None)
        found = self._next
        if found is None or found.number != number:
            return None
        self._next = next(self._charges, None)
        return found

    def rest(self) -> set[int]:
        """All that nobody speaks of."""
        left = [] if self._next is None else [self._next, *self._charges]
        return self._passed | {charge.number for charge in left}


def _is_of(charge: ChargeRecord, body: Mapping[str, Any]) -> bool:
    """Whether a charge is the one that its entry made."""
    kind, price, delta = price_row(price_from(body["price"]))
    found = (charge.table, charge.analyst, charge.version, charge.fingerprint, charge.key)
    wanted = (body["table"], body["analyst"], body["version"], body["fingerprint"], body.get("key"))
    return (*found, charge.kind, charge.price, charge.price_delta) == (*wanted, kind, price, delta)


def _answer_differs(snapshot: Snapshot, key: SigningKey, entry: Entry) -> list[str]:
    """A stored answer against the digests in the entry that settled it, and its receipt against its signature."""
    charge, wanted = entry.body["charge"], entry.body["digest"]
    found, document = snapshot.one(AnswerRecord, charge=charge) or _NO_ANSWER, document_in(snapshot, charge)
    is_shown = (None if document is None else sha256(document).hexdigest()) == entry.body.get("document")
    if not entry.hash.startswith(found.id or "-") or _digest(released_bytes(snapshot, found)) != wanted or not is_shown:
        return [f"the stored answer of charge {charge} was changed"]
    return [] if _is_receipt(found.receipt, key, entry.hash, wanted) else [f"the receipt of charge {charge} was changed"]


def _digest(stored: bytes) -> str:
    return sha256(stored).hexdigest()


def _is_receipt(stored: str, key: SigningKey, entry: str, released: str) -> bool:
    try:
        receipt = json.loads(stored)
        agrees = receipt["entry"]["hash"] == entry and receipt.get("released", released) == released
        return agrees and problem_with(receipt, "receipt", key.public) is None
    except (AttributeError, LookupError, TypeError, ValueError):
        return False
