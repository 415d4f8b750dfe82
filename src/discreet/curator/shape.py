"""The groups of an answer before it is bought: all of them are public, so that its shape can be shown for nothing."""

from itertools import product
from math import prod

from discreet.planning.plan import Axis, Plan
from discreet.questions.algebra import Bin

__all__ = ["groups_of"]

_MOST = 60  # more are not looked at one by one


def groups_of(plan: Plan) -> tuple[tuple[str, ...], ...]:
    """The keys of each group in words, in order; nothing where there are many, or where no list has them."""
    if not plan.axes or any(not axis.values for axis in plan.axes) or prod(axis.shown for axis in plan.axes) > _MOST:
        return ()
    widths = [float(key.width) if isinstance(key, Bin) else None for key in plan.question.keys]
    return tuple(product(*(_names(*pair) for pair in zip(plan.axes, widths, strict=True))))


def _names(axis: Axis, width: float | None) -> list[str]:
    return [_name(axis, place, width) for place in range(len(axis.values)) if place not in axis.excluded]


def _name(axis: Axis, place: int, width: float | None) -> str:
    value = axis.values[place]
    if value is None:
        return axis.null_label or "none"
    if place < len(axis.labels):
        return axis.labels[place]
    if width is not None and isinstance(value, int | float):
        return f"{value:,g} to {value + width:,g}"
    return str(value).casefold() if isinstance(value, bool) else str(value)
