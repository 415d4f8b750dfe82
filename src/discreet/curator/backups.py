"""Copies of a folder's ledger, keys and facts, and putting one back.

A copy that is put back is a budget from before what was charged since. So it never replaces a ledger that is there, and is
refused if it is older than a witness; where it is put back all the same, what the witness had seen spent counts as spent. In
any case nobody asks before the data holder has looked: every table of it is frozen, by a signed entry that says so. The rows are
not in a copy.
"""

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from discreet.answers.answer import as_strings
from discreet.errors import FactsError, LedgerFault, ParameterError
from discreet.ledger import Ledger, open_ledger, place_of
from discreet.ledger import verify as checking
from discreet.ledger.entries.chain import now
from discreet.ledger.entries.signatures import problem_with
from discreet.ledger.folder import copied_ledger, is_ledger, put_back
from discreet.ledger.restoring import Mended, mend
from discreet.ledger.verify import Verified
from discreet.plots.lettering import minute
from discreet.processes import sweep, temporary_folder

__all__ = ["Copied", "Restored", "backup", "restore"]

_LEDGER, _WITNESS, _LIST = "ledger", "witness.json", "backup.json"
_STARTED = ".discreet-backup-"  # copies that are not whole yet
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
    is_sound: bool = True  # whether the copy agrees with itself, whatever a witness says
    mended: Mended | None = None
    kept: tuple[str, ...] = ()  # facts files that were there already, and differ

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        done: dict[str, Any] = {} if self.mended is None else {
            "frozen": list(self.mended.tables), "written_off": list(self.mended.written_off), "forgotten": self.mended.forgotten,
            "lost": {name: as_strings(loss) for name, loss in self.mended.lost.items()}, "uncounted": list(self.mended.uncounted),
        }  # fmt: skip
        return {"restored": self.is_done, "folder": str(self.folder), "copy_of": self.at, "kept": list(self.kept),
                **done, **self.verified.to_dict()}  # fmt: skip


def backup(folder: str | Path, to: str | Path, *, witness: Mapping[str, Any] | None = None) -> Copied:
    """Ledger, keys, log of faults and facts files of a folder in a new folder, while it may be asked. Whole, or not there.

    Refused where the ledger has not come from an earlier ``witness``: then it was put back from something older.
    """
    source, target = Path(folder), Path(to)
    if not source.is_dir():
        raise FactsError("there is no such folder", hint="write the folder of the facts files", file=str(folder))
    if target.exists():
        raise ParameterError(f"{target} is there already", hint="write a new folder: every copy has its own")
    if not target.absolute().parent.is_dir():
        raise ParameterError(f"there is no folder {target.absolute().parent}", hint="make it first")
    sweep(_STARTED, target.absolute().parent)  # what killed processes left, with a key in it
    started = Path(temporary_folder(_STARTED, target.absolute().parent))
    try:
        copied_ledger(place_of(source), started / _LEDGER)
        for file in sorted(source.glob("*.toml")):
            shutil.copyfile(file, started / file.name)
        verified, note = _verified(started, witness)
        if not verified.ok:
            raise LedgerFault(f"the ledger is not sound: {verified.problems[0]}", hint="run discreet ledger verify")
        _write(started / _WITNESS, note)
        files = {each.relative_to(started).as_posix(): _digest(each) for each in sorted(started.rglob("*")) if each.is_file()}
        _write(started / _LIST, {"form": _FORM, "at": now(), "entries": verified.entries, "head": verified.head, "files": files})
        started.rename(target)
    finally:
        shutil.rmtree(started, ignore_errors=True)  # it has another name by now, if all went well
    return Copied(target, (*files, _LIST), verified, note)


def restore(
    copy: str | Path, to: str | Path, *, witness: Mapping[str, Any] | None = None, older: bool = False, reason: str = ""
) -> Restored:
    """Put a copy where no ledger is. Refused if it is older than ``witness``, unless it may be ``older`` for a ``reason``.

    What is restored is frozen until the data holder unfreezes it.
    """
    source, target = Path(copy), Path(to)
    files = _listed(source)
    if older and not reason.strip():
        raise ParameterError("a copy that is older needs a reason", hint="write --reason: it is signed and stays in the ledger")
    if not target.is_dir():
        raise FactsError("there is no such folder", hint="make it, with the sources of the tables in it", file=str(to))
    made = _document(source, _WITNESS)
    _refuse_ledger(place_of(target), made)

    def looked_at(ledger: Ledger) -> Restored:
        """What is put back is what was verified: the same file, before it has its name."""
        if (wrong := problem_with(made, "witness", ledger.key.public)) is not None:
            raise ParameterError(f"the copy in {copy} is changed: {wrong}", hint="take another copy")
        verified = checking.verify(ledger, witness)
        if made["head"] != verified.head:
            raise ParameterError(f"the copy in {copy} is changed: {_WITNESS} is of another one", hint="take another copy")
        is_sound = verified.ok or (witness is not None and checking.verify(ledger).ok)
        found = Restored(target, made["at"], verified, verified.ok or (older and is_sound), is_sound)
        if not found.is_done:
            raise _NotPutBack(found)
        return replace(found, mended=mend(ledger, _why(made["at"], witness, verified, reason), None if verified.ok else witness))

    try:
        found = put_back(source / _LEDGER, place_of(target), looked_at)
    except _NotPutBack as refused:
        return refused.found
    kept = []
    for name in (name for name in files if name.endswith(".toml") and Path(name).name == name):
        if not (target / name).exists():
            shutil.copyfile(source / name, target / name)
        elif (target / name).read_bytes() != (source / name).read_bytes():
            kept.append(name)
    return replace(found, kept=tuple(kept))


class _NotPutBack(Exception):
    """A copy that is too old or not sound, with what was found."""

    def __init__(self, found: Restored) -> None:
        super().__init__()
        self.found = found


def _why(at: str, witness: Mapping[str, Any] | None, verified: Verified, reason: str) -> str:
    """The reason in the signed entries: which copy, and what is known of the time since."""
    since = f"restored from a copy of {minute(at)}, {verified.entries} entries"
    if witness is None:
        known = "no witness: what was charged since is not in it"
    elif verified.ok:
        known = f"nothing is missing up to the witness of {minute(witness['at'])}; what was charged since is not in it"
    else:
        known = f"older than the witness of {witness['entries']} entries, {minute(witness['at'])}: entries are missing"
    return f"{since}; {known}" + (f"; {reason.strip()}" if reason.strip() else "")


def _refuse_ledger(place: Path, made: Mapping[str, Any]) -> None:
    """A ledger that is there is not replaced, whatever the copy is."""
    if not is_ledger(place):
        return
    ledger = open_ledger(place)
    try:
        entries = checking.witness(ledger)["entries"]
    finally:
        ledger.close()
    lost = entries - made["entries"] if isinstance(made.get("entries"), int) else 0
    more = f": it has {lost} entries more, whose charges would be given back" if lost > 0 else ""
    hint = "go on with the ledger that is there"
    raise LedgerFault(f"there is a ledger already, which a copy does not replace{more}", hint=hint)


def _verified(started: Path, witness: Mapping[str, Any] | None) -> tuple[Verified, dict[str, Any]]:
    """Whether a copy agrees with itself and with a witness; and what it would sign. The copy itself is only read."""
    looked = started / "looked at"
    try:
        shutil.copytree(started / _LEDGER, looked)
        ledger = open_ledger(looked)
        try:
            return checking.verify(ledger, witness), checking.witness(ledger)
        finally:
            ledger.close()
    finally:
        shutil.rmtree(looked, ignore_errors=True)


def _listed(copy: Path) -> list[str]:
    """The files of a copy, if all of them are as they were."""
    found = _document(copy, _LIST)
    try:
        is_ours = found["form"] == _FORM
        changed = [name for name, digest in found["files"].items() if _digest(copy / name) != digest]
    except (OSError, LookupError, TypeError, AttributeError):
        raise _not_whole(copy) from None
    if not is_ours or changed:
        what = "of another form" if not is_ours else f"changed: {changed[0]}"
        raise ParameterError(f"the copy in {copy} is {what}", hint="take another copy")
    return sorted(found["files"])


def _document(copy: Path, name: str) -> dict[str, Any]:
    try:
        return dict(json.loads((copy / name).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        raise _not_whole(copy) from None


def _not_whole(copy: Path) -> ParameterError:
    return ParameterError(f"{copy} is no copy, or not whole", hint="write a folder that discreet backup made")


def _digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


def _write(file: Path, content: Mapping[str, Any]) -> None:
    with file.open("w", encoding="utf-8") as stream:
        json.dump(content, stream, indent=2, sort_keys=True)
        stream.write("\n")
        stream.flush()
        os.fsync(stream.fileno())
