"""Plans whose last part depends on what was chosen first: keys that no list names, bounds that nothing public says.

Both are chosen before anything else is read. Then the plan is opened: made again as if they had been public all along. What was
chosen travels among the released integers, so that a stored answer opens its plan as the asking did.
"""

from discreet.planning import unknown
from discreet.planning.build import plan_at_bounds
from discreet.planning.plan import Plan
from discreet.statistics.bounds import Found, bounds_told
from discreet.statistics.part import Released

__all__ = ["opened"]


def opened(plan: Plan, released: Released) -> Plan:
    """The plan with the keys and the bounds that were chosen in place of those that were not known."""
    pairs = zip(plan.vectors, released, strict=False)  # of what was released so far
    bounds = {each.column: bounds_told(values) for each, values in pairs if isinstance(each, Found)}
    return plan_at_bounds(plan, bounds) if bounds else unknown.opened(plan, released)
