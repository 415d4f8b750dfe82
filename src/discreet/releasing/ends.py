"""From counts of rows to values with their intervals: the value, the radius around it, and the rows around that, with noise.

Each step reads what it needs around what the one before has told, in all cells at once. Proof: docs/proofs/value-intervals.md
"""

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import Wanted
from discreet.mechanisms.at_once import select_all
from discreet.mechanisms.tallies import Nodes, Tallies
from discreet.releasing.ranks import Counting, read_around, tallied
from discreet.statistics.ends import RanksWithEnds
from discreet.statistics.windows import BINS, Windows

__all__ = ["chosen_with_ends"]

Integers = NDArray[np.int64]


def chosen_with_ends(ranks: RanksWithEnds, wanted: Wanted, counts: Counting | None) -> Integers:
    """Places, radii and noisy counts: integers x shares x cells."""
    assert counts is not None
    asked, tallies = tallied(ranks, wanted, counts)
    places = ranks.mechanism.select_all(tallies)
    read_around(tallies, places, asked, counts)
    return np.stack([_around(ranks, slot, tallies, each) for slot, each in enumerate(places)], axis=1)


def _around(ranks: RanksWithEnds, slot: int, tallies: Tallies, around: Integers) -> Integers:
    """One value of every cell, its radius, and what is counted around it."""
    cell, points, rows = tallies.known
    radius = select_all(ranks.radii[slot], *_beside(ranks.windows, tallies, around))
    lows, highs = ranks.windows.tried(radius, around)
    bins = (points >= lows[:, cell]).sum(axis=0) + (points > highs[:, cell]).sum(axis=0)
    exact = np.zeros((BINS, tallies.cells), np.int64)
    np.add.at(exact, (bins, cell), rows)
    return np.vstack([around, radius, np.asarray(ranks.counting.release(exact))])


def _beside(windows: Windows, tallies: Tallies, around: Integers) -> tuple[Tallies, Nodes]:
    """How many rows of every cell are how far from its value; those at the value itself say nothing about the others."""
    cell, points, rows = tallies.known
    apart = windows.apart(points, around[cell])
    beside = apart > 0
    at, which = np.unique((cell * windows.points + apart)[beside], return_inverse=True)
    found = np.zeros(len(at), np.int64)
    np.add.at(found, which, rows[beside])
    near = Tallies(windows.points, tallies.cells, at // windows.points, at % windows.points, found)
    return near, near.whole
