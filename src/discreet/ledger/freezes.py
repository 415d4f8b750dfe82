"""Who is frozen, since when and why, as they may read it: the reason that a data holder wrote, or that a question failed.

Of a fault they read a reference and the time of its charge, and no more: how long it ran before it failed may depend on rows.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from discreet.ledger.alarms import asker_named
from discreet.ledger.entries.charges import Frozen, Request
from discreet.ledger.journal import entry_in, latest
from discreet.ledger.port import Snapshot
from discreet.ledger.records import AlarmRecord, AnalystRecord
from discreet.ledger.rows import table_record
from discreet.plots.lettering import minute

__all__ = ["Stop", "by_fault", "by_hand", "frozen_for", "frozen_on", "last_act"]

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

    @property
    def is_of_table(self) -> bool:
        """Whether unfreezing the table lifts it: not who was frozen by hand and by name, nor an end that is an end."""
        return self.state != "ended" and (self.analyst is None or bool(self.reference))

    @property
    def moment(self) -> str:
        """When, for a sentence: `` since 2026-11-16 17:40 UTC``; older ledgers may not know."""
        return f" since {minute(self.since)}" if self.since else ""


def frozen_for(snapshot: Snapshot, request: Request, asker: str | None) -> Frozen | None:
    """Why ``asker`` gets nothing new from the tables of a request now; None if they may. Nobody is the data holder, who may."""
    if asker is None:
        return None
    tables = [request.table, *(table for table, _ in request.beside)]
    reasons = (frozen_on(snapshot, table, asker) for table in tables)
    return next((reason for reason in reasons if reason is not None), None)


def frozen_on(snapshot: Snapshot, table: str, analyst: str) -> Frozen | None:
    """The same for one table: since when and for which reason, and nothing of what went wrong."""
    kept, asker = table_record(snapshot, table), asker_named(analyst)
    alarms = list(snapshot.each(AlarmRecord, account=kept.account))
    closed = [alarm for alarm in alarms if alarm.froze_tables]
    if kept.frozen or closed:
        stop = by_fault(snapshot, None, closed[0]) if closed else by_hand(snapshot, table, None)
        why = "questions about the same people failed after their charge" if closed else stop.reason
        return _frozen(f"{table} is frozen{stop.moment}", why, "the data holder can unfreeze it", stop.reference)
    theirs = [alarm for alarm in alarms if alarm.asker == asker and alarm.froze_asker]
    named = snapshot.one(AnalystRecord, table=table, name=asker)
    if theirs or (named is not None and named.frozen):
        stop = by_fault(snapshot, asker, theirs[0]) if theirs else by_hand(snapshot, table, asker)
        why = "a question of theirs failed after its charge" if theirs else stop.reason
        said = f"{asker} is frozen{stop.moment} and may not ask {table} now"
        return _frozen(said, why, "the data holder can unfreeze them", stop.reference)
    return None


def _frozen(said: str, why: str, hint: str, reference: str) -> Frozen:
    return Frozen(f"{said}: {why}" if why else said, hint=hint, reference=reference)


def by_hand(snapshot: Snapshot, table: str, analyst: str | None) -> Stop:
    """What a data holder froze, and why."""
    at, reason = last_act(snapshot, "freeze", {"table": table, "analyst": analyst})
    return Stop("frozen", analyst, at, reason=reason)


def by_fault(snapshot: Snapshot, analyst: str | None, alarm: AlarmRecord) -> Stop:
    """What an alarm froze."""
    return Stop("frozen", analyst, entry_in(snapshot, alarm.charge).at, reference=alarm.reference)


def last_act(snapshot: Snapshot, kind: str, parts: Mapping[str, Any]) -> tuple[str, str]:
    """When the last entry of a kind with these parts was written, and for which reason. Older ledgers may have none."""
    for entry in latest(snapshot, kind):
        if all(entry.body.get(name) == value for name, value in parts.items()):
            return entry.at, entry.body.get("reason", "")
    return "", ""
