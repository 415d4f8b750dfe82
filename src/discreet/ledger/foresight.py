"""What a batch of charges would do to the budgets, before any of it is charged. Reads the ledger and writes nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from discreet.answers.answer import BudgetState
from discreet.ledger.admission import limit_of, too_dear
from discreet.ledger.alarms import asker_named
from discreet.ledger.budgets import state_of
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.amounts import Money
from discreet.ledger.entries.books import ALL, Books
from discreet.ledger.entries.charges import Request
from discreet.ledger.port import Snapshot
from discreet.ledger.rows import account_of, books_of, table_record, table_row
from discreet.privacy.losses import Loss

__all__ = ["Foreseen", "Prospect", "Worth", "foreseen", "prospect", "worth"]


@dataclass(frozen=True, slots=True)
class Foreseen:
    """One budget before and after a batch; ``takes`` is the difference. Tables about the same people share one."""

    tables: tuple[str, ...]
    cap: Loss
    before: Loss
    after: Loss
    takes: Loss
    is_enough: bool


@dataclass(frozen=True, slots=True)
class Prospect:
    """What a question would do to the budget: its cost, and what that takes off it, less where another cell has borne as much."""

    before: BudgetState
    cost: Loss
    takes: Loss
    after: BudgetState
    is_enough: bool
    too_dear: str = ""  # why one question may not cost as much, whatever is left


@dataclass(frozen=True, slots=True)
class Worth:
    """The loss of a batch by itself to the people of some tables, whatever else was spent on them."""

    tables: tuple[str, ...]
    loss: Loss


def foreseen(ledger: Ledger, requests: Sequence[Request], tables: Sequence[str]) -> list[Foreseen]:
    """Every budget of ``tables`` if all of ``requests`` were charged: cells, groups and sequence as a charge counts them."""
    found = []
    with ledger.store.reading() as snapshot:
        for account, members in _accounts(snapshot, tables).items():
            money, cap = account_of(snapshot, account)
            books = books_of(snapshot, account, ALL)
            before = books.spent(now=members[0])
            _charge(books, money, members, requests)
            after = books.spent(now=members[0])
            cap_, was, will = money.loss(cap), money.loss(before), money.loss(after)
            takes, is_enough = money.loss(after.minus(before)), books.spent().fits(cap)
            found.append(Foreseen(tuple(members), cap_, was, will, takes, is_enough))
    return found


def prospect(ledger: Ledger, request: Request) -> Prospect:
    """What one request would do, also to what is left for whoever asks, of every table that it reads."""
    asker = asker_named(request.analyst)
    with ledger.store.reading() as snapshot:
        row = table_row(snapshot, request.table)
        beside = [table_row(snapshot, table) for table, _ in request.beside]
        books = books_of(snapshot, row.account, asker)
        price, loss = row.money.price(request.event), row.money.loss
        before, spent = state_of(snapshot, row, books, asker), books.spent(now=row.name)
        books.charge(request.table, request.cells, price, asker)
        takes, theirs = books.spent(now=row.name).minus(spent), books.spent(asker)
        limits = [limit for each in (row, *beside) if (limit := limit_of(snapshot, each, asker)) is not None]
        is_enough = books.spent().fits(row.cap) and all(theirs.fits(limit) for limit in limits)
        refused = too_dear(row, request)
        why = "" if refused is None else f"{refused.message}; {refused.hint}"
        return Prospect(before, loss(price), loss(takes), state_of(snapshot, row, books, asker), is_enough, why)


def worth(ledger: Ledger, requests: Sequence[Request]) -> list[Worth]:
    """What all of ``requests`` cost together, as if nothing else had ever been asked."""
    found = []
    with ledger.store.reading() as snapshot:
        for account, members in _accounts(snapshot, [request.table for request in requests]).items():
            money, _ = account_of(snapshot, account)
            books = Books(books_of(snapshot, account, ALL).tables)
            _charge(books, money, members, requests)
            found.append(Worth(tuple(members), money.loss(books.spent())))
    return found


def _accounts(snapshot: Snapshot, tables: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for table in dict.fromkeys(tables):
        found.setdefault(table_record(snapshot, table).account, []).append(table)
    return found


def _charge(books: Books, money: Money, members: Sequence[str], requests: Sequence[Request]) -> None:
    for request in requests:
        if request.table in members:
            books.charge(request.table, request.cells, money.price(request.event))
