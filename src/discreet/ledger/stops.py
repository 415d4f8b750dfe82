"""What stops asking, in one place: frozen tables and askers, sources that changed, budgets that have ended.

The data holder sees all of it. Whoever asks learns since when and why they or the table are stopped, and nothing of others.
"""

from discreet.errors import AccessError
from discreet.ledger.admission import check_end, end_of
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.charges import Request
from discreet.ledger.freezes import Stop, by_fault, by_hand, frozen_for, frozen_on, last_act
from discreet.ledger.port import Snapshot
from discreet.ledger.records import AlarmRecord, AnalystRecord
from discreet.ledger.rows import TableRow, table_row
from discreet.ledger.sources import closed_place

__all__ = ["Stop", "stopped_for", "stopped_on", "stops"]


def stops(ledger: Ledger, table: str) -> list[Stop]:
    """Everything that stops asking a table now, as the data holder sees it: first what stops everybody."""
    with ledger.store.reading() as snapshot:
        row = table_row(snapshot, table)
        return [*_of_all(snapshot, row), *_of_askers(snapshot, row)]


def stopped_for(ledger: Ledger, request: Request) -> AccessError | None:
    """Why whoever asks would be refused now, whatever the question costs; None if they would not be."""
    with ledger.store.reading() as snapshot:
        tables = (request.table, *(name for name, _ in request.beside))
        ended = (_ended(snapshot, table) for table in tables)
        return next((reason for reason in ended if reason is not None), None) or frozen_for(snapshot, request, request.analyst)


def stopped_on(ledger: Ledger, table: str, asker: str) -> AccessError | None:
    """The same for all questions about a table."""
    with ledger.store.reading() as snapshot:
        return _ended(snapshot, table) or frozen_on(snapshot, table, asker)


def _ended(snapshot: Snapshot, table: str) -> AccessError | None:
    try:
        check_end(snapshot, table_row(snapshot, table))
    except AccessError as reason:
        return reason
    place = closed_place(snapshot, table)
    return None if place is None else AccessError(f"the source of {place} has changed since it was registered")


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
