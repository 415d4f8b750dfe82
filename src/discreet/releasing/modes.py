"""From counts of declared values to the one that is chosen in every cell. Proof: docs/proofs/mode.md"""

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import Wanted
from discreet.releasing.ranks import Counting
from discreet.statistics.mode import Mode

__all__ = ["chosen_modes"]


def chosen_modes(mode: Mode, wanted: Wanted, counts: Counting | None) -> NDArray[np.int64]:
    """The places of the chosen values: 1 x 1 x cells."""
    assert counts is not None
    found = counts(mode.reading(wanted)).take()
    rows = np.zeros((wanted.cells, len(mode.values)), np.int64)
    rows[found.cell, found.bin] = found.rows
    return np.array([mode.mechanism.select(each) for each in rows], np.int64).reshape(mode.shape(wanted.cells))
