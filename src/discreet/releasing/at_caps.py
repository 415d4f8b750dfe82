"""How many units a cap would cut: from counts of units to the pair that gets noise. Proof: docs/proofs/at_caps.md."""

import numpy as np

from discreet.planning.cells import cells_of
from discreet.planning.plan import Plan
from discreet.releasing.ranks import Counting
from discreet.statistics.at_caps import AtCaps
from discreet.statistics.summed import Exact

__all__ = ["units_cut"]


def units_cut(part: AtCaps, plan: Plan, counts: Counting | None) -> Exact:
    """Units that are not cut and units that are, in every cell: 2 x 1 x cells."""
    assert counts is not None
    groups = None if part.cut.of is None else cells_of((part.cut.of,), plan.facts)[0][0]
    found = counts(part.looked_at(plan.wanted, groups)).take()
    units = np.zeros((2, 1, plan.wanted.cells), object)
    units[found.bin, 0, found.cell] = found.rows
    return units
