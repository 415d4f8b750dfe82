"""Copies of a folder's ledger, keys and facts, and putting one back.

A copy that is put back is a budget from before what was charged since. So it never replaces a ledger that is there, is refused
if it is older than a witness, and in any case nobody asks before the data holder has looked: every table of it is frozen, by a
signed entry that says so. The rows are not in a copy.
"""

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from discreet.errors import FactsError, LedgerFault, ParameterError
from discreet.ledger import open_ledger, place_of
from discreet.ledger import verify as checking
from discreet.ledger.entries.chain import now
from discreet.ledger.folder import copied_ledger, is_ledger, put_back
from discreet.ledger.restoring import Mended, mend
from discreet.ledger.verify import Verified
from discreet.processes import temporary_folder

__all__ = ["Copied", "Restored", "backup", "restore"]

_LEDGER, _WITNESS, _LIST = "ledger", "witness.json", "backup.json"
_FORM = "discreet backup 1"


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy holds. ``witness`` is to be kept elsewhere: by it an old copy is known."""

    folder: Path
    files: tuple[str, ...]
    verified: Verified
    witness: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"folder": str(self.folder), "files": list(self.files), "witness": dict(self.witness), **self.verified.to_dict()}


@dataclass(frozen=True, slots=True)
class Restored:
    """What was put back, or why nothing was: ``problems`` is empty if it was."""

    folder: Path
    at: str  # when the copy was made
    verified: Verified
    is_done: bool
    mended: Mended | None = None
    kept: tuple[str, ...] = ()  # facts files that were there already, and differ

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        done: dict[str, Any] = {} if self.mended is None else {
            "frozen": list(self.mended.tables), "written_off": list(self.mended.written_off), "forgotten": self.mended.forgotten,
        }  # fmt: skip
        return {"restored": self.is_done, "folder": str(self.folder), "copy_of": self.at, "kept": list(self.kept),
                **done, **self.verified.to_dict()}  # fmt: skip


def backup(folder: str | Path, to: str | Path) -> Copied:
    """Ledger, keys, log of faults and facts files of a folder in a new folder, while it may be asked. Whole, or not there."""
    source, target = Path(folder), Path(to)
    if not source.is_dir():
        raise FactsError("there is no such folder", hint="write the folder of the facts files", file=str(folder))
    if target.exists():
        raise ParameterError(f"{target} is there already", hint="write a new folder: every copy has its own")
    if not target.absolute().parent.is_dir():
        raise ParameterError(f"there is no folder {target.absolute().parent}", hint="make it first")
    started = Path(temporary_folder(".discreet-backup-", target.absolute().parent))
    try:
        copied_ledger(place_of(source), started / _LEDGER)
        for file in sorted(source.glob("*.toml")):
            shutil.copyfile(file, started / file.name)
        verified, witness = _verified(started / _LEDGER, None, started)
        if not verified.ok:
            raise LedgerFault(f"the ledger does not agree with itself: {verified.problems[0]}", hint="run discreet ledger verify")
        _write(started / _WITNESS, witness)
        files = {each.relative_to(started).as_posix(): _digest(each) for each in sorted(started.rglob("*")) if each.is_file()}
        _write(started / _LIST, {"form": _FORM, "at": now(), "entries": verified.entries, "head": verified.head, "files": files})
        started.rename(target)
    finally:
        shutil.rmtree(started, ignore_errors=True)  # it has another name by now, if all went well
    return Copied(target, (*files, _LIST), verified, witness)


def restore(
    copy: str | Path, to: str | Path, *, witness: Mapping[str, Any] | None = None, older: bool = False, reason: str = ""
) -> Restored:
    """Put a copy where no ledger is. Refused if it is older than ``witness``, unless it may be ``older`` for a ``reason``.

    What is restored is frozen until the data holder unfreezes it.
    """
    source, target = Path(copy), Path(to)
    told = _listed(source)
    if older and not reason.strip():
        raise ParameterError("a copy that is older needs a reason", hint="write --reason: it is signed and stays in the ledger")
    if not target.is_dir():
        raise FactsError("there is no such folder", hint="make it, with the sources of the tables in it", file=str(to))
    _refuse_ledger(place_of(target), told)
    verified, _ = _verified(source / _LEDGER, witness, target)
    if not verified.ok and not (older and witness is not None and _verified(source / _LEDGER, None, target)[0].ok):
        return Restored(target, told["at"], verified, is_done=False)
    mended = put_back(source / _LEDGER, place_of(target), lambda ledger: mend(ledger, _why(told, witness, verified, reason)))
    kept = []
    for file in sorted(source.glob("*.toml")):
        if not (target / file.name).exists():
            shutil.copyfile(file, target / file.name)
        elif (target / file.name).read_bytes() != file.read_bytes():
            kept.append(file.name)
    return Restored(target, told["at"], verified, True, mended, tuple(kept))


def _why(told: Mapping[str, Any], witness: Mapping[str, Any] | None, verified: Verified, reason: str) -> str:
    """The reason in the signed entries: which copy, and what is known of the time since."""
    since = f"restored from a copy of {_minute(told['at'])}, {told['entries']} entries"
    if witness is None:
        known = "no witness: what was charged since is not in it"
    elif verified.ok:
        known = f"nothing is missing up to the witness of {_minute(witness['at'])}; what was charged since is not in it"
    else:
        known = f"older than the witness of {witness['entries']} entries: charges are missing"
    return f"{since}; {known}" + (f"; {reason.strip()}" if reason.strip() else "")


def _minute(at: object) -> str:
    return f"{str(at)[:16].replace('T', ' ')} UTC"


def _refuse_ledger(place: Path, told: Mapping[str, Any]) -> None:
    """A ledger that is there is not replaced, whatever the copy is."""
    if not is_ledger(place):
        return
    ledger = open_ledger(place)
    try:
        entries = checking.witness(ledger)["entries"]
    finally:
        ledger.close()
    lost = entries - int(told["entries"])
    more = f": it has {lost} entries more, whose charges would be given back" if lost > 0 else ""
    hint = "go on with the ledger that is there"
    raise LedgerFault(f"there is a ledger already, which a copy does not replace{more}", hint=hint)


def _verified(place: Path, witness: Mapping[str, Any] | None, inside: Path) -> tuple[Verified, dict[str, Any]]:
    """Whether a copy agrees with itself and with a witness; and what it would sign. The copy itself is only read."""
    looked = Path(temporary_folder(".discreet-look-", inside))
    try:
        for file in place.iterdir():
            shutil.copyfile(file, looked / file.name)
        ledger = open_ledger(looked)
        try:
            return checking.verify(ledger, witness), checking.witness(ledger)
        finally:
            ledger.close()
    finally:
        shutil.rmtree(looked, ignore_errors=True)


def _listed(copy: Path) -> dict[str, Any]:
    """What a copy says of itself, if all its files are as they were."""
    try:
        found = json.loads((copy / _LIST).read_text(encoding="utf-8"))
        is_ours = found["form"] == _FORM
        changed = [name for name, digest in found["files"].items() if _digest(copy / name) != digest]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        raise ParameterError(f"{copy} is no copy, or not whole", hint="write a folder that discreet backup made") from None
    if not is_ours or changed:
        what = "of another form" if not is_ours else f"changed: {changed[0]}"
        raise ParameterError(f"the copy in {copy} is {what}", hint="take another copy")
    return dict(found)


def _digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


def _write(file: Path, content: Mapping[str, Any]) -> None:
    with file.open("w", encoding="utf-8") as stream:
        json.dump(content, stream, indent=2, sort_keys=True)
        stream.write("\n")
        stream.flush()
        os.fsync(stream.fileno())
