"""Which charge a request meets: one that answers it, or one that somebody works on."""

from sqlite3 import Connection

from discreet.errors import ParameterError
from discreet.ledger.alarms import frozen_for, frozen_on, is_hidden, is_shown
from discreet.ledger.entries.amounts import Amount
from discreet.ledger.entries.charges import Frozen, Request, Stored
from discreet.ledger.rows import price_row, stored_in
from discreet.planning.price import Price

__all__ = ["Waiting", "best", "by_key", "history", "known", "known_to", "state_of"]


class Waiting(Exception):
    """Undo the transaction: someone else is working on one of the questions."""


def state_of(connection: Connection, charge: int) -> tuple[str, int]:
    """Whether a charge is running, settled or faulted, and in which attempt."""
    state, attempt = connection.execute("SELECT state, attempt FROM charges WHERE number = ?", (charge,)).fetchone()
    return state, attempt


def by_key(connection: Connection, request: Request) -> int | None:
    """The charge that was made under the same key, which must be the same request."""
    found = connection.execute(
        "SELECT number, fingerprint, version, kind, price, price_delta FROM charges WHERE tbl = ? AND analyst = ? AND key = ?",
        (request.table, request.analyst, request.key),
    ).fetchone()
    if found is None:
        return None
    number, *same = found
    if same != [request.fingerprint, request.version, *price_row(request.price)]:
        raise ParameterError("this key belongs to another question", hint="use a key once, for one question at one price")
    return int(number)


def history(connection: Connection, request: Request, reason: Frozen) -> Stored:
    """What a frozen asker has been answered before, once more; anything else is refused."""
    found, state = best(connection, request.table, request.version, request.fingerprint, request.price, request.analyst)
    if found is None or state != "settled":
        raise reason
    return stored_in(connection, found)


def known(connection: Connection, request: Request) -> Stored | None:
    """The stored answer of a request that is not to be bought anew. Raises Frozen if who asks may have nothing but history."""
    if (reason := frozen_for(connection, request, request.analyst)) is not None:
        return history(connection, request, reason)
    if request.anew:
        return None
    found, state = best(connection, request.table, request.version, request.fingerprint, request.price)
    return stored_in(connection, found) if found is not None and state == "settled" else None


def known_to(
    connection: Connection, asker: str, table: str, version: str, fingerprint: str, price: Price
) -> Stored | None:
    """The most precise stored answer that ``asker`` may know of: while they are frozen, out of their history."""
    only = asker if frozen_on(connection, table, asker) is not None else None
    found, state = best(connection, table, version, fingerprint, price, only)
    return stored_in(connection, found) if found is not None and state == "settled" else None


def best(
    connection: Connection, table: str, version: str, fingerprint: str, price: Price, asker: str | None = None
) -> tuple[int | None, str]:
    """The dearest charge for the same question at the asked price or above: one that is settled, else one that is running.

    With ``asker``, only of what they have been answered. What is hidden is as if it were not there.
    """
    kind, *wanted = price_row(price)
    rows = connection.execute(
        "SELECT number, price, price_delta, state FROM charges"
        " WHERE tbl = ? AND version = ? AND fingerprint = ? AND kind = ? AND state <> 'faulted'",
        (table, version, fingerprint, kind),
    ).fetchall()
    if asker is not None:
        rows = [row for row in rows if is_shown(connection, row[0], asker)]
    else:
        rows = [row for row in rows if row[3] != "settled" or not is_hidden(connection, row[0], table)]
    if not rows:
        return None, ""
    least = Amount.from_texts(*wanted)
    found = [(state == "settled", Amount.from_texts(first, delta), number) for number, first, delta, state in rows]
    enough = [(is_settled, amount.first, number) for is_settled, amount, number in found if _is_as_good(amount, least)]
    if not enough:
        return None, ""
    is_settled, _, number = max(enough)
    return number, "settled" if is_settled else "running"


def _is_as_good(had: Amount, wanted: Amount) -> bool:
    """Pure answers stand for pure questions only, and approximate ones for approximate ones: their noise differs in kind."""
    return wanted.fits(had) and (had.delta > 0) == (wanted.delta > 0)
