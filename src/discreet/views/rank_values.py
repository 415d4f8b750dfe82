"""From chosen places to values, to intervals of ranks, which are free, and of values, where they were bought. Rule 30."""

from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from discreet.planning.plan import Derived, Plan, Ranks, Released, Role
from discreet.planning.ranks import ENDS_MISS, SIZES, reaches
from discreet.planning.spread import Floats
from discreet.questions.algebra import Aggregate
from discreet.questions.bounds import bounds_of, is_whole
from discreet.questions.ranked import SIZE_KINDS

__all__ = ["has_ends", "rank_reach", "ranked_value"]


def ranked_value(plan: Plan, ranks: Ranks, place: int, released: Released, alpha: float) -> tuple[Floats, Floats, Floats]:
    """Per cell: the value, and the ends of its interval; the public bounds where no narrower ends were bought."""
    at = plan.vectors.index(ranks)
    value = _values(plan, ranks, released[at][0, place, :])
    lower, upper = _bounds(plan, ranks)
    ends = _ends(plan, ranks, ranks.shares[place])
    if ends is None or alpha < float(ENDS_MISS):
        return value, np.full_like(value, lower), np.full_like(value, upper)
    found = [_values(plan, each, released[plan.vectors.index(each)][0, at_share, :]) for each, at_share in ends]
    low, high = np.minimum(*found), np.maximum(*found)
    rounding = 0.0 if ranks.grid.step == 1 and is_whole(ranks.of, plan.facts) else float(ranks.grid.step) / 2
    low, high = np.minimum(low - rounding, value), np.maximum(high + rounding, value)
    return value, np.clip(low, lower, upper), np.clip(high, lower, upper)


def rank_reach(plan: Plan, aggregate: Aggregate, alpha: float) -> int:
    """How many rows the rank of the value may be off; more with probability ``alpha`` at most."""
    source = plan.source(aggregate)
    assert isinstance(source, Derived)
    ranks = plan.vectors[source.vector]
    assert isinstance(ranks, Ranks)
    return ceil(reaches(ranks, min(alpha, 1.0 - 1e-12))[source.filter])


def has_ends(plan: Plan, aggregate: Aggregate, alpha: float) -> bool:
    """Whether the value has an interval that was bought, and that holds as often as is wished."""
    source = plan.source(aggregate)
    assert isinstance(source, Derived)
    ranks = plan.vectors[source.vector]
    assert isinstance(ranks, Ranks)
    return aggregate.interval and alpha >= float(ENDS_MISS) and _ends(plan, ranks, ranks.shares[source.filter]) is not None


def _ends(plan: Plan, ranks: Ranks, share: Fraction) -> list[tuple[Ranks, int]] | None:
    """The low and the high end that belong to a value, and which of their shares."""

    def end(role: Role) -> tuple[Ranks, int] | None:
        for each in plan.vectors:
            same = isinstance(each, Ranks) and (each.of, each.filter, each.kind) == (ranks.of, ranks.filter, ranks.kind)
            if isinstance(each, Ranks) and same and each.role == role and share in each.shares:
                return each, each.shares.index(share)
        return None

    low, high = end("low"), end("high")
    return None if low is None or high is None else [low, high]


def _values(plan: Plan, ranks: Ranks, places: NDArray[np.int64]) -> Floats:
    """Points of the lattice as numbers, inside the public bounds."""
    if ranks.kind in SIZE_KINDS:
        return np.array(SIZES, np.float64)[places]
    step, low = float(ranks.grid.step), ranks.grid.low
    return np.asarray(np.clip((places.astype(np.float64) + low) * step, *_bounds(plan, ranks)))


def _bounds(plan: Plan, ranks: Ranks) -> tuple[float, float]:
    if ranks.kind in SIZE_KINDS:
        return float(SIZES[0]), float(SIZES[-1])
    bounds = bounds_of(ranks.of, plan.facts)
    assert bounds is not None
    return float(bounds[0]), float(bounds[1])
