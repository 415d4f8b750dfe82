"""Who is working on a charge, and whether they still live. A charge is resumed only after the death of its process (rule 15)."""

import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from threading import Event

from discreet.errors import LedgerFault
from discreet.ledger.entries.charges import Granted
from discreet.ledger.port import Store
from discreet.ledger.records import ChargeRecord
from discreet.overdue import if_overdue
from discreet.processes import boot, lives, started

__all__ = ["LEASE", "is_abandoned", "is_dead", "lease_from", "owner", "working"]

LEASE = 60.0  # seconds; renewed while the work goes on


def owner() -> str:
    """This process: machine, boot, process and its start."""
    return _owner(os.getpid())


@lru_cache(maxsize=4)
def _owner(process: int) -> str:
    return "|".join((platform.node(), boot(), str(process), started(process)))


def is_dead(other: str, lease: float, clock: float) -> bool:
    """Whether the owner of a lease is gone: its process is not there any more, or it has not renewed its lease."""
    if clock > lease:
        return True
    if other == owner():
        return False
    node, since, process, begun = other.split("|")
    if node != platform.node():
        return False  # of another machine only the lease is known
    if since != boot():
        return True
    return not lives(int(process), begun)


def is_abandoned(charge: ChargeRecord, clock: float) -> bool:
    """Whether whoever worked on a running charge is dead."""
    return is_dead(charge.owner, charge.lease, clock)


def lease_from(clock: float) -> float:
    """Until when a charge is this process's if it takes it now."""
    return clock + LEASE


@contextmanager
def working(store: Store, granted: Sequence[Granted]) -> Iterator[None]:
    """Inside, the leases of the charges are renewed."""
    if not granted:
        yield
        return
    with if_overdue(LEASE / 4, partial(_renew, store, granted)):
        yield


def _renew(store: Store, granted: Sequence[Granted], done: Event) -> None:
    while not done.is_set():
        with suppress(LedgerFault), store.writing() as transaction:  # its own settling will tell
            until = lease_from(transaction.clock())
            for each in granted:
                charge = transaction.one(ChargeRecord, number=each.charge, attempt=each.attempt)
                if charge is not None:
                    transaction.change(charge, lease=until)
        done.wait(LEASE / 4)
