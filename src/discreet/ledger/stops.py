"""What stops asking, in one place: frozen tables and askers, sources that changed, budgets that have ended.

The data holder sees all of it. Whoever asks learns that they or the table are stopped, and a reference, and nothing of others.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from discreet.errors import AccessError
from discreet.ledger.admission import check_end, end_of
from discreet.ledger.alarms import frozen_for
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.charges import Request
from discreet.ledger.journal import entry_in, latest
from discreet.ledger.port import Snapshot
from discreet.ledger.records import AlarmRecord, AnalystRecord
from discreet.ledger.rows import TableRow, table_row
from discreet.ledger.sources import closed_place

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
    with ledger.store.reading() as snapshot:
        row = table_row(snapshot, table)
        return [*_of_all(snapshot, row), *_of_askers(snapshot, row)]


def stopped_for(ledger: Ledger, request: Request) -> AccessError | None:
    """Why whoever asks would be refused now, whatever the question costs; None if they would not be."""
    with ledger.store.reading() as snapshot:
        try:
            for table in (request.table, *(name for name, _ in request.beside)):
                check_end(snapshot, table_row(snapshot, table))
                if (place := closed_place(snapshot, table)) is not None:
                    return AccessError(f"the source of {place} has changed since it was registered")
        except AccessError as reason:
            return reason
        return frozen_for(snapshot, request, request.analyst)


def _of_all(snapshot: Snapshot, row: TableRow) -> list[Stop]:
    found = []
    if row.frozen:
        found.append(_by_hand(snapshot, row.name, None))
    alarms = [alarm for alarm in list(snapshot.each(AlarmRecord, account=row.account)) if alarm.froze_tables]
    if alarms:
        found.append(_by_fault(snapshot, None, alarms[0]))
    if closed_place(snapshot, row.name) is not None:
        at, _ = _last(snapshot, "source", {"table": row.name, "state": "closed"})
        found.append(Stop("closed", None, at))
    end = end_of(snapshot, row)
    if end is not None and row.expires is not None:
        found.append(Stop(end, None, row.expires))
    return found


def _of_askers(snapshot: Snapshot, row: TableRow) -> list[Stop]:
    named = [analyst.name for analyst in snapshot.each(AnalystRecord, table=row.name) if analyst.frozen]
    first: dict[str, AlarmRecord] = {}
    for alarm in snapshot.each(AlarmRecord, account=row.account):
        if alarm.froze_asker:
            first.setdefault(alarm.asker, alarm)
    return [
        *(_by_hand(snapshot, row.name, name) for name in named),
        *(_by_fault(snapshot, asker, first[asker]) for asker in sorted(first)),
    ]


def _by_hand(snapshot: Snapshot, table: str, analyst: str | None) -> Stop:
    at, reason = _last(snapshot, "freeze", {"table": table, "analyst": analyst})
    return Stop("frozen", analyst, at, reason=reason)


def _by_fault(snapshot: Snapshot, analyst: str | None, alarm: AlarmRecord) -> Stop:
    return Stop("frozen", analyst, entry_in(snapshot, alarm.charge).at, reference=alarm.reference)


def _last(snapshot: Snapshot, kind: str, parts: Mapping[str, Any]) -> tuple[str, str]:
    """When the last entry of a kind with these parts was written, and for which reason. Older ledgers may have none."""
    for entry in latest(snapshot, kind):
        if all(entry.body.get(name) == value for name, value in parts.items()):
            return entry.at, entry.body.get("reason", "")
    return "", ""
