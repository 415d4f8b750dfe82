"""What stops asking, in one place: frozen tables and askers, sources that changed, budgets that have ended.

The data holder sees all of it. Whoever asks learns that they or the table are stopped, and a reference, and nothing of others.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from sqlite3 import Connection
from typing import Any, Literal

from discreet.errors import AccessError
from discreet.ledger.admission import check_end, end_of
from discreet.ledger.alarms import frozen_for
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.charges import Request
from discreet.ledger.rows import TableRow, table_row

__all__ = ["Stop", "stopped_for", "stops"]

State = Literal["frozen", "closed", "ended", "clock"]


@dataclass(frozen=True, slots=True)
class Stop:
    """One thing that stops asking: of everybody, or of one analyst."""

    state: State  # clock: it was asked after its end, and the clock has gone back since
    analyst: str | None  # None is everybody
    since: str  # when; of an end, the last day
    reason: str = ""  # of whoever froze it by hand
    reference: str = ""  # of the fault that froze it

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def stops(ledger: Ledger, table: str) -> list[Stop]:
    """Everything that stops asking a table now, as the data holder sees it: first what stops everybody."""
    with ledger.database.reading() as connection:
        row = table_row(connection, table)
        return [*_of_all(connection, row), *_of_askers(connection, row)]


def stopped_for(ledger: Ledger, request: Request) -> AccessError | None:
    """Why whoever asks would be refused now, whatever the question costs; None if they would not be."""
    with ledger.database.reading() as connection:
        try:
            for table in (request.table, *(name for name, _ in request.beside)):
                check_end(connection, table_row(connection, table))
                if (place := _closed(connection, table)) is not None:
                    return AccessError(f"the source of {place} has changed since it was registered")
        except AccessError as reason:
            return reason
        return frozen_for(connection, request, request.analyst)


def _of_all(connection: Connection, row: TableRow) -> list[Stop]:
    found = []
    if row.frozen:
        found.append(_by_hand(connection, row.name, None))
    wanted = "SELECT charge, reference FROM alarms WHERE account = ? AND froze_tables ORDER BY charge LIMIT 1"
    for charge, reference in connection.execute(wanted, (row.account,)).fetchall():
        found.append(Stop("frozen", None, _at(connection, charge), reference=reference))
    if _closed(connection, row.name) is not None:
        at, _ = _last(connection, "source", {"table": row.name, "state": "closed"})
        found.append(Stop("closed", None, at))
    end = end_of(connection, row)
    if end is not None and row.expires is not None:
        found.append(Stop(end, None, row.expires))
    return found


def _of_askers(connection: Connection, row: TableRow) -> list[Stop]:
    named = connection.execute("SELECT name FROM analysts WHERE tbl = ? AND frozen ORDER BY name", (row.name,)).fetchall()
    wanted = "SELECT asker, MIN(charge), reference FROM alarms WHERE account = ? AND froze_asker GROUP BY asker ORDER BY asker"
    faults = connection.execute(wanted, (row.account,)).fetchall()
    return [
        *(_by_hand(connection, row.name, name) for (name,) in named),
        *(Stop("frozen", asker, _at(connection, charge), reference=reference) for asker, charge, reference in faults),
    ]


def _by_hand(connection: Connection, table: str, analyst: str | None) -> Stop:
    at, reason = _last(connection, "freeze", {"table": table, "analyst": analyst})
    return Stop("frozen", analyst, at, reason=reason)


def _closed(connection: Connection, table: str) -> str | None:
    """Whose files changed: the table's, or a lookup's."""
    found = connection.execute("SELECT place FROM sources WHERE tbl = ? AND closed ORDER BY place", (table,)).fetchone()
    return None if found is None else str(found[0])


def _at(connection: Connection, number: int) -> str:
    return str(connection.execute("SELECT at FROM entries WHERE number = ?", (number,)).fetchone()[0])


def _last(connection: Connection, kind: str, parts: Mapping[str, Any]) -> tuple[str, str]:
    """When the last entry of a kind with these parts was written, and for which reason. Older ledgers may have none."""
    for at, text in connection.execute("SELECT at, body FROM entries WHERE kind = ? ORDER BY number DESC", (kind,)):
        body = json.loads(text)
        if all(body.get(name) == value for name, value in parts.items()):
            return at, body.get("reason", "")
    return "", ""
