"""What is kept of an answer when it is settled: made before the transaction, which then only writes."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from discreet.answers.document import Document
from discreet.ledger.entries.codec import canonical, released_to
from discreet.ledger.entries.documents import document_to, shown_in_document
from discreet.planning.release import Released

__all__ = ["Kept", "kept_as"]


@dataclass(frozen=True, slots=True)
class Kept:
    """Texts and bytes for the ledger, their digests for the entry, and what the receipt says about the shown table."""

    released: str
    document: bytes | None
    digests: dict[str, str]
    shown: dict[str, Any]


def kept_as(released: Released, document: Document | None) -> Kept:
    """An answer as it is kept."""
    text = canonical(released_to(released))
    digests = {"digest": sha256(text.encode()).hexdigest()}
    if document is None:
        return Kept(text, None, digests, {})
    packed = document_to(document)
    return Kept(text, packed, digests | {"document": sha256(packed).hexdigest()}, {"shown": shown_in_document(document)})
