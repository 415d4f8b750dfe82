"""From released integers to the value and the interval of each aggregate: each part knows how."""

from typing import assert_never

from discreet.planning.plan import Derived, Known, Plan
from discreet.questions.algebra import Aggregate
from discreet.statistics.estimate import Estimate, fixed
from discreet.statistics.part import Released

__all__ = ["estimate"]


def estimate(plan: Plan, aggregate: Aggregate, released: Released, alpha: float) -> Estimate:
    """The aggregate in every cell, with intervals that miss the exact value with probability at most ``alpha`` each."""
    match plan.source(aggregate):
        case Known(value):
            return fixed(float(value), plan.wanted.cells)
        case Derived(place, slot):
            return plan.vectors[place].estimate(plan.told(released), place, slot, aggregate, alpha)
        case source:
            assert_never(source)
