"""Receipts and published folders, checked offline with a public key: both are good for their numbers (rule 37)."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from pathlib import Path, PurePosixPath
from stat import S_ISDIR, S_ISREG
from typing import Any, TypeGuard

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from discreet.answers.answer import as_strings
from discreet.errors import DiscreetError, ParameterError
from discreet.ledger.entries.amounts import Amount, Money
from discreet.ledger.entries.codec import digest, event_from, loss_from
from discreet.ledger.entries.documents import shown_in_answer
from discreet.ledger.entries.signatures import kind_of, problem_with
from discreet.ledger.entries.signing import name_of, read_public_key
from discreet.privacy.events import Event
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure
from discreet.privacy.prices import approximate, concentrated, pure

__all__ = ["MANIFEST", "Matched", "VerifiedRelease", "digest", "match_answer", "verify_receipt", "verify_release"]

MANIFEST = "release.json"  # lists what belongs to a published folder, and is signed
_VERIFIED = {"witness": "write discreet ledger verify DIR --witness PATH", "release": "write discreet release verify DIR"}
_ROUNDED = Fraction(1, 10**59)  # long sums are rounded up a little


@dataclass(frozen=True, slots=True)
class Matched:
    """Whether an answer is the one of a receipt: ``notes`` are about what the signature says nothing about."""

    problems: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VerifiedRelease:
    """What checking a published folder found. ``signed_by`` are the first digits of the hash of the public key."""

    files: int
    receipts: int
    signed_by: str
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether everything is as it was signed."""
        return not self.problems


def verify_receipt(receipt: Mapping[str, Any], public_key: bytes | None) -> tuple[str, ...]:
    """What is wrong with a receipt, its signature or its arithmetic; nothing if it is sound. Needs no data."""
    if public_key is None:
        raise ParameterError("a receipt is verified with a public key", hint="give the file .discreet/public.pem")
    if isinstance(receipt, Mapping) and (kind := kind_of(receipt)) not in (None, "receipt"):
        raise ParameterError(f"this is a {kind}, not a receipt", hint=_VERIFIED[str(kind)])
    return _receipt_problems(receipt, read_public_key(public_key))


def _receipt_problems(receipt: Mapping[str, Any], key: Ed25519PublicKey) -> tuple[str, ...]:
    if not isinstance(receipt, Mapping) or "signature" not in receipt:
        return ("this is not a receipt: it has no signature",)
    if (wrong := problem_with(receipt, "receipt", key)) is not None:
        return (wrong,)
    try:
        return _arithmetic(receipt)
    except (DiscreetError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return ("the receipt is signed, and its arithmetic cannot be followed by this version",)


def _arithmetic(receipt: Mapping[str, Any]) -> tuple[str, ...]:
    """The event costs no more than the price; the budget took no more than that, and stayed within its cap."""
    event, price, budget = event_from(receipt["event"]), loss_from(receipt["price"]), receipt["budget"]
    problems = [] if _costs_at_most(event, price) else ["what was done costs more than the price that it states"]
    cap, before, after = (_amount(budget[name]) for name in ("cap", "before", "after"))
    money = Money("rho" if "rho" in budget["cap"] else "epsilon", "delta" in budget["cap"])
    cost, taken = money.price(event), after.minus(before)
    cost = Amount(cost.first + _ROUNDED, (cost.delta if money.currency == "epsilon" else Fraction(0)) + _ROUNDED)
    if not (taken.fits(cost) and before.fits(after)):
        problems.append(f"the budget went from {_words(before, money)} to {_words(after, money)}, which is not what was charged")
    if not after.fits(cap):
        problems.append("more was spent than the cap that it states")
    return tuple(problems)


def _amount(stated: Mapping[str, str]) -> Amount:
    return Amount(Fraction(stated["rho"] if "rho" in stated else stated["epsilon"]), Fraction(stated.get("delta", "0")))


def _words(amount: Amount, money: Money) -> str:
    return " ".join(f"{name} {number}" for name, number in as_strings(money.loss(amount)).items())


def _costs_at_most(event: Event, price: Loss) -> bool:
    match price:
        case Pure(epsilon=epsilon):
            return pure(event).epsilon <= epsilon
        case Approximate(epsilon=epsilon, delta=delta):
            found = approximate(event)
            return found.epsilon <= epsilon and found.delta <= delta
        case Concentrated(rho=rho):
            return concentrated(event).rho <= rho


def match_answer(receipt: Mapping[str, Any], answer: Mapping[str, Any]) -> Matched:
    """Whether the numbers of an answer's JSON are those that its receipt signs. The receipt is sound; names do not count."""
    signed = receipt.get("shown")
    if not isinstance(signed, Mapping):
        raise ParameterError("this receipt signs no numbers: it is of the first format", hint="ask again, and compare")
    try:
        shown, identity = shown_in_answer(answer), answer["id"]
    except (AttributeError, LookupError, TypeError, ValueError):
        raise ParameterError("this is not an answer", hint="give one as --json printed it, or --save wrote it") from None
    if identity != receipt["answer"]:
        return Matched((f"the receipt is of the answer {receipt['answer']}, not of {str(identity)[:40]}",))
    if shown["values"] != signed["values"]:
        return Matched(("the numbers of the answer are not those that were signed",))
    held = [(each["confidence"], each["simultaneous"]) for each in (shown, signed)]
    if held[0] != held[1]:
        note = f"its intervals are not checked: those signed are at confidence {signed['confidence']}"
        return Matched((), (note + (", all at once" if signed["simultaneous"] else ", each by itself"),))
    wrong = shown["intervals"] != signed["intervals"]
    return Matched(("the intervals of the answer are not those that were signed",) if wrong else ())


# ---- releases


def verify_release(folder: Path, public_key: bytes | None = None) -> VerifiedRelease:
    """Check a published folder: its signature, every file, that none is missing or extra, and its receipts.

    Without a key the folder's own is used: then it is shown to be whole, and not by whom it was signed.
    """
    pem, manifest = public_key or _bytes(folder / "public.pem"), _json(folder / MANIFEST)
    key = read_public_key(pem)
    if (wrong := _manifest_problem(manifest, key)) is not None:
        return VerifiedRelease(0, 0, name_of(key), (wrong,))
    there = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*")}
    wanted = {*manifest["files"], MANIFEST}
    folders = {parent.as_posix() for name in wanted for parent in PurePosixPath(name).parents}
    problems = [f"{_plain(name)} is missing" for name in manifest["files"] if name not in there]
    problems += [f"{_plain(name)} does not belong to the release" for name in sorted(there.keys() - wanted - folders)]
    problems += [f"{_plain(name)} is not a folder" for name in sorted(there.keys() & folders) if not _is(S_ISDIR, there[name])]
    for name in (name for name in manifest["files"] if name in there):
        if not _is(S_ISREG, there[name]):
            problems.append(f"{_plain(name)} is not a regular file")
        elif sha256(_bytes(there[name])).hexdigest() != manifest["files"][name]:
            problems.append(f"{_plain(name)} was changed")
    for name, stated in manifest["answers"].items():
        file = there.get(f"receipts/{name}.json")
        wrongs = [] if file is None or not _is(S_ISREG, file) else _published(file, stated, key)
        problems += [f"receipts/{_plain(name)}.json: {wrong}" for wrong in wrongs]
    return VerifiedRelease(len(manifest["files"]) + 1, len(manifest["answers"]), name_of(key), tuple(problems))


def _manifest_problem(manifest: Mapping[str, Any], key: Ed25519PublicKey) -> str | None:
    if manifest.get("format") == 1 and "files" in manifest:
        return "the release was published before releases were signed: publish it again, which is free"
    if (wrong := problem_with(manifest, "release", key)) is not None:
        return wrong
    files, answers = manifest.get("files"), manifest.get("answers")
    if _is_by_name(files, str) and _is_by_name(answers, dict) and not any("/" in name for name in answers):
        return None
    return "the release is signed, and does not say what belongs to it as discreet does"


def _is_by_name(found: object, kind: type) -> TypeGuard[dict[str, Any]]:
    """Whether this is something for each name, and no name leads out of the folder."""
    if not isinstance(found, dict) or not all(isinstance(value, kind) for value in found.values()):
        return False
    return all(name and ".." not in name.split("/") and not name.startswith("/") and "\0" not in name for name in found)


def _is(kind: Callable[[int], bool], file: Path) -> bool:
    """Whether this is a file or a folder by itself, and no link to one."""
    try:
        return kind(file.lstat().st_mode)
    except OSError:
        return False


def _plain(name: str) -> str:
    """A name that somebody else chose, as it may be printed."""
    return name if name.isprintable() else ascii(name)


def _published(file: Path, stated: Mapping[str, Any], key: Ed25519PublicKey) -> list[str]:
    """What is wrong with a receipt of a release; that it is missing is told of every file."""
    receipt = _json(file)
    if problems := _receipt_problems(receipt, key):
        return list(problems)
    return [f"it is not of the {name} that the release states" for name, value in stated.items() if receipt.get(name) != value]


def _bytes(file: Path) -> bytes:
    try:
        if not S_ISREG(file.lstat().st_mode):  # a pipe would be waited for
            raise ParameterError(f"{file} is not a regular file", hint="give the folder of a release as it was published")
        return file.read_bytes()
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ParameterError(f"{file} cannot be read: {why.lower()}", hint="give the folder of a release") from None


def _json(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(_bytes(file), object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {}


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; one that has a name twice means something else to whoever reads the first of them."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found
