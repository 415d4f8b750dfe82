"""The same quantile of many cells, chosen at once: the law of each is that of ``Quantile.select``, to the letter.

All stretches of all cells stand in flat arrays; points are written out where a choice needs it, all races are run together, and
what is left to be told apart is told apart cell by cell. A cell that needs more reading, or whose first choice was not kept, is
chosen by itself from the beginning, as ``Quantile.choose`` does. No floating-point number decides.
Proof: docs/proofs/quantiles.md, "Many cells".
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from discreet.mechanisms.observing import observed, observer
from discreet.mechanisms.prior import Prior
from discreet.mechanisms.quantile import Quantile, Ranking
from discreet.mechanisms.tallies import Nodes, Spread, Tallies
from discreet.noise.bernoulli import bernoulli_exp_minus, uniforms
from discreet.noise.keystream import fresh
from discreet.noise.race import winners

__all__ = ["select_all"]

Integers = NDArray[np.int64]

_WIDE = 1 << 61  # ranks in units, and weights, below this are added up in 64 bits
_AT_ONCE = 4096  # rows of a point whose places are written out
_MOST_ROWS = 1 << 22  # of all points that are written out in one round
_ROUNDS = 4


def select_all(mechanism: Quantile, tallies: Tallies, nodes: Nodes) -> Integers:
    """A place for every cell, in the part of the lattice that its node is. Every choice is a call of its own for who observes."""
    if observer.get() is None:
        return _chosen(mechanism, tallies, nodes)
    drawn: list[Integers] = []

    def draw(cell: int) -> int:
        if not drawn:
            drawn.append(_chosen(mechanism, tallies, nodes))
        return int(drawn[0][cell])

    rankings = (Ranking(mechanism, tallies[cell], nodes[cell]) for cell in range(tallies.cells))
    return np.array([observed(mechanism, each, partial(draw, cell)) for cell, each in enumerate(rankings)], np.int64)


def _chosen(mechanism: Quantile, tallies: Tallies, nodes: Nodes) -> Integers:
    prior = mechanism.prior or Prior(tallies.points, tallies.bits)
    found, alone = np.zeros(tallies.cells, np.int64), np.zeros(tallies.cells, bool)
    most = int(nodes.rows.max(initial=0)) + 1
    if 2 * (most * mechanism.unit + abs(mechanism.rank_of(most))) + abs(mechanism.rank_of(0)) < _WIDE and prior.total < _WIDE:
        _chosen_together(mechanism, prior, tallies, nodes, found, alone)
    else:
        alone[:] = True
    for cell in np.flatnonzero(alone).tolist():
        found[cell] = mechanism.choose(Ranking(mechanism, tallies[cell], nodes[cell]))
    return found


def _chosen_together(
    mechanism: Quantile, prior: Prior, tallies: Tallies, nodes: Nodes, found: Integers, alone: NDArray[np.bool_]
) -> None:
    """Fills in what was ``found``; marks the cells that have to be chosen ``alone``."""
    known, behind, is_open = _looked_at(mechanism, prior, tallies, nodes, alone)
    cell, start, end, behind, is_open = _with_ends(mechanism, nodes, known, behind, is_open)
    kept = ~alone[cell]
    cell, start, end, behind, is_open = cell[kept], start[kept], end[kept], behind[kept], is_open[kept]
    if not len(cell):
        return
    starts = np.flatnonzero(np.diff(cell, prepend=-1))
    race = np.cumsum(np.diff(cell, prepend=-1) > 0) - 1
    lag = behind - np.minimum.reduceat(behind, starts)[race]
    edges = prior.before(start)
    weights = prior.before(end) - edges
    entropy = fresh()
    won = winners(lag, starts, mechanism.factor, entropy, weights.astype(np.uint64))
    inside = edges[won] + uniforms(weights[won], entropy)
    places, cells = prior.places_at(inside, start[won], end[won] - 1), cell[won]
    found[cells] = places
    for at in np.flatnonzero(is_open[won]).tolist():  # a place of several: kept with the chance that it falls short by
        here = int(cells[at])
        short = Ranking(mechanism, tallies[here], nodes[here]).behind(int(places[at])) - int(behind[won[at]])
        alone[here] = not bernoulli_exp_minus(mechanism.factor * short, entropy)


def _looked_at(
    mechanism: Quantile, prior: Prior, tallies: Tallies, nodes: Nodes, alone: NDArray[np.bool_]
) -> tuple[Spread, Integers, NDArray[np.bool_]]:
    """All places in stretches with the least distance in each: known well, but for what is hardly chosen and cells ``alone``."""
    near, ranks = min(mechanism.near(prior), _WIDE), _ranks(mechanism, nodes)
    for turn in range(_ROUNDS):
        known = tallies.spread(nodes)
        rank, unit = ranks[known.cell], mechanism.unit
        behind = np.maximum(np.maximum(known.low * unit - rank, rank - known.high * unit), 0)
        is_open = tallies.is_wide(known.of) & (known.high > known.low)
        rough = is_open & (behind <= near) & (known.high - known.low > mechanism.flat) & ~alone[known.cell]
        able = rough & tallies.can_split(known.of, _AT_ONCE)
        if turn == _ROUNDS - 1 or int((known.high - known.low)[able].sum()) > _MOST_ROWS:
            able = np.zeros_like(able)
        alone[known.cell[rough & ~able]] = True
        pieces = np.unique(known.of[able & ~alone[known.cell]])
        if not len(pieces):
            break
        tallies.split(pieces)
    return known, np.asarray(behind), is_open


def _ranks(mechanism: Quantile, nodes: Nodes) -> Integers:
    first = mechanism.rank_of(0)
    return nodes.rows * (mechanism.rank_of(1) - first) + first


def _with_ends(
    mechanism: Quantile, nodes: Nodes, known: Spread, behind: Integers, is_open: NDArray[np.bool_]
) -> tuple[Integers, Integers, Integers, Integers, NDArray[np.bool_]]:
    """Cell, start, end, distance and openness of all stretches. An end that is right by definition stands by itself."""
    ranks, cells = _ranks(mechanism, nodes), np.arange(len(nodes.first))
    under, over = cells[ranks < 0], cells[ranks > nodes.rows * mechanism.unit]
    start, end = known.start.copy(), known.end.copy()
    start[np.searchsorted(known.cell, under)] += 1
    end[np.searchsorted(known.cell, over, "right") - 1] -= 1
    kept = start < end
    extra = np.concatenate([nodes.first[under], nodes.last[over]])
    cell = np.concatenate([known.cell[kept], under, over])
    order = np.argsort(cell, kind="stable")
    none = np.zeros(len(extra), np.int64)
    parts = ((start[kept], extra), (end[kept], extra + 1), (behind[kept], none), (is_open[kept], none.astype(bool)))
    one, two, three, four = (np.concatenate(each)[order] for each in parts)
    return cell[order], one, two, three, four
