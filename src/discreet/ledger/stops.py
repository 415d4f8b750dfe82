"""What stops asking, in one place: frozen tables and askers, sources that changed, budgets that have ended.

The data holder sees all of it. Whoever asks learns since when and why they or the table are stopped, and nothing of others.
"""

from discreet.errors import AccessError
from discreet.ledger.admission import check_end, end_of
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.charges import Request
from discreet.ledger.freezes import Stop, by_fault, by_hand, frozen_for, last_act
from discreet.ledger.port import Snapshot
from discreet.ledger.records import AlarmRecord, AnalystRecord
from discreet.ledger.rows import TableRow, table_row
from discreet.ledger.sources import closed_place

__all__ = ["Stop", "stopped_for", "stops"]


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
        found.append(by_hand(snapshot, row.name, None))
    alarms = [alarm for alarm in list(snapshot.each(AlarmRecord, account=row.account)) if alarm.froze_tables]
    if alarms:
        found.append(by_fault(snapshot, None, alarms[0]))
    if closed_place(snapshot, row.name) is not None:
        at, _ = last_act(snapshot, "source", {"table": row.name, "state": "closed"})
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
        *(by_hand(snapshot, row.name, name) for name in named),
        *(by_fault(snapshot, asker, first[asker]) for asker in sorted(first)),
    ]
