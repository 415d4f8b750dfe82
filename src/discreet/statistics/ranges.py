"""Arithmetic of ranges: a low and a high end in every cell, for all that is in between."""

import numpy as np

from discreet.statistics.reach import Floats

__all__ = ["Range", "minus", "plus", "size", "times"]

Range = tuple[Floats, Floats]  # low and high per cell


def size(of: Range) -> Floats:
    """The largest absolute value."""
    return np.asarray(np.maximum(np.abs(of[0]), np.abs(of[1])))


def plus(one: Range, other: Range) -> Range:
    """All sums."""
    return one[0] + other[0], one[1] + other[1]


def minus(one: Range, other: Range) -> Range:
    """All differences."""
    return one[0] - other[1], one[1] - other[0]


def times(one: Range, other: Range) -> Range:
    """All products."""
    corners = [x * y for x in one for y in other]
    return np.minimum.reduce(corners), np.maximum.reduce(corners)
