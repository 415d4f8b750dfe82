"""The data holder's acts: each takes the path of a facts file, and what it changes is a signed entry in the ledger."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from discreet.answers.answer import Answer, BudgetState
from discreet.curator.advice import advice_on, first_question, past_end
from discreet.curator.certificates import match_answer, verify_receipt, verify_release
from discreet.curator.opening import open_table, public_facts, registered_facts
from discreet.curator.same_people import same_people_notes
from discreet.curator.source_identity import check_readable, has_no_units, is_as_seen, lost_columns, open_again, seen_of
from discreet.engines import open_engine
from discreet.engines.inspection import Inspection, inspected
from discreet.engines.rules.lookups import lookup_files
from discreet.engines.stamps import Seen, is_missing
from discreet.errors import FactsError, ParameterError
from discreet.facts.budgets import parse_budget
from discreet.facts.file import read_facts, read_folder
from discreet.facts.lines import key_text
from discreet.facts.model import ByColumn, Column, Facts
from discreet.ledger import Ledger, made_ledger, open_ledger, place_of, registry
from discreet.ledger import faults as failed
from discreet.ledger import stops as stopped
from discreet.ledger import verify as checking
from discreet.ledger.alarms import Alarm
from discreet.ledger.entries.chain import Entry
from discreet.ledger.faults import Failed, Uncharged
from discreet.ledger.folder import logged, logged_causes
from discreet.ledger.sources import is_keyed
from discreet.ledger.stops import Stop
from discreet.ledger.verify import Verified
from discreet.remedies import Remedy

__all__ = [
    "Registered",
    "alarms",
    "entries",
    "entries_about",
    "export",
    "faults",
    "freeze",
    "inspect",
    "match_answer",
    "new_version",
    "notes_on_budget",
    "raise_budget",
    "receipt",
    "recover",
    "register",
    "stops",
    "uncharged",
    "unfreeze",
    "verify",
    "verify_receipt",
    "verify_release",
    "witness",
]

Place = str | Path


@dataclass(frozen=True, slots=True)
class Registered:
    """A table that the ledger knows."""

    table: str
    version: str
    folder: Path
    budget: BudgetState
    warnings: tuple[str, ...]
    already: bool
    question: str = ""  # one to begin with


def inspect(path: Place, say: Callable[[str], None] = lambda _: None) -> Inspection:
    """What the rows are read as: exact counts and spellings, for the terminal of whoever holds the data and nothing else."""
    return inspected(read_facts(path), say)


def register(path: Place, *, separate: bool = False, reason: str = "", anyway: bool = False) -> Registered:
    """Make a table known to the ledger of its folder, which is made if there is none. Doing it twice changes nothing.

    Rows that another table of the ledger has, with a budget of its own, are refused: the same people would have two. Unless it is
    stated to be ``separate``, for a reason that is signed and stays in the ledger. A column with values of which none can be read
    is refused too, unless ``anyway``: neither leaves a trace, since whoever reads the ledger would learn something about rows.
    """
    file = Path(path)
    facts = public_facts(file)
    why = _reason(reason) if separate else ""
    seen = _looked_at(facts, file, anyway=anyway)
    ledger = made_ledger(place_of(file))
    try:
        already = registry.known(ledger, facts.name) is not None
        if already:
            registered_facts(ledger, facts, file)
        else:
            already = not registry.register(ledger, facts, seen, why)
        state, notes = ledger.state(facts.name), registry.cap_notes(ledger, facts)
    finally:
        ledger.close()
    beside = () if separate else same_people_notes(facts, file.parent)
    warnings = (*advice_on(facts.budget.cap, facts), *past_end(facts.budget), *beside, *notes)
    return Registered(facts.name, facts.version, place_of(file), state, warnings, already, first_question(facts))


def raise_budget(path: Place, budget: Any, *, reason: str, by: str = "") -> BudgetState:
    """A higher cap, for a reason that stays in the ledger. ``by`` is the account that acts, where it is not done here."""
    with _opened(path) as (ledger, facts):
        registry.raise_cap(ledger, facts.name, parse_budget(budget).cap, _reason(reason), by)
        return ledger.state(facts.name)


def new_version(
    path: Place, *, reason: str = "", no_unit_in_both: bool = False, separate: bool = False, anyway: bool = False
) -> str:
    """The version that the facts file names now. What was spent stays spent, unless none of its units was in a version before."""
    file = Path(path)
    facts = public_facts(file)
    with _opened(path) as (ledger, _):
        if no_unit_in_both or separate:
            _reason(reason)
        seen, why = _looked_at(facts, file, anyway=anyway), reason if separate else ""
        registry.new_version(ledger, facts, seen, reason, no_unit_in_both=no_unit_in_both, separate=why)
    return facts.version


def notes_on_budget(path: Place) -> tuple[str, ...]:
    """Where the budget in the facts is not the one that applies, or its last day is over."""
    with _opened(path) as (ledger, facts):
        return (*past_end(facts.budget), *registry.cap_notes(ledger, facts))


def freeze(path: Place, *, reason: str, analyst: str | None = None, by: str = "") -> None:
    """Nobody may ask the table, or one analyst may not."""
    with _opened(path) as (ledger, facts):
        registry.freeze(ledger, facts.name, _reason(reason), analyst=analyst, by=by)


def unfreeze(path: Place, *, reason: str, analyst: str | None = None, by: str = "") -> list[Alarm]:
    """Asking is allowed again: of the table and all tables about the same people, or of one analyst. What had frozen them.

    A table that was closed since its source changed must have the registered content again. An end stays where it is. Where
    nothing is frozen or closed, nothing is written.
    """
    _reason(reason)
    with _opened(path) as (ledger, facts):
        found = stopped.stops(ledger, facts.name)
        if analyst is not None:
            _check_frozen(found, facts.name, analyst)
        elif not any(stop.is_of_table for stop in found):
            return []
        else:
            open_again(facts, ledger)
        return _with_causes(path, registry.unfreeze(ledger, facts.name, reason, analyst=analyst, by=by))


def stops(path: Place, analyst: str | None = None) -> list[Stop]:
    """What stops asking a table now, of everybody and of single analysts; or of one, who must be frozen."""
    with _opened(path) as (ledger, facts):
        found = stopped.stops(ledger, facts.name)
    if analyst is not None:
        _check_frozen(found, facts.name, analyst)
    return found


def _check_frozen(found: list[Stop], table: str, analyst: str) -> None:
    names = sorted({stop.analyst for stop in found if stop.analyst is not None})
    if analyst not in names:
        hint = f"frozen on {table}: {', '.join(names) or 'no analyst'}"
        raise ParameterError(f"{analyst} is not frozen", hint=hint)


def alarms(path: Place) -> list[Alarm]:
    """Faults that may depend on rows and that nobody has looked at: each with its charge, its question and its kind."""
    with _opened(path) as (ledger, facts):
        return _with_causes(path, registry.alarms(ledger, facts.name))


def _with_causes(path: Place, found: list[Alarm]) -> list[Alarm]:
    causes = logged_causes(place_of(Path(path)))
    return [replace(each, cause=causes.get(each.reference, "")) for each in found]


def faults(path: Place, table: str | None = None, most: int = 100) -> list[Failed]:
    """Questions of a folder, or of one of its tables, that failed after their charge, newest first; looked at or not."""
    with _ledger(path) as ledger:
        found, causes = failed.faults(ledger, table, most), logged_causes(place_of(Path(path)))
    return [replace(each, cause=causes.get(each.reference, "")) for each in found]


def uncharged(path: Place, table: str | None = None, most: int = 100) -> list[Uncharged]:
    """What failed before its charge, of a folder or of one of its tables, newest first: sources that cannot be asked."""
    return failed.uncharged(logged(place_of(Path(path))), table, most)


def entries(path: Place, last: int | None = None) -> list[Entry]:
    """The last entries of the ledger, or all of them: of all tables in the folder."""
    with _ledger(path) as ledger:
        return [_without_old_stamps(entry) for entry in ledger.entries(last)]


def entries_about(path: Place, table: str) -> list[Entry]:
    """All entries about one table: its own, those of its budget and of its charges, and those of whom it was granted to.

    A fault of another table about the same people is among them, since it freezes whoever asked on all of these tables.
    """
    found = entries(path)
    account = {each.body["table"]: each.body["account"] for each in found if each.kind == "register"}
    charged = {each.number: each.body["table"] for each in found if each.kind == "charge"}
    asking = {each.body["name"] for each in found if each.kind == "grant" and table in each.body["tables"]}

    def is_about(entry: Entry) -> bool:
        body = entry.body
        if "charge" in body:
            of = charged[body["charge"]]
            return of == table or (entry.kind == "fault" and account[of] == account[table])
        if "table" in body:
            return bool(body["table"] == table)
        if "tables" in body:
            return table in body["tables"]
        return body["account"] == account[table] if "account" in body else body.get("name") in asking

    return [each for each in found if is_about(each)]


def export(path: Place) -> Iterator[dict[str, Any]]:
    """Every entry, for JSON, one at a time."""
    with _ledger(path) as ledger:
        for entry in ledger.each_entry():
            yield _without_old_stamps(entry).to_dict()


def verify(path: Place, witness: Mapping[str, Any] | None = None) -> Verified:
    """Recompute the chain and every total."""
    with _ledger(path) as ledger:
        return checking.verify(ledger, witness)


def witness(path: Place, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A signed note of how far the ledger has come: kept elsewhere, it shows a rollback.

    Raises LedgerFault if an earlier one, ``before``, shows one now.
    """
    with _ledger(path) as ledger:
        return checking.witness(ledger, before)


def recover(path: Place) -> list[Answer]:
    """Answer what crashes left behind; it is paid for."""
    curator = open_table(path)
    try:
        return curator.recover()
    finally:
        curator.close()


def receipt(path: Place, answer_id: str) -> dict[str, Any]:
    """The receipt of an answer."""
    with _ledger(path) as ledger:
        found = ledger.receipt(answer_id)
    if found is None:
        raise ParameterError(f"there is no answer {answer_id[:40]!r}", hint="discreet ledger show lists what was answered")
    return found


def _without_old_stamps(entry: Entry) -> Entry:
    """An entry as it may be handed out: older ledgers hold hashes that tell a source's size to whoever guesses it (rule 36)."""
    if is_keyed(entry.body.get("stamps", ())):
        return entry
    return replace(entry, body={name: value for name, value in entry.body.items() if name != "stamps"} | {"withheld": ["stamps"]})


def _looked_at(facts: Facts, file: Path, *, anyway: bool) -> dict[str, Seen]:
    """A source that has what the facts declare, and its lookups, as they are now. The engine's own words are told."""
    if facts.located is not None and is_missing(facts.located):
        hint = "write the path of a file, seen from the facts file"
        raise FactsError(f"there is no such file: {facts.source}", hint=hint, file=str(file), key="table.source")
    lookup_files(facts, {})
    before = seen_of(facts, tell=True)
    engine = open_engine(facts, tell=True)
    try:
        check_readable(facts, engine)
        empty = [] if anyway else lost_columns(facts, engine)
        is_nobodys = not anyway and has_no_units(facts, engine)
    finally:
        engine.close()
    if is_nobodys:
        _refuse_nobodys(facts, file)
    if empty:
        _refuse_lost(facts, empty, file)
    if not is_as_seen(facts, before):
        raise FactsError("the source changed while it was read", hint="try again when nobody writes to it")
    return before


def _refuse_lost(facts: Facts, empty: list[Column], file: Path) -> None:
    """Raises FactsError if one of these columns, of which nothing was read, has values."""
    lost = [each.name for each in inspected(replace(facts, columns=tuple(empty))).columns if each.is_lost]
    if lost:
        what = "column" if len(lost) == 1 else "columns"
        raise FactsError(
            f"none of the values in {what} {', '.join(map(repr, lost))} can be read as declared",
            hint=Remedy(f"discreet check --rows {file.name} shows how they are spelt: declare that (format, decimal, values, …), "
                        "take the column out, or write {anyway}"),
            file=str(file), key=key_text(("columns", lost[0])),
        )  # fmt: skip


def _refuse_nobodys(facts: Facts, file: Path) -> None:
    """Raises FactsError if there are rows: none of them has a unit, and all would be left out of every answer."""
    if isinstance(facts.unit, ByColumn) and inspected(replace(facts, columns=())).rows:
        raise FactsError(
            f"no row has a value in column {facts.unit.column!r}, which says whose it is",
            hint=Remedy("name the column that tells units apart, or write {anyway}"), file=str(file), key="table.unit",
        )  # fmt: skip


def _reason(reason: str) -> str:
    if not reason.strip():
        raise ParameterError("an act in the ledger needs a reason", hint="write why: --reason '…'")
    return reason


@contextmanager
def _ledger(path: Place) -> Iterator[Ledger]:
    ledger = open_ledger(place_of(Path(path)))
    try:
        yield ledger
    finally:
        ledger.close()


@contextmanager
def _opened(path: Place) -> Iterator[tuple[Ledger, Facts]]:
    file = Path(path)
    if file.is_dir():
        names = ", ".join(read_folder(file))
        raise ParameterError("several tables are in that folder", hint=f"give the facts file of one of {names}")
    facts = read_facts(file)
    with _ledger(file) as ledger:
        yield ledger, facts
