"""From exact sums to released integers: the step at which the noise is added."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import Sums
from discreet.planning.plan import Found, Keys, Plan, Ranks, Released, Vector
from discreet.planning.trees import node_sums
from discreet.planning.units import clamp_of
from discreet.private import Private
from discreet.questions.ranked import SIZE_KINDS
from discreet.releasing.ranks import Counting, chosen
from discreet.releasing.unit_sizes import chosen_sizes

__all__ = ["release"]

Exact = NDArray[np.object_]  # Python ints: no width to overflow

_MOST = 1 << 61


def release(plan: Plan, sums: Private[Sums] | None, counts: Counting | None = None) -> Released:
    """Every vector of the plan with its noise. No ``sums`` where the plan wants none; ``counts`` where values have ranks."""
    found = None if sums is None else sums.take()
    none = np.zeros((0, plan.wanted.cells), object)
    exact = none if found is None else found.whole()
    read = None if counts is None else cache(counts)  # what two of them need is read once
    released = []
    for each in plan.vectors:
        assert not isinstance(each, Keys | Found), "keys and bounds are chosen before anything else is read"
        if isinstance(each, Ranks):
            released.append(chosen_sizes(each, plan, read) if each.kind in SIZE_KINDS else chosen(each, plan.wanted, read))
        else:
            released.append(_noisy(each, exact, plan.facts.rows))
    return tuple(released)


def _noisy(vector: Vector, exact: Exact, rows: int | None) -> NDArray[Any]:
    coordinates = [_coordinates(vector, exact[start : start + vector.sums], rows) for start in vector.measures]
    together = np.stack(coordinates, axis=1)
    if vector.are_few:
        return vector.mechanism.release_whole(together)
    noisy = vector.mechanism.release(np.clip(together, -_MOST, _MOST).astype(np.int64))
    assert isinstance(noisy, np.ndarray)
    return noisy


def _coordinates(vector: Vector, sums: Exact, rows: int | None) -> Exact:
    """The integers of one filter: coordinates x cells. ``sums`` are n, the sum of u, the sum of u * u, as far as wanted."""
    count = sums[0]
    if vector.tree is not None:  # nodes x groups, of counts whose last key moves fastest
        return np.asarray(node_sums(vector.tree, count.reshape(-1, vector.tree.leaves).T))
    if vector.estimator in ("count", "units", "distinct"):
        return sums[:1]
    assert vector.grid is not None
    if vector.per_unit is not None and vector.grid.low >= 0:
        return sums[:1]
    if vector.per_unit is not None:  # ``count`` is that of units here, each of which was moved by the least of its range
        return np.stack([clamp_of(vector.grid, vector.per_unit)[0] * count + sums[1]])
    width, first = vector.grid.width, sums[1]
    if vector.and_grid is not None:
        return _of_two(vector, sums, width, vector.and_grid.width, rows)
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


def _of_two(vector: Vector, sums: Exact, width: int, and_width: int, rows: int | None) -> Exact:
    """The same for two numbers: ``sums`` are those of u^i * v^j, j moving fastest."""
    size = vector.degree + 1
    if vector.estimator == "covariance_numerator":
        count, v, u, together = sums
        is_whole_table = count == rows  # else the sensitivity would not hold. Rule 3
        return np.stack([np.where(is_whole_table, count * together - u * v, 0)])
    by_u = np.tensordot(_terms(vector.degree, width), sums.reshape(size, size, -1), axes=(1, 0))
    both = np.tensordot(_terms(vector.degree, and_width), by_u, axes=(1, 1))  # terms of v x terms of u x cells
    return np.asarray(both.transpose(1, 0, 2).reshape(size * size, -1))


def _terms(degree: int, width: int) -> Exact:
    """Row j has the coefficients of C(d, j) u^j (W - u)^(d - j) in powers of u."""
    linear = [[width, -1], [0, 1]]
    square = [[width * width, -2 * width, 1], [0, 2 * width, -2], [0, 0, 1]]
    return np.array(linear if degree == 1 else square, dtype=object)
