"""The SQLite file of a ledger: durable transactions, one writer at a time, and no error of SQLite's gets past.

WAL with synchronous = FULL: when a transaction has returned it survives the death of the process and of the machine. A ledger
in memory is the same without a file, for tables whose budget lives in this process.
"""

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from weakref import WeakSet

from discreet.errors import LedgerFault
from discreet.ledger.schema import MIGRATIONS

__all__ = ["Database", "now"]

_PATIENCE = 30.0  # seconds that a writer waits for its turn
_SETTINGS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA fullfsync = ON",
    "PRAGMA checkpoint_fullfsync = ON",
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",
)
_log = logging.getLogger("discreet")


class Database:
    """A connection of this process, shared by its threads one at a time."""

    def __init__(self, file: Path | None, *, create: bool = False) -> None:
        self._file = file
        self._lock = RLock()
        self._is_let_go = False  # for the time of a fork
        with _faults("the ledger cannot be opened"):
            self._open(create=create)
        _opened.add(self)

    @property
    def in_memory(self) -> bool:
        """Whether it is gone with this process."""
        return self._file is None

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that no other writer overlaps: durable when it is left, undone if left by an error."""
        with self._lock, _faults("the ledger cannot be written"):
            connection = self._connected()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One state of the ledger, whatever is written meanwhile."""
        with self._lock, _faults("the ledger cannot be read"):
            connection = self._connected()
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            _opened.discard(self)
            self._connection.close()

    def _open(self, *, create: bool) -> None:
        place = ":memory:" if self._file is None else f"{self._file.resolve().as_uri()}?mode={'rwc' if create else 'rw'}"
        self._process = os.getpid()
        self._connection = sqlite3.connect(place, uri=True, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        for setting in _SETTINGS:
            self._connection.execute(setting)
        self._migrate(create=create)

    def _connected(self) -> sqlite3.Connection:
        if self._is_let_go:
            self._open(create=False)
            self._is_let_go = False
        if self._process != os.getpid():  # in memory, or forked in the middle of a transaction
            raise LedgerFault("the budget of a table in memory lives in one process", hint="register the table to share it")
        return self._connection

    def before_fork(self) -> None:
        """Close the file: SQLite's locks belong to one process, and what a child wrote through a copy of them could be lost."""
        self._lock.acquire()
        if self._file is not None and not self._connection.in_transaction:
            self._connection.close()
            self._is_let_go = True

    def after_fork(self) -> None:
        """The file is opened again by whoever needs it first, in either process."""
        self._lock.release()

    def _migrate(self, *, create: bool) -> None:
        """Bring an older file up to date; a newer one is not touched."""
        connection = self._connection
        found = connection.execute("PRAGMA user_version").fetchone()[0]
        if found > len(MIGRATIONS):
            raise LedgerFault("the ledger was written by a newer version", hint="install the newer version of discreet")
        if found == len(MIGRATIONS):
            return
        if found == 0 and not create:
            raise LedgerFault("the file is not a ledger", hint="restore the ledger from a backup")
        connection.execute("BEGIN IMMEDIATE")
        found = connection.execute("PRAGMA user_version").fetchone()[0]  # another process may have done it meanwhile
        connection.execute("CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT, at TEXT) STRICT")
        for number, (name, script) in enumerate(MIGRATIONS[found:], start=found + 1):
            for statement in _statements(script):
                connection.execute(statement)
            connection.execute("INSERT INTO migrations VALUES (?, ?, ?)", (number, name, now()))
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")


_opened: WeakSet[Database] = WeakSet()
_forked: list[Database] = []


def _before_fork() -> None:
    _forked[:] = list(_opened)
    for database in _forked:
        database.before_fork()


def _after_fork() -> None:
    for database in _forked:
        database.after_fork()
    _forked.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


def now() -> str:
    """This moment, as it is written into entries."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def _statements(script: str) -> Iterator[str]:
    """The statements of a script one by one: ``executescript`` would end the transaction."""
    text = ""
    for line in script.splitlines():
        text += line + "\n"
        if text.strip() and sqlite3.complete_statement(text):
            yield text
            text = ""


@contextmanager
def _faults(message: str) -> Iterator[None]:
    try:
        yield
        return
    except sqlite3.Error as error:
        kind, hint = type(error).__name__, _hint(error)
    except OSError as error:
        kind, hint = type(error).__name__, ""
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:  # a row that was edited by hand
        kind, hint = type(error).__name__, "it holds something that discreet did not write: run discreet ledger verify"
    fault = LedgerFault(message, hint=hint)
    fault.cause = kind
    _log.error("fault %s: %s (%s: %s)", fault.reference, message, kind, hint)
    raise fault


def _hint(error: sqlite3.Error) -> str:
    """What the data holder can do. SQLite's own words stay inside."""
    match getattr(error, "sqlite_errorname", "").split("_")[1:2]:
        case ["BUSY" | "LOCKED"]:
            return "another process holds the ledger; try again when it is done"
        case ["READONLY" | "PERM"]:
            return "the folder .discreet and what is in it must be writable"
        case ["FULL"]:
            return "the disk is full; make room and ask again"
        case ["CORRUPT" | "NOTADB"]:
            return "the ledger is damaged: restore it from a backup, then run discreet ledger verify with a witness"
        case ["CANTOPEN"]:
            return "the ledger is gone: restore .discreet from a backup"
        case ["IOERR"]:
            return "the disk could not be read or written"
    return ""
