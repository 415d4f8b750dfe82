"""How many rows, or groups, units have: a quantile of it, chosen privately, is what a cap is bought as. Rule 25.

Every unit that has rows counts once, with one number, however many rows it has: so nothing has to be capped before. Numbers are
ranked on a public list of sizes, at most 3 % apart, and rounded up to it. Proof: docs/proofs/unit-sizes.md.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import UnitsWanted
from discreet.errors import QuestionError
from discreet.facts.model import Facts
from discreet.mechanisms.tally import Tally
from discreet.planning.cells import cells_of, unknown_key
from discreet.planning.choosing import Counting
from discreet.planning.plan import Plan, Ranks
from discreet.planning.ranks import SIZES, RankDraft, rank_drafts
from discreet.questions.algebra import Aggregate, Literal
from discreet.questions.text import to_text
from discreet.sensitivities.scope import Scope

__all__ = ["chosen_sizes", "size_drafts"]

_ROWS = Literal(Fraction(1))  # what is counted where no groups are


def size_drafts(aggregates: Sequence[Aggregate], facts: Facts) -> tuple[RankDraft, ...]:
    """The choices that answer these aggregates; each unit is one number, whatever the relation calls a neighbour."""
    for each in aggregates:
        if each.of is not None and unknown_key(each.of, facts):
            raise QuestionError(
                f"the values of {to_text(each.of)} are not public, so that nobody knows in how many groups a unit can be",
                hint="declare its values in the facts, or use ROWS_PER_UNIT, which is never less",
            )
        if each.of is not None:
            cells_of((each.of,), facts)  # refused here if they are too many, and not when units are counted
    scope = Scope(facts.neighbours, filtered=True)
    # one by one: a recursion would cut each size into many places, and there are few sizes
    alone = [rank_drafts([(each, _ROWS if each.of is None else each.of, scope)]) for each in aggregates]
    return tuple(draft for drafts in alone for draft in drafts)


def chosen_sizes(ranks: Ranks, plan: Plan, counts: Counting | None) -> NDArray[np.int64]:
    """The place on the list of sizes that was chosen: 1 x 1 x 1."""
    assert counts is not None
    keys = () if ranks.of == _ROWS else cells_of((ranks.of,), plan.facts)[0]
    found = counts(UnitsWanted(plan.question.where, keys, plan.question.joins)).take()
    places = np.searchsorted(SIZES[:-1], found.bin)  # the least size that is no smaller; the last, where none is
    units = np.zeros(len(SIZES), np.int64)
    np.add.at(units, places, found.rows)
    taken = np.flatnonzero(units)
    tally = Tally(len(SIZES), taken, units[taken], bits=ranks.mechanism.bits)
    return np.array(ranks.mechanism.select(tally), np.int64).reshape(1, len(ranks.shares), 1)

