"""The engine of a curator: opened when it is needed, and only while the source is what was registered."""

from collections.abc import Callable
from pathlib import Path

from discreet.curator.source_identity import check_companions, check_source
from discreet.engines.faults import GONE, noted, unlogged
from discreet.engines.wanted import Engine
from discreet.errors import AccessError, FactsError, Fault, SourceFault
from discreet.facts.model import Facts
from discreet.ledger import Ledger
from discreet.ledger.folder import log_fault
from discreet.ledger.registry import known

__all__ = ["Held"]

_LOOK = "whoever holds the data looks with discreet check FILE"


class Held:
    """The part of a desk that holds the table. Before the charge it looks at the source, and reads no row."""

    facts: Facts
    engine: Engine | None
    ledger: Ledger
    opening: Callable[[], Engine]
    place: Path | None

    def ready(self) -> Engine:
        """The engine, after a look at the source, before anything is charged. A fault is written down for the data holder."""
        try:
            return self.checked()
        except Fault as fault:
            log_fault(self.place, fault, table=self.facts.name)
            if isinstance(fault, SourceFault) and self.place is not None:
                fault.hint = fault.hint or _LOOK
            raise

    def checked(self) -> Engine:
        """The same, where faults are written down with their charge: files must be those of the registered version."""
        row = known(self.ledger, self.facts.name)
        if row is None:
            raise AccessError(f"{self.facts.name} is not registered", hint="the data holder runs discreet register")
        if row.version != self.facts.version:
            raise AccessError(f"{self.facts.name} is at version {row.version} now", hint="open it again")
        if self.place is not None and self.facts.located is not None:
            check_source(self.facts, self.ledger, row)
            check_companions(self.facts, self.ledger)
            self._forget_stale()
            return self.opened()
        engine = self.opened()
        engine.check()
        return engine

    def still_the_same(self) -> None:
        """The same after the rows were read, where whatever is found is nobody's fault and the charge is kept."""
        try:
            self.checked()
        except AccessError as error:
            self.engine = None  # it has read something else
            raise SourceFault(error.message, hint=error.hint) from None
        except FactsError as error:  # it lacks what the facts declare, since it was read
            self.engine = None
            changed = f"the source of {self.facts.name} has changed while it was read"
            raise noted(SourceFault(changed, cause=error.message)) from None

    def _forget_stale(self) -> None:
        """Files of the same content that were touched or replaced are opened again."""
        try:
            if self.engine is not None:
                with unlogged():  # if it cannot be opened again, that is what is told
                    self.engine.check()
        except SourceFault:
            self.engine = None  # closed when the last question that reads it is done

    def opened(self) -> Engine:
        """The engine, whatever became of the source. What it lacks by now is for the log, and for nobody who asks."""
        if self.engine is None:
            try:
                self.engine = self.opening()
            except FactsError as error:
                raise noted(SourceFault(GONE, cause=error.message)) from None
        return self.engine
