"""Bounds that nothing public says: found privately, for a share of the price, before anything else is read about the column.

Numbers are put into public buckets between powers of two. The bucket of each end is chosen by rank, as MIN and MAX are: the one
with about ``rows_beyond`` rows beyond it, so many that an empty bucket is chosen for an end at most once in a thousand times. The
bounds are one bucket further out, not beyond 0, and 0 where that is near. Proof: docs/proofs/bounds.md.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import Wanted
from discreet.errors import QuestionError
from discreet.facts.model import Facts, Integer, Number
from discreet.privacy.events import Event
from discreet.privacy.events import Sequence as InSequence
from discreet.questions.algebra import Aggregate, AggregateKind, Apply, Case, Column, Expression, Literal, Question
from discreet.statistics.estimate import Estimate
from discreet.statistics.part import FirstPart, Part, Told, Worth, Writer
from discreet.statistics.ranks import Ranks

__all__ = ["ASSUMED", "Bounds", "Found", "bounds_as_integers", "bounds_at", "bounds_told", "edges_of", "place_of"]

Bounds = tuple[Fraction, Fraction]

ASSUMED: Bounds = (Fraction(0), Fraction(1 << 20))  # in place of bounds that are not found yet: events do not depend on them

_FARTHEST = 60  # binary digits of the largest bound, and of the smallest
_NEAR = 4  # 0 is a bound where the other is this much farther from it


@dataclass(frozen=True, slots=True)
class Found(FirstPart):
    """Bounds of one column that are found, each end by its rank; before the other parts of a plan.

    ``ends`` are the low end ("min") and the high one ("max"), without one that is public.
    """

    column: str
    ends: tuple[Ranks, ...]
    share: Fraction
    what: str

    def event(self, facts: Facts, cells: int) -> Event:
        return InSequence(tuple(end.event(facts, 1) for end in self.ends))

    def choices(self, cells: int) -> int:
        return len(self.ends)

    def calls(self, cells: int) -> int:
        return len(self.ends)

    def readings(self, wanted: Wanted) -> Iterable[tuple[Expression | None, ...]]:
        return [(wanted.where, end.of) for end in self.ends for _ in range(2)]  # coarsely, then finely

    def bounds_from(self, facts: Facts, places: dict[AggregateKind, int]) -> Bounds:
        """The bounds that chosen buckets come to."""
        return bounds_at(self.of(facts), places.get("min"), places.get("max"))

    def of(self, facts: Facts) -> Number | Integer:
        """The column."""
        column = facts.column(self.column)
        assert isinstance(column, Number | Integer)
        return column

    def estimate(self, told: Told, place: int, slot: int, aggregate: Aggregate, alpha: float) -> Estimate:
        raise AssertionError("bounds answer no aggregate")

    def statement(self, kind: AggregateKind) -> str:
        raise AssertionError("bounds answer no aggregate")

    def assumed(self, rows: int) -> NDArray[Any]:
        return bounds_as_integers(ASSUMED)

    def possible(self, question: Question, facts: Facts, axes: Sequence[Sequence[object]]) -> list[NDArray[Any]]:
        column = self.of(facts)
        if column.lower is not None and column.upper is not None:  # found before
            return [bounds_as_integers((Fraction(column.lower), Fraction(column.upper)))]
        return [bounds_as_integers(each) for each in _extreme_bounds(column, {end.kind for end in self.ends})]

    def names(self, write: Writer, facts: Facts) -> list[list[list[str]]]:
        return [[[f"caps {write.caps}", f"bounds {self.column}"]]]

    def worth(self, slot: int, kinds: Iterable[AggregateKind], planned: Part) -> Worth | None:
        return tuple(Fraction(end.rows_beyond) for end in self.ends) if isinstance(planned, Found) else None

    def described(self, cells: int) -> list[dict[str, Any]]:
        sides = ["lower" if end.kind == "min" else "upper" for end in self.ends]
        return [end.described(1)[0] | {"statistic": side} for end, side in zip(self.ends, sides, strict=True)]


# ---- buckets: number i lies between edges i and i + 1


def edges_of(column: Number | Integer) -> tuple[Fraction, ...]:
    """The ends of the buckets for a column: powers of two on both sides of 0, none of them inside a public bound."""
    powers = [Fraction(2) ** digits for digits in range(0 if isinstance(column, Integer) else -_FARTHEST, _FARTHEST + 1)]
    edges = [*(-power for power in reversed(powers)), Fraction(0), *powers]
    if column.lower is not None:
        far = [edge for edge in edges if _is_apart(Fraction(column.lower), edge)]
        edges = [Fraction(column.lower), *far]
    if column.upper is not None:
        far = [edge for edge in edges if _is_apart(edge, Fraction(column.upper))]
        edges = [*far, Fraction(column.upper)]
    if len(edges) < 2:
        raise QuestionError(
            f"the one bound of {column.name} is too far from 0 to find the other", hint="declare lower and upper in the facts"
        )
    return tuple(edges)


def _is_apart(low: Fraction, high: Fraction) -> bool:
    """Whether the distance of two bounds is not small beside the numbers themselves."""
    return 4 * (high - low) >= max(abs(low), abs(high)) > 0


def place_of(column: Number | Integer) -> Expression:
    """The bucket that a value of the column is in, counted from 0, as an expression; NULL where it has none.

    An edge belongs to the bucket on its side towards 0; 0 itself to the one above it.
    """
    of, edges = Column(column.name), edges_of(column)
    last = len(edges) - 2
    below = sum(1 for edge in edges[1:] if edge <= 0)  # buckets with no positive number in them

    def among(first: int, until: int, is_below: Callable[[Fraction], Expression]) -> Expression:
        if first == until:
            return Literal(Fraction(first))
        middle = (first + until) // 2
        return Case(((is_below(edges[middle + 1]), among(first, middle, is_below)),), among(middle + 1, until, is_below))

    def before(edge: Fraction) -> Expression:
        return Apply("less", (of, Literal(edge)))

    def upto(edge: Fraction) -> Expression:
        return Apply("less_equal", (of, Literal(edge)))

    negative = among(0, below - 1, before) if below else Literal(Fraction(0))
    positive = among(below, last, upto) if below <= last else Literal(Fraction(last))
    return Case(((Apply("is_null", (of,)), Literal(None)), (before(Fraction(0)), negative)), positive)


def bounds_at(column: Number | Integer, first: int | None, last: int | None) -> Bounds:
    """From chosen buckets to bounds, one bucket further out unless that is beyond 0. This is post-processing."""
    edges = edges_of(column)
    first, last = (min(first, last), max(first, last)) if first is not None and last is not None else (first, last)
    low = edges[0] if first is None else edges[max(first - (edges[first] != 0), 0)]
    high = edges[-1] if last is None else edges[min(last + 1 + (edges[last + 1] != 0), len(edges) - 1)]
    if first is not None and 0 < _NEAR * low <= high:
        low = Fraction(0)
    if last is not None and low <= _NEAR * high < 0:
        high = Fraction(0)
    return low, high


def _extreme_bounds(column: Number | Integer, sides: set[AggregateKind]) -> list[Bounds]:
    """Some bounds that could be found: the widest, the narrowest, and those farthest out on either side."""
    last = len(edges_of(column)) - 2
    places = [(0, last), (last, last), (0, 0), (last // 2, last // 2), (last // 2 + 1, last // 2 + 1)]
    pairs = [(low if "min" in sides else None, high if "max" in sides else None) for low, high in places]
    return [bounds_at(column, *each) for each in dict.fromkeys(pairs) if 0 <= max(end or 0 for end in each) <= last]



# ---- bounds among integers


def bounds_as_integers(bounds: Bounds) -> NDArray[np.object_]:
    """Bounds as they travel among released integers."""
    return np.array([part for bound in bounds for part in (bound.numerator, bound.denominator)], dtype=object)


def bounds_told(integers: NDArray[np.object_]) -> Bounds:
    """The bounds that were found."""
    low, low_parts, high, high_parts = (int(each) for each in integers)
    return Fraction(low, low_parts), Fraction(high, high_parts)
