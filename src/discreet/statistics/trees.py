"""Counts of the ranges of an ordered key: a tree of sums over its bins, made consistent by least squares.

Proof: docs/proofs/trees.md. Every level of the tree splits the bins into runs of one length; a run that is cut off at the end is
shorter. Noise has the same variance on every node, which is the unit of the variances here.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.noise.law import Law

__all__ = ["Tree", "consistent", "leaf_variances", "node_sums", "prefix_variances", "range_variance", "tail_reach", "tree_for"]

Floats = NDArray[np.float64]

_MANY, _WIDEST = 4096, 65  # bins, children of a node


@dataclass(frozen=True, slots=True)
class Tree:
    """``runs[l]`` is how many bins a node of level l covers, each a multiple of the next, the last 1."""

    leaves: int
    runs: tuple[int, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many nodes each level has."""
        return tuple(-(-self.leaves // run) for run in self.runs)

    @property
    def nodes(self) -> int:
        """How many nodes there are."""
        return sum(self.sizes)


@lru_cache(maxsize=64)
def tree_for(leaves: int, *, is_gaussian: bool) -> Tree:
    """The tree whose running totals have the least variance on average, of all trees with one number of children.

    Few bins make it flat: one level, as a histogram. Among very many bins the choice is made on a smaller tree.
    """

    def error(children: int) -> float:
        tree = _with_children(min(leaves, _MANY), children)
        height = len(tree.runs)
        return float(prefix_variances(tree).mean()) * (height if is_gaussian else height**2)  # levels share the price

    return _with_children(leaves, min([leaves, *range(2, min(leaves, _WIDEST))], key=error))


def _with_children(leaves: int, children: int) -> Tree:
    children = max(2, children)
    return Tree(leaves, tuple(children**level for level in reversed(range(_height(leaves, children)))))


def _height(leaves: int, children: int) -> int:
    height = 1
    while children**height < leaves:
        height += 1
    return height


def node_sums(tree: Tree, counts: NDArray[Any]) -> NDArray[Any]:
    """The sums of all nodes, level by level, of exact counts (bins x groups)."""
    return np.concatenate([np.add.reduceat(counts, np.arange(0, tree.leaves, run), axis=0) for run in tree.runs])


def consistent(tree: Tree, nodes: Floats) -> Floats:
    """The bins (x groups) that fit all released nodes best; the sum of any run of them is the best guess of that run."""
    levels = np.split(nodes, np.cumsum(tree.sizes)[:-1])
    own = _own_variances(tree)
    best = [levels[-1]]  # from the bottom up: what a node and all below it say
    for level in reversed(range(len(tree.runs) - 1)):
        below, spread = _gathered(tree, level, best[0]), _gathered(tree, level, own[level + 1][:, None])
        best.insert(0, (levels[level] * spread + below) / (1 + spread))
    for level in range(1, len(tree.runs)):  # and from the top down: what all others say
        parents = _parents(tree, level)
        missing = best[level - 1] - _gathered(tree, level - 1, best[level])
        share = own[level] / _gathered(tree, level - 1, own[level][:, None])[parents, 0]
        best[level] = best[level] + missing[parents] * share[:, None]
    return best[-1]


def prefix_variances(tree: Tree) -> Floats:
    """Of the sum of the first i + 1 bins, for every i."""
    own = _own_variances(tree)
    end = np.arange(1, tree.leaves + 1)
    found, reached = np.zeros(tree.leaves), np.zeros(tree.leaves)  # contrasts so far; share of the node that is cut
    for level in reversed(range(len(tree.runs))):
        run, spread = tree.runs[level], np.concatenate([[0.0], np.cumsum(own[level])])
        cut = np.minimum(end // run, len(own[level]) - 1)  # the node in which the prefix ends, none of it if it ends before
        weight = np.where(end >= np.minimum((cut + 1) * run, tree.leaves), 1.0, reached)
        first = np.zeros_like(cut) if level == 0 else cut * run // tree.runs[level - 1] * (tree.runs[level - 1] // run)
        last = len(own[level]) if level == 0 else np.minimum(first + tree.runs[level - 1] // run, len(own[level]))
        inside = spread[cut] - spread[first]
        squares, sums = inside + weight**2 * own[level][cut], inside + weight * own[level][cut]
        if level == 0:
            return np.asarray(found + squares)
        total = spread[last] - spread[first]
        found, reached = found + squares - sums**2 / total, sums / total
    raise AssertionError("a tree has a level")


def range_variance(tree: Tree, first: int, last: int) -> float:
    """Of the sum of the bins ``first`` to ``last`` - 1."""
    own = _own_variances(tree)
    weights = np.zeros(tree.leaves)
    weights[first:last] = 1.0
    contrasts = 0.0
    for level in reversed(range(1, len(tree.runs))):
        squares = _gathered(tree, level - 1, (weights**2 * own[level])[:, None])[:, 0]
        sums = _gathered(tree, level - 1, (weights * own[level])[:, None])[:, 0]
        total = _gathered(tree, level - 1, own[level][:, None])[:, 0]
        contrasts += float((squares - sums**2 / total).sum())
        weights = sums / total
    return contrasts + float((weights**2 * own[0]).sum())


def leaf_variances(tree: Tree) -> Floats:
    """Of every bin by itself."""
    own = _own_variances(tree)
    final = own[0]
    for level in range(1, len(tree.runs)):
        parents = _parents(tree, level)
        total = _gathered(tree, level - 1, own[level][:, None])[parents, 0]
        share = own[level] / total
        final = own[level] * (1 - share) + share**2 * final[parents]
    return np.asarray(final)


def tail_reach(law: Law, variance: Floats, alpha: float) -> Floats:
    """The a that a weighted sum of noise exceeds in size with probability at most ``alpha``, by Chernoff's bound.

    ``variance`` is the sum of the squares of the weights, none above 1. For sums of many terms about 1.4 times what is needed.
    """
    risk = log(2 / alpha)
    if law.quadratic:
        return np.asarray(np.sqrt(variance / float(law.quadratic) * risk))  # sub-Gaussian: sqrt(2 V sigma^2 log(2/alpha))
    end = float(law.linear)  # where the moment generating function (sinh(s/2)^2 / (sinh(s/2)^2 - sinh(t/2)^2)) ends
    tilts = end * (1 - np.geomspace(1e-6, 1.0, 400)[:-1])
    logs = -np.log1p(-np.exp(2 * (_log_sinh(tilts / 2) - _log_sinh(np.array(end / 2)))))
    return np.asarray(np.min((risk + np.multiply.outer(variance, logs)) / tilts, axis=-1))


def _log_sinh(x: Floats) -> Floats:
    return np.asarray(x + np.log(-np.expm1(-2 * x) / 2))


# ---- levels


@lru_cache(maxsize=64)
def _own_variances(tree: Tree) -> list[Floats]:
    """Per level and node: the variance of what the node and all below it say about it."""
    found = [np.ones(tree.leaves)]
    for level in reversed(range(len(tree.runs) - 1)):
        below = _gathered(tree, level, found[0][:, None])[:, 0]
        found.insert(0, below / (1 + below))
    return found


def _gathered(tree: Tree, level: int, below: Floats) -> Floats:
    """The sums over the children of every node of a level."""
    children = tree.runs[level] // tree.runs[level + 1]
    return np.asarray(np.add.reduceat(below, np.arange(0, len(below), children), axis=0))


def _parents(tree: Tree, level: int) -> NDArray[np.intp]:
    return np.arange(tree.sizes[level]) // (tree.runs[level - 1] // tree.runs[level])
