"""Memory of spending: entries in a hash chain, running totals beside them, and the answers that were paid for."""

from discreet.ledger.folder import ledger_in_memory, made_ledger, open_ledger, place_of
from discreet.ledger.sqlite import Ledger

__all__ = ["Ledger", "ledger_in_memory", "made_ledger", "open_ledger", "place_of"]
