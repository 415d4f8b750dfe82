"""Charges of versions that are gone, whose workers are dead: nobody can go on with them any more."""

from discreet.ledger.entries.signing import SigningKey
from discreet.ledger.failures import write_fault
from discreet.ledger.owners import is_abandoned
from discreet.ledger.port import Transaction
from discreet.ledger.records import ChargeRecord
from discreet.ledger.rows import table_record

__all__ = ["write_off_superseded"]


def write_off_superseded(transaction: Transaction, key: SigningKey, table: str) -> None:
    """The charges are kept and never resumed, and nobody is frozen for them."""
    version, clock = table_record(transaction, table).version, transaction.clock()
    running = list(transaction.each(ChargeRecord, state="running", table=table))
    for charge in running:
        if charge.version != version and is_abandoned(charge, clock):
            write_fault(transaction, key, charge, "superseded")
