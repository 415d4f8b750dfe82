"""The folder .discreet beside the facts files: ledger, signing key, log of faults. For its owner only.

It is found from the facts file, never from the working directory, and only ``register`` makes it (rule 15).
"""

import json
import os
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from errno import ENAMETOOLONG
from pathlib import Path
from typing import Any, TypeVar

from discreet.errors import FactsError, Fault, LedgerFault
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.chain import now
from discreet.ledger.entries.codec import canonical
from discreet.ledger.entries.signing import SigningKey
from discreet.ledger.sqlite.database import Database
from discreet.ledger.sqlite.store import SQLite
from discreet.processes import sweep, temporary_folder

__all__ = [
    "copied_ledger", "is_ledger", "ledger_in_memory", "log_fault", "logged", "logged_causes", "made_ledger",
    "network_file_system", "open_ledger", "place_of", "put_back",
]  # fmt: skip

T = TypeVar("T")
_ENTERED = "the folder .discreet and what is in it must be readable and writable"
_MOUNTS = Path("/proc/self/mountinfo")
_NETWORK = frozenset({
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "coda", "davfs", "fuse.sshfs", "fuse.davfs", "fuse.davfs2",
    "fuse.rclone", "fuse.s3fs", "fuse.gcsfuse",
})  # fmt: skip
_FOLDER, _FILE, _KEY, _PUBLIC, _LOG = ".discreet", "ledger.db", "key.pem", "public.pem", "faults.log"


def place_of(facts_file: Path) -> Path:
    """The folder .discreet that belongs to a facts file, or to a folder of them. Raises FactsError for a link to elsewhere."""
    if facts_file.is_dir():
        return facts_file.absolute() / _FOLDER
    home = facts_file.absolute().parent
    if facts_file.is_symlink() and facts_file.resolve().parent != home.resolve():
        hint = "give the file itself: its ledger lies beside it, and a link must not bring it a second one"
        raise FactsError("the facts file is a link into another folder", hint=hint, file=str(facts_file))
    return home / _FOLDER


def open_ledger(place: Path) -> Ledger:
    """The ledger in a folder; never makes one."""
    _check_disk(place)
    if not _is_there(place / _FILE):
        if _is_there(place):
            raise LedgerFault("the ledger is gone", hint=f"restore {_FOLDER}/{_FILE} from a backup")
        raise FactsError("the table is not registered", hint="run discreet register first: it makes the ledger")
    sweep(f"{_FOLDER}-", place.parent)  # what killed processes left, with a key in it
    key = SigningKey.read(place / _KEY)
    return Ledger(SQLite(Database(place / _FILE)), key)


def made_ledger(place: Path) -> Ledger:
    """The ledger in a folder, made if there is none. One that is gone is not replaced: it may have been spent."""
    if _is_there(place):
        return open_ledger(place)
    _check_disk(place)
    started = None
    try:
        started = Path(temporary_folder(f"{_FOLDER}-", place.parent))  # nobody sees half of a ledger
        key = SigningKey.new()
        _write(started / _KEY, key.to_pem(), 0o600)
        _write(started / _PUBLIC, key.public_pem(), 0o644)
        _write(started / _FILE, b"", 0o600)
        Database(started / _FILE, create=True).close()
        started.rename(place)
        _keep_name(place.parent)
    except OSError as error:
        if not _is_there(place / _FILE):  # else another process was faster
            is_long = error.errno == ENAMETOOLONG
            hint = f"the {'path is too long' if is_long else 'folder of the facts file must be writable'}"
            raise LedgerFault(f"the folder {_FOLDER} cannot be made", hint=hint) from None
    finally:
        if started is not None:
            shutil.rmtree(started, ignore_errors=True)  # it has another name by now, if all went well
    return open_ledger(place)


def is_ledger(place: Path) -> bool:
    """Whether there is a ledger in a folder."""
    return _is_there(place / _FILE)


def copied_ledger(place: Path, to: Path) -> None:
    """All of a folder .discreet once more, in ``to``, which is made: one state of its ledger, whatever is written meanwhile."""
    open_ledger(place).close()  # says what is wrong with it
    to.mkdir(mode=0o700)
    database = Database(place / _FILE)
    try:
        database.copy_to(to / _FILE)
    finally:
        database.close()
    (to / _FILE).chmod(0o600)
    for name, mode in ((_KEY, 0o600), (_PUBLIC, 0o644), (_LOG, 0o600)):
        if _is_there(place / name):
            _write(to / name, (place / name).read_bytes(), mode)


def put_back(copy: Path, place: Path, mended: Callable[[Ledger], T]) -> T:
    """A copy where no ledger is. ``mended`` has it before anybody else can find it; what that says."""
    _check_disk(place)
    if _is_there(place):
        raise LedgerFault(f"there is a {_FOLDER} already, which a copy does not replace", hint="move it away first, and keep it")
    started = Path(temporary_folder(f"{_FOLDER}-", place.parent))
    try:
        for name, mode in ((_FILE, 0o600), (_KEY, 0o600), (_PUBLIC, 0o644), (_LOG, 0o600)):
            if _is_there(copy / name):
                _write(started / name, (copy / name).read_bytes(), mode)
        ledger = open_ledger(started)
        try:
            said = mended(ledger)
        finally:
            ledger.close()
        started.rename(place)
        _keep_name(place.parent)
    finally:
        shutil.rmtree(started, ignore_errors=True)  # it has another name by now, if all went well
    return said


def network_file_system(place: Path, mounts: str) -> str | None:
    """The kind of file system, if ``place`` is on one of another machine. ``mounts`` is what Linux tells in mountinfo."""
    nearest, found = -1, ""
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        root = _unescaped(before.split()[4])
        if place.is_relative_to(root) and len(root) >= nearest:  # a later one hides an earlier one
            nearest, found = len(root), after.split()[0]
    return found if found in _NETWORK else None


def _unescaped(name: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), name)


def _check_disk(place: Path) -> None:
    """Refuses file systems of other machines: SQLite's log needs memory that all who have it open share."""
    try:
        kind = network_file_system(place.resolve(), _MOUNTS.read_text(encoding="utf-8", errors="replace"))
    except (OSError, LookupError, RuntimeError):  # where it cannot be known nothing is refused
        return
    if kind is not None:
        hint = f"keep the facts file and {_FOLDER} on a disk of this machine"
        raise LedgerFault(f"a ledger does not work on a file system of another machine ({kind})", hint=hint)


def _is_there(place: Path) -> bool:
    """Whether there is something of that name. Not to be allowed to look is something else."""
    try:
        place.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        too_long = error.errno == ENAMETOOLONG
        hint = "its path is too long: move the facts file to a folder with a shorter one" if too_long else _ENTERED
        raise LedgerFault("the ledger cannot be opened", hint=hint) from None
    return True


def ledger_in_memory() -> Ledger:
    """A ledger that is gone with this process."""
    return Ledger(SQLite(Database(None, create=True)), SigningKey.new())


def log_fault(place: Path | None, fault: Fault, **public: object) -> None:
    """Write a fault down for the data holder: its reference and the kind of its cause, no exact value."""
    if place is None:
        return
    line = canonical({"at": now(), "reference": fault.reference, "fault": fault.code, "cause": fault.cause} | public)
    with suppress(OSError):  # a log that cannot be written must not hide the fault
        handle = os.open(place / _LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "a", encoding="utf-8") as log:
            log.write(line + "\n")


def logged_causes(place: Path) -> dict[str, str]:
    """The kind of cause of every fault in the log, by its reference."""
    return {told["reference"]: told["cause"] for told in logged(place)}


def logged(place: Path) -> list[dict[str, Any]]:
    """All lines of the log of faults that are whole, the oldest first."""
    found: list[dict[str, Any]] = []
    with suppress(OSError):
        for line in (place / _LOG).read_text(encoding="utf-8", errors="replace").splitlines():
            with suppress(ValueError, LookupError, TypeError):  # half a line, where the disk was full
                told = json.loads(line)
                found.append(told | {name: str(told[name]) for name in ("at", "reference", "cause")})
    return found


def _keep_name(folder: Path) -> None:
    """Make a new name in a folder durable, where the system lets a folder be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _write(file: Path, content: bytes, mode: int) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(handle, "wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(opened.fileno())
