"""The folder .discreet beside the facts files: ledger, signing key, log of faults. For its owner only.

It is found from the facts file, never from the working directory, and only ``register`` makes it (rule 15).
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

from discreet.errors import FactsError, Fault, LedgerFault
from discreet.ledger.codec import canonical
from discreet.ledger.database import Database, now
from discreet.ledger.keys import SigningKey
from discreet.ledger.sqlite import Ledger

__all__ = ["ledger_in_memory", "log_fault", "made_ledger", "open_ledger", "place_of"]

_FOLDER, _FILE, _KEY, _PUBLIC, _LOG = ".discreet", "ledger.db", "key.pem", "public.pem", "faults.log"


def place_of(facts_file: Path) -> Path:
    """The folder .discreet that belongs to a facts file, or to a folder of them."""
    home = facts_file if facts_file.is_dir() else facts_file.parent
    return home.absolute() / _FOLDER


def open_ledger(place: Path) -> Ledger:
    """The ledger in a folder; never makes one."""
    if not _is_there(place / _FILE):
        if _is_there(place):
            raise LedgerFault("the ledger is gone", hint=f"restore {_FOLDER}/{_FILE} from a backup")
        raise FactsError("the table is not registered", hint="run discreet register first: it makes the ledger")
    return Ledger(Database(place / _FILE), SigningKey.read(place / _KEY))


def made_ledger(place: Path) -> Ledger:
    """The ledger in a folder, made if there is none. One that is gone is not replaced: it may have been spent."""
    if _is_there(place):
        return open_ledger(place)
    started = None
    try:
        started = Path(mkdtemp(prefix=f"{_FOLDER}-", dir=place.parent))  # for its owner only; nobody sees half of a ledger
        key = SigningKey.new()
        _write(started / _KEY, key.to_pem(), 0o600)
        _write(started / _PUBLIC, key.public_pem(), 0o644)
        _write(started / _FILE, b"", 0o600)
        Database(started / _FILE, create=True).close()
        started.rename(place)
        _keep_name(place.parent)
    except LedgerFault:
        if started is not None:
            shutil.rmtree(started, ignore_errors=True)
        raise
    except OSError:
        if started is not None:
            shutil.rmtree(started, ignore_errors=True)
        if not (place / _FILE).is_file():  # else another process was faster
            hint = "the folder of the facts file must be writable"
            raise LedgerFault(f"the folder {_FOLDER} cannot be made", hint=hint) from None
    return open_ledger(place)


def _is_there(file: Path) -> bool:
    """Whether there is such a file or folder. Raises LedgerFault if nobody may look: a ledger that is hidden is not gone."""
    try:
        return file.exists()
    except OSError:
        hint = f"the folder {_FOLDER} and what is in it must be readable and writable"
        raise LedgerFault("the ledger cannot be opened", hint=hint) from None


def ledger_in_memory() -> Ledger:
    """A ledger that is gone with this process."""
    return Ledger(Database(None, create=True), SigningKey.new())


def log_fault(place: Path | None, fault: Fault, **public: object) -> None:
    """Write a fault down for the data holder: its reference and the kind of its cause, no exact value."""
    if place is None:
        return
    line = canonical({"at": now(), "reference": fault.reference, "fault": fault.code, "cause": fault.cause} | public)
    with suppress(OSError):  # a log that cannot be written must not hide the fault
        handle = os.open(place / _LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "a", encoding="utf-8") as log:
            log.write(line + "\n")


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
