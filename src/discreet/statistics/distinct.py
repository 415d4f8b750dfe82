"""COUNT(DISTINCT x): different values that there are. Proof: docs/proofs/sensitivities.md"""

from dataclasses import dataclass
from typing import ClassVar

from discreet.engines.wanted import Measure
from discreet.facts.model import Facts
from discreet.questions.algebra import AggregateKind, Expression
from discreet.sensitivities import statistic as sensitive
from discreet.sensitivities.contribution import Sensitivity
from discreet.sensitivities.scope import Scope
from discreet.sensitivities.table import sensitivity_of
from discreet.statistics.clamping import Reach, spread_over_groups
from discreet.statistics.estimate import Estimate, linear
from discreet.statistics.ratio import Ratio
from discreet.statistics.summed import Exact, Noisy, Number, Summed

__all__ = ["Distinct"]


@dataclass(frozen=True, slots=True)
class Distinct(Summed):
    """The number of different values of ``of``."""

    of: Expression
    word: ClassVar[str] = "distinct"
    is_steady: ClassVar[bool] = True

    def sensitivity(self, scope: Scope, reach: Reach | None) -> Sensitivity:
        return spread_over_groups(sensitivity_of(sensitive.Distinct(), scope), reach, sensitive.Bounds(0, 1), scope)

    def measures(self, condition: Expression | None) -> list[Measure]:
        return [Measure(0, self.of, None, condition, distinct=True)]

    def exact(self, sums: Exact, rows: int | None) -> Exact:
        return sums

    def estimate(self, noisy: Noisy, kind: AggregateKind, alpha: float) -> Estimate:
        return linear(noisy.law, noisy.sums, (1.0,), alpha)

    def ratio(self, noisy: Noisy, kind: AggregateKind, alpha: float) -> Ratio:
        return Ratio((1.0,))

    def assumed(self, rows: int) -> list[float]:
        return [float(rows)]

    def names(self, number: Number, facts: Facts) -> list[str]:
        return [f"{self.word}  {number(self.of)} {number(None)}"]
