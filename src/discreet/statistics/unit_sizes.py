"""How many rows, or groups, units have: a quantile of it, chosen privately, is what a cap is bought as. Rule 25.

Every unit that has rows counts once, with one number, however many rows it has: so nothing has to be capped before. Numbers are
ranked on a public list of sizes, at most 3 % apart, and rounded up to it. Proof: docs/proofs/unit-sizes.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import Grid
from discreet.facts.model import MOST_OF_UNIT, Facts
from discreet.mechanisms.prior import Prior
from discreet.questions.algebra import Aggregate, Literal
from discreet.sensitivities.scope import Scope
from discreet.statistics.part import Off
from discreet.statistics.rank_drafts import RankDraft, rank_drafts
from discreet.statistics.ranks import Ranks
from discreet.statistics.reach import Floats

__all__ = ["ROWS", "SIZES", "SizeDraft", "UnitSizes", "size_drafts"]

ROWS = Literal(Fraction(1))  # what is counted where no groups are


def _sizes() -> tuple[int, ...]:
    found = [1]
    while found[-1] < MOST_OF_UNIT:
        found.append(min(max(found[-1] + 1, found[-1] * 33 // 32), MOST_OF_UNIT))
    return tuple(found)


SIZES = _sizes()  # among which sizes of units are ranked: all up to 64, then at most 3 % apart


@dataclass(frozen=True, slots=True)
class UnitSizes(Ranks):
    """Places on the list of sizes; rows are units here."""

    def values(self, places: NDArray[np.int64], facts: Facts) -> Floats:
        return np.array(SIZES, np.float64)[places]

    def bounds(self, facts: Facts) -> tuple[float, float]:
        return float(SIZES[0]), float(SIZES[-1])

    def off(self, slot: int, alpha: float) -> Off:
        return self.rank_reach(slot, alpha), "rank_of_units"

    def is_whole(self, facts: Facts) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class SizeDraft(RankDraft):
    """The same before it has a price."""

    made: ClassVar[type[Ranks]] = UnitSizes

    def lattice(self, facts: Facts) -> Grid:
        return Grid(Fraction(1), 0, len(SIZES) - 1)

    def prior(self, grid: Grid, *, plain: int, bits: int) -> Prior:
        return Prior(grid.width + 1, bits)  # sizes stand on a list, and their places say nothing about how round they are


def size_drafts(aggregates: Sequence[Aggregate], facts: Facts) -> tuple[RankDraft, ...]:
    """The choices that answer these aggregates; each unit is one number, whatever the relation calls a neighbour."""
    scope = Scope(facts.neighbours, filtered=True)
    # one by one: a recursion would cut each size into many places, and there are few sizes
    alone = [rank_drafts([(each, ROWS if each.of is None else each.of, scope)], SizeDraft) for each in aggregates]
    return tuple(draft for drafts in alone for draft in drafts)
