"""AT_CAPS(): the share of units of which a cap cuts something, by one yes or no for each. Rule 40, docs/proofs/at_caps.md

Whether a unit is cut is told by all of its rows that meet WHERE, before any of them is left out: so it is read by itself, and
what the other statistics of a question read has nothing to do with it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import ClassVar

import numpy as np

from discreet.engines.wanted import Bound, CutWanted, Key, Measure, Wanted
from discreet.facts.model import Facts
from discreet.privacy.losses import Loss
from discreet.questions.algebra import AggregateKind, Expression
from discreet.sensitivities import statistic as sensitive
from discreet.sensitivities.contribution import Sensitivity
from discreet.sensitivities.scope import Scope
from discreet.sensitivities.table import sensitivity_of
from discreet.statistics.clamping import Reach
from discreet.statistics.estimate import Estimate, linear
from discreet.statistics.moments import assumed_terms
from discreet.statistics.ratio import Ratio
from discreet.statistics.reach import ratio_interval
from discreet.statistics.summed import COUNTS, Exact, Noisy, Number, Summed
from discreet.statistics.vector import Vector, VectorDraft

__all__ = ["AtCaps", "AtCapsDraft", "Cut"]

_YES, _BOTH = (0.0, 1.0), (1.0, 1.0)  # of the pair (not cut, cut)


@dataclass(frozen=True, slots=True)
class Cut(Summed):
    """How many units are not cut, and how many are: by more rows in all, groups of ``of``, or rows of one of them than allowed.

    ``keys`` are those of the question, each constant per unit; a unit is in one cell of them.
    """

    keys: tuple[Expression, ...]
    of: Expression | None
    caps: Bound
    word: ClassVar[str] = "cut"
    is_of_units: ClassVar[bool] = True

    def sensitivity(self, scope: Scope, reach: Reach | None) -> Sensitivity:
        return sensitivity_of(sensitive.Bernstein(sensitive.Bounds(0, 1), 1), scope)

    def measures(self, condition: Expression | None) -> list[Measure]:
        return []

    def shape(self, cells: int) -> tuple[int, int]:
        return 2, cells

    def exact(self, sums: Exact, rows: int | None) -> Exact:
        return sums

    def estimate(self, noisy: Noisy, kind: AggregateKind, alpha: float) -> Estimate:
        if kind in COUNTS:  # of units
            return linear(noisy.law, noisy.sums, _BOTH, alpha)
        low, high = ratio_interval(noisy.sums, _YES, noisy.law, alpha)
        share = noisy.sums[1] / np.maximum(noisy.sums.sum(axis=0), 1.0)  # as if there were at least one
        return Estimate(np.clip(share, low, high), low, high)

    def ratio(self, noisy: Noisy, kind: AggregateKind, alpha: float) -> Ratio:
        return Ratio(_BOTH) if kind in COUNTS else Ratio(_YES, _BOTH, 0.0, 0.0, 1.0)

    def statement(self, kind: AggregateKind) -> str:
        return "mean"

    def assumed(self, rows: int) -> list[float]:
        return [rows * term for term in assumed_terms(1)]

    @property
    def form(self) -> tuple[object, ...]:
        return self.keys, self.of, self.caps

    def names(self, number: Number, facts: Facts) -> list[str]:
        caps = f"{self.caps.groups} {self.caps.rows_per_group} {self.caps.rows}"
        return [f"{self.word} {caps} of {number(self.of)} in {[number(key) for key in self.keys]}"]


@dataclass(frozen=True, slots=True)
class AtCaps(Vector):
    """The pair of a question, with its noise. The engine counts units for it, and adds up nothing."""

    @property
    def cut(self) -> Cut:
        """What is counted."""
        assert isinstance(self.statistic, Cut)
        return self.statistic

    def wants(self) -> list[list[Measure]]:
        return []

    def readings(self, wanted: Wanted) -> Iterable[tuple[Expression | None, ...]]:
        return [(wanted.where, *(key.of for key in wanted.keys), self.cut.of)]

    def reading(self, wanted: Wanted) -> None:
        return None  # no row is left out

    def looked_at(self, wanted: Wanted, groups: Key | None) -> CutWanted:
        """What is read; ``groups`` are the cells of the key that it names, if it names one."""
        return CutWanted(wanted.where, wanted.keys, groups, self.cut.caps, wanted.joins)


@dataclass(frozen=True, slots=True)
class AtCapsDraft(VectorDraft):
    """The same before it has a price."""

    def planned(self, facts: Facts, price: Loss, share: Fraction, cells: int) -> AtCaps:
        found = VectorDraft.planned(self, facts, price, share, cells)
        return AtCaps(**{each.name: getattr(found, each.name) for each in fields(found)})
