"""Intervals that all hold at once: how much each aggregate's may miss. Proof: docs/proofs/intervals.md, "All at once"."""

from fractions import Fraction
from math import expm1, log1p
from typing import Literal, assert_never

from discreet.planning.plan import Derived, Found, Keys, Plan, Ranks, Vector
from discreet.planning.vectors import aggregates_in_expression
from discreet.questions.algebra import Aggregate

__all__ = ["Confidence", "risks_together"]

Confidence = Fraction | float  # exact where somebody asks: 1 minus it is never 0

Statement = Literal["count", "sum", "mean", "variance", "covariance", "correlation", "rank", "running"]


def risks_together(plan: Plan, confidence: Confidence, cells: int) -> dict[Aggregate, float]:
    """For each aggregate that is shown, the risk per cell at which all intervals of ``cells`` cells hold with ``confidence``.

    Noise of different cells, vectors and filters is independent, so these multiply; what is said about one and the same noise
    shares a risk. Intervals of outputs follow from those of their aggregates and need no risk of their own.
    """
    shown = dict.fromkeys(each for output in plan.question.outputs for each in aggregates_in_expression(output.value))
    places = {each: source for each in shown if isinstance(source := plan.source(each), Derived)}
    said: dict[Derived, set[Statement]] = {}
    for aggregate, place in places.items():
        said.setdefault(place, set()).add(_statement(plan.vectors[place.vector], aggregate))
    risk = float(1 - confidence)
    alone = -expm1(log1p(-risk) / max(1, len(said) * cells))  # 1 - confidence^(1 / independent parts), without cancellation
    vectors = [plan.vectors[place.vector] for place in said]
    shares_noise = [isinstance(each, Ranks) or (isinstance(each, Vector) and each.tree is not None) for each in vectors]
    if any(shares_noise):  # a recursion or a tree: its cells are not independent
        alone = risk / max(1, len(said) * cells)
    return {aggregate: alone / len(said[place]) for aggregate, place in places.items()}


def _statement(vector: Vector | Ranks | Keys | Found, aggregate: Aggregate) -> Statement:
    """What the interval says about the noise: those that say the same hold or miss together."""
    if isinstance(vector, Ranks):
        return "rank"
    if isinstance(vector, Keys):
        return "count"
    assert not isinstance(vector, Found), "bounds answer no aggregate"
    if vector.estimator not in ("bernstein", "tensor", "tree"):
        return "sum"  # one noisy number, from which all are read off
    match aggregate.kind:
        case "count_rows" | "count_units" | "count" | "count_distinct":
            return "count"
        case "running_rows":
            return "running"
        case "at_bounds" | "at_lower" | "at_upper":
            return "mean"
        case "sum" | "mean":
            return aggregate.kind
        case "variance_pop" | "variance_samp" | "stddev_pop" | "stddev_samp":
            return "variance"
        case "covariance_pop" | "covariance_samp":
            return "covariance"
        case "correlation":
            return "correlation"
        case "quantile" | "min" | "max" | "rows_per_unit" | "groups_per_unit":
            return "rank"
        case _:
            assert_never(aggregate.kind)
