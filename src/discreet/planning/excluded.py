"""Groups that WHERE leaves no row in, told from the text and the facts alone: an answer does not list them.

They are released like all others, so that sensitivities, and what a stored draw is about, stay as they are; which of them are
shown is post-processing of public things. Only what a condition says of the key itself counts, worked out as engines do; where
that says nothing about a group, it is kept.
"""

from dataclasses import replace
from fractions import Fraction
from functools import reduce
from math import inf, nextafter
from operator import and_, or_
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from discreet.engines.rules.evaluate import binned, evaluate
from discreet.engines.rules.values import Value, nearest
from discreet.engines.wanted import ByStep, ByValue, Key
from discreet.errors import QuestionError
from discreet.planning.plan import Axis
from discreet.questions.algebra import Apply, Bin, Column, DateTrunc, Expression, In, Literal
from discreet.questions.normal import normal_expression
from discreet.questions.text import to_text
from discreet.questions.walk import every, parts, rebuilt

__all__ = ["check_groups", "without_excluded"]

_MOST_TRIED = 1000  # groups whose values are tried one by one
_IT = Column("")  # stands for the key


def without_excluded(
    where: Expression | None, keys: tuple[Expression, ...], cells: tuple[Key, ...], axes: tuple[Axis, ...]
) -> tuple[Axis, ...]:
    """The axes, told which of their values no row that meets ``where`` can have."""
    if where is None:
        return axes
    condition = normal_expression(where)
    axes_and_keys = zip(axes, keys, cells, strict=True)
    return tuple(_told(axis, _may_hold(condition, normal_expression(key), _normal(cell))) for axis, key, cell in axes_and_keys)


def check_groups(keys: tuple[Expression, ...], axes: tuple[Axis, ...]) -> None:
    """Refuses a question whose answer would have no row: nothing could be read from it, whatever the table."""
    for key, axis in zip(keys, axes, strict=True):
        if axis.values and not axis.shown:
            raise QuestionError(
                f"no group is left: no value of {to_text(key)} meets WHERE",
                hint="write a condition that values within the declared bounds can meet; those beyond are seen as the bound",
            )


def _normal(cells: Key) -> Key:
    return replace(cells, of=normal_expression(cells.of))


def _told(axis: Axis, holds: NDArray[np.bool_]) -> Axis:
    return axis if holds.all() else replace(axis, excluded=tuple(np.flatnonzero(~holds).tolist()))


def _may_hold(condition: Expression, key: Expression, cells: Key) -> NDArray[np.bool_]:
    """For every value of a key, whether the condition can be true of a row that has it."""
    match condition:
        case Apply("and" | "or" as how, of):
            return reduce(and_ if how == "and" else or_, (_may_hold(part, key, cells) for part in of))
        case In(of, values) if isinstance(cells, ByStep):
            return reduce(or_, (_may_hold(Apply("equal", (of, value)), key, cells) for value in values))
    of = key.of if isinstance(key, Bin) else key
    if isinstance(cells, ByStep) and (ends := _ends(condition, of)) is not None:
        return _between(*ends, cells, is_value=of == key)
    about = _with(condition, key)
    is_alone = about is not condition and all(one == _IT for one in every(about) if isinstance(one, Column))
    counts_as_value = cells.of != of and is_alone and evaluate(about, {_IT.name: None}) is True  # what WHERE sees as NULL
    is_numbered = isinstance(key, DateTrunc)  # its cells have no values to try
    if not is_alone or counts_as_value or is_numbered or cells.cells > _MOST_TRIED:
        return np.ones(cells.cells, bool)
    return np.array([evaluate(about, {_IT.name: value}) is True for value in _values(cells)], bool)


def _with(condition: Expression, key: Expression) -> Expression:
    """The condition about the key's value."""
    return _IT if condition == key else rebuilt(condition, tuple(_with(part, key) for part in parts(condition)))


def _values(key: Key) -> list[Value]:
    """What the key is in each of its cells, as engines work it out."""
    match key:
        case ByValue(values=values, other=null):  # what is not declared is read as NULL
            found: list[Value] = [value if isinstance(value, str | bool) else nearest(value) for value in values]
        case ByStep(width=width, origin=origin, first=first, null=null):
            found = [nearest(origin) + (first + place) * nearest(width) for place in range(key.steps)]
    return [*found, None] if null else found


def _ends(condition: Expression, of: Expression) -> tuple[float, float] | None:
    """Between which numbers a comparison with a constant puts ``of``; None if it is no such comparison."""
    match condition:
        case Apply("equal", (one, Literal(value))) if one == of and _is_number(value):
            return nearest(value), nearest(value)
        case Apply("less" | "less_equal" as how, (one, Literal(value))) if one == of and _is_number(value):
            return -inf, nearest(value) if how == "less_equal" else nextafter(nearest(value), -inf)
        case Apply("less" | "less_equal" as how, (Literal(value), one)) if one == of and _is_number(value):
            return nearest(value) if how == "less_equal" else nextafter(nearest(value), inf), inf
        case _:
            return None


def _is_number(value: object) -> TypeGuard[Fraction]:
    return isinstance(value, Fraction)


def _between(low: float, high: float, key: ByStep, *, is_value: bool) -> NDArray[np.bool_]:
    """The steps on which numbers from ``low`` to ``high`` are: engines put a larger number on no lower step.

    ``is_value``: all are whole, and each is its own step.
    """
    steps = np.arange(key.first, key.first + key.cells)
    first, last = (low, high) if is_value else (binned(end, key.width, key.origin) for end in (low, high))
    found = (steps >= (-inf if first is None else first)) & (steps <= (inf if last is None else last))
    return found & (np.arange(key.cells) < key.steps)  # NULL meets no comparison
