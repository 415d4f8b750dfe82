"""What failed, as the data holder sees it: after a charge, as the ledger has it; before one, as the log has it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from discreet.ledger.alarms import asker_named
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.chain import Entry
from discreet.ledger.journal import entry_in, latest
from discreet.ledger.port import Snapshot
from discreet.ledger.records import AlarmRecord

__all__ = ["Failed", "Uncharged", "faults", "uncharged"]


@dataclass(frozen=True, slots=True)
class Failed:
    """A charge that brought no answer. ``froze`` are those who could not go on; ``is_open`` until the data holder has looked."""

    reference: str
    at: str
    table: str
    charge: int
    analyst: str
    question: str
    price: Mapping[str, str]
    froze: tuple[str, ...]
    froze_tables: bool
    is_open: bool
    cause: str = ""  # its kind, from the log

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "reference": self.reference, "at": self.at, "table": self.table, "charge": self.charge, "analyst": self.analyst,
            "question": self.question, "price": dict(self.price), "froze": list(self.froze), "froze_tables": self.froze_tables,
            "open": self.is_open, "cause": self.cause,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Uncharged:
    """What failed before anything was charged: a source that cannot be reached, or is not as it was registered."""

    reference: str
    at: str
    table: str
    cause: str

    def to_dict(self) -> dict[str, str]:
        """For JSON."""
        return {"reference": self.reference, "at": self.at, "table": self.table, "cause": self.cause}


def uncharged(lines: Iterable[Mapping[str, Any]], table: str | None = None, most: int = 100) -> list[Uncharged]:
    """The latest of these in the lines of the log, of all tables or of one, newest first."""
    found = [Uncharged(told["reference"], told["at"], str(told.get("table", "")), told["cause"])
             for told in lines if "charge" not in told and table in (None, told.get("table"))]  # fmt: skip
    return found[: -most - 1 : -1]


def faults(ledger: Ledger, table: str | None = None, most: int = 100) -> list[Failed]:
    """The latest faults, of all tables or of one, newest first."""
    found: list[Failed] = []
    with ledger.store.reading() as snapshot:
        for entry in latest(snapshot, "fault"):
            charge = entry_in(snapshot, entry.body["charge"])
            if table is None or charge.body["table"] == table:
                found.append(_failed(snapshot, entry, charge))
            if len(found) == most:
                break
    return found


def _failed(snapshot: Snapshot, entry: Entry, charge: Entry) -> Failed:
    body, about = entry.body, charge.body
    is_open = bool(list(snapshot.each(AlarmRecord, charge=charge.number, most=1)))
    return Failed(
        body["reference"], entry.at, about["table"], charge.number, asker_named(about["analyst"]), about["question"],
        about["price"], tuple(body.get("frozen", ())), bool(body.get("tables")), is_open,
    )  # fmt: skip
