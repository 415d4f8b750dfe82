"""Made-up answers of the right shape, about nothing: for trying what follows an answer before anything is charged."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.answers.answer import Answer
from discreet.curator.orders import Order
from discreet.curator.rehearsing import rehearsed
from discreet.curator.results import answer_from
from discreet.planning.plan import Plan
from discreet.planning.purchase import bought_whole
from discreet.planning.shares import weights_behind
from discreet.statistics.vector import Vector

__all__ = ["specimen_of"]

_ROWS = 1000  # in every cell
_LARGEST = 1 << 60


def specimen_of(order: Order) -> Answer:
    """An answer that this order could come to. Reads no row and draws nothing but, where values are chosen, on made-up rows."""
    plan, desk = order.plan, order.desk
    plain = [each for each in plan.vectors if isinstance(each, Vector) and not each.shares_noise]
    if len(plain) < len(plan.vectors):  # chosen values and keys: a rehearsal has them
        return rehearsed(desk, plan.question, plan.price, weights_behind(plan), order.confidence, order.simultaneous)
    budget = desk.ledger.state(desk.facts.name)
    made = tuple(_made_up(vector, plan) for vector in plain)
    return answer_from(
        bought_whole(plan), made, order.confidence, order.simultaneous,
        id="specimen", cost=budget.cap, budget=budget, replayed=False, receipt=None,
    )  # fmt: skip


def _made_up(vector: Vector, plan: Plan) -> NDArray[Any]:
    """Some rows in every cell, their values low in their range."""
    some = np.clip(vector.assumed(_ROWS), -_LARGEST, _LARGEST).astype(np.int64)
    return np.broadcast_to(some, vector.shape(plan.wanted.cells)).astype(object if vector.are_few else np.int64)
