"""A whole plan, or the bought part of one, read from an engine: what is chosen first, then all that is about it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from discreet.engines.rules.choice import columns_read
from discreet.engines.wanted import Engine
from discreet.planning.plan import Plan
from discreet.planning.staged import opened
from discreet.releasing.bounds import bounds_from
from discreet.releasing.keys import chosen_keys
from discreet.releasing.run import release
from discreet.statistics.bounds import Found, bounds_as_integers
from discreet.statistics.keys import Keys
from discreet.statistics.part import Released, measured

__all__ = ["part_of", "released_from", "released_parts"]


def released_from(plan: Plan, engine: Engine) -> Released:
    """Every vector of the plan, read from the engine and with its noise."""
    first = _chosen_first(plan, engine)
    found = opened(plan, first)
    rest = replace(found, vectors=found.vectors[len(first) :])
    return *first, *_released(rest, engine)


def released_parts(plan: Plan, bought: Sequence[int], engine: Engine) -> Released:
    """The bought vectors of a plan whose keys and bounds are known, in their order."""
    return released_from(plan, engine) if len(bought) == len(plan.vectors) else _released(part_of(plan, bought), engine)


def _chosen_first(plan: Plan, engine: Engine) -> Released:
    """Keys, or bounds: whatever else is released is about them."""
    keys = [chosen_keys(each, plan, engine) for each in plan.vectors if isinstance(each, Keys)]
    found = [each for each in plan.vectors if isinstance(each, Found)]
    bounds = [bounds_as_integers(bounds_from(each, plan, engine.counts)) for each in found]
    return *keys, *bounds


def _released(plan: Plan, engine: Engine) -> Released:
    if not plan.wanted.cells:  # no key was chosen, and there is nothing to read
        return tuple(np.zeros(each.shape(0), np.int64) for each in plan.vectors)
    return release(plan, engine.run(plan.wanted) if plan.wanted.measures else None, engine.counts)


def part_of(plan: Plan, places: Sequence[int]) -> Plan:
    """The plan of some parts; which rows of a unit stay is decided as for all of them, so that their integers are the same."""
    measures, vectors = measured(plan.vectors[place] for place in places)
    wanted = replace(plan.wanted, measures=measures, also_read=columns_read(plan.wanted))
    return replace(plan, vectors=vectors, wanted=wanted)
