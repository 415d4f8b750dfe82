"""Whether a table's source is still that of its registered version. A new one is a public act, never detected while asking."""

from collections.abc import Sequence
from typing import Any

from discreet.engines.faults import guarded
from discreet.engines.stamps import stamps_of
from discreet.engines.wanted import Bound, Engine, Measure, Wanted
from discreet.errors import AccessError, EngineFault, FactsError
from discreet.facts.model import Companion, Facts, Lookup, Source
from discreet.ledger.registry import known, registered_unit
from discreet.ledger.sqlite import Ledger

__all__ = ["check_companions", "check_declared_size", "check_source", "stamps_for"]

_FILES = ("csv", "parquet", "duckdb")


def stamps_for(facts: Facts) -> list[list[str]]:
    """What the ledger remembers of the source's files, and of those of its lookups."""
    return [stamp for name, place in _places(facts) for stamp in _stamped(facts, name, place)]


def check_source(facts: Facts, registered: Sequence[Any]) -> None:
    """Raises EngineFault unless the files have the size and time that they were registered with (rule 14)."""
    if stamps_for(facts) != list(registered):
        other = [name for name, place in _places(facts) if any(each not in registered for each in _stamped(facts, name, place))]
        raise _changed(other[0] if other else facts.name)


def _changed(name: str) -> EngineFault:
    hint = "if its rows are new, write a new version into the facts and run discreet version new"
    fault = EngineFault(_gone(name), hint=hint)
    fault.cause = f"the source of {name} is not as it was registered"
    return fault


def _gone(name: str) -> str:
    return f"the source of {name} is gone, or has changed since it was registered"


def check_companions(facts: Facts, ledger: Ledger) -> None:
    """Refuses other confidential tables that are not registered as they are declared; a Fault if their files have changed."""
    for join in facts.joins:
        if not isinstance(join, Companion):
            continue
        row = known(ledger, join.name)
        if row is None:
            raise AccessError(f"{join.name} is not registered", hint="the data holder runs discreet register")
        if row.version != join.facts.version:
            hint = "the data holder writes a new version into both facts files and runs discreet version new"
            raise AccessError(f"{join.name} is at version {row.version} now", hint=hint)
        if registered_unit(ledger, join.name) != join.facts.unit:
            raise FactsError(f"the unit of {join.name} is not as it was registered", hint="write it back", file=join.source)
        stamps = stamps_for(join.facts)
        if stamps != list(row.stamps)[: len(stamps)]:  # behind them are those of its own lookups
            raise _changed(join.name)


def _places(facts: Facts) -> list[tuple[str, Source]]:
    """Where all rows of a version are kept, and whose they are: the table's or a lookup's."""
    found = [(facts.name, facts.located), *((join.name, join.located) for join in facts.joins if isinstance(join, Lookup))]
    return [(name, place) for name, place in found if place is not None and place.kind in _FILES]


def _stamped(facts: Facts, name: str, place: Source) -> list[list[str]]:
    """The stamps of one place; those of lookups say of which."""
    before = "" if place is facts.located else f"{name}/"
    return guarded(_gone(name), lambda: [[before + file, digest] for file, digest in stamps_of(place)])


def check_declared_size(facts: Facts, engine: Engine) -> None:
    """Refuses a public size that is not that of the data: whatever rests on it would be wrong (rule 3)."""
    if facts.rows is not None and _counted(engine, Wanted(None, (), (Measure(0),))) != facts.rows:
        raise FactsError(
            "rows differs from the number of rows in the source",
            hint="count them and write that number, or leave rows out and write rows_about", key="table.rows",
        )  # fmt: skip
    units = Wanted(None, (), (Measure(0, within=(0, 1)),), Bound(0))
    if facts.units is not None and _counted(engine, units) != facts.units:
        raise FactsError(
            "units differs from the number of units in the source",
            hint="count the different values of the unit's column and write that number, or leave units out", key="table.units",
        )  # fmt: skip


def _counted(engine: Engine, wanted: Wanted) -> int:
    return int(engine.run(wanted).take().whole()[0, 0])
