"""Requests and prices as they are written: in the entry of a charge, and in its row."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from discreet.ledger.entries.amounts import Amount
from discreet.ledger.entries.charges import Request, Used, Wish
from discreet.ledger.entries.codec import event_from, event_to, loss_to, price_from
from discreet.planning.price import Price

__all__ = ["price_row", "request_body", "request_from", "wish_from", "wish_to"]


def price_row(price: Price) -> tuple[str, str, str]:
    """What a price counts in, and its two parts."""
    parts = loss_to(price)
    kind = "rho" if "rho" in parts else "epsilon"
    return kind, parts[kind], parts.get("delta", "0")


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
    if request.bought is not None:
        body["bought"], body["names"] = list(request.bought), [list(each) for each in request.names]
    if request.uses:
        body["uses"] = [[each.place, each.slot, each.charge, each.of, each.at] for each in request.uses]
    if request.wish is not None:
        body["wish"] = wish_to(request.wish)
    return body


def wish_to(wish: Wish) -> dict[str, Any]:
    """A wish as it is written."""
    assuming = {} if wish.assuming is None else {"assuming": wish.assuming}
    within = [[place, str(most)] for place, most in wish.within]
    return assuming | {"within": within, "confidence": str(wish.confidence), "rows": [list(each) for each in wish.rows]}


def wish_from(body: Mapping[str, Any]) -> Wish:
    """What ``wish_to`` wrote."""
    within = tuple((place, Fraction(most)) for place, most in body["within"])
    rows = tuple((place, basis, rows) for place, basis, rows in body["rows"])
    return Wish(within, Fraction(body["confidence"]), body.get("assuming"), rows)


def request_from(body: dict[str, Any]) -> Request:
    """What ``request_body`` wrote."""
    return Request(
        body["table"], body["version"], body["fingerprint"], body["question"], price_from(body["price"]),
        event_from(body["event"]),
        weights={name: Fraction(weight) for name, weight in body.get("weights", {}).items()},
        cells=tuple(body["cells"]) if "cells" in body else None,
        analyst=body["analyst"], key=body.get("key"),
        beside=tuple((table, version) for table, version in body.get("beside", ())),
        bought=tuple(body["bought"]) if "bought" in body else None,
        names=tuple((place, slot, name) for place, slot, name in body.get("names", ())),
        uses=tuple(Used(*each) for each in body.get("uses", ())),
        wish=wish_from(body["wish"]) if "wish" in body else None,
    )  # fmt: skip
