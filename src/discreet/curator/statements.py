"""What a receipt states about an answer: all that someone needs to check the claimed loss by hand."""

from fractions import Fraction
from functools import cache
from importlib.metadata import version
from typing import Any

from discreet.answers.answer import as_strings
from discreet.curator.advice import split_of
from discreet.exact import shown
from discreet.facts.model import EachRow
from discreet.ledger.charges import Request
from discreet.ledger.codec import event_to, plain
from discreet.mechanisms import Laplace
from discreet.planning.plan import Plan, Vector

__all__ = ["statement_about"]

_FREE = "derived columns, rounding, sorting and selection of rows use released numbers only and cost nothing"


def statement_about(plan: Plan, request: Request) -> dict[str, Any]:
    """The public part of a receipt; the ledger adds budget, entry and signature."""
    return {
        "table": request.table,
        "version": request.version,
        "question": request.question,
        "analyst": request.analyst,
        "unit": "row" if isinstance(plan.facts.unit, EachRow) else plain(plan.facts.unit),
        "neighbours": plan.facts.neighbours,
        "price": as_strings(plan.price),
        "split": [{"what": what} | as_strings(loss) for what, loss in split_of(plan)],
        "mechanisms": [_mechanism(vector, plan.wanted.cells) for vector in plan.vectors],
        "cells": None if request.cells is None else list(request.cells),
        "event": event_to(plan.event),
        "free": _FREE,
        "software": f"discreet {_version()}",
    }


@cache
def _version() -> str:
    return version("discreet")


def _mechanism(vector: Vector, cells: int) -> dict[str, Any]:
    """The noise of one vector, in steps of its grid."""
    mechanism, law = vector.mechanism, vector.mechanism.law
    step = "1" if vector.grid is None else shown(vector.grid.step)
    found = {"what": vector.what, "statistic": vector.estimator, "numbers": cells * len(vector.filters) * vector.coordinates}
    if isinstance(mechanism, Laplace):
        sensitivity = mechanism.sensitivity or Fraction(0)
        noise = {"noise": "discrete Laplace", "scale": shown(1 / law.linear), "sensitivity": shown(sensitivity)}
    else:
        noise = {
            "noise": "discrete Gaussian", "variance": shown(1 / (2 * law.quadratic)),
            "sensitivity_squared": shown(mechanism.sensitivity_squared),
        }  # fmt: skip
    return found | noise | {"step": step}
