"""What a ledger signs: receipts, witnesses, releases and acts. A signature covers the kind: none passes for another (rule 37).

Signed text of format 2: the word discreet, the kind and the format on a line, then the canonical JSON of all but the signature;
of an act, the hash of its entry. Format 1 had no such line: its receipts and witnesses are known by their shape and still hold as
what they are, and nothing else does.
"""

from collections.abc import Mapping
from typing import Any, Literal

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from discreet.ledger.entries.codec import canonical
from discreet.ledger.entries.signing import SigningKey, is_signed

__all__ = ["Kind", "is_signed_act", "kind_of", "problem_with", "sign_act", "signed"]

Kind = Literal["receipt", "witness", "release"]

_FORMAT = 2
_SHAPES: dict[Kind, set[str]] = {  # what a document of the first format has
    "receipt": {"answer", "question", "event", "budget", "entry"},
    "witness": {"entries", "head", "totals"},
}


def signed(kind: Kind, note: Mapping[str, Any], key: SigningKey) -> dict[str, Any]:
    """The note with its kind, format and signature."""
    whole = {"kind": kind, "format": _FORMAT, **note, "signed_by": key.name}
    return whole | {"signature": key.sign(_line(kind) + canonical(whole))}


def kind_of(document: Mapping[str, Any]) -> Kind | None:
    """What a document says it is, or looks like; None if nothing that is signed. Nothing has been checked."""
    if document.get("format") == 1 and "kind" not in document:
        return next((kind for kind, names in _SHAPES.items() if names <= document.keys()), None)
    found = document.get("kind")
    return found if found in ("receipt", "witness", "release") else None


def problem_with(document: Mapping[str, Any], wanted: Kind, key: Ed25519PublicKey) -> str | None:
    """Why this is not a document of the wanted kind by that key; None if it is."""
    found = kind_of(document)
    if found is not None and found != wanted:
        return f"this is a {found}, not a {wanted}"
    if found is None or "signature" not in document:
        return f"this is not a {wanted} as discreet signs it"
    if document.get("format") not in (1, _FORMAT):
        return f"this {wanted} was written by a newer version"
    rest = {name: value for name, value in document.items() if name != "signature"}
    before = "" if document["format"] == 1 else _line(wanted)
    if not is_signed(before + canonical(rest), document["signature"], key):
        return f"the {wanted} was changed, or is signed by another key"
    return None


def sign_act(key: SigningKey, entry: str) -> str:
    """The signature of an act of the data holder, by the hash of its entry."""
    return key.sign(_line("act") + entry)


def is_signed_act(key: SigningKey, entry: str, signature: object) -> bool:
    """Whether this is one. Acts of the first format signed the hash alone, which no document is."""
    return any(is_signed(before + entry, signature, key.public) for before in (_line("act"), ""))


def _line(kind: str) -> str:
    return f"discreet {kind} {_FORMAT}\n"
