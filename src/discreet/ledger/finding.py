"""Which charge a request meets: one that answers it, or one that somebody works on."""

from typing import NamedTuple

from discreet.errors import ParameterError
from discreet.ledger.alarms import hides, is_shown, is_shown_to_anybody, is_viewed
from discreet.ledger.draws import drawn_by, drawn_in
from discreet.ledger.entries.amounts import Rank, rank
from discreet.ledger.entries.charges import Frozen, Request, Stored, Viewed
from discreet.ledger.entries.requests import price_row
from discreet.ledger.freezes import frozen_for
from discreet.ledger.port import Snapshot
from discreet.ledger.records import ChargeRecord, DrawRecord
from discreet.ledger.rows import charge_in, request_in, stored_in

__all__ = ["Waiting", "alike", "best", "by_key", "history", "known", "known_charge", "same_answer"]


_NONE = rank("0")


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


def history(snapshot: Snapshot, request: Request, reason: Frozen) -> Stored | Viewed:
    """What a frozen asker has been answered before, or what follows from it; anything else is refused."""
    if request.is_free and all(is_viewed(snapshot, *draw, request.analyst) for draw in drawn_by(request)):
        return stored_in(snapshot, request.replays) if request.replays is not None else Viewed(request)
    found = best(snapshot, request, only=request.analyst)
    if found is None or found.state != "settled":
        raise reason
    return stored_in(snapshot, found.number)


def same_answer(snapshot: Snapshot, request: Request) -> int | None:
    """The settled charge by which the asker was answered the same with the same draws: others have receipts of their own."""
    settled = snapshot.each(
        ChargeRecord, backwards=True, state="settled",
        table=request.table, version=request.version, fingerprint=request.fingerprint, analyst=request.analyst,
    )  # fmt: skip
    used = drawn_by(request)
    return next((each.number for each in settled if drawn_in(request_in(snapshot, each.number), each.number) == used), None)


def known(snapshot: Snapshot, request: Request) -> Stored | None:
    """The most precise stored answer to the same question at this price or more, as far as whoever asks may know of it."""
    number = known_charge(snapshot, request)
    return None if number is None else stored_in(snapshot, number)


def known_charge(snapshot: Snapshot, request: Request) -> int | None:
    """The charge of that answer."""
    if frozen_for(snapshot, request, request.analyst) is not None:
        found = _dearest(snapshot, request, only=request.analyst)
    else:
        found = None if request.anew else _dearest(snapshot, request)
    return found.number if found is not None and found.state == "settled" else None


def alike(snapshot: Snapshot, request: Request) -> list[int]:
    """All charges for the same question at the asked price or above, settled or running, that whoever asks may know of."""
    frozen = frozen_for(snapshot, request, request.analyst) is not None
    return [each.number for each in _enough(snapshot, request, request.analyst if frozen else None)]


def best(snapshot: Snapshot, request: Request, only: str | None = None) -> ChargeRecord | None:
    """The dearest charge for the same question at the asked price or above: one that is settled, else one that is running.

    A request that was crossed out knows of draws by their names: then only charges that somebody works on are looked at, from
    before draws had any, or under those of another version. With ``only``, those that this asker has been answered. What is
    hidden is as if it were not there.
    """
    dearest = _dearest(snapshot, request, only)
    return None if dearest is None else charge_in(snapshot, dearest.number)


def _dearest(snapshot: Snapshot, request: Request, only: str | None = None) -> "_Charge | None":
    found = _enough(snapshot, request, only)
    return max(found, key=lambda each: (each.state == "settled", each.price, each.number), default=None)


def _enough(snapshot: Snapshot, request: Request, only: str | None) -> "list[_Charge]":
    is_crossed_out = request.bought is not None and only is None
    enough = _as_good(snapshot, request, ("running",) if is_crossed_out else ("running", "settled"))
    if is_crossed_out:
        enough = [charge for charge in enough if not _is_looked_for(snapshot, charge, request)]
    if only is not None:  # of what others have bought they had views: its receipt is not theirs
        enough = [charge for charge in enough if charge.analyst == only or not _has_names(snapshot, charge)]
    return _known_of(snapshot, request.table, enough, only) if enough else []


class _Charge(NamedTuple):  # there may be hundreds for one question
    number: int
    state: str
    analyst: str
    price: Rank


def _as_good(snapshot: Snapshot, request: Request, states: tuple[str, ...]) -> list[_Charge]:
    """The charges for the same question at the asked price or above.

    Pure answers stand for pure questions only, and approximate ones for approximate ones: their noise differs in kind.
    """
    kind, *wanted = price_row(request.price)
    least, delta = (rank(part) for part in wanted)
    read = snapshot.parts(
        ChargeRecord, "number", "state", "analyst", "price", "price_delta",
        table=request.table, version=request.version, fingerprint=request.fingerprint, kind=kind, state=states,
    )  # fmt: skip
    made = [(_Charge(number, state, who, rank(price)), rank(its)) for number, state, who, price, its in read]
    return [charge for charge, its in made if charge.price >= least and its >= delta and (its > _NONE) == (delta > _NONE)]


def _has_names(snapshot: Snapshot, charge: _Charge) -> bool:
    return bool(list(snapshot.each(DrawRecord, charge=charge.number, most=1)))


def _is_looked_for(snapshot: Snapshot, charge: _Charge, request: Request) -> bool:
    return not {draw.name for draw in snapshot.each(DrawRecord, charge=charge.number)}.isdisjoint(request.looked_for)


def _known_of(snapshot: Snapshot, table: str, made: list[_Charge], asker: str | None) -> list[_Charge]:
    """Those that ``asker`` has been answered; of nobody in particular, those that are not hidden."""
    if asker is not None:
        return [charge for charge in made if is_shown(snapshot, charge.number, asker)]
    if not hides(snapshot, table):
        return made
    return [charge for charge in made if charge.state != "settled" or is_shown_to_anybody(snapshot, charge.number)]
