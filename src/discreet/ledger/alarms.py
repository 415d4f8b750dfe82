"""Faults that may depend on rows, and whom they freeze (rule 17).

Such a fault tells one bit about rows that nobody paid for. So it is an alarm: in the transaction that writes it down, whoever
asked is frozen on every table about the same people, and the second one freezes these tables for everybody, until the data
holder has looked. What was delivered to somebody before is theirs to read again; anything else waits.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.ledger.entries.chain import Entry, now
from discreet.ledger.entries.charges import Granted
from discreet.ledger.journal import entry_in
from discreet.ledger.port import Snapshot, Transaction
from discreet.ledger.records import AlarmRecord, AnswerRecord, HistoryRecord, ViewedRecord
from discreet.ledger.rows import charge_in, table_record

__all__ = [
    "ANONYMOUS", "Alarm", "NOBODY", "asker_named", "delivered", "hides", "is_shown", "is_shown_to_anybody", "is_viewed", "lift",
    "open_alarms", "raised", "remember", "viewed",
]  # fmt: skip

NOBODY: Mapping[str, Any] = {"frozen": [], "tables": False}  # what a fault that cannot depend on rows freezes
ANONYMOUS = "anonymous"  # whoever gives no name; nobody else may be called so


@dataclass(frozen=True, slots=True)
class Alarm:
    """A fault that may depend on rows, as the data holder sees it."""

    charge: int
    at: str
    table: str
    asker: str
    question: str
    price: Mapping[str, str]
    reference: str
    froze_tables: bool
    cause: str = ""  # its kind, from the log

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "charge": self.charge, "at": self.at, "table": self.table, "analyst": self.asker, "question": self.question,
            "price": dict(self.price), "reference": self.reference, "cause": self.cause, "froze_tables": self.froze_tables,
        }  # fmt: skip


def asker_named(analyst: str) -> str:
    """The name by which an asker is frozen."""
    return analyst or ANONYMOUS


def raised(transaction: Transaction, granted: Granted, reference: str) -> dict[str, Any]:
    """Freeze who asked, and the tables if another alarm about these people is open. What the entry of the fault says of it.

    A charge that failed for two who worked on it is one alarm.
    """
    account = table_record(transaction, granted.request.table).account
    askers = sorted({asker_named(granted.request.analyst), asker_named(granted.asker or granted.request.analyst)})
    others = transaction.each(AlarmRecord, account=account)
    is_second = any(other.charge != granted.charge or other.froze_tables for other in list(others))
    for asker in askers:
        transaction.put(AlarmRecord(granted.charge, account, asker, reference, True, is_second))
    return {"frozen": askers, "tables": is_second}


# ---- delivery


def delivered(transaction: Transaction, charge: int, asker: str | None) -> None:
    """From now on the answer of a settled charge is in the history of ``asker``."""
    if asker is None or is_shown(transaction, charge, asker):
        return
    found = transaction.one(AnswerRecord, charge=charge)
    if found is None:
        raise LookupError(charge)
    remember(transaction, asker, found.id, charge_in(transaction, charge).table, charge)


def remember(transaction: Transaction, asker: str, answer: str, table: str, charge: int | None = None) -> int:
    """One more line in the history of ``asker``; its number."""
    last = list(transaction.each(HistoryRecord, backwards=True, most=1))
    number = last[0].number + 1 if last else 1
    transaction.add(HistoryRecord(number, asker_named(asker), answer, now(), table, charge))
    return number


def viewed(transaction: Transaction, charge: int, place: int, asker: str) -> None:
    """From now on what follows from one draw of a charge is in the history of ``asker``."""
    transaction.put(ViewedRecord(charge, place, asker_named(asker)))


def is_shown(snapshot: Snapshot, charge: int, asker: str) -> bool:
    """Whether the asker has had the answer of a charge."""
    return snapshot.one(HistoryRecord, charge=charge, asker=asker_named(asker)) is not None


def is_viewed(snapshot: Snapshot, charge: int, place: int, asker: str) -> bool:
    """Whether the asker has had a draw of a charge: in its answer, or in a view of that draw."""
    seen = snapshot.one(ViewedRecord, charge=charge, place=place, asker=asker_named(asker))
    return seen is not None or is_shown(snapshot, charge, asker)


def hides(snapshot: Snapshot, table: str) -> bool:
    """Whether nobody may know of answers that nobody was shown: as long as an alarm about these people is open.

    Such an answer may have been withheld, and that it is there would tell that its question did not fail.
    """
    account = table_record(snapshot, table).account
    return bool(list(snapshot.each(AlarmRecord, account=account, most=1)))


def is_shown_to_anybody(snapshot: Snapshot, charge: int) -> bool:
    """Whether somebody has had the answer of a charge, or a part of it."""
    return any(list(snapshot.each(kind, charge=charge, most=1)) for kind in (HistoryRecord, ViewedRecord))


# ---- the data holder


def open_alarms(snapshot: Snapshot, account: str, asker: str | None = None) -> list[Alarm]:
    """The alarms that nobody has looked at: of everybody, or those by which one asker is frozen."""
    found = list(snapshot.each(AlarmRecord, account=account))
    wanted = [each for each in found if asker is None or (each.asker == asker_named(asker) and each.froze_asker)]
    return [_alarm(each, entry_in(snapshot, each.charge)) for each in wanted]


def _alarm(found: AlarmRecord, charge: Entry) -> Alarm:
    table, question, price = (charge.body[name] for name in ("table", "question", "price"))
    return Alarm(found.charge, charge.at, table, found.asker, question, price, found.reference, found.froze_tables)


def lift(transaction: Transaction, account: str, asker: str | None) -> None:
    """Let everybody go on, or one asker while tables stay as they are."""
    if asker is None:
        transaction.drop(AlarmRecord, account=account)
        return
    for alarm in list(transaction.each(AlarmRecord, account=account, asker=asker_named(asker))):
        if alarm.froze_tables:
            transaction.change(alarm, froze_asker=False)
        else:
            transaction.drop(AlarmRecord, charge=alarm.charge, asker=alarm.asker)
