"""How a curator comes to a table: one in memory, or one that was registered."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from discreet.curator.asking import Curator
from discreet.curator.source_identity import check_declared_size
from discreet.curator.trials import Passed
from discreet.engines import as_source, open_engine, with_lookup_values
from discreet.engines.spark.sessions import is_frame
from discreet.engines.wanted import Engine
from discreet.errors import FactsError
from discreet.facts.file import read_facts
from discreet.facts.make import Beside, facts_for_table
from discreet.facts.model import FRAME, Column, Facts, Source
from discreet.ledger import Ledger
from discreet.ledger.folder import ledger_in_memory, open_ledger, place_of
from discreet.ledger.registry import as_registered, companion_changed, facts_digest, known, lookup_changed, register
from discreet.privacy.events import Neighbours

__all__ = ["curator_in_memory", "open_table", "public_facts", "registered_facts", "table"]


def table(
    frame: Any,
    *,
    columns: Mapping[str, Column],
    unit: str | Mapping[str, object],
    neighbours: Neighbours,
    budget: Any,
    name: str = "t",
    rows: int | None = None,
    rows_about: int | None = None,
    joins: Mapping[str, Beside] | None = None,
) -> Curator:
    """A curator of rows in memory, which are copied. Its budget lives in this process and is gone with it.

    ``frame`` is a table of pandas, polars or Arrow, a dict of columns, or a list of dicts, where what a row lacks is missing.

    ``joins`` names public tables that questions may join it with: ``{"zips": dc.lookup(frame, key="zip", columns={…})}``.
    """
    facts = facts_for_table(
        name=name, columns=columns, unit=unit, neighbours=neighbours, budget=budget, rows=rows, rows_about=rows_about, joins=joins
    )
    lookups, source = {called: each.rows for called, each in (joins or {}).items()}, as_source(frame)
    facts = with_lookup_values(_at(facts, source), lookups)
    return curator_in_memory(facts, open_engine(facts, source, lookups))


def _at(facts: Facts, source: object) -> Facts:
    """The facts of rows that are given; of those that stay where they are, and may change there, the facts say so (rule 13)."""
    place = FRAME if is_frame(source) else source
    found = replace(facts, located=place) if isinstance(place, Source) else facts
    return found if found.is_live else facts


def curator_in_memory(facts: Facts, engine: Engine, passed: Passed | None = None) -> Curator:
    """A curator whose budget lives in this process; many of the same facts may share what ``passed`` their trials."""
    ledger = ledger_in_memory()
    register(ledger, facts)
    curator = Curator(facts, lambda: engine, ledger, passed=passed)
    curator.open()
    check_declared_size(facts, engine)
    return curator


def open_table(path: str | Path) -> Curator:
    """A curator of a registered table. Never makes a ledger; refused if the facts have changed since they were registered."""
    file = Path(path)
    written = public_facts(file)
    ledger = open_ledger(place_of(file))
    facts = registered_facts(ledger, written, file)
    return Curator(facts, _opening(facts), ledger, place_of(file))


def public_facts(file: Path) -> Facts:
    """All that is public about the table of a facts file: what it says, and the values of lookups that it leaves to them."""
    return with_lookup_values(read_facts(file))


def registered_facts(ledger: Ledger, facts: Facts, file: Path) -> Facts:
    """The facts with the meaning that they were registered with; refused if they are not those of the registered version.

    The budget in the file does not count: the ledger has it.
    """
    row, facts = known(ledger, facts.name), as_registered(ledger, facts)
    if row is None:
        raise FactsError(f"{facts.name} is not registered", hint=f"run discreet register {file.name}", file=str(file))
    if row.version != facts.version:
        raise FactsError(
            f"the ledger has version {row.version!r} of {facts.name}, the facts say {facts.version!r}",
            hint=f"run discreet version new {file.name}, or write the old version back", file=str(file), key="table.version",
        )  # fmt: skip
    if row.digest != facts_digest(facts):
        other = companion_changed(ledger, facts)
        if other is not None:
            raise FactsError(
                f"the facts of {other} have changed since {facts.name} was registered, which joins it",
                hint=f"write a new version into {file.name} and run discreet version new {file.name}", file=str(file),
            )  # fmt: skip
        if (lookup := lookup_changed(ledger, facts)) is not None:
            raise FactsError(
                f"the lookup {lookup} has other values than when {facts.name} was registered",
                hint=f"put it back, or write a new version and run discreet version new {file.name}", file=str(file),
            )  # fmt: skip
        raise FactsError(
            f"the facts of {facts.name} have changed since they were registered",
            hint=f"write a new version into them and run discreet version new {file.name}, or undo the change", file=str(file),
        )  # fmt: skip
    return facts


def _opening(facts: Facts) -> Callable[[], Engine]:
    return lambda: open_engine(facts)
