"""Sums over rows in a plan: a statistic with its filters, its noise and its share. Proof of prices: docs/proofs/composition.md"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import Measure
from discreet.errors import QuestionError
from discreet.exact import shown
from discreet.facts.model import Facts
from discreet.mechanisms import Gaussian, Laplace
from discreet.noise.law import Law
from discreet.privacy.conversion import rho_of
from discreet.privacy.events import Event
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure
from discreet.questions.algebra import Aggregate, AggregateKind, Expression
from discreet.questions.nulls import with_nulls_replaced
from discreet.sensitivities.contribution import Sensitivity
from discreet.sensitivities.scope import Scope
from discreet.statistics.clamping import Reach
from discreet.statistics.estimate import Estimate
from discreet.statistics.grids import FEW, LARGEST_SCALE
from discreet.statistics.part import Draft, Part, Told, Worth, Writer, filled
from discreet.statistics.ratio import Ratio
from discreet.statistics.summed import COUNTS, Noisy, Summed

__all__ = ["Mechanism", "Vector", "VectorDraft", "noise_of"]

Mechanism = Laplace | Gaussian

_MANY = (0, 1 << 61, -(1 << 61), 1, -1, 1000, -1000)  # what 64 bits hold: exact sums are clamped to the largest of these
_FEW = (*_MANY, 1 << 200, -(1 << 200))  # beyond all sums of 2^33 rows, with noise


@dataclass(frozen=True, slots=True)
class Vector(Part):
    """Integers that are released together with one kind of noise, priced by their joint sensitivity.

    ``filters`` are the row-disjoint FILTER conditions whose statistics lie side by side in it (None: all rows). The sums of
    each are among the plan's measures, from ``measures[filter]`` on.
    """

    statistic: Summed
    filters: tuple[Expression | None, ...]
    measures: tuple[int, ...]
    mechanism: Mechanism
    share: Fraction
    few: bool  # then sums and noise are unbounded integers
    what: str
    scales: ClassVar[bool] = True

    @property
    def are_few(self) -> bool:
        return self.few

    @property
    def slots(self) -> int:
        return len(self.filters)

    @property
    def fits_any_cells(self) -> bool:
        return not self.statistic.is_fitted

    @property
    def tried_as(self) -> object:
        """Noise and share up to their size: as many binary digits above and below the line."""
        law = self.mechanism.law
        sizes = [(each.numerator.bit_length(), each.denominator.bit_length()) for each in (law.linear, law.quadratic, self.share)]
        return self.statistic, self.filters, self.measures, self.few, self.what, self.is_gaussian, tuple(sizes)

    def over(self, leaves: int) -> Self:
        statistic = self.statistic.over(leaves).shaped(is_gaussian=self.is_gaussian)
        return replace(self, statistic=statistic)

    @property
    def shares_noise(self) -> bool:
        return self.statistic.is_fitted

    def shape(self, cells: int) -> tuple[int, int, int]:
        coordinates, groups = self.statistic.shape(cells)
        return coordinates, self.slots, groups

    def event(self, facts: Facts, cells: int) -> Event:
        return self.mechanism.cost

    @property
    def ratio_squared(self) -> Fraction:
        return self.mechanism.cost.ratio_squared if isinstance(self.mechanism, Gaussian) else Fraction(0)

    def numbers(self, cells: int) -> int:
        return prod(self.shape(cells))

    def wants(self) -> list[list[Measure]]:
        return [self.statistic.measures(condition) for condition in self.filters]

    def at(self, starts: tuple[int, ...]) -> Self:
        return replace(self, measures=starts)

    def estimate(self, told: Told, place: int, slot: int, aggregate: Aggregate, alpha: float) -> Estimate:
        return self.statistic.estimate(self._noisy(told, place, slot, aggregate), aggregate.kind, alpha)

    def ratio(self, told: Told, place: int, slot: int, aggregate: Aggregate, alpha: float) -> Ratio | None:
        return self.statistic.ratio(self._noisy(told, place, slot, aggregate), aggregate.kind, alpha)

    def _noisy(self, told: Told, place: int, slot: int, aggregate: Aggregate) -> Noisy:
        sums = told.released[place][:, slot, :].astype(np.float64)
        first = None if aggregate.of is None else with_nulls_replaced(aggregate.of, told.facts)
        return Noisy(sums, self.mechanism.law, told.facts, told.is_grouped, first)

    @property
    def law(self) -> Law:
        return self.mechanism.law

    @property
    def is_gaussian(self) -> bool:
        """Or else its noise is Laplace's."""
        return isinstance(self.mechanism, Gaussian)

    def statement(self, kind: AggregateKind) -> str:
        return self.statistic.statement(kind)

    @property
    def tells_rows(self) -> bool:
        return self.statistic.tells_rows

    @property
    def is_steady(self) -> bool:
        return self.statistic.is_steady

    def assumed(self, rows: int) -> NDArray[Any]:
        return np.array([[[value]] * self.slots for value in self.statistic.assumed(rows)])

    def extremes(self, cells: int, turn: int) -> NDArray[Any]:
        some, kind = (_FEW, object) if self.few else (_MANY, np.int64)
        return filled(self.shape(cells), some, turn, kind)

    def names(self, write: Writer, facts: Facts) -> list[list[list[str]]]:
        of = self.statistic.names(write.number, facts)
        return [[[f"{each} {write.filter(condition)}"] for each in of] for condition in self.filters]

    def worth(self, slot: int, kinds: Iterable[AggregateKind], planned: Part) -> Worth | None:
        if not isinstance(planned, Vector) or self.is_gaussian != planned.is_gaussian:
            return None
        if not self.statistic.tells(planned.statistic):
            return None
        wanted, noise = sorted(set(kinds)), noise_of(self.mechanism.law)
        rounded = [self.statistic.step] if any(kind not in COUNTS for kind in wanted) else []  # a count needs no grid
        return (*rounded, *(self.statistic.variance(noise, kind) for kind in wanted))

    def described(self, cells: int) -> list[dict[str, Any]]:
        mechanism, law = self.mechanism, self.mechanism.law
        found = {"what": self.what, "statistic": self.statistic.word, "numbers": self.numbers(cells)}
        if isinstance(mechanism, Laplace):
            sensitivity = mechanism.sensitivity or Fraction(0)
            noise = {"noise": "discrete Laplace", "scale": shown(1 / law.linear), "sensitivity": shown(sensitivity)}
        else:
            noise = {
                "noise": "discrete Gaussian", "variance": shown(1 / (2 * law.quadratic)),
                "sensitivity_squared": shown(mechanism.sensitivity_squared),
            }  # fmt: skip
        return [found | noise | {"step": shown(self.statistic.on[0].grid.step if self.statistic.on else Fraction(1))}]

    def alone(self, price: Loss, cells: int) -> Self:
        """A single number at (epsilon, delta) is calibrated by the exact law of its noise, which is tighter. Rule 22."""
        if not isinstance(price, Approximate) or self.numbers(cells) > 1:
            return self
        assert isinstance(self.mechanism, Gaussian)
        squared = self.mechanism.sensitivity_squared
        return replace(self, mechanism=Gaussian(epsilon=price.epsilon, delta=price.delta, sensitivity_squared=squared))


def noise_of(law: Law) -> Fraction:
    """The squared scale of Laplace noise, or the variance of Gaussian noise."""
    return 1 / (2 * law.quadratic) if law.quadratic else 1 / law.linear**2


# ---- before it has a price


@dataclass(frozen=True, slots=True)
class VectorDraft(Draft):
    """A vector before it has a grid, a share and a mechanism."""

    statistic: Summed
    filters: tuple[Expression | None, ...]
    aggregates: tuple[tuple[Aggregate, ...], ...]
    scope: Scope
    what: str
    reach: Reach | None = None

    @property
    def is_clamped(self) -> bool:
        return self.statistic.is_clamped

    def planned(self, facts: Facts, price: Loss, share: Fraction, cells: int) -> Vector:
        loose = self.statistic.shaped(is_gaussian=not isinstance(price, Pure))
        are_few = loose.held(cells) * len(self.filters) <= FEW
        noise = None
        if not are_few:  # the scale, were the range one step wide
            noise = _scale(_mechanism(loose.sensitivity(self.scope, self.reach), price, share))
        statistic = loose.on_grid(facts, noise=noise, what=self.what)
        if self.scope.known_rows is None and (instead := statistic.with_rows(self.what)) is not None:
            return replace(self, statistic=instead).planned(facts, price, share, cells)
        mechanism = _mechanism(statistic.sensitivity(self.scope, self.reach), price, share)
        if not are_few and _scale(mechanism) > LARGEST_SCALE:
            raise QuestionError(
                f"the noise for {self.what} would be out of reach at this price",
                hint="pay more for it, or ask for fewer statistics at once",
            )
        return Vector(statistic, self.filters, (), mechanism, share, are_few, self.what)


def _mechanism(sensitivity: Sensitivity, price: Loss, share: Fraction) -> Mechanism:
    match price:
        case Pure(epsilon=epsilon):
            return Laplace(epsilon=epsilon * share, sensitivity=sensitivity.l1)
        case Concentrated(rho=rho):
            return Gaussian(rho=rho * share, sensitivity_squared=sensitivity.l2_squared)
        case Approximate(epsilon=epsilon, delta=delta):
            return Gaussian(rho=rho_of(epsilon, delta) * share, sensitivity_squared=sensitivity.l2_squared)


def _scale(mechanism: Mechanism) -> Fraction:
    """At least the width of the noise, in steps."""
    law = mechanism.law
    return 1 / law.linear if law.linear else Fraction(law.spread + 1)
