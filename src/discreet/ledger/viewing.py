"""Receipts of what follows from stored draws. Nothing is written: a view can be had again at any time."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from discreet.answers.answer import as_strings
from discreet.answers.document import Document
from discreet.ledger.draws import drawn_by
from discreet.ledger.entries.books import ALL
from discreet.ledger.entries.charges import Request
from discreet.ledger.entries.codec import canonical
from discreet.ledger.entries.documents import shown_in_document
from discreet.ledger.entries.signatures import signed
from discreet.ledger.entries.signing import SigningKey
from discreet.ledger.journal import entry_in
from discreet.ledger.port import Snapshot
from discreet.ledger.rows import books_of, table_row

__all__ = ["VIEW", "receipt_of_view"]

VIEW = "view-"  # how the id of such an answer begins


def receipt_of_view(
    snapshot: Snapshot, key: SigningKey, request: Request, statement: Mapping[str, Any], document: Document
) -> dict[str, Any]:
    """A signed statement, as of the last charge that it rests on: the same whenever it is made."""
    shown = shown_in_document(document)
    about = canonical([request.fingerprint, sorted(drawn_by(request)), shown])
    last = max((use.charge for use in request.uses), default=None)
    budget, at = _as_of(snapshot, request.table, last)
    said = {
        "answer": f"{VIEW}{sha256(about.encode()).hexdigest()[:12]}",
        **statement,
        "shown": shown,
        "budget": {"cap": budget["cap"], "before": budget["after"], "after": budget["after"]},
        "entry": {"charge": last, "at": at},
    }
    return signed("receipt", said, key)


def _as_of(snapshot: Snapshot, table: str, charge: int | None) -> tuple[Mapping[str, Any], str]:
    """The budget as a charge left it, and when that was; as it is now, and no time, if there is no charge."""
    if charge is not None:
        entry = entry_in(snapshot, charge)
        return entry.body["budget"], entry.at
    row = table_row(snapshot, table)
    spent = row.money.loss(books_of(snapshot, row.account, ALL).spent(now=table))
    return {"cap": as_strings(row.money.loss(row.cap)), "after": as_strings(spent)}, ""
