"""Faults that may depend on rows, and whom they freeze (rule 17).

Such a fault tells one bit about rows that nobody paid for. So it is an alarm: in the transaction that writes it down, whoever
asked is frozen on every table about the same people, and the second one freezes these tables for everybody, until the data
holder has looked. What was delivered to somebody before is theirs to read again; anything else waits.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Any

from discreet.ledger.entries.charges import Frozen, Granted, Request
from discreet.ledger.rows import TableRow, table_row

__all__ = [
    "ANONYMOUS", "Alarm", "NOBODY", "asker_named", "delivered", "frozen_for", "frozen_on", "is_hidden", "is_shown", "lift",
    "open_alarms", "raised",
]  # fmt: skip

NOBODY: Mapping[str, Any] = {"frozen": [], "tables": False}  # what a fault that cannot depend on rows freezes
ANONYMOUS = "anonymous"  # whoever gives no name; nobody else may be called so


@dataclass(frozen=True, slots=True)
class Alarm:
    """A fault that may depend on rows, as the data holder sees it."""

    charge: int
    at: str
    table: str
    asker: str
    question: str
    price: Mapping[str, str]
    reference: str
    froze_tables: bool
    cause: str = ""  # its kind, from the log

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "charge": self.charge, "at": self.at, "table": self.table, "analyst": self.asker, "question": self.question,
            "price": dict(self.price), "reference": self.reference, "cause": self.cause, "froze_tables": self.froze_tables,
        }  # fmt: skip


def asker_named(analyst: str) -> str:
    """The name by which an asker is frozen."""
    return analyst or ANONYMOUS


def raised(connection: Connection, granted: Granted, reference: str) -> dict[str, Any]:
    """Freeze who asked, and the tables if another alarm about these people is open. What the entry of the fault says of it.

    A charge that failed for two who worked on it is one alarm.
    """
    account = table_row(connection, granted.request.table).account
    askers = sorted({asker_named(granted.request.analyst), asker_named(granted.asker or granted.request.analyst)})
    others = connection.execute(
        "SELECT COUNT(*) FROM alarms WHERE account = ? AND (charge <> ? OR froze_tables)", (account, granted.charge)
    )
    is_second = others.fetchone()[0] > 0
    rows = [(granted.charge, account, asker, reference, 1, is_second) for asker in askers]
    connection.executemany("INSERT OR REPLACE INTO alarms VALUES (?, ?, ?, ?, ?, ?)", rows)
    return {"frozen": askers, "tables": is_second}


def frozen_for(connection: Connection, request: Request, asker: str | None) -> Frozen | None:
    """Why ``asker`` gets nothing new from the tables of a request now; None if they may. Nobody is the data holder, who may."""
    if asker is None:
        return None
    tables = [request.table, *(table for table, _ in request.beside)]
    reasons = (frozen_on(connection, table, asker) for table in tables)
    return next((reason for reason in reasons if reason is not None), None)


def frozen_on(connection: Connection, table: str, asker: str) -> Frozen | None:
    """The same for one table."""
    return _frozen(connection, table_row(connection, table), asker)


def _frozen(connection: Connection, row: TableRow, analyst: str) -> Frozen | None:
    """It says nothing of what went wrong."""
    closed = connection.execute(
        "SELECT reference FROM alarms WHERE account = ? AND froze_tables ORDER BY charge LIMIT 1", (row.account,)
    ).fetchone()
    if row.frozen or closed is not None:
        hint = "the data holder can unfreeze it"
        return Frozen(f"{row.name} is frozen", hint=hint, reference="" if closed is None else closed[0])
    asker = asker_named(analyst)
    theirs = "SELECT reference FROM alarms WHERE account = ? AND asker = ? AND froze_asker ORDER BY charge LIMIT 1"
    found = connection.execute(theirs, (row.account, asker)).fetchone()
    by_hand = connection.execute("SELECT frozen FROM analysts WHERE tbl = ? AND name = ?", (row.name, asker)).fetchone()
    if found is not None or (by_hand is not None and by_hand[0]):
        said = f"{asker} is frozen and may not ask {row.name} now"
        return Frozen(said, hint="the data holder can unfreeze them", reference="" if found is None else found[0])
    return None


# ---- delivery



def delivered(connection: Connection, charge: int, asker: str | None) -> None:
    """From now on this answer is in the history of ``asker``."""
    if asker is not None:
        connection.execute("INSERT OR IGNORE INTO shown VALUES (?, ?)", (charge, asker_named(asker)))


def is_shown(connection: Connection, charge: int, asker: str) -> bool:
    """Whether the asker has had the answer of a charge."""
    row = charge, asker_named(asker)
    return connection.execute("SELECT 1 FROM shown WHERE charge = ? AND asker = ?", row).fetchone() is not None


def is_hidden(connection: Connection, charge: int, table: str) -> bool:
    """Whether nobody may know of a settled answer yet: nobody was shown it, and an alarm about these people is open.

    It may have been withheld, and that it is there would tell that its question did not fail.
    """
    is_open = "SELECT 1 FROM alarms JOIN tables USING (account) WHERE tables.name = ?"
    if connection.execute(is_open, (table,)).fetchone() is None:
        return False
    return connection.execute("SELECT 1 FROM shown WHERE charge = ?", (charge,)).fetchone() is None


# ---- the data holder


def open_alarms(connection: Connection, account: str, asker: str | None = None) -> list[Alarm]:
    """The alarms that nobody has looked at: of everybody, or those by which one asker is frozen."""
    all_of_it = "SELECT charge, asker, reference, froze_asker, froze_tables FROM alarms WHERE account = ?"
    rows = connection.execute(all_of_it, (account,))
    wanted = [row for row in rows.fetchall() if asker is None or (row[1] == asker_named(asker) and row[3])]
    return [_alarm(connection, charge, who, reference, bool(tables)) for charge, who, reference, _, tables in sorted(wanted)]


def _alarm(connection: Connection, charge: int, asker: str, reference: str, froze_tables: bool) -> Alarm:
    at, text = connection.execute("SELECT at, body FROM entries WHERE number = ?", (charge,)).fetchone()
    body = json.loads(text)
    return Alarm(charge, at, body["table"], asker, body["question"], body["price"], reference, froze_tables)


def lift(connection: Connection, account: str, asker: str | None) -> None:
    """Let everybody go on, or one asker while tables stay as they are."""
    if asker is None:
        connection.execute("DELETE FROM alarms WHERE account = ?", (account,))
        return
    connection.execute("UPDATE alarms SET froze_asker = 0 WHERE account = ? AND asker = ?", (account, asker_named(asker)))
    connection.execute("DELETE FROM alarms WHERE account = ? AND NOT froze_asker AND NOT froze_tables", (account,))
