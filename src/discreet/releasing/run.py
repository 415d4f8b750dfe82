"""From exact sums to released integers: the step at which the noise is added."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import Sums
from discreet.planning.plan import Plan
from discreet.private import Private
from discreet.releasing.at_caps import units_cut
from discreet.releasing.ends import chosen_with_ends
from discreet.releasing.modes import chosen_modes
from discreet.releasing.ranks import Counting, chosen
from discreet.releasing.unit_sizes import chosen_sizes
from discreet.statistics.at_caps import AtCaps
from discreet.statistics.ends import RanksWithEnds
from discreet.statistics.mode import Mode
from discreet.statistics.part import Part, Released
from discreet.statistics.ranks import Ranks
from discreet.statistics.summed import Exact
from discreet.statistics.unit_sizes import UnitSizes
from discreet.statistics.vector import Vector

__all__ = ["release"]

_MOST = 1 << 61


def release(plan: Plan, sums: Private[Sums] | None, counts: Counting | None = None) -> Released:
    """Every vector of the plan with its noise. No ``sums`` where the plan wants none; ``counts`` where values have ranks."""
    exact = np.zeros((0, plan.wanted.cells), object) if sums is None else sums.take().whole()
    read = None if counts is None else cache(counts)  # what two of them need is read once
    return tuple(_released(each, plan, exact, read) for each in plan.vectors)


def _released(part: Part, plan: Plan, exact: Exact, counts: Counting | None) -> NDArray[Any]:
    match part:
        case UnitSizes():
            return chosen_sizes(part, plan, counts)
        case Mode():
            return chosen_modes(part, plan.wanted, counts)
        case RanksWithEnds():
            return chosen_with_ends(part, plan.wanted, counts)
        case Ranks():
            return chosen(part, plan.wanted, counts)
        case AtCaps():
            return with_noise(part, units_cut(part, plan, counts))
        case Vector():
            return _noisy(part, exact, plan.facts.rows)
        case _:
            raise AssertionError("keys and bounds are chosen before anything else is read")


def _noisy(vector: Vector, exact: Exact, rows: int | None) -> NDArray[Any]:
    starts = zip(vector.measures, vector.wants(), strict=True)
    coordinates = [vector.statistic.exact(exact[start : start + len(wanted)], rows) for start, wanted in starts]
    return with_noise(vector, np.stack(coordinates, axis=1))


def with_noise(vector: Vector, together: Exact) -> NDArray[Any]:
    """Exact integers with the noise of their vector."""
    if vector.few:
        return vector.mechanism.release_whole(together)
    noisy = vector.mechanism.release(np.clip(together, -_MOST, _MOST).astype(np.int64))
    assert isinstance(noisy, np.ndarray)
    return noisy
