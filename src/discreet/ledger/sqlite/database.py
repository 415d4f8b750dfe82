"""The SQLite file of a ledger: durable transactions, one writer at a time, and no error of SQLite's gets past.

WAL with synchronous = FULL: when a transaction has returned it survives the death of the process and of the machine. Whatever
writes does so in its turn, and the log is emptied in the same turn, never by SQLite on its own. Before a transaction is durable,
and before anything that was read or written leaves, the open file is still the one that its name leads to (rule 38). Whoever
reads while another thread has the connection, which may wait for its turn, or wants to write, reads by a spare one. A ledger in
memory is the same without a file, for tables whose budget lives in this process.
"""

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from threading import RLock
from weakref import WeakSet

from discreet.errors import LedgerFault
from discreet.ledger.port import BUSY
from discreet.ledger.sqlite.following import empty_ledger, follow, refuse_newer
from discreet.ledger.sqlite.identity import Identity, beside, forsake, same_file
from discreet.ledger.sqlite.schema import MIGRATIONS
from discreet.ledger.sqlite.turns import taking_turns

__all__ = ["Database"]

_PATIENCE = 30.0  # seconds that a writer waits for its turn
_LONGEST_LOG = 4 << 20  # bytes; then it is emptied into the ledger, unless somebody reads
_LONGEST_LOG_WHILE_READ = 16 << 20  # bytes; then whoever reads is waited for
_PATIENCE_WITH_READERS = 2.0  # seconds
_LONGEST_PATH = 500  # bytes that SQLite can open, with room for the names of its own files
_SETTINGS = (
    "PRAGMA wal_autocheckpoint = 0",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA fullfsync = ON",
    "PRAGMA checkpoint_fullfsync = ON",
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",
)
_STATE = """SELECT user_version, number, hash FROM pragma_user_version
LEFT JOIN (SELECT number, hash FROM entries ORDER BY number DESC LIMIT 1)"""  # which version wrote it, and the last entry
_log = logging.getLogger("discreet")


class Database:
    """A connection of this process, shared by its threads one at a time; and a spare one, once two of them want to read."""

    def __init__(self, file: Path | None, *, create: bool = False, main: "Database | None" = None) -> None:
        self._file = None if file is None else file.absolute()
        self._lock = RLock()
        self._wanted: list[None] = []  # one for each thread that writes or waits to; to add and to take is one step each
        self._is_let_go = False  # for the time of a fork
        self._main = main  # what this is the spare one of
        self._spares: dict[str, Database] = {}  # one at most
        self._identity: Identity | None = None if main is None else main._identity
        self._seen: tuple[int, str] | None = None  # number and hash of the last entry that this process knows of
        self._tried = 0  # length of the log when it could not be emptied
        with _faults("the ledger cannot be opened", self._file):
            self._open(create=create)
        _opened.add(self)

    @property
    def in_memory(self) -> bool:
        """Whether it is gone with this process."""
        return self._file is None

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that no other writer overlaps: durable when it is left, undone if left by an error."""
        self._wanted.append(None)  # those that read, one after the other, would else always be there first
        try:
            with self._lock, _faults("the ledger cannot be written", self._file):
                connection = self._connected()
                self._check_identity()
                with self._turn():
                    yield from self._written(connection)
        finally:
            self._wanted.pop()

    def _written(self, connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
        known = self._seen
        connection.execute("BEGIN IMMEDIATE")
        try:
            _checked(connection, known)
            yield connection
            seen = _last(connection)
            self._check_identity()
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        length = self._check_identity()  # what nobody else will find must not be answered
        self._note(seen)
        if length > max(_LONGEST_LOG, self._tried + _LONGEST_LOG):
            patience = _PATIENCE_WITH_READERS if length > _LONGEST_LOG_WHILE_READ else 0.0
            with suppress(sqlite3.Error):  # what was committed stays, in the log
                self._tried = length if self._empty_log(connection, patience) else 0

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One state of the ledger, whatever is written meanwhile: nobody who reads waits for a thread that writes."""
        has_no_other = self._file is None or self._main is not None
        if (self._wanted and not has_no_other) or not self._lock.acquire(blocking=has_no_other):
            with self._spare().reading() as connection:
                yield connection
            return
        try:
            with _faults("the ledger cannot be read", self._file):
                yield from self._read(self._connected())
        finally:
            self._lock.release()

    def _read(self, connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
        self._check_identity()
        self._note(None if self._main is None else self._main._seen)
        known = self._seen  # before the state is chosen that is read: others may see later ones meanwhile
        connection.execute("BEGIN")
        try:
            seen = _checked(connection, known)
            yield connection
            self._check_identity()
            self._note(seen)
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")

    def _spare(self) -> "Database":
        """Another connection to the same file, for whoever reads meanwhile. Without a lock, which a fork would take along."""
        if not self._spares:
            made = Database(self._file, main=self)
            if self._spares.setdefault("", made) is not made:
                made.close()
        return self._spares[""]

    def _note(self, seen: tuple[int, str] | None) -> None:
        """What was seen of the ledger, by either connection: each looks for the last of it the next time."""
        for database in (self,) if self._main is None else (self, self._main):
            if seen is not None and (database._seen is None or seen[0] > database._seen[0]):
                database._seen = seen

    def checkpoint(self) -> None:
        """Empty the log into the ledger's file."""
        with self._lock, _faults("the ledger cannot be written", self._file):
            connection = self._connected()
            self._check_identity()
            with self._turn():
                self._empty_log(connection)

    def copy_to(self, file: Path) -> None:
        """One state of the ledger in a file that is not there yet, whatever is written meanwhile; durable when this returns."""
        with self._lock, _faults("the ledger cannot be copied", self._file):
            connection = self._connected()
            self._check_identity()
            connection.execute("VACUUM INTO ?", (str(file),))
            self._check_identity()
            handle = os.open(file, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def close(self) -> None:
        """Let go of the file."""
        for spare in self._spares.values():
            spare.close()
        with self._lock:
            _opened.discard(self)
            self._close()

    def _close(self) -> None:
        """In our turn, since SQLite empties its log when the last one closes; it has the file to itself then in any case.

        Where the files were swapped it must not: what it knows of the log is no longer so, and it would write over newer pages.
        """
        try:
            self._check_identity()
        except LedgerFault:
            forsake(self._connection)
            return
        try:
            with self._turn(1.0, create=False):
                self._connection.close()
        except OSError:
            self._connection.close()

    def _open(self, *, create: bool) -> None:
        self._process = os.getpid()
        file, was = self._file, None if self._identity is None else self._identity.database
        before = None if file is None or create else same_file(file)
        place = ":memory:" if file is None else f"{file.resolve().as_uri()}?mode={'rwc' if create else 'rw'}"
        self._connection = sqlite3.connect(place, uri=True, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            for setting in _SETTINGS:
                self._connection.execute(setting)
            self._migrate(create=create)
            self._identity = None if file is None else _identified(file, before, was)
        except BaseException:
            self._close()  # what is left open here would be taken along by a fork
            raise

    def _connected(self) -> sqlite3.Connection:
        if self._is_let_go:
            self._open(create=False)
            self._is_let_go = False
        if self._process != os.getpid():  # in memory, or forked in the middle of a transaction
            raise LedgerFault("the budget of a table in memory lives in one process", hint="register the table to share it")
        return self._connection

    def _turn(self, patience: float | None = None, *, create: bool = True) -> AbstractContextManager[None]:
        """Inside, nobody else writes."""
        if self._file is None:
            return nullcontext()
        return taking_turns(beside(self._file).with_suffix(".lock"), _PATIENCE if patience is None else patience, create=create)

    def _check_identity(self) -> int:
        """The length of the log, if the files are still those that were opened."""
        return 0 if self._identity is None else self._identity.check()

    def _empty_log(self, connection: sqlite3.Connection, patience: float = 0.0) -> bool:
        """Whether somebody kept part of the log from being emptied who has read in it for longer than we wait.

        Whoever begins to read meanwhile is not waited for: they begin where the log ends.
        """
        connection.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")
        try:
            return bool(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])
        finally:
            connection.execute(f"PRAGMA busy_timeout = {int(_PATIENCE * 1000)}")

    def before_fork(self) -> None:
        """Close the file: SQLite's locks belong to one process, and what a child wrote through a copy of them could be lost."""
        self._lock.acquire()
        if self._file is not None and not self._is_let_go and not self._connection.in_transaction:
            self._close()
            self._is_let_go = True

    def after_fork(self) -> None:
        """The file is opened again by whoever needs it first, in either process."""
        self._lock.release()

    def _migrate(self, *, create: bool) -> None:
        """Bring an older file up to date; a newer one is not touched."""
        connection = self._connection
        found = refuse_newer(connection)
        if found == len(MIGRATIONS):
            return
        if found == 0 and not create:
            raise LedgerFault("the file is not a ledger", hint="restore the ledger from a backup")
        if self._file is None:
            empty_ledger().backup(connection)
            return
        with self._turn():
            follow(connection)


_opened: WeakSet[Database] = WeakSet()
_forked: list[Database] = []
_forking = RLock()  # held from before a fork until after it: two threads that fork would wait for each other's ledgers


def _before_fork() -> None:
    _forking.acquire()
    for database in list(_opened):
        _forked.append(database)
        database.before_fork()


def _after_fork() -> None:
    for database in _forked:
        database.after_fork()
    _forked.clear()
    _forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


def _checked(connection: sqlite3.Connection, known: tuple[int, str] | None) -> tuple[int, str] | None:
    """The last entry, if what this process has seen is still there: older content can be put back under the same name and number.

    And nobody has begun to write what this version does not know. One statement where nobody has written since: each lets other
    threads run, and may wait for them.
    """
    version, *last = connection.execute(_STATE).fetchone()
    if version != len(MIGRATIONS):
        refuse_newer(connection)
    seen = None if last[0] is None else (last[0], last[1])
    if known is None or seen == known:
        return seen
    found = connection.execute("SELECT hash FROM entries WHERE number = ?", known[:1]).fetchone()
    if found != known[1:]:
        hint = "an older copy was put back: run discreet ledger verify with a witness, then open the table again"
        raise LedgerFault("the ledger has gone back behind what was seen of it", hint=hint)
    return seen


def _identified(file: Path, *known: tuple[int, int] | None) -> Identity:
    """The files that were opened, if it is the known one: it can be swapped while it is opened, or while this process forks."""
    try:
        found = Identity(file)
    except FileNotFoundError:
        raise _replaced() from None
    if any(each is not None and each != found.database for each in known):
        raise _replaced()
    return found


def _replaced() -> LedgerFault:
    return LedgerFault("the ledger was replaced while it was opened", hint="let everybody close it, then open the table again")


def _last(connection: sqlite3.Connection) -> tuple[int, str] | None:
    found: tuple[int, str] | None = connection.execute("SELECT number, hash FROM entries ORDER BY number DESC LIMIT 1").fetchone()
    return found


@contextmanager
def _faults(message: str, file: Path | None) -> Iterator[None]:
    try:
        yield
        return
    except LedgerFault as found:
        _log.error("fault %s: %s", found.reference, found.message)
        raise
    except sqlite3.Error as error:
        kind, hint = type(error).__name__, _hint(error, file)
    except TimeoutError:
        kind, hint = BUSY, _HELD
    except PermissionError as error:
        kind, hint = type(error).__name__, _WRITABLE
    except OSError as error:
        kind, hint = type(error).__name__, "the disk could not be read or written"
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:  # a row that was edited by hand
        kind, hint = type(error).__name__, "it holds something that discreet did not write: run discreet ledger verify"
    fault = LedgerFault(message, hint=hint)
    fault.cause = BUSY if hint == _HELD else kind
    _log.error("fault %s: %s (%s: %s)", fault.reference, message, kind, hint)
    raise fault


_HELD = "another process holds the ledger; try again when it is done"
_WRITABLE = "the folder .discreet and what is in it must be readable and writable"


def _hint(error: sqlite3.Error, file: Path | None) -> str:
    """What the data holder can do. SQLite's own words stay inside."""
    match getattr(error, "sqlite_errorname", "").split("_")[1:2]:
        case ["BUSY" | "LOCKED"]:
            return _HELD
        case ["READONLY" | "PERM"]:
            return _WRITABLE
        case ["FULL"]:
            return "the disk is full; make room and ask again"
        case ["CORRUPT" | "NOTADB"]:
            return "the ledger is damaged: restore it from a backup, then run discreet ledger verify with a witness"
        case ["CANTOPEN"]:
            return _not_opened(file)
        case ["IOERR"]:
            return "the disk could not be read or written"
    return ""


def _not_opened(file: Path | None) -> str:
    if file is not None and len(os.fsencode(file.resolve())) > _LONGEST_PATH:
        return "its path is too long for SQLite: move the facts file to a folder with a shorter path"
    if file is not None and os.path.lexists(file):
        return _WRITABLE
    return "the ledger is gone: restore .discreet from a backup"
