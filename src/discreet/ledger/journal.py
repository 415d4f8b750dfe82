"""The entries of a ledger: the next one is written, and all are read in order."""

import json
from collections.abc import Iterator
from typing import Any

from discreet.ledger.entries.chain import SIGNED, START, Entry, hash_of, now
from discreet.ledger.entries.codec import canonical
from discreet.ledger.entries.signatures import sign_act
from discreet.ledger.entries.signing import SigningKey
from discreet.ledger.port import Snapshot, Transaction
from discreet.ledger.records import EntryRecord

__all__ = ["append", "each_entry", "entry_in", "head", "latest"]

_FIRST = EntryRecord(0, "", "", "", START, None)  # what stands before the first entry


def head(snapshot: Snapshot) -> EntryRecord:
    """The last entry; its number is 0 if there is none."""
    return next(iter(list(snapshot.each(EntryRecord, backwards=True, most=1))), _FIRST)


def append(transaction: Transaction, key: SigningKey, kind: str, body: dict[str, Any]) -> Entry:
    """Write the next entry. Its moment is what the clock says; the order of entries is that of their numbers."""
    last = head(transaction)
    at, text = now(), canonical(body)
    found = hash_of(last.hash, last.number + 1, at, kind, text)
    signature = sign_act(key, found) if kind in SIGNED else None
    transaction.add(EntryRecord(last.number + 1, at, kind, text, found, signature))
    return Entry(last.number + 1, at, kind, body, found, signature)


def entry_in(snapshot: Snapshot, number: int) -> Entry:
    """The entry of a number. Raises LookupError if it is missing."""
    found = snapshot.one(EntryRecord, number=number)
    if found is None:
        raise LookupError(number)
    return _read(found)


def each_entry(snapshot: Snapshot, *kinds: str) -> Iterator[Entry]:
    """All entries in order, one at a time; or those of some kinds."""
    return map(_read, snapshot.each(EntryRecord, kind=kinds or None))


def latest(snapshot: Snapshot, *kinds: str, most: int | None = None) -> Iterator[Entry]:
    """The same from the last one back."""
    return map(_read, snapshot.each(EntryRecord, backwards=True, most=most, kind=kinds or None))


def _read(found: EntryRecord) -> Entry:
    return Entry(found.number, found.at, found.kind, json.loads(found.body), found.hash, found.signature)
