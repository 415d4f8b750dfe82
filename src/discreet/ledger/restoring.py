"""What becomes of a ledger that was put back from a copy: nothing of it is drawn twice, and nobody asks before it was looked at.

A copy does not know what was charged after it was made. What was running then may have been drawn and delivered since, so that
it is written off and never resumed; questions that waited are forgotten; and every table is frozen by a signed entry.
"""

from dataclasses import dataclass
from uuid import uuid4

from discreet.ledger import asked, registry
from discreet.ledger.charging import Ledger
from discreet.ledger.failures import write_fault
from discreet.ledger.records import AskedRecord, ChargeRecord

__all__ = ["Mended", "mend"]


@dataclass(frozen=True, slots=True)
class Mended:
    """What was done to a ledger that came back."""

    tables: tuple[str, ...]  # which are frozen now
    written_off: tuple[int, ...]  # charges that were running when the copy was made
    forgotten: int  # questions that were waiting then


def mend(ledger: Ledger, reason: str) -> Mended:
    """Write off what was running, forget what was waiting, freeze all tables for this reason."""
    with ledger.store.writing() as transaction:
        running = list(transaction.each(ChargeRecord, state="running"))
        for charge in running:
            write_fault(transaction, ledger.key, charge, uuid4().hex[:12])
        waiting = [each.id for each in transaction.each(AskedRecord, state="running")]
    for identity in waiting:
        asked.forget(ledger, identity)
    tables = registry.names(ledger)
    for table in tables:
        registry.freeze(ledger, table, reason)
    return Mended(tuple(tables), tuple(each.number for each in running), len(waiting))
