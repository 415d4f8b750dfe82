"""From exact sums to released integers: the step at which the noise is added."""


from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import Sums
from discreet.planning.plan import Plan, Vector
from discreet.private import Private

__all__ = ["Released", "release"]

Exact = NDArray[np.object_]  # Python ints: no width to overflow
Released = tuple[NDArray[Any], ...]  # per vector, integers: coordinates x filters x cells

_MOST = 1 << 61


def release(plan: Plan, sums: Private[Sums]) -> Released:
    """Every vector of the plan with its noise."""
    found = sums.take()
    exact = found.high.astype(object) * (1 << 32) + found.low.astype(object)
    return tuple(_noisy(vector, exact, plan.facts.rows) for vector in plan.vectors)


def _noisy(vector: Vector, exact: Exact, rows: int | None) -> NDArray[Any]:
    powers = 0 if vector.estimator == "count" else vector.degree
    coordinates = [_coordinates(vector, exact[start : start + 1 + powers], rows) for start in vector.measures]
    together = np.stack(coordinates, axis=1)
    if vector.are_few:
        return vector.mechanism.release_whole(together)
    noisy = vector.mechanism.release(np.clip(together, -_MOST, _MOST).astype(np.int64))
    assert isinstance(noisy, np.ndarray)
    return noisy


def _coordinates(vector: Vector, sums: Exact, rows: int | None) -> Exact:
    """The integers of one filter: coordinates x cells. ``sums`` are n, the sum of u, the sum of u * u, as far as wanted."""
    count = sums[0]
    if vector.estimator == "count":
        return sums[:1]
    assert vector.grid is not None
    width, first = vector.grid.width, sums[1]
    match vector.estimator, vector.degree:
        case "sum", _:
            return np.stack([vector.grid.low * count + first])
        case "variance_numerator", _:
            is_whole_table = count == rows  # else the sensitivity would not hold. Rule 3
            return np.stack([np.where(is_whole_table, count * sums[2] - first * first, 0)])
        case "bernstein", 1:
            return np.stack([width * count - first, first])
        case "bernstein", _:
            return np.stack([width * width * count - 2 * width * first + sums[2], 2 * (width * first - sums[2]), sums[2]])
    raise AssertionError(vector.estimator)


