"""Bringing a file up to date: every migration that it lacks, in one transaction."""

import atexit
import sqlite3
from functools import cache

from discreet.errors import LedgerFault
from discreet.ledger.entries.chain import now
from discreet.ledger.sqlite.schema import MIGRATIONS, statements_of

__all__ = ["empty_ledger", "follow", "refuse_newer"]


def refuse_newer(connection: sqlite3.Connection) -> int:
    """The number of migrations that a ledger has, if this version knows them all."""
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if found > len(MIGRATIONS):
        raise LedgerFault("the ledger was written by a newer version", hint="install the newer version of discreet")
    return found


def follow(connection: sqlite3.Connection) -> None:
    """Make what the file lacks."""
    connection.execute("BEGIN IMMEDIATE")
    found = refuse_newer(connection)  # another process may have done it meanwhile, or more
    connection.execute("CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT, at TEXT) STRICT")
    for number, (name, script) in enumerate(MIGRATIONS[found:], start=found + 1):
        for statement in statements_of(script):
            connection.execute(statement)
        connection.execute("INSERT INTO migrations VALUES (?, ?, ?)", (number, name, now()))
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    connection.execute("COMMIT")


@cache
def empty_ledger() -> sqlite3.Connection:
    """A ledger in memory with nothing in it, which others begin as: to make it takes as long as a small question."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    follow(connection)
    atexit.register(connection.close)
    return connection
