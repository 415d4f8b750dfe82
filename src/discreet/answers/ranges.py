"""Totals over ranges of bins, out of a tree that was released: free, and with intervals of their own."""

from bisect import bisect
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import QuestionError
from discreet.exact import Number, exact, shown
from discreet.noise.law import Law
from discreet.plots.numerals import percent, read_number
from discreet.statistics.trees import Tree, range_variance, tail_reach

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
    edges: tuple[Fraction, ...]  # where bins start, and where the last one ends
    keys: tuple[str, ...]  # the other keys, by name
    groups: tuple[tuple[object, ...], ...]
    bins: NDArray[np.float64]
    tree: Tree
    law: Law
    confidence: Fraction

    def total(self, low: Number, high: Number, group: Mapping[str, Any]) -> Total:
        """How many rows are in the bins from ``low`` to below ``high``, and the interval of that.

        The range is half-open, and both are edges of bins: any other end would be a question about a part of a bin.
        """
        first, last = self._edge(low, "low"), self._edge(high, "high")
        if first >= last:
            raise QuestionError("the range has no bin", hint="write the lower end first; the upper end is not in the range")
        place = self._group(group)
        value = float(self.bins[first:last, place].sum())
        variance = np.array([range_variance(self.tree, first, last)])
        half = float(tail_reach(self.law, variance, float(1 - self.confidence))[0])
        return Total(value, (value - half, value + half), self.confidence)

    def _edge(self, end: Number, name: str) -> int:
        """The place of an edge."""
        wanted = exact(end, name)
        above = bisect(self.edges, wanted)
        around = range(max(0, above - 1), min(above + 1, len(self.edges)))  # the two beside it, or the one at an end
        for place in around:
            if wanted in (self.edges[place], exact(float(self.edges[place]))):  # as the rows of an answer have it, too
                return place
        near = " or ".join(shown(self.edges[place]) for place in around)
        hint = f"write {name}={near}: a range begins at the start of a bin and ends before one"
        raise QuestionError(f"{name} is no edge of a bin", hint=hint)

    def _group(self, group: Mapping[str, Any]) -> int:
        if set(group) != set(self.keys):
            raise QuestionError(
                f"the groups are by {', '.join(self.keys) or 'nothing else'}", hint="name each of the other keys: Race=1"
            )
        wanted = tuple(group[key] for key in self.keys)
        if wanted not in self.groups:
            raise QuestionError("there is no such group", hint="write values as the rows of the answer have them")
        return self.groups.index(wanted)
