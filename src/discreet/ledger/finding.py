"""Which charge a request meets: one that answers it, or one that somebody works on."""

from discreet.errors import ParameterError
from discreet.ledger.alarms import frozen_for, frozen_on, hides, is_shown, is_shown_to_anybody
from discreet.ledger.entries.amounts import Amount
from discreet.ledger.entries.charges import Frozen, Request, Stored
from discreet.ledger.entries.requests import price_row
from discreet.ledger.port import Snapshot
from discreet.ledger.records import ChargeRecord
from discreet.ledger.rows import stored_in
from discreet.planning.price import Price

__all__ = ["Waiting", "best", "by_key", "history", "known", "known_to"]


class Waiting(Exception):
    """Undo the transaction: someone else is working on one of the questions."""


def by_key(snapshot: Snapshot, request: Request) -> ChargeRecord | None:
    """The charge that was made under the same key, which must be the same request."""
    if request.key is None:
        return None
    found = snapshot.one(ChargeRecord, table=request.table, analyst=request.analyst, key=request.key)
    wanted = request.fingerprint, request.version, *price_row(request.price)
    if found is not None and (found.fingerprint, found.version, found.kind, found.price, found.price_delta) != wanted:
        raise ParameterError("this key belongs to another question", hint="use a key once, for one question at one price")
    return found


def history(snapshot: Snapshot, request: Request, reason: Frozen) -> Stored:
    """What a frozen asker has been answered before, once more; anything else is refused."""
    found = best(snapshot, request.table, request.version, request.fingerprint, request.price, request.analyst)
    if found is None or found.state != "settled":
        raise reason
    return stored_in(snapshot, found.number)


def known(snapshot: Snapshot, request: Request) -> Stored | None:
    """The stored answer of a request that is not to be bought anew. Raises Frozen if who asks may have nothing but history."""
    if (reason := frozen_for(snapshot, request, request.analyst)) is not None:
        return history(snapshot, request, reason)
    if request.anew:
        return None
    return _answer(snapshot, best(snapshot, request.table, request.version, request.fingerprint, request.price))


def known_to(snapshot: Snapshot, asker: str, table: str, version: str, fingerprint: str, price: Price) -> Stored | None:
    """The most precise stored answer that ``asker`` may know of: while they are frozen, out of their history."""
    only = asker if frozen_on(snapshot, table, asker) is not None else None
    return _answer(snapshot, best(snapshot, table, version, fingerprint, price, only))


def _answer(snapshot: Snapshot, found: ChargeRecord | None) -> Stored | None:
    return stored_in(snapshot, found.number) if found is not None and found.state == "settled" else None


def best(
    snapshot: Snapshot, table: str, version: str, fingerprint: str, price: Price, asker: str | None = None
) -> ChargeRecord | None:
    """The dearest charge for the same question at the asked price or above: one that is settled, else one that is running.

    With ``asker``, only of what they have been answered. What is hidden is as if it were not there.
    """
    kind, *wanted = price_row(price)
    made = list(snapshot.each(ChargeRecord, table=table, version=version, fingerprint=fingerprint, kind=kind))
    least = Amount.from_texts(*wanted)
    enough = [charge for charge in made if charge.state != "faulted" and _is_as_good(_price(charge), least)]
    seen = _known_of(snapshot, table, enough, asker) if enough else []
    return max(seen, key=lambda each: (each.state == "settled", _price(each).first, each.number), default=None)


def _known_of(snapshot: Snapshot, table: str, made: list[ChargeRecord], asker: str | None) -> list[ChargeRecord]:
    """Those that ``asker`` has been answered; of nobody in particular, those that are not hidden."""
    if asker is not None:
        return [charge for charge in made if is_shown(snapshot, charge.number, asker)]
    if not hides(snapshot, table):
        return made
    return [charge for charge in made if charge.state != "settled" or is_shown_to_anybody(snapshot, charge.number)]


def _price(charge: ChargeRecord) -> Amount:
    return Amount.from_texts(charge.price, charge.price_delta)


def _is_as_good(had: Amount, wanted: Amount) -> bool:
    """Pure answers stand for pure questions only, and approximate ones for approximate ones: their noise differs in kind."""
    return wanted.fits(had) and (had.delta > 0) == (wanted.delta > 0)
