"""What becomes of a ledger that was put back from a copy: nothing of it is drawn twice, and nobody asks before it was looked at.

A copy does not know what was charged after it was made. What was running then may have been drawn and delivered since, so that
it is written off and never resumed; questions that waited are forgotten; and every table is frozen by a signed entry. What a
later witness had seen spent, and the copy has not, counts as spent, by signed entries too. Proof: docs/proofs/ledger.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from discreet.ledger import asked, registry
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.amounts import NOTHING, Amount
from discreet.ledger.failures import write_fault
from discreet.ledger.journal import append, each_entry, head
from discreet.ledger.port import Snapshot, Transaction
from discreet.ledger.records import AccountRecord, AskedRecord, ChargeRecord
from discreet.ledger.rows import account_of, books_of, save_books
from discreet.privacy.losses import Loss

__all__ = ["Mended", "mend"]


@dataclass(frozen=True, slots=True)
class Mended:
    """What was done to a ledger that came back."""

    tables: tuple[str, ...]  # which are frozen now
    written_off: tuple[int, ...]  # charges that were running when the copy was made
    forgotten: int  # questions that were waiting then
    lost: Mapping[str, Loss] = field(default_factory=dict)  # what counts as spent from now on, by budget
    uncounted: tuple[str, ...] = ()  # budgets that the witness knows and the copy does not: there is nothing to count it in


def mend(ledger: Ledger, reason: str, later: Mapping[str, Any] | None = None) -> Mended:
    """Mark that this is a copy, write off what was running, forget what was waiting, freeze all tables for this reason.

    What ``later``, a witness that this ledger has not come to, had seen spent beyond what is here is written down as spent.
    """
    with ledger.store.writing() as transaction:
        is_beside = later is not None and _is_beside(transaction, later)
        counted = set() if later is None else _counted(transaction, later)
        here = [each.name for each in transaction.each(AccountRecord) if later is not None and each.name in later["totals"]]
        by = {} if later is None else {"head": later["head"], "accounts": here}
        append(transaction, ledger.key, "restored", {"reason": reason, **by})  # the first entry that differs from what it was
        lost, uncounted = ({}, ()) if later is None else _lose(transaction, ledger, later, reason, counted, whole=is_beside)
        running = list(transaction.each(ChargeRecord, state="running"))
        for charge in running:
            write_fault(transaction, ledger.key, charge, uuid4().hex[:12])
        waiting = [each.id for each in transaction.each(AskedRecord, state="running")]
    for identity in waiting:
        asked.forget(ledger, identity)
    tables = registry.names(ledger)
    for table in tables:
        registry.freeze(ledger, table, reason)
    return Mended(tuple(tables), tuple(each.number for each in running), len(waiting), lost, uncounted)


def _counted(snapshot: Snapshot, later: Mapping[str, Any]) -> set[str]:
    """Budgets in which all that this witness had seen counts already: this is a copy of what was put back by it."""
    marks = [entry.body for entry in each_entry(snapshot, "restored") if entry.body.get("head") == later["head"]]
    lost = {entry.body["account"] for entry in each_entry(snapshot, "lost") if entry.body["head"] == later["head"]}
    return lost.union(*(mark.get("accounts", ()) for mark in marks))


def _is_beside(snapshot: Snapshot, later: Mapping[str, Any]) -> bool:
    """Whether a ledger may have gone on by itself, and not to what a witness had seen.

    Where two ledgers part, one of them was put back: it has a mark there that the other has not. A witness of a version that knew
    no marks has none of them, and then whatever has one counts as gone on by itself.
    """
    last, seen = head(snapshot), dict(later.get("restored", ()))
    here = {entry.number: entry.hash for entry in each_entry(snapshot, "restored")}
    if here.keys() - seen.keys() or any(here.get(number) != found for number, found in seen.items() if number <= last.number):
        return True
    return bool(last.number >= later["entries"] or last.at > later["at"])


def _lose(
    transaction: Transaction, ledger: Ledger, later: Mapping[str, Any], reason: str, counted: set[str], *, whole: bool
) -> tuple[dict[str, Loss], tuple[str, ...]]:
    """A signed entry for each budget of which more was spent than is here; of all that was seen, if the ``whole`` is missing."""
    seen = {name: Amount.from_texts(*texts) for name, texts in later["totals"].items()}
    found: dict[str, Loss] = {}
    for account in [each.name for each in transaction.each(AccountRecord) if each.name in seen]:
        books = books_of(transaction, account, None)
        there = seen.pop(account)
        missing = NOTHING if account in counted else books.lose(there, whole=whole)
        if missing == NOTHING:
            continue
        append(transaction, ledger.key, "lost", {
            "account": account, "amount": list(missing.to_texts()), "entries": later["entries"], "head": later["head"],
            "reason": reason,
        })  # fmt: skip
        save_books(transaction, account, books)
        money, _ = account_of(transaction, account)
        found[account] = money.loss(missing)
    return found, tuple(sorted(seen))
