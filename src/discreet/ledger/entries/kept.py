"""What is kept of an answer when it is settled: made before the transaction, which then only writes."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from discreet.answers.document import Document
from discreet.ledger.entries.documents import document_to, shown_in_document
from discreet.ledger.entries.packed import packed_to
from discreet.statistics.part import Released

__all__ = ["Kept", "kept_as"]


@dataclass(frozen=True, slots=True)
class Kept:
    """Bytes for the ledger, their digests for the entry, and what the receipt says about the shown table."""

    packed: bytes
    document: bytes | None
    digests: dict[str, str]
    shown: dict[str, Any]


def kept_as(released: Released, document: Document | None) -> Kept:
    """An answer as it is kept."""
    packed = packed_to(released)
    digests = {"digest": sha256(packed).hexdigest()}
    if document is None:
        return Kept(packed, None, digests, {})
    shown = document_to(document)
    return Kept(packed, shown, digests | {"document": sha256(shown).hexdigest()}, {"shown": shown_in_document(document)})
