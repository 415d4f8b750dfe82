"""COUNT(*) and COUNT(x): rows that there are, or that have a value. Proof: docs/proofs/sensitivities.md"""

from dataclasses import dataclass, replace
from typing import ClassVar

from discreet.engines.wanted import Measure
from discreet.facts.model import Facts
from discreet.questions.algebra import AggregateKind, Expression
from discreet.sensitivities import statistic as sensitive
from discreet.sensitivities.contribution import Sensitivity
from discreet.sensitivities.scope import Scope
from discreet.sensitivities.table import sensitivity_of
from discreet.statistics.clamping import Reach, clamped_sensitivity, spread_over_groups
from discreet.statistics.estimate import Estimate, linear
from discreet.statistics.ratio import Ratio
from discreet.statistics.summed import Exact, Noisy, Number, Summed

__all__ = ["Count"]

_ONE_ROW = sensitive.Bounds(0, 1)


@dataclass(frozen=True, slots=True)
class Count(Summed):
    """The number of rows with a value of ``of``; of each unit at most ``per_unit`` in a cell, where that is not None."""

    of: Expression | None = None
    per_unit: int | None = None
    word: ClassVar[str] = "count"
    tells_rows: ClassVar[bool] = True
    is_steady: ClassVar[bool] = True

    @property
    def is_clamped(self) -> bool:
        return self.per_unit is not None

    def clamped(self, most: int | None) -> "Count":
        return replace(self, per_unit=most)

    def sensitivity(self, scope: Scope, reach: Reach | None) -> Sensitivity:
        if self.per_unit is not None and scope.grouped:
            return clamped_sensitivity(_ONE_ROW, self.per_unit, scope)
        found = sensitivity_of(sensitive.Count(), scope)
        return found if self.per_unit is not None else spread_over_groups(found, reach, _ONE_ROW, scope)

    def measures(self, condition: Expression | None) -> list[Measure]:
        return [Measure(0, self.of, None, condition, within=None if self.per_unit is None else (0, self.per_unit))]

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
        return (self.per_unit,)

    @property
    def moments(self) -> int | None:
        return 0 if self.per_unit is None else None

    def names(self, number: Number, facts: Facts) -> list[str]:
        if self.per_unit is None:
            return [f"moments {number(self.of)}"]
        return [f"{self.word} {self.per_unit} {number(self.of)} {number(None)}"]
