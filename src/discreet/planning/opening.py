"""Plans whose last part depends on what was chosen first: keys that no list names, bounds that nothing public says.

Both are chosen before anything else is read. Then the plan is opened: made again as if they had been public all along. What was
chosen travels among the released integers, so that a stored answer opens its plan as the asking did.
"""

from collections.abc import Sequence
from dataclasses import replace

from discreet.engines.choice import columns_read
from discreet.engines.wanted import Engine, Measure
from discreet.planning import unknown
from discreet.planning.build import plan_at_bounds
from discreet.planning.found_bounds import bounds_as_integers, bounds_from, bounds_told
from discreet.planning.plan import AnyVector, Found, Plan, Vector
from discreet.planning.release import Released, release

__all__ = ["opened", "released_from", "released_parts"]


def opened(plan: Plan, released: Released) -> Plan:
    """The plan with the keys and the bounds that were chosen in place of those that were not known."""
    pairs = zip(plan.vectors, released, strict=False)  # of what was released so far
    bounds = {each.column: bounds_told(values) for each, values in pairs if isinstance(each, Found)}
    return plan_at_bounds(plan, bounds) if bounds else unknown.opened(plan, released)


def released_parts(plan: Plan, bought: Sequence[int], engine: Engine) -> Released:
    """The bought vectors of a plan whose keys and bounds are known, in their order."""
    if len(bought) == len(plan.vectors):
        return released_from(plan, engine)
    part = _part(plan, bought)
    if not part.wanted.cells:
        return tuple(unknown.nothing(each) for each in part.vectors if isinstance(each, Vector))
    return release(part, engine.run(part.wanted) if part.wanted.measures else None, engine.counts)


def _part(plan: Plan, places: Sequence[int]) -> Plan:
    """The plan of some vectors; which rows of a unit stay is decided as for all of them, so that their integers are the same."""
    vectors: list[AnyVector] = []
    measures: list[Measure] = []
    for vector in (plan.vectors[place] for place in places):
        if not isinstance(vector, Vector):
            vectors.append(vector)
            continue
        starts = range(len(measures), len(measures) + vector.sums * len(vector.measures), vector.sums)
        measures += [each for start in vector.measures for each in plan.wanted.measures[start : start + vector.sums]]
        vectors.append(replace(vector, measures=tuple(starts)))
    wanted = replace(plan.wanted, measures=tuple(measures), also_read=columns_read(plan.wanted))
    return replace(plan, vectors=tuple(vectors), wanted=wanted)


def released_from(plan: Plan, engine: Engine) -> Released:
    """Every vector of the plan, read from the engine and with its noise."""
    found = [each for each in plan.vectors if isinstance(each, Found)]
    if not found:
        return unknown.released_from(plan, engine)
    told = tuple(bounds_as_integers(bounds_from(each, plan.question, plan.facts, engine.counts)) for each in found)
    rest = opened(plan, told)
    rest = replace(rest, vectors=rest.vectors[len(told) :])
    return *told, *release(rest, engine.run(rest.wanted) if rest.wanted.measures else None, engine.counts)
