"""Charges of versions that are gone, whose workers are dead: nobody can go on with them any more."""

import time
from sqlite3 import Connection

from discreet.ledger.entries.signing import SigningKey
from discreet.ledger.failures import write_fault
from discreet.ledger.owners import is_dead
from discreet.ledger.rows import table_row

__all__ = ["write_off_superseded"]


def write_off_superseded(connection: Connection, key: SigningKey, table: str) -> None:
    """The charges are kept and never resumed, and nobody is frozen for them."""
    version, clock = table_row(connection, table).version, time.time()
    rows = connection.execute(
        "SELECT number, owner, lease FROM charges WHERE state = 'running' AND tbl = ? AND version <> ?", (table, version)
    ).fetchall()
    for number in [number for number, who, lease in rows if is_dead(who, lease, clock)]:
        write_fault(connection, key, number, "superseded")
