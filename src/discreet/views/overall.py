"""Totals of an aggregate over all groups, worked out from what was released about each: free."""

import numpy as np

from discreet.planning.plan import Derived, Plan
from discreet.questions.algebra import Aggregate, Expression, Overall
from discreet.questions.walk import every
from discreet.statistics.count import Count
from discreet.statistics.estimate import Estimate, fixed
from discreet.statistics.part import Released
from discreet.statistics.totals import total_reach
from discreet.statistics.vector import Vector
from discreet.views.estimates import estimate

__all__ = ["overall", "overalls_in"]


def overalls_in(expression: Expression) -> tuple[Overall, ...]:
    """Every total of one released value, each once."""
    return tuple(dict.fromkeys(one for one in every(expression) if isinstance(one, Overall)))


def overall(plan: Plan, of: Expression, released: Released, alpha: float) -> Estimate:
    """The sum over all cells, the same in each, with an interval that misses it with probability at most ``alpha``."""
    assert isinstance(of, Aggregate)
    cells = plan.wanted.cells
    found = estimate(plan, of, released, alpha / max(1, cells))  # where these hold in every cell, so does their sum
    low, value, high = (float(np.sum(part)) for part in (found.low, found.value, found.high))
    source = plan.source(of)
    part = plan.vectors[source.vector] if isinstance(source, Derived) else None
    if cells and isinstance(part, Vector) and isinstance(part.statistic, Count):
        far = total_reach(part.mechanism.law, cells, alpha)
        low, high = value - far, value + far
    return Estimate(*(fixed(end, cells).value for end in (value, low, high)))
