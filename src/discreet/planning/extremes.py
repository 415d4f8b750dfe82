"""Made-up releases of a plan at the extremes: what comes after a release is tried on them before anything is charged. Rule 15.

They follow from the plan alone: no row is read, nothing is drawn, and they are never stored. Plans of many cells are tried on a
few of them, which take the same way.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import cycle, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import ByStep, ByValue, Key
from discreet.facts.model import Integer, Number, Text
from discreet.mechanisms.keys import NoisyThreshold
from discreet.planning.found_bounds import bounds_as_integers, extreme_bounds
from discreet.planning.plan import Axis, Found, Keys, Plan, Ranks, Released, Vector
from discreet.planning.staged import opened
from discreet.planning.trees import tree_for
from discreet.planning.unknown import keys_as_integers
from discreet.questions.algebra import Column, Literal

__all__ = ["extreme_releases"]

_FEW_CELLS = 32
_MANY = (0, 1 << 61, -(1 << 61), 1, -1, 1000, -1000)  # what 64 bits hold: exact sums are clamped to the largest of these
_FEW = (*_MANY, 1 << 200, -(1 << 200))  # beyond all sums of 2^33 rows, with noise
_LETTERS = ("", " ", "'; --", "\x1b[31m\x00\n", "\u202e", "=cmd|' /C calc'!A0", "<b>&\"", "é🜍", "none")
_NUMBERS = (0.0, -0.0, 1.0, 0.1, -1e308, 1e308, 5e-324)


def extreme_releases(plan: Plan) -> Iterator[tuple[Plan, Released]]:
    """Some releases that the plan could come to, each with the plan that it is of: of a few cells, keys and bounds told.

    The first of them has the shape of the answer; the next has as many cells more as it takes for every number to be in some.
    """
    few = _with_few_cells(plan)
    for told in _told(few):
        rest = opened(few, told)
        for turn, each in enumerate((rest, _with_more_cells(rest))):
            yield each, (*told, *(_numbers(vector, each, turn) for vector in rest.vectors[len(told) :]))


def _told(plan: Plan) -> Iterator[Released]:
    """Keys and bounds that could be found: none at all, and hostile ones; the widest and the narrowest."""
    first = plan.vectors[0] if plan.vectors else None
    if isinstance(first, Keys) and plan.axes[first.place].values:  # chosen before: they are what they are
        keys = [each if isinstance(each, str) else float(str(each)) for each in plan.axes[first.place].values]
        yield (keys_as_integers(keys, [max(0, each) for each in islice(cycle(_MANY), len(keys))]),)
        return
    if isinstance(first, Keys):
        yield (keys_as_integers([], []),)
        keys = _hostile(plan, first)
        counts = [max(0, each) for each in islice(cycle(_MANY), len(keys))]
        yield (keys_as_integers(keys, counts if isinstance(first.mechanism, NoisyThreshold) else None),)
        return
    found = [each for each in plan.vectors if isinstance(each, Found)]
    if not found:
        yield ()
        return
    bounds = [_bounds(each, plan) for each in found]
    for place in range(max(map(len, bounds))):
        yield tuple(bounds_as_integers(each[place % len(each)]) for each in bounds)


def _bounds(found: Found, plan: Plan) -> list[tuple[Fraction, Fraction]]:
    """Bounds that could be found; those that were, if they were found before."""
    column = plan.facts.column(found.column)
    if isinstance(column, Number | Integer) and column.lower is not None and column.upper is not None:
        return [(Fraction(column.lower), Fraction(column.upper))]
    return extreme_bounds(found, plan.facts)


def _hostile(plan: Plan, keys: Keys) -> list[str | float]:
    key = plan.question.keys[keys.place]
    match plan.facts.column(key.name) if isinstance(key, Column) else None:
        case Text(max_length=most):
            return list(dict.fromkeys([each[:most] for each in _LETTERS] + ["w" * most]))
        case Integer():
            return [0.0, 1.0, -1.0, float(1 << 53), -float(1 << 53)]
        case Number():
            return list(_NUMBERS)
        case _:
            return list(_LETTERS)


def _numbers(vector: Vector | Ranks | Keys | Found, plan: Plan, turn: int) -> NDArray[Any]:
    """The integers of one vector: neighbouring numbers differ, and the second turn begins with another one."""
    cells = plan.wanted.cells
    if isinstance(vector, Ranks):
        last = vector.points - 1
        return _filled((1, len(vector.shares), cells), (0, last, last // 2), turn, np.int64)
    assert isinstance(vector, Vector), "keys and bounds come before anything else"
    tree = vector.tree
    each, groups = (vector.coordinates, cells) if tree is None else (tree.nodes, cells // tree.leaves)
    some, kind = (_FEW, object) if vector.are_few else (_MANY, np.int64)
    return _filled((each, len(vector.filters), groups), some, turn, kind)


def _filled(shape: tuple[int, ...], numbers: tuple[int, ...], turn: int, kind: type) -> NDArray[Any]:
    some = islice(cycle(numbers), turn, turn + int(np.prod(shape)))
    return np.array(list(some), dtype=kind).reshape(shape)


# ---- plans of other cells


def _with_more_cells(plan: Plan) -> Plan:
    """The plan with one more key, which nobody asked for: then all numbers are tried at once. Trees and keys have enough."""
    if not plan.vectors or any(isinstance(each, Keys) or (isinstance(each, Vector) and each.tree) for each in plan.vectors):
        return plan
    more = len(_FEW) if plan.wanted.cells < len(_FEW) else 1
    key = ByStep(Literal(Fraction(0)), Fraction(1), Fraction(0), 0, more)
    return replace(plan, axes=(*plan.axes, Axis(tuple(range(more)))), wanted=replace(plan.wanted, keys=(*plan.wanted.keys, key)))


def _with_few_cells(plan: Plan) -> Plan:
    """The plan about a few values of each key, if it is about many."""
    if plan.wanted.cells <= _FEW_CELLS:
        return plan
    most = max(2, round(_FEW_CELLS ** (1 / len(plan.axes))))
    axes = tuple(Axis(axis.values[:most], axis.labels[:most]) for axis in plan.axes)
    keys = tuple(_first(key, most) for key in plan.wanted.keys)
    vectors = tuple(_smaller(each, keys[-1].cells) for each in plan.vectors)
    return replace(plan, axes=axes, wanted=replace(plan.wanted, keys=keys), vectors=vectors)


def _first(key: Key, most: int) -> Key:
    match key:
        case ByStep():
            return replace(key, cells=min(key.cells, most))
        case ByValue() if key.cells > most:
            return replace(key, values=key.values[:most], other=False)
        case _:
            return key


def _smaller(vector: Vector | Ranks | Keys | Found, leaves: int) -> Vector | Ranks | Keys | Found:
    """A tree over as many bins as are left."""
    if not isinstance(vector, Vector) or vector.tree is None:
        return vector
    return replace(vector, tree=tree_for(leaves, is_gaussian=bool(vector.mechanism.law.quadratic)))
