"""A whole plan, or the bought part of one, read from an engine: what is chosen first, then all that is about it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from discreet.engines.choice import columns_read
from discreet.engines.wanted import Engine, Measure
from discreet.planning.found_bounds import bounds_as_integers
from discreet.planning.plan import AnyVector, Found, Keys, Plan, Released, Vector
from discreet.planning.staged import opened
from discreet.releasing.bounds import bounds_from
from discreet.releasing.keys import chosen_keys
from discreet.releasing.run import release

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
    bounds = [bounds_as_integers(bounds_from(each, plan.question, plan.facts, engine.counts)) for each in found]
    return *keys, *bounds


def _released(plan: Plan, engine: Engine) -> Released:
    if not plan.wanted.cells:  # no key was chosen, and there is nothing to read
        return tuple(_nothing(each) for each in plan.vectors if isinstance(each, Vector))
    return release(plan, engine.run(plan.wanted) if plan.wanted.measures else None, engine.counts)


def _nothing(vector: Vector) -> NDArray[np.int64]:
    """The release about no keys at all."""
    return np.zeros((vector.coordinates if vector.tree is None else vector.tree.nodes, len(vector.filters), 0), np.int64)


def part_of(plan: Plan, places: Sequence[int]) -> Plan:
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
