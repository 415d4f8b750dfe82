"""An answer is kept, inside one transaction: the entry with its digests, what was released, what was shown, the receipt."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.errors import LedgerFault
from discreet.ledger.alarms import delivered
from discreet.ledger.entries.chain import Entry, now
from discreet.ledger.entries.charges import Frozen, Granted, Stored
from discreet.ledger.entries.codec import canonical
from discreet.ledger.entries.kept import Kept
from discreet.ledger.entries.signatures import signed
from discreet.ledger.entries.signing import SigningKey
from discreet.ledger.finding import Waiting
from discreet.ledger.freezes import frozen_for
from discreet.ledger.journal import append, entry_in
from discreet.ledger.owners import is_abandoned
from discreet.ledger.port import Transaction
from discreet.ledger.records import AnswerRecord, ChargeRecord, DocumentRecord, ReleaseRecord
from discreet.ledger.rows import charge_in, stored_in
from discreet.statistics.part import Released

__all__ = ["Settling", "settled"]


@dataclass(frozen=True, slots=True)
class Settling:
    """What is to be kept of a charge: made before the transaction, which then only writes."""

    granted: Granted
    released: Released
    statement: Mapping[str, Any]
    kept: Kept


def settled(transaction: Transaction, key: SigningKey, settling: Settling) -> tuple[Stored, Frozen | None]:
    """The stored answer, and why whoever asked does not get it. Raises Waiting while somebody else works on the charge."""
    granted = settling.granted
    reason = frozen_for(transaction, granted.request, granted.asker)
    stored = _stored(transaction, key, settling, is_withheld=reason is not None)
    if reason is None:
        delivered(transaction, granted.charge, granted.asker)
    return stored, reason


def _stored(transaction: Transaction, key: SigningKey, settling: Settling, *, is_withheld: bool) -> Stored:
    granted, kept = settling.granted, settling.kept
    charge = charge_in(transaction, granted.charge)
    if charge.state == "settled":
        return stored_in(transaction, granted.charge)
    if (charge.state, charge.attempt) != ("running", granted.attempt):
        _check_taken_over(charge, transaction.clock())
    body = {"charge": granted.charge, "attempt": charge.attempt, **kept.digests} | ({"withheld": True} if is_withheld else {})
    entry = append(transaction, key, "settle", body)
    identity, receipt = entry.hash[:12], _receipt(transaction, key, settling, entry)
    transaction.change(charge, state="settled")
    transaction.add(AnswerRecord(granted.charge, identity, "", canonical(receipt)))
    transaction.add(ReleaseRecord(granted.charge, kept.packed))
    if kept.document is not None:
        transaction.add(DocumentRecord(granted.charge, kept.document))
    return Stored(identity, granted.request, settling.released, receipt, kept.document)


def _receipt(transaction: Transaction, key: SigningKey, settling: Settling, entry: Entry) -> dict[str, Any]:
    charge, kept = settling.granted.charge, settling.kept
    said = {
        "answer": entry.hash[:12],
        **settling.statement,
        "released": kept.digests["digest"],
        **kept.shown,
        "budget": entry_in(transaction, charge).body["budget"],
        "entry": {"charge": charge, "number": entry.number, "hash": entry.hash, "at": now()},
    }
    return signed("receipt", said, key)


def _check_taken_over(charge: ChargeRecord, clock: float) -> None:
    """Whoever was slow to settle waits for the one who took over, and gives up if they are dead as well."""
    if charge.state == "running" and not is_abandoned(charge, clock):
        raise Waiting
    raise LedgerFault("the charge was taken over after a crash", hint="ask again")
