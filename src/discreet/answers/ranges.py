"""Totals over ranges of bins, out of a tree that was released: free, and with intervals of their own."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import QuestionError
from discreet.exact import Number, exact
from discreet.noise.law import Law
from discreet.planning.trees import Tree, range_variance, tail_reach
from discreet.plots.numerals import percent, read_number

__all__ = ["RangeTotals", "Total"]


@dataclass(frozen=True, slots=True, repr=False)
class Total:
    """How many rows are in a range, and the interval of that."""

    value: float
    interval: tuple[float, float]
    confidence: Fraction

    def __repr__(self) -> str:
        return f"{read_number(self.value, self.interval, whole=False)} ({percent(self.confidence)})"


@dataclass(frozen=True, slots=True)
class RangeTotals:
    """The bins behind a running count: ``bins`` x groups, each group by the values of the other keys."""

    column: str
    starts: tuple[float, ...]
    keys: tuple[str, ...]  # the other keys, by name
    groups: tuple[tuple[object, ...], ...]
    bins: NDArray[np.float64]
    tree: Tree
    law: Law
    confidence: Fraction

    def total(self, low: Number, high: Number, group: Mapping[str, Any]) -> Total:
        """How many rows are in the bins that start from ``low`` on and before ``high``, and the interval of that."""
        ends = exact(low, "low"), exact(high, "high")
        chosen = [place for place, start in enumerate(self.starts) if ends[0] <= Fraction(start) < ends[1]]
        if not chosen:
            hint = f"bins start from {self.starts[0]:g} to {self.starts[-1]:g}"
            raise QuestionError("no bin starts in this range", hint=hint)
        place = self._group(group)
        first, last = chosen[0], chosen[-1] + 1
        value = float(self.bins[first:last, place].sum())
        variance = np.array([range_variance(self.tree, first, last)])
        half = float(tail_reach(self.law, variance, float(1 - self.confidence))[0])
        return Total(value, (value - half, value + half), self.confidence)

    def _group(self, group: Mapping[str, Any]) -> int:
        if set(group) != set(self.keys):
            raise QuestionError(
                f"the groups are by {', '.join(self.keys) or 'nothing else'}", hint="name each of the other keys: Race=1"
            )
        wanted = tuple(group[key] for key in self.keys)
        if wanted not in self.groups:
            raise QuestionError("there is no such group", hint="write values as the rows of the answer have them")
        return self.groups.index(wanted)
