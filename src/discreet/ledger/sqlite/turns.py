"""A lock of our own around everything that writes to a ledger's files. SQLite's locks stay; this one is held outside of them.

Between 3.7.0 and 3.51.2 SQLite can spoil a file when one connection empties the log while another one commits. Both happen inside
this lock only, so never at once: docs/proofs/ledger.md. The lock is on a file of its own, opened for each turn: closing a file
that SQLite has open would drop SQLite's locks.

Threads of one process stand in a line of their own before it, so that one of them at most looks again and again.
"""

import os
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import ClassVar

__all__ = ["about_sqlite", "has_reset_bug", "taking_turns"]

_SHORTEST, _LONGEST = 0.0005, 0.004  # seconds between two looks


def has_reset_bug(version: tuple[int, ...] = sqlite3.sqlite_version_info) -> bool:
    """Whether this SQLite is one of those that can spoil a log that is emptied while somebody writes."""
    if version[:2] in ((3, 44), (3, 50)):  # mended in these lines too
        return version < {44: (3, 44, 6), 50: (3, 50, 7)}[version[1]]
    return (3, 7, 0) <= version < (3, 51, 3)


def about_sqlite(version: str = sqlite3.sqlite_version) -> tuple[str, ...]:
    """What a data holder should know of this SQLite; nothing, if it has no such bug."""
    if not has_reset_bug(tuple(map(int, version.split(".")))):
        return ()
    protects = "a lock of discreet's own keeps it from happening, as long as nothing else opens the ledger for writing"
    return (f"SQLite {version} has the WAL-reset bug (3.7.0 to 3.51.2); {protects}",)


@contextmanager
def taking_turns(file: Path, patience: float, *, create: bool = True) -> Iterator[None]:
    """Inside, no other thread or process is inside. Raises TimeoutError when it is not our turn for so many seconds."""
    until = time.monotonic() + patience
    line = _Lines.now.setdefault(str(file), Lock())
    if not line.acquire(timeout=patience):
        raise TimeoutError
    try:
        handle = _taken(file, until, os.O_CREAT if create else 0)
        try:
            yield
        finally:
            os.close(handle)  # which lets go of the lock
    finally:
        line.release()


class _Lines:
    """Where threads of this process wait, by file: a child of fork has none of its parent's threads, and lines of its own."""

    now: ClassVar[dict[str, Lock]] = {}

    @classmethod
    def renew(cls) -> None:
        cls.now = {}


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Lines.renew)


def _taken(file: Path, until: float, create: int) -> int:
    pause = _SHORTEST
    while True:
        handle = os.open(file, os.O_RDONLY | create, 0o600)
        try:
            if _lock(handle) and _is_there(handle, file):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        if time.monotonic() > until:
            raise TimeoutError
        time.sleep(pause)
        pause = min(_LONGEST, 2 * pause)


def _is_there(handle: int, file: Path) -> bool:
    """Whether the locked file is the one that others would lock."""
    try:
        return os.path.samestat(os.fstat(handle), file.stat())
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
