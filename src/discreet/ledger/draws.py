"""Which charges have bought what: names of what is released, and where the integers are. All inside somebody's transaction."""

from collections.abc import Collection, Iterable, Sequence

from discreet.ledger.alarms import hides, is_shown_to_anybody, is_viewed
from discreet.ledger.entries.amounts import Rank, rank
from discreet.ledger.entries.charges import Frozen, Request, Seen
from discreet.ledger.freezes import frozen_for
from discreet.ledger.port import Snapshot, Transaction
from discreet.ledger.records import ChargeRecord, DrawRecord

__all__ = ["changed_since", "drawn_by", "drawn_in", "is_bought", "records_of", "seen", "write_names"]

_ENOUGH = 8  # draws under one name, the dearest first: more would not make an answer better


def write_names(transaction: Transaction, charge: int, request: Request) -> None:
    """What a charge buys, from the moment it is charged."""
    for record in records_of(charge, request.names):
        transaction.add(record)


def records_of(charge: int, names: Iterable[tuple[int, int, str]]) -> list[DrawRecord]:
    """What a charge buys; a name that ends in @ is about what this charge itself finds."""
    return [DrawRecord(name + str(charge) if name.endswith("@") else name, charge, place, slot) for place, slot, name in names]


def is_bought(found: Seen, request: Request) -> bool:
    """Whether a charge has bought what is kept under a name, by its entry."""
    return DrawRecord(found.name, found.charge, found.place, found.slot) in records_of(found.charge, request.names)


def seen(snapshot: Snapshot, request: Request, names: Sequence[str], reason: Frozen | None) -> tuple[Seen, ...]:
    """What is stored or worked on under these names, as far as whoever asks may know of it: frozen, out of their history."""
    found: list[Seen] = []
    hidden = hides(snapshot, request.table)
    for name in dict.fromkeys(names):
        drawn = list(snapshot.parts(DrawRecord, "charge", "place", "slot", name=name))
        charges = _charges(snapshot, {charge for charge, _, _ in drawn})
        known = [draw for draw in drawn if _may_know(snapshot, request, draw, charges[draw[0]], reason, hidden=hidden)]
        if len(known) > _ENOUGH:
            known = sorted(known, key=lambda draw: _worth(charges[draw[0]]), reverse=True)[:_ENOUGH]
        found += [Seen(name, charge, place, slot, charges[charge][3] == "running") for charge, place, slot in sorted(known)]
    return tuple(found)


_Charge = tuple[int, str, str, str, str, str]  # number, table, version, state, kind, price: there may be hundreds for one name


def _charges(snapshot: Snapshot, numbers: Collection[int]) -> dict[int, _Charge]:
    """What is to be known of many charges."""
    read = snapshot.parts(ChargeRecord, "number", "table", "version", "state", "kind", "price", number=numbers) if numbers else ()
    return {each[0]: each for each in read}


def _worth(charge: _Charge) -> tuple[str, Rank]:
    *_, kind, price = charge
    return kind, rank(price)


def _may_know(
    snapshot: Snapshot, request: Request, draw: tuple[int, int, int], of: _Charge, reason: Frozen | None, *, hidden: bool
) -> bool:
    _, table, version, state, *_ = of
    if table != request.table or version != request.version or state == "faulted":
        return False
    charge, place, _ = draw
    if reason is not None:
        return state == "settled" and is_viewed(snapshot, charge, place, request.analyst)
    return state == "running" or not hidden or is_shown_to_anybody(snapshot, charge)


def changed_since(snapshot: Snapshot, request: Request) -> bool:
    """Whether something else is stored or running by now than when the request was crossed out."""
    if request.bought is None or request.anew:
        return False
    reason = frozen_for(snapshot, request, request.analyst)
    return seen(snapshot, request, request.looked_for, reason) != request.seen


def drawn_in(request: Request, charge: int) -> frozenset[tuple[int, int]]:
    """All draws behind the answer of a charge: its own, and those it used."""
    return frozenset([(charge, place) for place in request.bought or ()] + [(use.charge, use.of) for use in request.uses])


def drawn_by(request: Request) -> frozenset[tuple[int, int]]:
    """The draws that a request would use."""
    return frozenset((use.charge, use.of) for use in request.uses)
