"""Whether the open files of a ledger are still those that their names lead to (rule 38).

SQLite goes on writing to a file that was moved, replaced or removed, and nobody else would see what is charged there. As long as
a connection is open SQLite keeps its log (``-wal``) and the index of it (``-shm``): it empties the log in place, and deletes both
only when the last connection closes. So all three must stay what they were.

A file with two names (hard links, as ``cp -al`` makes them) is two ledgers to SQLite: it keeps a log beside each, and neither
sees what is charged through the other. So each has one name only.

A file is told by its device and number. Windows has both, and does not let an open file be moved at all.
"""

import _sqlite3
import ctypes
import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from discreet.errors import LedgerFault

__all__ = ["Identity", "beside", "forsake", "same_file"]

_NO_WRITING_WHEN_CLOSED = 1006  # SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE

_File = tuple[int, int]


def same_file(file: Path) -> _File:
    """Device and number of a ledger's file: the same as long as it is the same file. Raises LedgerFault if it has two names."""
    found = file.stat()
    _refuse_links([found])
    with suppress(FileNotFoundError):
        _refuse_links([Path(f"{beside(file)}-wal").stat()])
    return found.st_dev, found.st_ino


class Identity:
    """The three files of a ledger as they were when it was opened."""

    def __init__(self, file: Path) -> None:
        near = beside(file)
        self._names = (str(file), f"{near}-wal", f"{near}-shm")
        self._were = self._are()[0]

    @property
    def database(self) -> _File:
        """Which file the ledger itself is."""
        return self._were[0]

    def check(self) -> int:
        """The length of the log. Raises LedgerFault if a name leads to another file now, or to none, or a file has two names."""
        try:
            found, length = self._are()
        except OSError:
            found, length = [], 0
        if found != self._were:
            hint = "it was moved, replaced, restored or removed: see that the right one is there, then open the table again"
            raise LedgerFault("the ledger is not the file any more that was opened", hint=hint)
        return length

    def _are(self) -> tuple[list[_File], int]:
        found = list(map(os.stat, self._names))
        _refuse_links(found)
        return [(each.st_dev, each.st_ino) for each in found], found[1].st_size


def beside(file: Path) -> Path:
    """The file whose name SQLite gives to its own; a folder that is a link is followed anew at every look."""
    return file.resolve() if file.is_symlink() else file


def forsake(connection: sqlite3.Connection) -> None:
    """Close it so that SQLite writes nothing more through it, neither log nor ledger.

    From Python 3.12 on the connection can be told so. Before, SQLite itself is: its handle is the first thing in the object.
    """
    tell = getattr(connection, "setconfig", None)
    if tell is not None:
        with suppress(sqlite3.ProgrammingError):  # it is closed
            tell(_NO_WRITING_WHEN_CLOSED, True)
    else:
        handle = ctypes.c_void_p.from_address(id(connection) + object.__basicsize__)
        said = ctypes.CDLL(_sqlite3.__file__).sqlite3_db_config
        said.argtypes, said.restype = (ctypes.c_void_p, ctypes.c_int), ctypes.c_int  # what follows has no fixed types in C
        if handle.value:  # it is none once the connection is closed
            said(handle, _NO_WRITING_WHEN_CLOSED, ctypes.c_int(1), ctypes.c_void_p())
    connection.close()


def _refuse_links(found: list[os.stat_result]) -> None:
    if any(each.st_nlink > 1 for each in found):
        hint = "stop whoever has it open and remove the other names: a backup is a copy, never a link"
        raise LedgerFault("the ledger has two names (a hard link): its budget would be there twice", hint=hint)
