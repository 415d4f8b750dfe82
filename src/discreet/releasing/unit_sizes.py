"""How many rows, or groups, units have: the step at which a quantile of it is chosen. Proof: docs/proofs/unit-sizes.md."""

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import UnitsWanted
from discreet.mechanisms.tally import Tally
from discreet.planning.cells import cells_of
from discreet.planning.plan import Plan
from discreet.releasing.ranks import Counting
from discreet.statistics.unit_sizes import ROWS, SIZES, UnitSizes

__all__ = ["chosen_sizes"]


def chosen_sizes(ranks: UnitSizes, plan: Plan, counts: Counting | None) -> NDArray[np.int64]:
    """The place on the list of sizes that was chosen: 1 x 1 x 1."""
    assert counts is not None
    keys = () if ranks.of == ROWS else cells_of((ranks.of,), plan.facts)[0]
    found = counts(UnitsWanted(plan.question.where, keys, plan.question.joins)).take()
    places = np.searchsorted(SIZES[:-1], found.bin)  # the least size that is no smaller; the last, where none is
    units = np.zeros(len(SIZES), np.int64)
    np.add.at(units, places, found.rows)
    taken = np.flatnonzero(units)
    tally = Tally(len(SIZES), taken, units[taken], bits=ranks.mechanism.bits)
    return np.array(ranks.mechanism.select(tally), np.int64).reshape(1, len(ranks.shares), 1)
