"""Made-up releases of a plan at the extremes: what comes after a release is tried on them before anything is charged. Rule 15.

They follow from the plan alone: no row is read, nothing is drawn, and they are never stored. Plans of many cells are tried on a
few of them, which take the same way.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from discreet.engines.wanted import ByStep, ByValue, Key
from discreet.planning.plan import Axis, Plan
from discreet.planning.staged import opened
from discreet.questions.algebra import Literal
from discreet.statistics.part import FirstPart, Released

__all__ = ["extreme_releases"]

_FEW_CELLS = 32
_MORE_CELLS = 9  # as many as there are extreme numbers


def extreme_releases(plan: Plan) -> Iterator[tuple[Plan, Released]]:
    """Some releases that the plan could come to, each with the plan that it is of: of a few cells, keys and bounds told.

    The first of them has the shape of the answer; the next has as many cells more as it takes for every number to be in some.
    """
    few = _with_few_cells(_all_shown(plan))
    for told in _told(few):
        rest = opened(few, told)
        for turn, each in enumerate((rest, _with_more_cells(rest))):
            yield each, (*told, *(part.extremes(each.wanted.cells, turn) for part in rest.vectors[len(told) :]))


def _told(plan: Plan) -> Iterator[Released]:
    """Keys and bounds that could be found: none at all, and hostile ones; the widest and the narrowest."""
    first = [each for each in plan.vectors if isinstance(each, FirstPart)]
    possible = [each.possible(plan.question, plan.facts, [axis.values for axis in plan.axes]) for each in first]
    for place in range(max(map(len, possible), default=1)):
        yield tuple(each[place % len(each)] for each in possible)


# ---- plans of other cells


def _with_more_cells(plan: Plan) -> Plan:
    """The plan with one more key, which nobody asked for: then all numbers are tried at once. Trees and keys have enough."""
    if not plan.vectors or not all(each.fits_any_cells for each in plan.vectors):
        return plan
    more = _MORE_CELLS if plan.wanted.cells < _MORE_CELLS else 1
    key = ByStep(Literal(Fraction(0)), Fraction(1), Fraction(0), 0, more)
    return replace(plan, axes=(*plan.axes, Axis(tuple(range(more)))), wanted=replace(plan.wanted, keys=(*plan.wanted.keys, key)))


def _all_shown(plan: Plan) -> Plan:
    """The plan as if WHERE excluded no group: one that differs in WHERE alone is not tried again."""
    return replace(plan, axes=tuple(replace(axis, excluded=()) for axis in plan.axes))


def _with_few_cells(plan: Plan) -> Plan:
    """The plan about a few values of each key, if it is about many."""
    if plan.wanted.cells <= _FEW_CELLS:
        return plan
    most = max(2, round(_FEW_CELLS ** (1 / len(plan.axes))))
    axes = tuple(Axis(axis.values[:most], axis.labels[:most]) for axis in plan.axes)
    keys = tuple(_first(key, most) for key in plan.wanted.keys)
    vectors = tuple(each.over(keys[-1].cells) for each in plan.vectors)
    return replace(plan, axes=axes, wanted=replace(plan.wanted, keys=keys), vectors=vectors)


def _first(key: Key, most: int) -> Key:
    match key:
        case ByStep() if key.cells > most:
            return replace(key, cells=most, null=False)
        case ByValue() if key.cells > most:
            return replace(key, values=key.values[:most], other=False)
        case _:
            return key
