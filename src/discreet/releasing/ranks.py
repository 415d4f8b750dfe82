"""From counts of rows to chosen values: the step at which values get their ranks, and the noise is in the choice.

The lattice is read coarsely at first, then finely around the ranks that are looked for, in all cells at once; hardly ever does
a choice need more than these two readings.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import Counts, CountsWanted, CutWanted, UnitsWanted, Wanted
from discreet.mechanisms.tallies import Tallies
from discreet.mechanisms.tally import ranges_of
from discreet.private import Private
from discreet.statistics.ranks import Ranks
from discreet.statistics.windows import NEAR, coarse_digits

__all__ = ["Counting", "chosen", "read_around", "tallied"]

Counting = Callable[[CountsWanted | UnitsWanted | CutWanted], Private[Counts]]
Integers = NDArray[np.int64]

_MOST_RANGES = 32  # of bins in one reading


def chosen(ranks: Ranks, wanted: Wanted, counts: Counting | None) -> NDArray[np.int64]:
    """The places on the lattice that were chosen: 1 x shares x cells."""
    assert counts is not None
    asked, tallies = tallied(ranks, wanted, counts)
    return ranks.mechanism.select_all(tallies).reshape(1, len(ranks.shares), asked.cells)


def tallied(ranks: Ranks, wanted: Wanted, counts: Counting) -> tuple[CountsWanted, Tallies]:
    """What is read, and the rows that were found: coarsely, and finely where the choices will almost surely look."""
    coarse = coarse_digits(ranks.points)
    asked = replace(ranks.reading(wanted), coarse=coarse)
    found = counts(asked).take()
    how = {"coarse": coarse, "bits": ranks.mechanism.bits}
    read = partial(_reader, asked, counts)
    tallies = Tallies(ranks.points, asked.cells, found.cell, found.bin, found.rows, read=read, **how)
    if coarse:
        near = tallies.bins_near(ranks.mechanism.windows_of_all(tallies))
        _read_ahead(near, asked, tallies, counts)
    return asked, tallies


def read_around(tallies: Tallies, places: Integers, asked: CountsWanted, counts: Counting) -> None:
    """Read finely the bins near each of the places (several x cells), once for all cells."""
    if asked.coarse:
        _read_ahead(tallies.bins_around(places, NEAR), asked, tallies, counts)


def _reader(asked: CountsWanted, counts: Counting, cell: int) -> Callable[[Sequence[tuple[int, int]]], tuple[Integers, Integers]]:
    """What reads some bins of one cell finely."""

    def read(bins: Sequence[tuple[int, int]]) -> tuple[Integers, Integers]:
        found = counts(_finely(asked, bins)).take()
        here = found.cell == cell
        return found.bin[here], found.rows[here]

    return read


def _read_ahead(near: Integers, asked: CountsWanted, tallies: Tallies, counts: Counting) -> None:
    """Read these bins finely, once for all cells."""
    bins = tallies.bins_of(near)
    bins = bins if len(bins) else np.zeros(1, np.int64)  # an empty table is read as often as any other
    found = counts(_finely(asked, ranges_of(bins))).take()
    tallies.take(near, found.cell, found.bin, found.rows)


def _finely(asked: CountsWanted, bins: Sequence[tuple[int, int]]) -> CountsWanted:
    """A reading of single points inside these bins; of some more where they are too scattered for one question."""
    while len(bins) > _MOST_RANGES:
        bins = [(bins[i][0], bins[min(i + 1, len(bins) - 1)][1]) for i in range(0, len(bins), 2)]
    points = tuple((first << asked.coarse, ((last + 1) << asked.coarse) - 1) for first, last in bins)
    return replace(asked, coarse=0, bins=points)
