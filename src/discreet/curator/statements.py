"""What a receipt states about an answer: all that someone needs to check the claimed loss by hand."""

from fractions import Fraction
from functools import cache
from importlib.metadata import version
from typing import Any

from discreet.answers.answer import as_strings
from discreet.curator.advice import split_of
from discreet.exact import shown
from discreet.facts.model import EachRow
from discreet.ledger.entries.charges import Request
from discreet.ledger.entries.codec import event_to, plain
from discreet.mechanisms import KeySelection, Laplace
from discreet.planning.plan import Found, Keys, Ranks, Vector
from discreet.planning.purchase import Purchase

__all__ = ["mechanisms_of", "statement_about"]

_FREE = "derived columns, rounding, sorting and selection of rows use released numbers only and cost nothing"


def statement_about(purchase: Purchase, request: Request) -> dict[str, Any]:
    """The public part of a receipt; the ledger adds budget, entry and signature. The plan is opened."""
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
        "mechanisms": [each for place in purchase.bought for each in mechanisms_of(plan.vectors[place], cells)],
        "cells": None if request.cells is None else list(request.cells),
        "event": event_to(purchase.event),
        "free": _FREE,
        "software": f"discreet {_version()}",
    } | ({"stored": [{"what": what, "charge": charge} for what, charge in stored]} if stored else {})


@cache
def _version() -> str:
    return version("discreet")


def _selected(keys: Keys) -> dict[str, Any]:
    """How keys were chosen."""
    mechanism = keys.mechanism
    is_optimal = isinstance(mechanism, KeySelection)
    return {
        "what": keys.what, "statistic": "keys",
        "noise": "chance of the optimal curve" if is_optimal else "discrete Laplace and a threshold",
        "epsilon": shown(mechanism.epsilon), "delta": shown(mechanism.delta), "groups": mechanism.groups,
        "at_least": mechanism.at_least,
    }  # fmt: skip


def mechanisms_of(vector: Vector | Ranks | Keys | Found, cells: int) -> list[dict[str, Any]]:
    """The noise of one vector: of bounds that are found, that of each end."""
    if isinstance(vector, Found):
        return [_selections(end, 1) | {"statistic": "lower" if end.kind == "min" else "upper"} for end in vector.ends]
    return [_mechanism(vector, cells)]


def _mechanism(vector: Vector | Ranks | Keys, cells: int) -> dict[str, Any]:
    """The noise of one vector, in steps of its grid."""
    if isinstance(vector, Keys):
        return _selected(vector)
    if isinstance(vector, Ranks):
        return _selections(vector, cells)
    mechanism, law = vector.mechanism, vector.mechanism.law
    step = "1" if vector.grid is None else shown(vector.grid.step)
    found = {"what": vector.what, "statistic": vector.estimator, "numbers": vector.numbers(cells)}
    if isinstance(mechanism, Laplace):
        sensitivity = mechanism.sensitivity or Fraction(0)
        noise = {"noise": "discrete Laplace", "scale": shown(1 / law.linear), "sensitivity": shown(sensitivity)}
    else:
        noise = {
            "noise": "discrete Gaussian", "variance": shown(1 / (2 * law.quadratic)),
            "sensitivity_squared": shown(mechanism.sensitivity_squared),
        }  # fmt: skip
    return found | noise | {"step": step}


def _selections(ranks: Ranks, cells: int) -> dict[str, Any]:
    """The selections of values by their rank: each on how many values, at which epsilon, and how far one unit moves a score."""
    turns = zip(ranks.mechanism.order, ranks.mechanism.mechanisms, strict=True)
    each = [
        {
            "share": shown(ranks.shares[turn.target]), "level": turn.level + 1,
            "epsilon": shown(one.epsilon), "sensitivity": shown(one.sensitivity),
        }
        for turn, one in turns
    ]  # fmt: skip
    found = {"what": ranks.what, "statistic": ranks.kind, "numbers": cells * len(ranks.shares), "noise": "exponential mechanism"}
    beyond = {"rows_beyond": ranks.rows_beyond} if ranks.rows_beyond else {}
    return found | {"candidates": ranks.points, "selections": each, "step": shown(ranks.grid.step)} | _weights(ranks) | beyond


def _weights(ranks: Ranks) -> dict[str, Any]:
    """By which powers of ten values are round, and what part of all weight each of these orders has beside that of all values."""
    prior = ranks.mechanism.mechanisms[0].prior
    if prior is None or not prior.orders:
        return {}
    return {"round": [shown(order.every * ranks.grid.step) for order in prior.orders], "round_weight": f"1/{prior.plain}"}
