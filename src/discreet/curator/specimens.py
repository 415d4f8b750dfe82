"""Made-up answers of the right shape, about nothing: for trying what follows an answer before anything is charged."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.answers.answer import Answer
from discreet.curator.orders import Order
from discreet.curator.results import answer_from
from discreet.planning.plan import Plan, Vector
from discreet.planning.purchase import bought_whole
from discreet.planning.shares import weights_behind

__all__ = ["specimen_of"]

_ROWS = 1000  # in every cell
_LARGEST = 1 << 60


def specimen_of(order: Order) -> Answer:
    """An answer that this order could come to. Reads no row and draws nothing but, where values are chosen, on made-up rows."""
    plan, curator = order.plan, order.curator
    plain = [each for each in plan.vectors if isinstance(each, Vector) and each.tree is None]
    if len(plain) < len(plan.vectors):  # chosen values and keys: a rehearsal has them
        return curator._rehearsed(plan.question, plan.price, weights_behind(plan), order.confidence, order.simultaneous)
    made = tuple(_made_up(vector, plan) for vector in plain)
    return answer_from(
        bought_whole(plan), made, order.confidence, order.simultaneous,
        id="specimen", cost=curator.budget.cap, budget=curator.budget, replayed=False, receipt=None,
    )  # fmt: skip


def _made_up(vector: Vector, plan: Plan) -> NDArray[Any]:
    """Some rows in every cell, their values anywhere in the range."""
    value = _ROWS if vector.grid is None else _ROWS * vector.grid.width**vector.degree
    shape = vector.coordinates, len(vector.filters), plan.wanted.cells
    return np.full(shape, min(value, _LARGEST), dtype=object if vector.are_few else np.int64)
