"""Whether a table's source is still that of its registered version: by its content (rule 14).

Its bytes are digested again only when size, time, inode or time of change are not those last seen: once, remembered in the
ledger, before the charge and whatever is asked. They are never parsed here. A content that changed closes the table until the
data holder acts, and freezes nobody.
"""

from collections.abc import Mapping
from typing import Any

from discreet.engines.faults import guarded
from discreet.engines.stamps import Look, Seen, look_at, old_stamps, seen_in
from discreet.engines.wanted import Bound, Engine, Measure, Wanted
from discreet.errors import AccessError, FactsError, SourceFault
from discreet.facts.model import ByColumn, Column, Companion, Facts, Lookup, Source
from discreet.ledger import Ledger
from discreet.ledger.registry import known, registered_unit
from discreet.ledger.rows import TableRow
from discreet.ledger.sources import adopt, is_closed, is_keyed, is_same_look, note, pinned, recall, reopen
from discreet.questions.algebra import Column as Named
from discreet.releasing.sizes import is_counted

__all__ = [
    "check_companions", "check_declared_size", "check_readable", "check_source", "has_no_units", "is_as_seen", "lost_columns",
    "open_again", "seen_of",
]  # fmt: skip

_FILES = ("csv", "parquet", "duckdb")
_UNITS = Wanted(None, (), (Measure(0, within=(0, 1)),), Bound(0))  # how many there are


def seen_of(facts: Facts, *, tell: bool = False) -> dict[str, Seen]:
    """The table's rows and its lookups as they are now, every byte of them; by whose they are."""
    return {name: _seen(name, place, tell=tell) for name, place in _places(facts)}


def is_as_seen(facts: Facts, seen: Mapping[str, Seen]) -> bool:
    """Whether nobody has written to the files since they were seen."""
    return all(_look(name, place) == seen[name].look for name, place in _places(facts))


def check_source(facts: Facts, ledger: Ledger, row: TableRow) -> None:
    """Raises AccessError if the files are not what was registered, SourceFault if they are gone (rule 14)."""
    for name, place in _places(facts):
        if not _is_same(ledger, row, name, place, own=place is facts.located):
            raise _changed(name)


def check_companions(facts: Facts, ledger: Ledger) -> None:
    """Refuses other confidential tables that are not registered as they are declared, or whose files have changed."""
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
        check_source(join.facts, ledger, row)


def open_again(facts: Facts, ledger: Ledger) -> None:
    """Open a table that was closed, if its content is what was registered; or on the word of the data holder, if the ledger is
    from before contents were known. Refused if it is not."""
    row = known(ledger, facts.name)
    if row is None or not is_closed(ledger, facts.name):
        return
    if reopen(ledger, facts.name, row.version, seen_of(facts)):
        raise FactsError(
            f"the source of {facts.name} is not what was registered",
            hint="put the files back as they were, or write a new version into the facts and run discreet version new",
            key="table.source",
        )


def _is_same(ledger: Ledger, row: TableRow, name: str, place: Source, *, own: bool) -> bool:
    kept = recall(ledger, row.name, name)
    if kept is None and not is_keyed(row.stamps):
        seen, before = _seen(name, place), "" if own else name
        now = guarded(_gone(name), lambda: old_stamps(place), SourceFault)
        then = [[file.rpartition("/")[2], stamp] for file, stamp in row.stamps if file.rpartition("/")[0] == before]
        adopt(ledger, row.name, row.version, name, seen, same=now == then)
        return now == then
    if kept is not None and kept.closed:
        return False
    pin = kept.pin if kept is not None else _registered(row, name)
    is_sound = kept is not None and pin == pinned(ledger.key, row.name, row.version, name, kept.content)
    if kept is not None and is_sound and is_same_look(ledger.key, kept, _look(name, place)):
        return True
    return note(ledger, row.name, row.version, name, pin, _seen(name, place))


def _registered(row: TableRow, name: str) -> str:
    stamps: dict[str, Any] = dict(row.stamps)
    return str(stamps.get(name, ""))


def _seen(name: str, place: Source, *, tell: bool = False) -> Seen:
    return guarded(_gone(name), lambda: seen_in(place), SourceFault, tell=tell)


def _look(name: str, place: Source) -> Look:
    return guarded(_gone(name), lambda: look_at(place), SourceFault)


def _changed(name: str) -> AccessError:
    return AccessError(
        f"the source of {name} has changed since it was registered",
        hint="the data holder writes a new version into the facts and runs discreet version new; if the files were put back as "
        "they were, discreet unfreeze",
    )


def _gone(name: str) -> str:
    return f"the source of {name} is gone or cannot be read"


def _places(facts: Facts) -> list[tuple[str, Source]]:
    """Where all rows of a version are kept, and whose they are: the table's or a lookup's."""
    found = [(facts.name, facts.located), *((join.name, join.located) for join in facts.joins if isinstance(join, Lookup))]
    return [(name, place) for name, place in found if place is not None and place.kind in _FILES]


def check_readable(facts: Facts, engine: Engine) -> None:
    """Reads the rows once, for whoever holds them. Refuses a public size that is not that of the data (rule 3)."""
    engine.run(Wanted(None, (), (Measure(0),)))
    check_declared_size(facts, engine)


def lost_columns(facts: Facts, engine: Engine) -> list[Column]:
    """The columns that have no value in any row, for whoever holds the data."""
    return [each for each in facts.columns if is_counted(engine, Wanted(None, (), (Measure(0, Named(each.name)),)), 0)]


def has_no_units(facts: Facts, engine: Engine) -> bool:
    """Whether no row of a file has a unit, where a column tells them apart."""
    is_file = facts.located is not None and facts.located.kind in _FILES
    return is_file and isinstance(facts.unit, ByColumn) and is_counted(engine, _UNITS, 0)


def check_declared_size(facts: Facts, engine: Engine) -> None:
    """Refuses a public size that is not that of the data: whatever rests on it would be wrong (rule 3)."""
    if facts.rows is not None and not is_counted(engine, Wanted(None, (), (Measure(0),)), facts.rows):
        raise FactsError(
            "rows differs from the number of rows in the source",
            hint="count them and write that number, or leave rows out and write rows_about", key="table.rows",
        )  # fmt: skip
    if facts.units is not None and not is_counted(engine, _UNITS, facts.units):
        raise FactsError(
            "units differs from the number of units in the source",
            hint="count the different values of the unit's column and write that number, or leave units out", key="table.units",
        )  # fmt: skip
