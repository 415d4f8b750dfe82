"""Entries: what happened, in order, each with the hash of the one before it.

hash = SHA-256 of the hash before, the number, the moment, the kind and the body. Whoever changes an entry changes its hash and
with it every later one. The acts of the data holder are signed as well.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

__all__ = ["Entry", "SIGNED", "START", "hash_of", "now"]

START = "0" * 64  # what stands before the first entry
SIGNED = frozenset({
    "register", "raise", "version", "freeze", "unfreeze", "lost", "restored",
    "enrol", "grant", "ungrant", "limit", "rotate", "revoke",
})  # fmt: skip


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
