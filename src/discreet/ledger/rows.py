"""Records of a ledger with their meaning: tables, budgets, requests and answers. All of it inside somebody's transaction."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Any

from discreet.errors import AccessError, LedgerFault
from discreet.ledger.entries.amounts import Amount, Money
from discreet.ledger.entries.books import ALL, Books, Standing
from discreet.ledger.entries.charges import Request, Stored
from discreet.ledger.entries.codec import loss_from, released_from
from discreet.ledger.entries.packed import released_in
from discreet.ledger.entries.requests import request_from
from discreet.ledger.journal import entry_in
from discreet.ledger.port import Snapshot, Transaction
from discreet.ledger.records import (
    AccountRecord,
    AnswerRecord,
    CellRecord,
    ChargeRecord,
    DocumentRecord,
    ReleaseRecord,
    TableRecord,
    TotalRecord,
)

__all__ = [
    "TableRow",
    "account_of",
    "account_record",
    "books_of",
    "charge_in",
    "document_in",
    "released_bytes",
    "request_in",
    "save_books",
    "stored_in",
    "table_record",
    "table_row",
]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A registered table as it stands now."""

    name: str
    account: str
    money: Money
    cap: Amount
    version: str
    epoch: int
    touched: int
    digest: str
    per_analyst: Amount | None
    most_per_question: Fraction | None
    expires: str | None
    stamps: Sequence[Any]
    frozen: bool


def table_record(snapshot: Snapshot, table: str) -> TableRecord:
    """What is kept of a table. Raises AccessError if it was never registered."""
    found = snapshot.one(TableRecord, name=table)
    if found is None:
        raise AccessError(f"{table} is not registered in this ledger", hint="the data holder runs discreet register")
    return found


def table_row(snapshot: Snapshot, table: str) -> TableRow:
    """A table with its budget. Raises AccessError if it was never registered."""
    found = table_record(snapshot, table)
    rest = json.loads(found.budget)
    money, cap = account_of(snapshot, found.account)
    limit, most = rest.get("per_analyst"), rest.get("max_epsilon_per_question")
    return TableRow(
        found.name, found.account, money, cap, found.version, found.epoch, found.touched, found.digest,
        None if limit is None else money.amount(loss_from(limit)),
        None if most is None else Fraction(most),
        rest.get("expires"), json.loads(found.stamps), found.frozen,
    )  # fmt: skip


def account_of(snapshot: Snapshot, account: str) -> tuple[Money, Amount]:
    """What an account counts in, and its cap."""
    found = snapshot.one(AccountRecord, name=account)
    if found is None:
        raise LookupError(account)
    return Money(found.currency, found.has_delta), Amount.from_texts(found.cap, found.cap_delta)


def account_record(account: str, money: Money, cap: Amount) -> AccountRecord:
    """The same as it is kept."""
    return AccountRecord(account, money.currency, money.has_delta, *cap.to_texts())


def books_of(snapshot: Snapshot, account: str, analyst: str | None) -> Books:
    """The running totals of an account: of everybody, and of one analyst or (None) of each."""
    who = None if analyst is None else {ALL, analyst}
    tables = snapshot.each(TableRecord, account=account)
    totals = snapshot.each(TotalRecord, account=account, who=who)
    cells = snapshot.each(CellRecord, account=account, who=who)
    return Books(
        {each.name: Standing(each.version, each.epoch, each.touched) for each in tables},
        {(each.table, each.epoch, each.who): Amount.from_texts(each.amount, each.delta) for each in totals},
        {(each.table, each.version, each.cell, each.who): Amount.from_texts(each.amount, each.delta) for each in cells},
    )


def save_books(transaction: Transaction, account: str, books: Books) -> None:
    """Write the totals and cells that changed."""
    for total, amount in books.totals.items():
        if total in books.changed:
            transaction.put(TotalRecord(account, *total, *amount.to_texts()))
    for cell, amount in books.cells.items():
        if cell in books.changed:
            transaction.put(CellRecord(account, *cell, *amount.to_texts()))


def charge_in(snapshot: Snapshot, number: int) -> ChargeRecord:
    """The charge of a number. Raises LookupError if it is missing."""
    found = snapshot.one(ChargeRecord, number=number)
    if found is None:
        raise LookupError(number)
    return found


def request_in(snapshot: Snapshot, charge: int) -> Request:
    """The request of a charge, as its entry holds it."""
    return request_from(entry_in(snapshot, charge).body)


def stored_in(snapshot: Snapshot, charge: int) -> Stored:
    """The answer of a settled charge."""
    answer = snapshot.one(AnswerRecord, charge=charge)
    if answer is None:
        raise LedgerFault("a stored answer is gone", hint="run discreet ledger verify")
    document, receipt = document_in(snapshot, charge), json.loads(answer.receipt)
    _check_untouched(snapshot, answer, receipt["entry"]["number"], document)
    packed = snapshot.one(ReleaseRecord, charge=charge)
    released = released_from(json.loads(answer.released)) if packed is None else released_in(packed.packed)
    return Stored(answer.id, request_in(snapshot, charge), released, receipt, document)


def released_bytes(snapshot: Snapshot, answer: AnswerRecord) -> bytes:
    """What was released, as it is kept; nothing stands beside it where it is packed."""
    packed = snapshot.one(ReleaseRecord, charge=answer.charge)
    return answer.released.encode() if packed is None else packed.packed + answer.released.encode()


def document_in(snapshot: Snapshot, charge: int) -> bytes | None:
    """An answer as it was shown; the first version kept none."""
    found = snapshot.one(DocumentRecord, charge=charge)
    return None if found is None else found.document


def _check_untouched(snapshot: Snapshot, answer: AnswerRecord, number: int, document: bytes | None) -> None:
    """Raises LedgerFault unless the entry of the settling has the digests of what is stored."""
    entry = entry_in(snapshot, number)
    wanted = ("settle", answer.charge, answer.id, entry.body.get("digest"), entry.body.get("document"))
    shown = None if document is None else sha256(document).hexdigest()
    released = sha256(released_bytes(snapshot, answer)).hexdigest()
    if (entry.kind, entry.body.get("charge"), entry.hash[:12], released, shown) != wanted:
        raise LedgerFault("a stored answer is not what was settled", hint="run discreet ledger verify")
