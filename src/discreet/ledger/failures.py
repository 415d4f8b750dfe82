"""Charges that failed. Each is written down at once, or, where the ledger cannot be written, as soon as it can be.

An exception after the first draw is final (rule 15), so a living process goes on trying: what it has not written down would pass
for a crash when its lease is over, and be drawn again. An alarm is raised whatever became of the charge meanwhile.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from threading import Event as Flag
from threading import Lock, Thread
from typing import Any

from discreet.errors import Fault, LedgerFault
from discreet.ledger.alarms import NOBODY, raised
from discreet.ledger.entries.charges import Frozen, Granted
from discreet.ledger.entries.signing import SigningKey
from discreet.ledger.freezes import frozen_for
from discreet.ledger.journal import append
from discreet.ledger.port import Store, Transaction
from discreet.ledger.records import ChargeRecord
from discreet.ledger.rows import charge_in

__all__ = ["Failures", "write_fault"]

_PAUSE = 1.0  # seconds between two tries; whoever holds the ledger is waited for beside that


@dataclass(slots=True)
class _Failure:
    """A charge that failed; ``said`` is what to say instead of the fault."""

    granted: Granted
    fault: Fault
    said: Frozen | None = None


class Failures:
    """What failed in this process and is not written down yet."""

    def __init__(self, store: Store, key: SigningKey) -> None:
        self._store = store
        self._key = key
        self._left: list[_Failure] = []
        self._writing = Lock()
        self._is_closed = Flag()

    def note(self, granted: Granted, fault: Fault) -> Frozen | None:
        """Write a failure down. What to say instead of the fault; raises LedgerFault if it cannot be written yet."""
        failure = _Failure(granted, fault)
        self._left.append(failure)
        try:
            self.write()
        except LedgerFault:
            Thread(target=self._go_on, daemon=True).start()
            raise
        return failure.said

    def write(self) -> None:
        """Write down all that is left."""
        with self._writing:
            while self._left:
                self._write(self._left[0])
                self._left.pop(0)

    def close(self) -> None:
        """Try once more, if anything is left; then it counts as a crash."""
        self._is_closed.set()
        with suppress(LedgerFault):
            self.write()

    def _go_on(self) -> None:
        while self._left and not self._is_closed.wait(_PAUSE):
            with suppress(LedgerFault):
                self.write()

    def _write(self, failure: _Failure) -> None:
        granted, reference = failure.granted, failure.fault.reference
        with self._store.writing() as transaction:
            said = frozen_for(transaction, granted.request, granted.asker)
            charge = charge_in(transaction, granted.charge)
            if failure.fault.freezes:
                write_fault(transaction, self._key, charge, reference, raised(transaction, granted, reference))
            elif (charge.state, charge.attempt) == ("running", granted.attempt):
                write_fault(transaction, self._key, charge, reference)
        failure.said = said


def write_fault(
    transaction: Transaction, key: SigningKey, charge: ChargeRecord, reference: str, froze: Mapping[str, Any] | None = None
) -> None:
    """Write a fault down, with whom it freezes; entries without that are from the time when faults were counted.

    What somebody else has settled meanwhile stays settled.
    """
    append(transaction, key, "fault", {"charge": charge.number, "reference": reference, **(froze or NOBODY)})
    if charge.state == "running":
        transaction.change(charge, state="faulted", reference=reference)
