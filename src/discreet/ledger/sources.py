"""What a ledger knows of sources: keyed digests, so that nothing it hands out can be checked against a guess (rule 36).

The key follows from the ledger's signing key. What an entry holds has table and version in it: equal contents in two versions
cannot be seen to be equal. What is remembered to save work (how the files looked, which contents were registered) is kept in
tables beside the chain, keyed as well, and is never exported.
"""

import hmac
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from discreet.engines.stamps import Look, Seen
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.codec import canonical
from discreet.ledger.entries.signing import SigningKey
from discreet.ledger.journal import append
from discreet.ledger.port import Snapshot, Transaction
from discreet.ledger.records import SourceFileRecord, SourceRecord
from discreet.ledger.rows import table_record

__all__ = [
    "adopt", "closed_place", "content_of", "is_closed", "is_keyed", "is_same_look", "note", "others_with", "pinned", "recall",
    "remember", "reopen", "stamps_for",
]  # fmt: skip

_KEYED = "keyed:"


# ---- digests


def stamps_for(key: SigningKey, table: str, version: str, seen: Mapping[str, Seen]) -> list[list[str]]:
    """What an entry says of the places of a version."""
    return [[place, pinned(key, table, version, place, content_of(key, each))] for place, each in seen.items()]


def pinned(key: SigningKey, table: str, version: str, place: str, content: str) -> str:
    """A content as the entries of one version name it."""
    return _KEYED + _keyed(key, "version", table, version, place, content)


def content_of(key: SigningKey, seen: Seen) -> str:
    """Names and contents of all files of a place; the same in every version, so it stays in the ledger."""
    return _keyed(key, "content", [list(each) for each in seen.files])


def is_keyed(stamps: Sequence[Any]) -> bool:
    """Whether stamps are of contents; else they are of sizes and times, as ledgers kept them before."""
    return all(str(stamp).startswith(_KEYED) for _, stamp in stamps)


def is_same_look(key: SigningKey, kept: SourceRecord, look: Look) -> bool:
    """Whether files look as they did when their bytes were last digested."""
    return hmac.compare_digest(kept.look, _look(key, look))


def _look(key: SigningKey, look: Look) -> str:
    return _keyed(key, "look", [list(each) for each in look])


def _keyed(key: SigningKey, purpose: str, *parts: Any) -> str:
    return hmac.digest(key.secret("sources"), canonical([purpose, *parts]).encode(), "sha256").hex()


# ---- inside a transaction


def remember(transaction: Transaction, key: SigningKey, table: str, version: str, seen: Mapping[str, Seen]) -> None:
    """A version that was registered now: every place is open, and known by what is in it."""
    transaction.drop(SourceRecord, table=table)
    for place, each in seen.items():
        content = content_of(key, each)
        pin = pinned(key, table, version, place, content)
        transaction.add(SourceRecord(table, place, pin, _look(key, each.look), content, closed=False))
    for digest in _files(key, seen.get(table)):  # lookups are public, and whoever likes may have them
        transaction.put(SourceFileRecord(table, digest))


def others_with(snapshot: Snapshot, key: SigningKey, table: str, account: str, seen: Mapping[str, Seen]) -> list[str]:
    """Tables with another budget that have, or had in some version, a file of the same content."""
    wanted = _files(key, seen.get(table))
    found = {each.table for each in snapshot.each(SourceFileRecord, file=wanted)}
    return sorted(other for other in found if table_record(snapshot, other).account != account)


def _files(key: SigningKey, seen: Seen | None) -> set[str]:
    """The files of a table, whatever they are called; of a database, with the table in it."""
    if seen is None:
        return set()
    if seen.table is None:
        return {_keyed(key, "file", digest) for _, digest in seen.files}
    *before, name = seen.table.split(".")
    return {_keyed(key, "table in a file", before[-1] if before else "main", name, [list(each) for each in seen.files])}


# ---- while somebody asks


def recall(ledger: Ledger, table: str, place: str) -> SourceRecord | None:
    """What was remembered of one place of a table."""
    with ledger.store.reading() as snapshot:
        return snapshot.one(SourceRecord, table=table, place=place)


def is_closed(ledger: Ledger, table: str) -> bool:
    """Whether the data holder has to act before a table is asked again."""
    with ledger.store.reading() as snapshot:
        return closed_place(snapshot, table) is not None


def closed_place(snapshot: Snapshot, table: str) -> str | None:
    """Whose files changed: the table's, or a lookup's."""
    return next((each.place for each in list(snapshot.each(SourceRecord, table=table)) if each.closed), None)


def note(ledger: Ledger, table: str, version: str, place: str, pin: str, seen: Seen) -> bool:
    """Remember what is in a place now, and close the table if that is not what was registered. Whether it is open."""
    content, look = content_of(ledger.key, seen), _look(ledger.key, seen.look)
    same = hmac.compare_digest(pin, pinned(ledger.key, table, version, place, content))
    with ledger.store.writing() as transaction:
        kept = transaction.one(SourceRecord, table=table, place=place)
        was_closed = kept is not None and kept.closed
        transaction.put(SourceRecord(table, place, pin, look, content, closed=was_closed or not same))
        if not same and not was_closed:
            _tell(transaction, ledger, table, version, place, "closed")
    return same


def adopt(ledger: Ledger, table: str, version: str, place: str, seen: Seen, *, same: bool) -> None:
    """A place of a ledger from before: known by its content from now on, or closed if it is not ``same``."""
    content, look = content_of(ledger.key, seen), _look(ledger.key, seen.look)
    pin = pinned(ledger.key, table, version, place, content) if same else ""
    with ledger.store.writing() as transaction:
        if transaction.one(SourceRecord, table=table, place=place) is not None:
            return  # another process was faster
        transaction.add(SourceRecord(table, place, pin, look, content, closed=not same))
        _tell(transaction, ledger, table, version, place, "adopted" if same else "closed", pin)


def reopen(ledger: Ledger, table: str, version: str, seen: Mapping[str, Seen]) -> list[str]:
    """Open places whose content is what was registered, or was never seen before. Those that stay closed."""
    with ledger.store.writing() as transaction:
        stay = []
        for place, each in seen.items():
            kept = transaction.one(SourceRecord, table=table, place=place)
            if kept is None or not kept.closed:
                continue
            content = content_of(ledger.key, each)
            pin = pinned(ledger.key, table, version, place, content)
            if kept.pin and not hmac.compare_digest(kept.pin, pin):
                stay.append(place)
                continue
            transaction.put(SourceRecord(table, place, pin, _look(ledger.key, each.look), content, closed=False))
            _tell(transaction, ledger, table, version, place, "opened" if kept.pin else "adopted", "" if kept.pin else pin)
        return stay


_State = Literal["adopted", "closed", "opened"]


def _tell(transaction: Transaction, ledger: Ledger, table: str, version: str, place: str, state: _State, pin: str = "") -> None:
    body = {"table": table, "version": version, "place": place, "state": state} | ({"stamp": pin} if pin else {})
    append(transaction, ledger.key, "source", body)
