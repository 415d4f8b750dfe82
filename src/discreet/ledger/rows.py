"""Rows of the ledger's tables as data, and back. All of it happens inside somebody's transaction."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from sqlite3 import Connection
from typing import Any

from discreet.errors import AccessError, LedgerFault
from discreet.ledger.entries.amounts import Amount, Money
from discreet.ledger.entries.books import ALL, Books, Standing
from discreet.ledger.entries.charges import Request, Stored
from discreet.ledger.entries.codec import event_from, event_to, loss_from, loss_to, price_from, released_from
from discreet.planning.price import Price

__all__ = [
    "TableRow",
    "account_of",
    "books_of",
    "price_row",
    "request_body",
    "request_in",
    "save_books",
    "stored_in",
    "table_row",
]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A registered table as it stands now."""

    name: str
    account: str
    money: Money
    cap: Amount
    version: str
    epoch: int
    touched: int
    digest: str
    per_analyst: Amount | None
    most_per_question: Fraction | None
    expires: str | None
    stamps: Sequence[Any]
    frozen: bool


def table_row(connection: Connection, table: str) -> TableRow:
    """The row of a table. Raises AccessError if it was never registered."""
    found = connection.execute("SELECT * FROM tables WHERE name = ?", (table,)).fetchone()
    if found is None:
        raise AccessError(f"{table} is not registered in this ledger", hint="the data holder runs discreet register")
    name, account, version, epoch, touched, seen, budget, stamps, frozen = found
    rest = json.loads(budget)
    money, cap = account_of(connection, account)
    limit, most = rest.get("per_analyst"), rest.get("max_epsilon_per_question")
    return TableRow(
        name, account, money, cap, version, epoch, touched, seen,
        None if limit is None else money.amount(loss_from(limit)),
        None if most is None else Fraction(most),
        rest.get("expires"), json.loads(stamps), bool(frozen),
    )  # fmt: skip


def account_of(connection: Connection, account: str) -> tuple[Money, Amount]:
    """What an account counts in, and its cap."""
    currency, has_delta, cap, delta = connection.execute(
        "SELECT currency, has_delta, cap, cap_delta FROM accounts WHERE name = ?", (account,)
    ).fetchone()
    return Money(currency, bool(has_delta)), Amount.from_texts(cap, delta)


def books_of(connection: Connection, account: str, analyst: str | None) -> Books:
    """The running totals of an account: of everybody, and of one analyst or (None) of each."""
    tables = connection.execute("SELECT name, version, epoch, touched FROM tables WHERE account = ?", (account,)).fetchall()
    whose, who = ("", ()) if analyst is None else (" AND who IN (?, ?)", (ALL, analyst))
    totals = connection.execute(f"SELECT tbl, epoch, who, amount, delta FROM totals WHERE account = ?{whose}", (account, *who))
    found = {(table, epoch, name): Amount.from_texts(first, delta) for table, epoch, name, first, delta in totals}
    wanted = f"SELECT tbl, version, cell, who, amount, delta FROM cells WHERE account = ?{whose}"
    cells = connection.execute(wanted, (account, *who))
    return Books(
        {name: Standing(version, epoch, touched) for name, version, epoch, touched in tables},
        found,
        {(table, version, cell, name): Amount.from_texts(first, delta) for table, version, cell, name, first, delta in cells},
    )


def save_books(connection: Connection, account: str, books: Books) -> None:
    """Write the totals and cells that changed."""
    totals = [(account, *key, *amount.to_texts()) for key, amount in books.totals.items() if key in books.changed]
    cells = [(account, *key, *amount.to_texts()) for key, amount in books.cells.items() if key in books.changed]
    connection.executemany("INSERT OR REPLACE INTO totals VALUES (?, ?, ?, ?, ?, ?)", totals)
    connection.executemany("INSERT OR REPLACE INTO cells VALUES (?, ?, ?, ?, ?, ?, ?)", cells)


def price_row(price: Price) -> tuple[str, str, str]:
    """What a price counts in, and its two parts."""
    parts = loss_to(price)
    kind = "rho" if "rho" in parts else "epsilon"
    return kind, parts[kind], parts.get("delta", "0")


# ---- requests, as the entry of their charge holds them


def request_body(request: Request, amount: Amount, budget: Mapping[str, Any], asker: str) -> dict[str, Any]:
    """The body of a charge's entry: the event first, since prices may be worked out anew from it."""
    body: dict[str, Any] = {
        "table": request.table,
        "version": request.version,
        "analyst": request.analyst,
        "question": request.question,
        "fingerprint": request.fingerprint,
        "event": event_to(request.event),
        "price": loss_to(request.price),
        "amount": list(amount.to_texts()),
        "budget": budget,
    }
    if asker != request.analyst:  # whoever gives no name has the limit of one analyst; older charges count for nobody
        body["counts_for"] = asker
    if request.weights:
        body["weights"] = {name: str(weight) for name, weight in request.weights.items()}
    if request.cells is not None:
        body["cells"] = list(request.cells)
    if request.key is not None:
        body["key"] = request.key
    if request.beside:
        body["beside"] = [list(each) for each in request.beside]
    return body


def _request_from(body: dict[str, Any]) -> Request:
    """What ``request_body`` wrote."""
    return Request(
        body["table"], body["version"], body["fingerprint"], body["question"], price_from(body["price"]),
        event_from(body["event"]),
        weights={name: Fraction(weight) for name, weight in body.get("weights", {}).items()},
        cells=tuple(body["cells"]) if "cells" in body else None,
        analyst=body["analyst"], key=body.get("key"),
        beside=tuple((table, version) for table, version in body.get("beside", ())),
    )  # fmt: skip


def request_in(connection: Connection, charge: int) -> Request:
    """The request of a charge."""
    return _request_from(json.loads(connection.execute("SELECT body FROM entries WHERE number = ?", (charge,)).fetchone()[0]))


def stored_in(connection: Connection, charge: int) -> Stored:
    """The answer of a settled charge."""
    found = connection.execute(
        "SELECT id, released, receipt, document FROM answers LEFT JOIN documents USING (charge) WHERE charge = ?", (charge,)
    ).fetchone()
    if found is None:
        raise LedgerFault("a stored answer is gone", hint="run discreet ledger verify")
    identity, released, receipt, document = found
    certificate = json.loads(receipt)
    _check_untouched(connection, charge, identity, certificate["entry"]["number"], released, document)
    return Stored(identity, request_in(connection, charge), released_from(json.loads(released)), certificate, document)


def _check_untouched(
    connection: Connection, charge: int, identity: str, number: int, released: str, document: bytes | None
) -> None:
    """Raises LedgerFault unless the entry of the settling has the digests of what is stored."""
    kind, text, found = connection.execute("SELECT kind, body, hash FROM entries WHERE number = ?", (number,)).fetchone()
    body = json.loads(text)
    wanted = ("settle", charge, identity, body.get("digest"), body.get("document"))
    shown = None if document is None else sha256(document).hexdigest()
    if (kind, body.get("charge"), found[:12], sha256(released.encode()).hexdigest(), shown) != wanted:
        raise LedgerFault("a stored answer is not what was settled", hint="run discreet ledger verify")
