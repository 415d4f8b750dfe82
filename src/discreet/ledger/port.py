"""What the rules of the ledger need of whatever keeps it: one state to read, one writer at a time, durable when it returns.

The rules (charging, the acts of the data holder, alarms, verification) are written once, over these three. A store keeps records
and knows nothing of what they mean. ``tests/ledger/conformance/`` says what any store and its ledger must do.
"""

from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from discreet.ledger.records import Record

__all__ = ["BUSY", "Snapshot", "Store", "Transaction", "Value"]

BUSY = "busy"  # the cause of a LedgerFault that is over as soon as somebody else is done
R = TypeVar("R", bound=Record)
Value = str | int | Collection[str] | Collection[int] | None  # of a field: one value, one of several, or whatever it likes


class Snapshot(Protocol):
    """One state of the ledger, whatever is written meanwhile."""

    def one(self, kind: type[R], /, **key: str | int) -> R | None:
        """The record with these values; None if there is none."""

    def each(
        self, kind: type[R], /, *, backwards: bool = False, most: int | None = None, below: int | None = None, **where: Value
    ) -> Iterator[R]:
        """The records with these values, in the order of their keys; not all of them at once, where there are many.

        With ``below``, those whose number is smaller, of a kind that has a number for a key.
        """

    def parts(self, kind: type[Record], /, *names: str, **where: Value) -> Iterator[tuple[Any, ...]]:
        """Some of their fields alone, in the same order: less to read where there are many. None of them may be a flag."""

    def clock(self) -> float:
        """Seconds, by the clock that all who write to this store share: leases go by it."""

    def damages(self) -> list[str]:
        """What the store finds wrong with itself, whatever it keeps."""


class Transaction(Snapshot, Protocol):
    """The same, and what is written in it: all of it, or nothing if it is left by an error. Nobody else writes meanwhile."""

    def add(self, record: Record) -> None:
        """A record that was not there; a fault if there is one with that key."""

    def put(self, record: Record) -> None:
        """A record in the place of the one with its key, if there is one."""

    def change(self, record: Record, **fields: str | int | float | None) -> None:
        """Other values in some fields, none of them of its key, of a record that was read in this transaction."""

    def drop(self, kind: type[Record], /, **where: Value) -> int:
        """Forget the records with these values. How many they were."""


class Store(Protocol):
    """Keeps a ledger. Raises LedgerFault and no error of its own, and so for records that hold what discreet did not write."""

    def reading(self) -> AbstractContextManager[Snapshot]:
        """One state of the ledger."""

    def writing(self) -> AbstractContextManager[Transaction]:
        """A transaction: durable when it is left, undone if it is left by an error."""

    def notes(self) -> tuple[str, ...]:
        """What a data holder should know of it, though nothing is wrong."""

    def close(self) -> None:
        """Let go of it."""
