"""Recompute everything from the entries: the chain, the signatures, every running total, the state of every charge.

Entries are read one at a time, and of each charge only what is running is kept: memory does not grow with the ledger. Each
problem names the entry or the row that was touched. Cutting the end off, or putting an old file back, leaves a ledger that
agrees with itself: only a witness that was kept elsewhere finds it (rule 34).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from discreet.errors import DiscreetError, LedgerFault, ParameterError
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.books import ALL, Books
from discreet.ledger.entries.chain import SIGNED, START, hash_of, now
from discreet.ledger.entries.signatures import is_signed_act, problem_with, signed
from discreet.ledger.journal import each_entry, head
from discreet.ledger.port import Snapshot
from discreet.ledger.records import (
    AccountRecord,
    AlarmRecord,
    AnalystRecord,
    AnswerRecord,
    ChargeRecord,
    DocumentRecord,
    DrawRecord,
    EndRecord,
    EntryRecord,
    Record,
    ReleaseRecord,
    TableRecord,
)
from discreet.ledger.replay import Replay
from discreet.ledger.rows import account_of, books_of

__all__ = ["Verified", "verify", "witness"]


@dataclass(frozen=True, slots=True)
class Verified:
    """What verification found."""

    entries: int
    head: str
    problems: tuple[str, ...]
    rollback: str  # excluded, or not excluded
    notes: tuple[str, ...] = ()  # what is no problem, but should be known

    @property
    def ok(self) -> bool:
        """Whether everything agrees."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "ok": self.ok, "entries": self.entries, "head": self.head, "rollback": self.rollback, "problems": list(self.problems),
            "notes": list(self.notes),
        }  # fmt: skip


def witness(ledger: Ledger, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A signed note of how far the ledger has come, to be kept elsewhere.

    Raises LedgerFault where it has not come from ``before``, an earlier note, which is then to be kept: it shows a rollback.
    """
    with ledger.store.reading() as snapshot:
        if before is not None and (gone := _witnessed(snapshot, ledger, before)):
            raise LedgerFault(gone[0], hint="keep that witness, and find out who put an older ledger here")
        last, accounts = head(snapshot), [each.name for each in snapshot.each(AccountRecord)]
        totals = {name: list(books_of(snapshot, name, ALL).spent().to_texts()) for name in accounts}
        marks = [[entry.number, entry.hash] for entry in each_entry(snapshot, "restored")]
    told = {"entries": last.number, "head": last.hash, "totals": totals, "restored": marks, "at": now()}
    return signed("witness", told, ledger.key)


def verify(ledger: Ledger, note: Mapping[str, Any] | None = None) -> Verified:
    """Check all of a ledger, against a witness if there is one."""
    with ledger.store.reading() as snapshot:
        damaged = [f"the file is damaged: {said}" for said in snapshot.damages()]
        problems = damaged or _chain(snapshot, ledger) or _replayed(snapshot, ledger)
        if note is not None:
            problems += _witnessed(snapshot, ledger, note)
        last = head(snapshot)
    excluded = note is not None and not problems
    return Verified(last.number, last.hash, tuple(problems), "excluded" if excluded else "not excluded", ledger.store.notes())


def _chain(snapshot: Snapshot, ledger: Ledger) -> list[str]:
    """Every hash and signature, from the first entry on. The first broken link is named; what follows hangs on it."""
    before, expected = START, 1
    for entry in snapshot.each(EntryRecord):
        if entry.number != expected:
            return [f"entry {expected} is missing"]
        if hash_of(before, entry.number, entry.at, entry.kind, entry.body) != entry.hash:
            return [f"entry {entry.number} ({entry.kind}) was changed"]
        if entry.kind in SIGNED and not is_signed_act(ledger.key, entry.hash, entry.signature):
            return [f"entry {entry.number} ({entry.kind}) is not signed by this ledger's key"]
        before, expected = entry.hash, expected + 1
    return []


def _witnessed(snapshot: Snapshot, ledger: Ledger, note: Mapping[str, Any]) -> list[str]:
    if (wrong := problem_with(note, "witness", ledger.key.public)) is not None:
        raise ParameterError(wrong, hint="give a witness of this ledger, as discreet ledger witness wrote it")
    seen = snapshot.one(EntryRecord, number=note["entries"])
    if note["entries"] and (seen is None or seen.hash != note["head"]):
        return [f"the ledger was rolled back: the witness has seen entry {note['entries']}, which is gone or another one now"]
    return []


def _replayed(snapshot: Snapshot, ledger: Ledger) -> list[str]:
    """Where the running tables differ from what the entries say."""
    replay = Replay(snapshot, ledger.key)
    for entry in each_entry(snapshot):
        try:
            replay.take(entry)
        except (DiscreetError, LookupError, TypeError, ValueError):
            return [*replay.problems, f"entry {entry.number} ({entry.kind}) does not follow from those before it"]
    problems = replay.problems
    for name in replay.accounts:
        problems += _account_differs(snapshot, replay, name)
    return problems + _records_differ(snapshot, replay)


def _account_differs(snapshot: Snapshot, replay: Replay, name: str) -> list[str]:
    try:
        kept, books = account_of(snapshot, name), books_of(snapshot, name, None)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return [f"the cap or a total of {name} was changed without an entry, and cannot be read"]
    changed = [] if kept == replay.accounts[name] else [f"the cap of {name} was changed without an entry"]
    return changed + _differences(name, books, replay.books[name])


def _differences(account: str, kept: Books, found: Books) -> list[str]:
    problems = []
    if kept.tables != found.tables:
        problems.append(f"a version in {account} was changed without an entry")
    if kept.totals != found.totals:
        touched = sorted({key for key, _ in kept.totals.items() ^ found.totals.items()})
        totals = [f"table {table}{_of(who)}" if table else "what was lost" for table, _, who in touched]
        problems += [f"the total of {total} was changed without an entry" for total in totals]
    if kept.cells != found.cells:
        cells = sorted({key for key, _ in kept.cells.items() ^ found.cells.items()})
        told = "of table {}{} was changed without an entry"
        problems += [f"the total of cell {cell} {told.format(table, _of(who))}" for table, _, cell, who in cells]
    return problems


def _of(who: str) -> str:
    return f", analyst {who}," if who else ""


def _records_differ(snapshot: Snapshot, replay: Replay) -> list[str]:
    """What is left once all entries were read: running charges, records that no entry speaks of, tables and who is frozen."""
    running = {charge.number: charge.attempt for charge in snapshot.each(ChargeRecord, state="running")}
    changed = {number for number, _ in running.items() ^ replay.running.items()} | replay.unspoken()
    problems = [f"the state of charge {number} was changed without an entry" for number in sorted(changed)]
    problems += [f"an answer was stored for charge {charge}, which was not settled" for charge in _unsettled(snapshot)]
    problems += [f"something was bought by charge {charge}, which was never made" for charge in _unmade(snapshot)]
    if {each.name: _registered(each) for each in snapshot.each(TableRecord)} != replay.tables:
        problems.append("a registered table was changed, frozen or unfrozen without an entry")
    analysts = {(each.table, each.name): (each.faults, each.frozen) for each in snapshot.each(AnalystRecord)}
    if analysts != replay.analysts:
        problems.append("an analyst was frozen or unfrozen without an entry")
    if {(each.charge, each.asker): each for each in snapshot.each(AlarmRecord)} != replay.alarms:
        problems.append("an analyst or a table was frozen or unfrozen without an entry")
    if {(each.table, each.expires) for each in snapshot.each(EndRecord)} != replay.ends:
        problems.append("the end of a budget was changed without an entry")
    return problems + replay.enrolled.differences(snapshot, replay.key)


def _registered(table: TableRecord) -> tuple[Any, ...]:
    return table.account, table.digest, table.budget, table.stamps, table.frozen


def _unsettled(snapshot: Snapshot) -> list[int]:
    """Charges that have an answer, or a part of one, and are not settled."""
    kinds = (AnswerRecord, ReleaseRecord, DocumentRecord)
    return sorted({charge for kind in kinds for charge in _without_end(snapshot, kind)})


def _without_end(snapshot: Snapshot, kind: type[Record]) -> Iterator[int]:
    """Both lists are in order, and neither is held in memory."""
    settled = (number for (number,) in snapshot.parts(ChargeRecord, "number", state="settled"))
    nearest = next(settled, None)
    for (charge,) in snapshot.parts(kind, "charge"):
        while nearest is not None and nearest < charge:
            nearest = next(settled, None)
        if nearest != charge:
            yield charge


def _unmade(snapshot: Snapshot) -> list[int]:
    """Charges that no entry made, by what they are said to have bought. Of all others it was compared with their entries."""
    drawn = (each.charge for each in snapshot.each(DrawRecord))
    return sorted({charge for charge in drawn if snapshot.one(ChargeRecord, number=charge) is None})
