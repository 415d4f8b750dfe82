"""What becomes of a question that fails after its charge: an alarm, unless the failure cannot depend on rows (rule 17)."""

from contextlib import suppress
from pathlib import Path

from discreet.answers.losses import loss_in_words
from discreet.engines.faults import unlogged
from discreet.engines.wanted import Engine
from discreet.errors import AccessError, DiscreetError, Fault, LedgerFault, ParameterError, Refused
from discreet.facts.model import Facts
from discreet.ledger import Ledger, registry
from discreet.ledger.alarms import Alarm, asker_named
from discreet.ledger.entries.charges import Granted
from discreet.ledger.folder import log_fault

__all__ = ["Failing", "as_fault"]


class Failing:
    """The part of a desk that writes failures down, and that lets a table in memory go on."""

    facts: Facts
    ledger: Ledger
    place: Path | None
    engine: Engine | None

    def unfreeze(self, *, reason: str) -> list[Alarm]:
        """Let everybody ask a table in memory again. The faults that had frozen them, each with its charge and question."""
        if self.place is not None:
            raise AccessError("a registered table is unfrozen by its data holder", hint="run discreet unfreeze")
        if not reason.strip():
            raise ParameterError("an act in the ledger needs a reason", hint="write why: reason='…'")
        return registry.unfreeze(self.ledger, self.facts.name, reason)

    def failed(self, granted: Granted, fault: Fault) -> DiscreetError:
        """What to tell whoever asked. If they were frozen before, it is what they are told of an answer they do not get."""
        if fault.freezes and self._has_lost_its_source():
            fault.freezes = False
        said: DiscreetError | None
        try:
            said = self.ledger.fail(granted, fault)
        except LedgerFault as unwritten:  # the ledger goes on trying; until then a fault that freezes is not told
            said = unwritten if fault.freezes else None
        who = asker_named(granted.request.analyst)
        fault.kept = self._kept(granted, fault)
        fault.hint = "; ".join(filter(None, (fault.hint, fault.kept)))
        log_fault(self.place, fault, table=self.facts.name, charge=granted.charge, analyst=who, alarm=fault.freezes)
        return said or fault

    def _kept(self, granted: Granted, fault: Fault) -> str:
        """What whoever asked is told of the charge; its price if it is their own."""
        price = ""
        with suppress(LedgerFault, Refused):
            if asker_named(granted.request.analyst) == asker_named(granted.asker or ""):
                price = f", {loss_in_words(self.ledger.cost(self.facts.name, granted.request.event))},"
        then = "nothing more is asked until the data holder has looked" if fault.freezes else "asking again is another charge"
        return f"what was charged for it{price} is kept; {then}"

    def _has_lost_its_source(self) -> bool:
        """Whether the files are no longer those that were opened: whatever an engine then says is nobody's doing."""
        try:
            if self.engine is not None:
                with unlogged():
                    self.engine.check()
        except Fault:
            return True
        return False


def as_fault(error: Exception) -> Fault:
    """A fault that says nothing: the log has the kind of error, and nobody its text.

    That the data holder has moved on to another version is public; anything else that nobody foresaw may depend on rows.
    """
    if isinstance(error, Fault):
        return error
    fault = Fault(freezes=not isinstance(error, AccessError))
    fault.cause = type(error).__name__
    return fault
