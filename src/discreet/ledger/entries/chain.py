"""Entries: what happened, in order, each with the hash of the one before it.

hash = SHA-256 of the hash before, the number, the moment, the kind and the body. Whoever changes an entry changes its hash and
with it every later one. The acts of the data holder are signed as well.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from sqlite3 import Connection
from typing import Any

from discreet.ledger.entries.codec import canonical
from discreet.ledger.entries.signatures import sign_act
from discreet.ledger.entries.signing import SigningKey

__all__ = ["Entry", "SIGNED", "START", "append", "each_entry", "hash_of", "head", "now", "read_entries"]

START = "0" * 64  # what stands before the first entry
SIGNED = frozenset({"register", "raise", "version", "freeze", "unfreeze"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened."""

    number: int
    at: str
    kind: str
    body: dict[str, Any]
    hash: str
    signature: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        found = {"number": self.number, "at": self.at, "kind": self.kind, "body": self.body, "hash": self.hash}
        return found if self.signature is None else found | {"signature": self.signature}


def now() -> str:
    """This moment, as it is written into entries."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def hash_of(before: str, number: int, at: str, kind: str, body: str) -> str:
    """The hash of an entry; ``body`` is its text as stored."""
    return sha256("\n".join((before, str(number), at, kind, body)).encode()).hexdigest()


def head(connection: Connection) -> tuple[int, str, str]:
    """Number, moment and hash of the last entry."""
    found = connection.execute("SELECT number, at, hash FROM entries ORDER BY number DESC LIMIT 1").fetchone()
    return (0, "", START) if found is None else tuple(found)


def append(connection: Connection, key: SigningKey, kind: str, body: dict[str, Any]) -> Entry:
    """Write the next entry. Its moment is what the clock says; the order of entries is that of their numbers."""
    number, _, before = head(connection)
    at, text = now(), canonical(body)
    found = hash_of(before, number + 1, at, kind, text)
    signature = sign_act(key, found) if kind in SIGNED else None
    connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)", (number + 1, at, kind, text, found, signature))
    return Entry(number + 1, at, kind, body, found, signature)


def each_entry(connection: Connection) -> Iterator[Entry]:
    """All entries in order, one at a time."""
    for number, at, kind, body, found, sign in connection.execute("SELECT * FROM entries ORDER BY number"):
        yield Entry(number, at, kind, json.loads(body), found, sign)


def read_entries(connection: Connection, last: int | None = None) -> list[Entry]:
    """The last entries, or all of them, in order."""
    rows = connection.execute("SELECT * FROM entries ORDER BY number DESC LIMIT ?", (-1 if last is None else last,)).fetchall()
    return [Entry(number, at, kind, json.loads(body), found, sign) for number, at, kind, body, found, sign in reversed(rows)]
