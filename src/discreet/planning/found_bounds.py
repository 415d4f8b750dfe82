"""Which bounds a question has to find, at what price, and the facts once they are there. Proof: docs/proofs/bounds.md."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil, log
from typing import assert_never

from discreet.engines.wanted import Grid
from discreet.errors import QuestionError
from discreet.facts.model import Column as AnyColumn
from discreet.facts.model import Facts, Integer, Number
from discreet.mechanisms.quantile import Quantile
from discreet.mechanisms.quantiles import Quantiles, turns
from discreet.planning.caps import matches_of, reach_of
from discreet.planning.choosing import aggregates_in
from discreet.planning.price import Price
from discreet.privacy.losses import Approximate, Concentrated, Pure
from discreet.questions.algebra import Question
from discreet.questions.unbounded import unbounded_in
from discreet.questions.unit_range import bounds_units
from discreet.sensitivities.scope import Scope
from discreet.sensitivities.statistic import QuantileScore
from discreet.sensitivities.table import score_change
from discreet.statistics.bounds import ASSUMED, Bounds, Found, edges_of, place_of
from discreet.statistics.rank_drafts import epsilon_of
from discreet.statistics.ranks import Ranks

__all__ = ["MISSED", "at_assumed", "bounded", "found_of", "part_of", "price_without", "ungrouped"]

MISSED = Fraction(1, 1000)  # how often an end may be an empty bucket, at most


def part_of(question: Question, facts: Facts) -> tuple[tuple[str, ...], Fraction]:
    """The columns whose bounds are to be found, and the share of the price for all of them; none and 0 if there are no such."""
    share = question.bounds_share
    columns = unbounded_in(aggregates_in(question), facts)
    if columns and share is not None and bounds_units(question):  # all rows of a unit are read, and nothing limits them
        raise QuestionError("no bounds are found beside totals that are bounded per unit", hint="leave out BOUNDS SHARE")
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


# ---- facts that have the bounds


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
