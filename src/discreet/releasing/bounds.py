"""Bounds that nothing public says: the step at which the bucket of each end is chosen. Proof: docs/proofs/bounds.md."""

from functools import cache

from discreet.engines.wanted import Wanted
from discreet.facts.model import Facts, Integer, Number
from discreet.planning.found_bounds import Bounds, bounds_at, ungrouped
from discreet.planning.plan import Found
from discreet.planning.units import bound_of
from discreet.questions.algebra import Question
from discreet.releasing.ranks import Counting, chosen

__all__ = ["bounds_from"]


def bounds_from(found: Found, question: Question, facts: Facts, counts: Counting) -> Bounds:
    """The bounds that the selections come to."""
    column = facts.column(found.column)
    assert isinstance(column, Number | Integer)
    wanted = Wanted(question.where, (), (), bound_of(ungrouped(question), facts, is_clamped=False), question.joins)
    read = cache(counts)  # both ends look at the same counts
    places = {each.kind: int(chosen(each, wanted, read)[0, 0, 0]) for each in found.ends}
    return bounds_at(column, places.get("min"), places.get("max"))
