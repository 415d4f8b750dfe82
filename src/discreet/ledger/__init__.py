"""Memory of spending."""

from discreet.ledger.memory import MemoryLedger

__all__ = ["MemoryLedger"]
