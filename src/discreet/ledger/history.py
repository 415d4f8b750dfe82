"""What somebody was answered: theirs to read again, newest first, and nobody else's. An id of somebody else does not exist.

What was bought is kept in any case. Views cost nothing, so for each asker no more of them is kept than these numbers say, and
the oldest make room.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.answers.answer import as_strings
from discreet.answers.document import Document
from discreet.errors import MissingError, ParameterError
from discreet.ledger.alarms import asker_named, remember
from discreet.ledger.asked import forget_answers
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.amounts import NOTHING, Amount
from discreet.ledger.entries.charges import Wish
from discreet.ledger.entries.codec import canonical
from discreet.ledger.entries.documents import document_from, document_to
from discreet.ledger.journal import entry_in
from discreet.ledger.port import Snapshot, Transaction
from discreet.ledger.records import FilledRecord, HistoryRecord, ViewRecord
from discreet.ledger.rows import stored_in, table_row
from discreet.privacy.losses import Loss

__all__ = ["MOST_BYTES", "MOST_VIEWS", "Past", "Shown", "forget_before", "keep_view", "past", "shown"]

MOST_VIEWS = 2_000  # of one asker
MOST_BYTES = 32 << 20
_LONGEST_PAGE = 500


@dataclass(frozen=True, slots=True)
class Past:
    """One line of somebody's history."""

    id: str
    at: str
    table: str
    question: str
    cost: Mapping[str, str]  # what they bought it for; 0 if it was free

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"id": self.id, "at": self.at, "table": self.table, "question": self.question, "cost": dict(self.cost)}


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer as it was shown, and what belongs to it. Where others paid for it there is no receipt that is theirs."""

    id: str
    table: str
    question: str
    document: Document
    receipt: dict[str, Any] | None
    cost: Loss  # of what they bought; 0 if it was free
    is_bought: bool = False
    paid: Loss | None = None  # when they bought it, if this time it was free
    wish: Wish | None = None  # what they bought it for


def past(ledger: Ledger, asker: str, most: int = 50, before: str | None = None) -> list[Past]:
    """The history of an asker, newest first; from the one ``before`` back, if that is given."""
    if not 0 < most <= _LONGEST_PAGE:
        raise ParameterError(f"a page has 1 to {_LONGEST_PAGE} answers, not {most}", hint="ask for the next page after it")
    with ledger.store.reading() as snapshot:
        below = None if before is None else _line(snapshot, asker, before).number
        lines = list(snapshot.each(HistoryRecord, backwards=True, most=most, below=below, asker=asker_named(asker)))
        return [_past(snapshot, line) for line in lines]


def _past(snapshot: Snapshot, line: HistoryRecord) -> Past:
    if line.charge is None:
        view = snapshot.one(ViewRecord, number=line.number)
        question = "" if view is None else json.loads(view.receipt)["question"]
    else:
        question = entry_in(snapshot, line.charge).body["question"]
    return Past(line.id, line.at, line.table, question, as_strings(_cost(snapshot, line)))


def _cost(snapshot: Snapshot, line: HistoryRecord) -> Loss:
    """What whoever reads their history paid for one line of it."""
    body = {} if line.charge is None else entry_in(snapshot, line.charge).body
    is_theirs = bool(body) and asker_named(body["analyst"]) == line.asker
    return table_row(snapshot, line.table).money.loss(Amount.from_texts(*body["amount"]) if is_theirs else NOTHING)


def shown(ledger: Ledger, asker: str, answer: str, *, is_free: bool = False) -> Shown:
    """One answer of an asker; as one that was stored, if it ``is_free``. Raises MissingError if they never had one of that id,
    whoever else did."""
    with ledger.store.reading() as snapshot:
        line = _line(snapshot, asker, answer)
        paid = _cost(snapshot, line)
        cost = table_row(snapshot, line.table).money.loss(NOTHING) if is_free else paid
        if line.charge is None:
            view = snapshot.one(ViewRecord, number=line.number)
            if view is None:
                raise LookupError(line.number)
            receipt = json.loads(view.receipt)
            return Shown(line.id, line.table, receipt["question"], document_from(view.document), receipt, cost)
        stored = stored_in(snapshot, line.charge)
        if stored.document is None:
            raise ParameterError("this answer is of a version that kept nothing to show", hint="ask it again, which is free")
        is_theirs = asker_named(stored.request.analyst) == line.asker
        receipt, document = dict(stored.receipt) if is_theirs else None, document_from(stored.document)
        wish = stored.request.wish if is_theirs else None
        return Shown(
            line.id, line.table, stored.request.question, document, receipt, cost, is_bought=is_theirs and not is_free,
            paid=paid if is_theirs and is_free else None, wish=wish,
        )  # fmt: skip


def _line(snapshot: Snapshot, asker: str, answer: str) -> HistoryRecord:
    found = snapshot.one(HistoryRecord, asker=asker_named(asker), id=answer)
    if found is None:
        raise MissingError(f"there is no answer {answer[:40]!r}", hint="see which answers you have had")
    return found


def keep_view(ledger: Ledger, asker: str, receipt: Mapping[str, Any], document: Document) -> None:
    """Put a view into an asker's history, once. What is too long for it is delivered and not kept."""
    name = asker_named(asker)
    with ledger.store.reading() as snapshot:
        if snapshot.one(HistoryRecord, asker=name, id=receipt["answer"]) is not None:
            return
    text, kept = canonical(dict(receipt)), document_to(document)
    size = len(text.encode()) + len(kept)
    if size > MOST_BYTES:
        return
    with ledger.store.writing() as transaction:
        if transaction.one(HistoryRecord, asker=name, id=receipt["answer"]) is None:
            filled = _room_for(transaction, transaction.one(FilledRecord, asker=name) or FilledRecord(name, 0, 0, 0), size)
            number = remember(transaction, asker, receipt["answer"], receipt["table"])
            transaction.add(ViewRecord(number, name, text, kept))
            transaction.put(FilledRecord(name, filled.views + 1, filled.size + size, filled.asked))


def _room_for(transaction: Transaction, filled: FilledRecord, size: int) -> FilledRecord:
    """What is kept once the oldest views have made room for one more."""
    views, bytes_ = filled.views, filled.size
    while views >= MOST_VIEWS or bytes_ + size > MOST_BYTES:
        (oldest,) = list(transaction.each(ViewRecord, asker=filled.asker, most=1))
        transaction.drop(ViewRecord, number=oldest.number)
        transaction.drop(HistoryRecord, number=oldest.number)
        views, bytes_ = views - 1, bytes_ - len(oldest.receipt.encode()) - len(oldest.document)
    return FilledRecord(filled.asker, views, bytes_, filled.asked)


def forget_before(ledger: Ledger, moment: str) -> int:
    """Forget what was shown to anybody before a moment: lines of histories, and views. How many lines.

    What was bought stays: it is free to ask again, with its key too, and entries of the chain are never taken back.
    """
    with ledger.store.writing() as transaction:
        old = [line for line in transaction.each(HistoryRecord) if line.at < moment]
        for line in old:
            view = transaction.one(ViewRecord, number=line.number)
            if view is not None:
                _drop_view(transaction, view)
            transaction.drop(HistoryRecord, number=line.number)
        for asker in {line.asker for line in old}:
            forget_answers(transaction, asker, {line.id for line in old if line.asker == asker})
    return len(old)


def _drop_view(transaction: Transaction, view: ViewRecord) -> None:
    filled = transaction.one(FilledRecord, asker=view.asker) or FilledRecord(view.asker, 0, 0, 0)
    size = filled.size - len(view.receipt.encode()) - len(view.document)
    transaction.drop(ViewRecord, number=view.number)
    transaction.put(FilledRecord(view.asker, max(0, filled.views - 1), max(0, size), filled.asked))
