"""Bounds that nothing public says: the step at which the bucket of each end is chosen. Proof: docs/proofs/bounds.md."""

from functools import cache

from discreet.engines.wanted import Wanted
from discreet.planning.caps import bound_of
from discreet.planning.found_bounds import ungrouped
from discreet.planning.plan import Plan
from discreet.releasing.ranks import Counting, chosen
from discreet.statistics.bounds import Bounds, Found

__all__ = ["bounds_from"]


def bounds_from(found: Found, plan: Plan, counts: Counting) -> Bounds:
    """The bounds that the selections come to."""
    question, facts = plan.question, plan.facts
    bound = bound_of(ungrouped(question), facts, is_clamped=False)
    wanted = Wanted(question.where, (), (), bound, question.joins, per_unit=plan.wanted.per_unit)
    read = cache(counts)  # both ends look at the same counts
    places = {each.kind: int(chosen(each, wanted, read)[0, 0, 0]) for each in found.ends}
    return found.bounds_from(facts, places)
