"""COUNT(DISTINCT unit): units that have rows. Proof: docs/proofs/units.md"""

from dataclasses import dataclass
from typing import ClassVar

from discreet.engines.wanted import Measure
from discreet.facts.model import Facts
from discreet.questions.algebra import AggregateKind, Expression
from discreet.sensitivities import statistic as sensitive
from discreet.sensitivities.contribution import Sensitivity
from discreet.sensitivities.scope import Scope
from discreet.sensitivities.table import sensitivity_of
from discreet.statistics.clamping import Reach
from discreet.statistics.estimate import Estimate, linear
from discreet.statistics.ratio import Ratio
from discreet.statistics.summed import Exact, Noisy, Number, Summed

__all__ = ["Units"]


@dataclass(frozen=True, slots=True)
class Units(Summed):
    """The number of units with rows; ``is_alone`` if nothing beside it needs rows to be left out."""

    is_alone: bool = False
    word: ClassVar[str] = "units"
    is_steady: ClassVar[bool] = True
    is_of_units: ClassVar[bool] = True

    @property
    def is_clamped(self) -> bool:
        return self.is_alone

    def clamped(self, most: int | None) -> "Units":
        return Units(is_alone=True)

    def sensitivity(self, scope: Scope, reach: Reach | None) -> Sensitivity:
        return sensitivity_of(sensitive.Units(), scope)

    def measures(self, condition: Expression | None) -> list[Measure]:
        return [Measure(0, None, None, condition, within=(0, 1))]

    def exact(self, sums: Exact, rows: int | None) -> Exact:
        return sums

    def estimate(self, noisy: Noisy, kind: AggregateKind, alpha: float) -> Estimate:
        return linear(noisy.law, noisy.sums, (1.0,), alpha)

    def ratio(self, noisy: Noisy, kind: AggregateKind, alpha: float) -> Ratio:
        return Ratio((1.0,))

    def assumed(self, rows: int) -> list[float]:
        return [float(rows)]

    @property
    def form(self) -> tuple[object, ...]:
        return (self.is_alone,)

    def names(self, number: Number, facts: Facts) -> list[str]:
        return [f"{self.word} {1 if self.is_alone else ''} {number(None)} {number(None)}"]
