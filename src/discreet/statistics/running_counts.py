"""RUNNING_COUNT(*): counts of all ranges of an ordered key, from a tree of sums over its bins. Proof: docs/proofs/trees.md"""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from discreet.engines.wanted import Measure
from discreet.facts.model import Facts
from discreet.noise.law import Law
from discreet.questions.algebra import AggregateKind, Expression
from discreet.sensitivities import statistic as sensitive
from discreet.sensitivities.contribution import Sensitivity
from discreet.sensitivities.scope import Scope
from discreet.sensitivities.table import sensitivity_of
from discreet.statistics.clamping import Reach
from discreet.statistics.estimate import Estimate
from discreet.statistics.reach import Floats, reach
from discreet.statistics.summed import Exact, Noisy, Number, Summed
from discreet.statistics.trees import Tree, consistent, leaf_variances, node_sums, prefix_variances, tail_reach, tree_for

__all__ = ["RunningCounts"]


@dataclass(frozen=True, slots=True)
class RunningCounts(Summed):
    """The counts of the nodes of a tree over the bins of the last key."""

    tree: Tree
    word: ClassVar[str] = "tree"
    is_fitted: ClassVar[bool] = True

    def over(self, leaves: int) -> Self:
        return replace(self, tree=Tree(leaves, (1,)))

    def shaped(self, *, is_gaussian: bool) -> Self:
        return replace(self, tree=tree_for(self.tree.leaves, is_gaussian=is_gaussian))

    def sensitivity(self, scope: Scope, reach: Reach | None) -> Sensitivity:
        return sensitivity_of(sensitive.Marginals(len(self.tree.runs)), scope)  # a row is in one node of every level

    def measures(self, condition: Expression | None) -> list[Measure]:
        return [Measure(0, None, None, condition)]

    def shape(self, cells: int) -> tuple[int, int]:
        return self.tree.nodes, cells // self.tree.leaves

    def exact(self, sums: Exact, rows: int | None) -> Exact:
        return np.asarray(node_sums(self.tree, sums[0].reshape(-1, self.tree.leaves).T))  # the last key moves fastest

    def estimate(self, noisy: Noisy, kind: AggregateKind, alpha: float) -> Estimate:
        """Counts of bins that add up, and running counts. The sums are nodes x groups."""
        bins, runs = consistent(self.tree, noisy.sums), kind == "running_rows"
        variances = prefix_variances(self.tree) if runs else leaf_variances(self.tree)
        far = tail_reach(noisy.law, variances, alpha)
        if not runs:  # a bin's own node has its variance as weight, and all others together the rest
            far = np.minimum(far, _mostly_own(noisy.law, variances, alpha))
        bins = np.cumsum(bins, axis=0) if runs else bins
        value, half = bins.T.reshape(-1), np.tile(far, bins.shape[1])
        if not noisy.is_grouped:
            value, half = value[:1], half.max(keepdims=True)  # the widest
        return Estimate(value, value - half, value + half)

    def statement(self, kind: AggregateKind) -> str:
        return "running" if kind == "running_rows" else "count"

    def assumed(self, rows: int) -> list[float]:
        return [float(rows)] * self.tree.nodes

    @property
    def form(self) -> tuple[object, ...]:
        return (self.tree,)

    def names(self, number: Number, facts: Facts) -> list[str]:
        return [f"{self.word}  {number(None)} {number(None)}"]


def _mostly_own(law: Law, variances: Floats, alpha: float) -> Floats:
    rest = np.maximum(variances - variances**2, 0.0)
    if not rest.any():
        return np.full_like(variances, reach(law, (1.0,), alpha))  # a histogram like any other
    others = np.sqrt(rest) * tail_reach(law, np.ones_like(rest), alpha / 10)
    return np.asarray(variances * reach(law, (1.0,), alpha * 0.9) + others)
