"""Values with intervals around them, before they have a price. Proof: docs/proofs/value-intervals.md"""

from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import ClassVar

from discreet.facts.model import Facts
from discreet.mechanisms import Gaussian, Laplace
from discreet.mechanisms.quantile import Quantile
from discreet.privacy.composition import groups_touched
from discreet.privacy.losses import Concentrated, Loss
from discreet.sensitivities.statistic import Histogram, QuantileScore
from discreet.sensitivities.table import score_change, sensitivity_of
from discreet.statistics.ends import RanksWithEnds, window_rows
from discreet.statistics.rank_drafts import RankDraft, epsilon_of
from discreet.statistics.vector import Mechanism

__all__ = ["EndsDraft"]

# For the value, the radius and the counts: so that half of all intervals reach no further than 1.3 times the value's own error.
_PURE = Fraction(25, 100), Fraction(16, 100), Fraction(59, 100)
_CONCENTRATED = Fraction(12, 100), Fraction(3, 100), Fraction(85, 100)  # where choices cost an eighth, counts a half


@dataclass(frozen=True, slots=True)
class EndsDraft(RankDraft):
    """The same before it has a price."""

    weight: ClassVar[Fraction] = Fraction(3)  # as for three things that are told

    def planned(self, facts: Facts, price: Loss, share: Fraction, cells: int) -> RanksWithEnds:
        """The values at their part of the price; a radius and counts for each of them at equal parts of theirs."""
        value, radius, counts = _CONCENTRATED if isinstance(price, Concentrated) else _PURE
        ranks = RankDraft.planned(self, facts, price, share * value, cells)
        counting = self._counting(price, share * counts / ranks.slots)
        selections = {turn.target: each for turn, each in zip(ranks.mechanism.order, ranks.mechanism.mechanisms, strict=True)}
        rows = [window_rows(counting.law, q, selections[slot]) for slot, q in enumerate(self.shares)]
        radii = tuple(self._radius(price, share * radius / ranks.slots, cells, each) for each in rows)
        made = {each.name: getattr(ranks, each.name) for each in fields(ranks)}
        return RanksWithEnds(**made | {"share": share}, radii=radii, counting=counting)

    def _radius(self, price: Loss, share: Fraction, cells: int, rows: int) -> Quantile:
        """Looks for the distance with so many rows nearer: as MIN does, so one unit moves it by its rows."""
        touched = 1 if cells == 1 else groups_touched(self.scope.neighbours, 1)
        moves = score_change(QuantileScore(Fraction(0)), self.scope)
        return Quantile(epsilon=epsilon_of(price, share, self.what) / touched, sensitivity=moves, q=0, offset=rows)

    def _counting(self, price: Loss, share: Fraction) -> Mechanism:
        """Every row is in one bin of one cell."""
        moves = sensitivity_of(Histogram(), replace(self.scope, grouped=True))
        match price:
            case Concentrated(rho=rho):
                return Gaussian(rho=rho * share, sensitivity_squared=moves.l2_squared)
            case _:
                return Laplace(epsilon=epsilon_of(price, share, self.what), sensitivity=moves.l1)
