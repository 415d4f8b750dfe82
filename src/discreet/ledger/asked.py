"""Questions that were taken in by a service: which worker is on them, what became of them, and whose they are.

A question outlives the connection it came by, and the worker that took it in. Its ``id`` is the key of its charge: whoever goes
on with it, however often, charges it once. With a key of the asker's own, the same request sent again is found by that; the
same key with another request is refused. What is done is kept for a day, and no more than ``MOST_KEPT`` for one asker.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from discreet.errors import BusyError, MissingError, ParameterError
from discreet.ledger.alarms import asker_named
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.codec import canonical
from discreet.ledger.owners import LEASE, is_dead, lease_from, owner
from discreet.ledger.port import Snapshot, Transaction
from discreet.ledger.records import AskedRecord, ChargeRecord, FilledRecord, HistoryRecord
from discreet.noise.keystream import Keystream, bits

__all__ = [
    "KEPT_FOR", "MOST_KEPT", "MOST_TAKEN", "MOST_WAITING", "Taken", "all_done", "asked", "done", "forget", "forget_answers",
    "left_behind", "renew", "reword", "take", "take_in",
]  # fmt: skip

KEPT_FOR = 86_400.0  # seconds after it was taken in
MOST_KEPT = 1_000  # of one asker
MOST_WAITING = 64  # of one asker, in all workers
MOST_TAKEN = 12  # times that a question is gone on with, most of them before it was its turn; its charge has a limit of its own
_CRASHED = {"error": "crash", "message": "this question has crashed too often", "hint": "tell the data holder"}


@dataclass(frozen=True, slots=True)
class Taken:
    """A question as it stands. ``body`` is the request, as long as it is not done; ``outcome`` what became of it, once it is."""

    id: str
    asker: str
    table: str
    at: float
    due: float  # when it may be delivered, by the clock of the ledger
    is_new: bool = False  # this call took it in, or over: it is to be worked on here
    body: Mapping[str, Any] | None = None
    outcome: Mapping[str, Any] | None = None  # {"answer": id}, with "free" where nothing was bought; or an error as it is told

    @property
    def is_done(self) -> bool:
        """Whether it was answered or refused, or has failed."""
        return self.outcome is not None


def take_in(
    ledger: Ledger, asker: str, table: str, body: Mapping[str, Any], *, key: str = "", lasts: float = 0.0
) -> Taken:
    """Write a question down before it is worked on; or find the one that was sent with the same key before.

    ``body`` is all that makes the request, for JSON; ``lasts`` the public time after which it is delivered. The key of one that
    was refused is free. Raises ParameterError if the key belongs to another request, BusyError if too many of this asker are
    waiting.
    """
    name, made, text = asker_named(asker), f"ask-{bits(Keystream(), 64):016x}", canonical(dict(body))
    digest = sha256(f"{table}\n{text}".encode()).hexdigest()
    with ledger.store.writing() as transaction:
        before = transaction.one(AskedRecord, asker=name, key=key) if key else None
        if before is not None and _is_refused(transaction, before):
            _drop(transaction, before)
            before = None
        if before is not None and before.digest != digest:
            raise ParameterError("this key belongs to another request", hint="use a key once, for one request")
        if before is not None:
            return _taken_over(transaction, before) or _taken(transaction.one(AskedRecord, id=before.id) or before)
        _make_room(transaction, name)
        clock, last = transaction.clock(), list(transaction.each(AskedRecord, backwards=True, most=1))
        record = AskedRecord(
            last[0].number + 1 if last else 1, made, name, key, digest, table, text, at=clock,
            due=clock + lasts, state="running", attempt=1, owner=owner(), lease=lease_from(clock), outcome="",
        )  # fmt: skip
        transaction.add(record)
        return _taken(record, is_new=True)


def asked(ledger: Ledger, asker: str, identity: str) -> Taken:
    """A question of an asker. Raises MissingError if they asked none of that id, whoever else did."""
    with ledger.store.reading() as snapshot:
        return _taken(_theirs(snapshot, asker, identity))


def left_behind(ledger: Ledger) -> list[str]:
    """Questions whose workers are dead."""
    with ledger.store.reading() as snapshot:
        clock = snapshot.clock()
        return [each.id for each in snapshot.each(AskedRecord, state="running") if is_dead(each.owner, each.lease, clock)]


def take(ledger: Ledger, identity: str) -> Taken | None:
    """A question whose worker is dead, for this process to go on with; None if somebody else was faster, or it is done."""
    with ledger.store.writing() as transaction:
        found = transaction.one(AskedRecord, id=identity)
        return None if found is None else _taken_over(transaction, found)


def renew(ledger: Ledger, identities: Sequence[str]) -> None:
    """This process is still working on these: to be said every few seconds, and written down only where it is time to."""
    with ledger.store.reading() as snapshot:
        soon = snapshot.clock() + LEASE / 2
        ours = [_ours(snapshot, identity) for identity in identities]
        late = [each.id for each in ours if each is not None and each.lease < soon]
    if late:
        with ledger.store.writing() as transaction:
            for found in [_ours(transaction, identity) for identity in late]:
                if found is not None:
                    transaction.change(found, lease=lease_from(transaction.clock()))


def done(ledger: Ledger, identity: str, outcome: Mapping[str, Any]) -> Taken:
    """What became of a question: ``{"answer": id}``, or an error as it is told. Whoever comes second gets that of the first."""
    with ledger.store.writing() as transaction:
        found = transaction.one(AskedRecord, id=identity)
        if found is None:
            raise MissingError(f"there is no question {identity[:40]!r}", hint="it may have been forgotten: ask again")
        if found.state == "running":
            _end(transaction, found, outcome)
        return _taken(transaction.one(AskedRecord, id=identity) or found)


def all_done(ledger: Ledger, outcomes: Mapping[str, Mapping[str, Any]]) -> None:
    """Which answers questions were given, in one transaction. A question whose answer nobody keeps, since it was forgotten
    meanwhile or is too long for a history, is not kept either: its key may be used again."""
    with ledger.store.writing() as transaction:
        for identity, outcome in outcomes.items():
            found = transaction.one(AskedRecord, id=identity, state="running")
            if found is None:
                continue
            if transaction.one(HistoryRecord, asker=found.asker, id=outcome["answer"]) is None:
                _drop(transaction, found)
            else:
                _end(transaction, found, outcome)


def reword(ledger: Ledger, identity: str, body: Mapping[str, Any]) -> None:
    """Go on with a question in these words if this process dies: a wish is the price by now that it was turned into.

    The request that it came as stays what its key stands for.
    """
    with ledger.store.writing() as transaction:
        found = _ours(transaction, identity)
        if found is not None:
            transaction.change(found, body=canonical(dict(body)))


def forget(ledger: Ledger, identity: str) -> None:
    """As if it had never been taken in: for what was refused before anything happened, and may be sent again with its key.

    What a worker had charged before it died stays: sent again, it would be another question.
    """
    with ledger.store.writing() as transaction:
        found = transaction.one(AskedRecord, id=identity)
        if found is not None and not _is_charged(transaction, found):
            _drop(transaction, found)


def forget_answers(transaction: Transaction, asker: str, answers: Collection[str]) -> None:
    """What was asked and led to these answers, which are not there any more: the keys may be used again."""
    for found in list(transaction.each(AskedRecord, asker=asker, state="done")):
        if json.loads(found.outcome).get("answer") in answers:
            _drop(transaction, found)


def _ours(snapshot: Snapshot, identity: str) -> AskedRecord | None:
    return snapshot.one(AskedRecord, id=identity, owner=owner(), state="running")


def _taken_over(transaction: Transaction, found: AskedRecord) -> Taken | None:
    clock = transaction.clock()
    if found.state != "running" or not is_dead(found.owner, found.lease, clock):
        return None
    if (answer := _answer_to(transaction, found)) is not None:
        _end(transaction, found, {"answer": answer})
        return None
    if found.attempt >= MOST_TAKEN:
        _end(transaction, found, _CRASHED)
        return None
    transaction.change(found, attempt=found.attempt + 1, owner=owner(), lease=lease_from(clock))
    return _taken(found, is_new=True)


def _is_refused(snapshot: Snapshot, found: AskedRecord) -> bool:
    """Whether all that became of it is that it was not answered, at no price: what was in the way may be over. A fault after a
    charge is what became of a request, and stays it."""
    if found.state != "done" or "answer" in json.loads(found.outcome):
        return False
    return not any(snapshot.each(ChargeRecord, table=found.table, analyst=found.asker, key=found.id))


def _is_charged(snapshot: Snapshot, found: AskedRecord) -> bool:
    charges = snapshot.each(ChargeRecord, table=found.table, analyst=found.asker, key=found.id)
    return any(charge.state != "faulted" for charge in charges)


def _answer_to(snapshot: Snapshot, found: AskedRecord) -> str | None:
    """What a worker had settled, into the asker's history, before it died; the table may have moved on since."""
    charges = snapshot.each(ChargeRecord, table=found.table, analyst=found.asker, key=found.id, state="settled")
    lines = [snapshot.one(HistoryRecord, charge=charge.number, asker=found.asker) for charge in list(charges)]
    return next((line.id for line in lines if line is not None), None)


def _end(transaction: Transaction, found: AskedRecord, outcome: Mapping[str, Any]) -> None:
    transaction.change(found, state="done", body="", outcome=canonical(dict(outcome)))


def _theirs(snapshot: Snapshot, asker: str, identity: str) -> AskedRecord:
    found = snapshot.one(AskedRecord, id=identity, asker=asker_named(asker))
    if found is None:
        raise MissingError(f"there is no question {identity[:40]!r}", hint="it may have been forgotten: ask again")
    return found


def _make_room(transaction: Transaction, name: str) -> None:
    """Forget what was done long ago, and the oldest if there is too much; refuse if too much of it is still waiting."""
    if len(list(transaction.parts(AskedRecord, "number", asker=name, state="running"))) >= MOST_WAITING:
        raise BusyError(f"{MOST_WAITING} questions of {name} are waiting already", hint="wait for one of them")
    clock = transaction.clock()
    for found in list(transaction.each(AskedRecord, asker=name, state="done", most=2)):  # each one that comes makes two go
        if clock - found.at > KEPT_FOR or _filled(transaction, name).asked >= MOST_KEPT:
            _drop(transaction, found)
    filled = _filled(transaction, name)
    transaction.put(FilledRecord(name, filled.views, filled.size, filled.asked + 1))


def _drop(transaction: Transaction, found: AskedRecord) -> None:
    transaction.drop(AskedRecord, id=found.id)
    filled = _filled(transaction, found.asker)
    transaction.put(FilledRecord(found.asker, filled.views, filled.size, max(0, filled.asked - 1)))


def _filled(transaction: Transaction, name: str) -> FilledRecord:
    return transaction.one(FilledRecord, asker=name) or FilledRecord(name, 0, 0, 0)


def _taken(found: AskedRecord, *, is_new: bool = False) -> Taken:
    body, outcome = (json.loads(text) if text else None for text in (found.body, found.outcome))
    return Taken(found.id, found.asker, found.table, found.at, found.due, is_new, body, outcome)
