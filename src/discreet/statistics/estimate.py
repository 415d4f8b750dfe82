"""A value and its interval in every cell, and how sums of released integers come to one. All of it is post-processing."""

from dataclasses import dataclass

import numpy as np

from discreet.noise.law import Law
from discreet.statistics.reach import Floats, reach

__all__ = ["Estimate", "fixed", "linear"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """Per cell: a value, and the ends of its interval."""

    value: Floats
    low: Floats
    high: Floats

    def scaled(self, by: float, shift: float = 0.0) -> "Estimate":
        """by * value + shift, for by > 0."""
        return Estimate(self.value * by + shift, self.low * by + shift, self.high * by + shift)

    def widened(self, by: Floats | float) -> "Estimate":
        """With an interval that is wider on both sides."""
        return Estimate(self.value, self.low - by, self.high + by)

    def within(self, low: float, high: float) -> "Estimate":
        """With everything brought into the range that is possible."""
        return Estimate(*(np.clip(part, low, high) for part in (self.value, self.low, self.high)))


def linear(law: Law, sums: Floats, weights: tuple[float, ...], alpha: float) -> Estimate:
    """A weighted sum of released coordinates (coordinates x cells)."""
    value = np.tensordot(np.array(weights), sums, axes=1)
    far = reach(law, weights, alpha)
    return Estimate(value, value - far, value + far)


def fixed(value: float, cells: int) -> Estimate:
    """A public value."""
    found = np.full(cells, value)
    return Estimate(found, found, found)
