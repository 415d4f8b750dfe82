"""What a receipt states about an answer: all that someone needs to check the claimed loss by hand."""

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

from discreet.answers.answer import as_strings
from discreet.curator.advice import split_of
from discreet.facts.model import EachRow
from discreet.ledger.entries.charges import Request
from discreet.ledger.entries.codec import event_to, plain
from discreet.planning.purchase import Purchase

__all__ = ["statement_about"]

_FREE = "derived columns, rounding, sorting and selection of rows use released numbers only and cost nothing"


def statement_about(purchase: Purchase, request: Request, left_out: Sequence[str]) -> dict[str, Any]:
    """The public part of a receipt; the ledger adds budget, entry and signature. The plan is opened.

    ``left_out`` is what the intervals of the answer do not cover, as the document says it.
    """
    plan, cells = purchase.plan, purchase.plan.wanted.cells
    stored = dict.fromkeys((plan.vectors[each.place].what, each.draw.charge) for each in purchase.uses)
    return {
        "table": request.table,
        "version": request.version,
        "question": request.question,
        "analyst": request.analyst,
        "unit": "row" if isinstance(plan.facts.unit, EachRow) else plain(plan.facts.unit),
        "neighbours": plan.facts.neighbours,
        "price": as_strings(plan.price),
        "split": [{"what": what} | as_strings(loss) for what, loss in split_of(purchase)],
        "mechanisms": [each for place in purchase.bought for each in plan.vectors[place].described(cells)],
        "cells": None if request.cells is None else list(request.cells),
        "event": event_to(purchase.event),
        "free": _FREE,
        "left_out": list(left_out),
        "software": f"discreet {_version()}",
        **({"source": "not pinned"} if plan.facts.is_live else {}),
        **({"stored": [{"what": what, "charge": charge} for what, charge in stored]} if stored else {}),
    }


@cache
def _version() -> str:
    return version("discreet")
