"""Memory of spending: entries in a hash chain, running totals beside them, and the answers that were paid for."""

from discreet.ledger.charging import Ledger
from discreet.ledger.folder import ledger_in_memory, made_ledger, open_ledger, place_of

__all__ = ["Ledger", "ledger_in_memory", "made_ledger", "open_ledger", "place_of"]
