"""How many rows, or groups, units have: a quantile of it, chosen privately, is what a cap is bought as. Rule 25.

Every unit that has rows counts once, with one number, however many rows it has: so nothing has to be capped before. Numbers are
ranked on a public list of sizes, at most 3 % apart, and rounded up to it. Proof: docs/proofs/unit-sizes.md.
"""

from collections.abc import Sequence
from fractions import Fraction

from discreet.errors import QuestionError
from discreet.facts.model import Facts
from discreet.planning.cells import cells_of, unknown_key
from discreet.planning.ranks import RankDraft, rank_drafts
from discreet.questions.algebra import Aggregate, Literal
from discreet.questions.text import to_text
from discreet.sensitivities.scope import Scope

__all__ = ["ROWS", "size_drafts"]

ROWS = Literal(Fraction(1))  # what is counted where no groups are


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
    alone = [rank_drafts([(each, ROWS if each.of is None else each.of, scope)]) for each in aggregates]
    return tuple(draft for drafts in alone for draft in drafts)
