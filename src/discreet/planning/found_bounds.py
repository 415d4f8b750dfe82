"""Bounds that nothing public says: found privately, for a share of the price, before anything else is read about the column.

Numbers are put into public buckets between powers of two. The bucket of each end is chosen by rank, as MIN and MAX are: the one
with about ``rows_beyond`` rows beyond it, so many that an empty bucket is chosen for an end at most once in a thousand times. The
bounds are one bucket further out, not beyond 0, and 0 where that is near. Proof: docs/proofs/bounds.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil, log
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import Grid
from discreet.errors import QuestionError
from discreet.facts.model import Column as AnyColumn
from discreet.facts.model import Facts, Integer, Number
from discreet.mechanisms.quantile import Quantile
from discreet.mechanisms.quantiles import Quantiles, turns
from discreet.planning.plan import Found, Ranks
from discreet.planning.price import Price
from discreet.planning.ranks import epsilon_of
from discreet.planning.units import matches_of, reach_of
from discreet.planning.vectors import aggregates_in
from discreet.privacy.losses import Approximate, Concentrated, Pure
from discreet.questions.algebra import Apply, Case, Column, Expression, Literal, Question
from discreet.questions.unbounded import unbounded_in
from discreet.sensitivities.scope import Scope
from discreet.sensitivities.statistic import QuantileScore
from discreet.sensitivities.table import score_change

__all__ = [
    "ASSUMED", "Bounds", "at_assumed", "bounded", "bounds_as_integers", "bounds_at", "bounds_told", "edges_of",
    "extreme_bounds", "found_of", "part_of", "place_of", "price_without", "ungrouped",
]  # fmt: skip

Bounds = tuple[Fraction, Fraction]

ASSUMED: Bounds = (Fraction(0), Fraction(1 << 20))  # in place of bounds that are not found yet: events do not depend on them
MISSED = Fraction(1, 1000)  # how often an end may be an empty bucket, at most

_FARTHEST = 60  # binary digits of the largest bound, and of the smallest
_NEAR = 4  # 0 is a bound where the other is this much farther from it


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


# ---- the selections


def part_of(question: Question, facts: Facts) -> tuple[tuple[str, ...], Fraction]:
    """The columns whose bounds are to be found, and the share of the price for all of them; none and 0 if there are no such."""
    share = question.bounds_share
    columns = unbounded_in(aggregates_in(question), facts)
    return (columns, share) if columns and share is not None else ((), Fraction(0))


def found_of(question: Question, facts: Facts, price: Price) -> tuple[Found, ...]:
    """What finds the bounds, each column for an equal part of the share; an end that is public costs nothing."""
    columns, share = part_of(question, facts)
    return tuple(_found(name, question, facts, price, share / len(columns)) for name in columns)


def _found(name: str, question: Question, facts: Facts, price: Price, share: Fraction) -> Found:
    column = facts.column(name)
    assert isinstance(column, Number | Integer)
    missing = [side for side, bound in (("min", column.lower), ("max", column.upper)) if bound is None]
    of, points = place_of(column), len(edges_of(column)) - 1
    scope = _scope(question, facts)
    what = f"bounds of {name}"
    ends = []
    for side in missing:
        q = Fraction(0) if side == "min" else Fraction(1)
        moves = score_change(QuantileScore(q), scope)
        epsilon = epsilon_of(_as_pure(price), share / len(missing), what)
        beyond = ceil(2 * float(moves / epsilon) * log(points / MISSED))
        (turn,) = turns((q,), Fraction(beyond if side == "min" else -beyond))
        one = Quantile(epsilon=epsilon, sensitivity=moves, q=turn.q, offset=turn.offset)
        ends.append(Ranks(
            of=of, filter=None, kind="min" if side == "min" else "max", role="point", shares=(q,), rows_beyond=beyond,
            grid=Grid(Fraction(1), 0, points - 1), mechanism=Quantiles((turn,), (one,)), share=share / len(missing), what=what,
        ))  # fmt: skip
    return Found(name, tuple(ends), share, what)


def _as_pure(price: Price) -> Price:
    """Choices have no delta: at (epsilon, delta) they are paid in epsilon alone."""
    return Pure(epsilon=price.epsilon) if isinstance(price, Approximate) else price


def price_without(price: Price, share: Fraction) -> Price:
    """What is left of a price when ``share`` of it is spent on bounds. Delta is left as it is."""
    match price:
        case Pure(epsilon=epsilon):
            return Pure(epsilon=epsilon * (1 - share))
        case Concentrated(rho=rho):
            return Concentrated(rho=rho * (1 - share))
        case Approximate(epsilon=epsilon, delta=delta):
            return Approximate(epsilon=epsilon * (1 - share), delta=delta)
        case _:
            assert_never(price)


def ungrouped(question: Question) -> Question:
    """Bounds are found over all groups together."""
    return replace(question, keys=())


def _scope(question: Question, facts: Facts) -> Scope:
    reach = reach_of(ungrouped(question), facts)
    return Scope(facts.neighbours, filtered=True, rows_per_unit=matches_of(question, facts) if reach is None else reach.rows)


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


def extreme_bounds(found: Found, facts: Facts) -> list[Bounds]:
    """Some bounds that could be found: the widest, the narrowest, and those farthest out on either side."""
    column = facts.column(found.column)
    assert isinstance(column, Number | Integer)
    last = len(edges_of(column)) - 2
    sides = {end.kind for end in found.ends}
    places = [(0, last), (last, last), (0, 0), (last // 2, last // 2), (last // 2 + 1, last // 2 + 1)]
    pairs = [(low if "min" in sides else None, high if "max" in sides else None) for low, high in places]
    return [bounds_at(column, *each) for each in dict.fromkeys(pairs) if 0 <= max(end or 0 for end in each) <= last]


# ---- facts that have the bounds, and bounds among integers


def bounded(facts: Facts, bounds: Mapping[str, Bounds]) -> Facts:
    """The facts with these bounds where they had none."""
    return replace(facts, columns=tuple(_bounded(each, bounds.get(each.name)) for each in facts.columns))


def _bounded(column: AnyColumn, bounds: Bounds | None) -> AnyColumn:
    match column:
        case Number() if bounds is not None:
            return replace(column, lower=bounds[0], upper=bounds[1])
        case Integer() if bounds is not None:
            return replace(column, lower=int(bounds[0]), upper=int(bounds[1]))
        case _:
            return column


def at_assumed(facts: Facts, columns: tuple[str, ...]) -> Facts:
    """The facts with bounds that stand in for those that are not found yet."""
    return bounded(facts, dict.fromkeys(columns, ASSUMED))


def bounds_as_integers(bounds: Bounds) -> NDArray[np.object_]:
    """Bounds as they travel among released integers."""
    return np.array([part for bound in bounds for part in (bound.numerator, bound.denominator)], dtype=object)


def bounds_told(integers: NDArray[np.object_]) -> Bounds:
    """The bounds that were found."""
    low, low_parts, high, high_parts = (int(each) for each in integers)
    return Fraction(low, low_parts), Fraction(high, high_parts)
