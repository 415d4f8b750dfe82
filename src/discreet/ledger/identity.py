"""Whether the open files of a ledger are still those that their names lead to (rule 38).

SQLite goes on writing to a file that was moved, replaced or removed, and nobody else would see what is charged there. As long as
a connection is open SQLite keeps its log (``-wal``) and the index of it (``-shm``): it empties the log in place, and deletes both
only when the last connection closes. So all three must stay what they were.

A file is told by its device and number. Windows has both, and does not let an open file be moved at all.
"""

import os
from pathlib import Path

from discreet.errors import LedgerFault

__all__ = ["Identity", "same_file"]

_File = tuple[int, int]


def same_file(file: Path) -> _File:
    """Device and number of a file: the same as long as it is the same file."""
    found = file.stat()
    return found.st_dev, found.st_ino


class Identity:
    """The three files of a ledger as they were when it was opened."""

    def __init__(self, file: Path) -> None:
        beside = file.resolve() if file.is_symlink() else file  # a folder that is a link is followed anew at every look
        self._names = (str(file), f"{beside}-wal", f"{beside}-shm")
        self._were = self._are()[0]

    @property
    def database(self) -> _File:
        """Which file the ledger itself is."""
        return self._were[0]

    def check(self) -> int:
        """The length of the log. Raises LedgerFault if a name leads to another file now, or to none."""
        try:
            found, length = self._are()
        except OSError:
            found, length = [], 0
        if found != self._were:
            hint = "it was moved, replaced, restored or removed: see that the right one is there, then open the table again"
            raise LedgerFault("the ledger is not the file any more that was opened", hint=hint)
        return length

    def _are(self) -> tuple[list[_File], int]:
        database, log, index = map(os.stat, self._names)
        return [(each.st_dev, each.st_ino) for each in (database, log, index)], log.st_size
