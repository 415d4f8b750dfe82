"""Intervals that all hold at once: how much each aggregate's may miss. Proof: docs/proofs/intervals.md, "All at once"."""

from fractions import Fraction
from math import expm1, log1p

from discreet.planning.choosing import aggregates_in_expression
from discreet.planning.plan import Derived, Plan
from discreet.questions.algebra import Aggregate, Overall
from discreet.views.overall import overalls_in

__all__ = ["Confidence", "risks_together"]

Confidence = Fraction | float  # exact where somebody asks: 1 minus it is never 0


def risks_together(plan: Plan, confidence: Confidence, cells: int) -> dict[Aggregate | Overall, float]:
    """For each aggregate that is shown, the risk per cell at which all intervals of ``cells`` cells hold with ``confidence``.

    Noise of different cells, vectors and filters is independent, so these multiply; what is said about one and the same noise
    shares a risk. Totals over all groups are about the noise of all of them, and are added to the count of what can go wrong.
    Intervals of outputs follow from those of their aggregates and need no risk of their own.
    """
    shown = dict.fromkeys(each for output in plan.question.outputs for each in aggregates_in_expression(output.value))
    places = {each: source for each in shown if isinstance(source := plan.source(each), Derived)}
    said: dict[Derived, set[str]] = {}
    for aggregate, place in places.items():
        said.setdefault(place, set()).add(plan.vectors[place.vector].statement(aggregate.kind))
    risk = float(1 - confidence)
    alone = -expm1(log1p(-risk) / max(1, len(said) * cells))  # 1 - confidence^(1 / independent parts), without cancellation
    totals = dict.fromkeys(each for output in plan.question.outputs for each in overalls_in(output.value))
    if totals or any(plan.vectors[place.vector].shares_noise for place in said):  # cells that are not independent
        alone = risk / max(1, len(said) * cells + len(totals))
    return {**{each: alone / len(said[place]) for each, place in places.items()}, **dict.fromkeys(totals, alone)}
