"""The privacy loss of a batch as a random variable, and delta(epsilon) from it, tightly and with a stated error.

For reports only. A batch is fixed beforehand; a loss distribution is never the stop rule for questions that are chosen one
after the other in view of the answers. That rule is a sum (``composition``). Proof: docs/proofs/loss-distribution.md.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, inf, lcm, sqrt
from typing import Any

import numpy as np

from discreet.errors import ParameterError
from discreet.exact import Number, exact_not_negative, exact_positive
from discreet.privacy.atoms import Floats, atoms_of, coarse_spread, largest_of, lattice_of
from discreet.privacy.grids import merged_onto, on_lattice, split_onto
from discreet.privacy.losses import Approximate, delta_between
from discreet.privacy.pairs import Pair, Source, pairs_of
from discreet.privacy.tilted import Composed, Parts, composed, tilt_for_delta, tilt_for_epsilon

__all__ = ["LossDistribution", "loss_distribution"]

_POINTS = 1 << 17  # in about sixteen standard deviations of the sum
_MOST = 1 << 21
_MOST_STEPS = 1 << 19  # in one standard deviation of any one loss
_LEAST_DELTA = 1e-25


def loss_distribution(*sources: Source, count: int = 1, step: Number | None = None) -> "LossDistribution":
    """The privacy loss of all ``sources`` on the same rows, ``count`` times over.

    A source is a mechanism, an event or a loss; each stands for the worst pair of neighbours it allows. Losses are put on a
    grid of ``step``, which is found if it is not given.

    For reports of batches fixed beforehand, never a stop rule: whoever chooses questions in view of the answers may spend more
    than this says. Proof: docs/proofs/loss-distribution.md.
    """
    pairs = pairs_of(sources, count)
    if not pairs:
        raise ParameterError("there is nothing to compose", hint="write at least one mechanism, event or loss")
    if step is not None:
        given = exact_positive(step, "step")
        if max(map(coarse_spread, pairs)) > _MOST_STEPS * given:
            raise ParameterError("the losses take too many steps", hint="write a larger step, or none")
        return LossDistribution(tuple(pairs.items()), given, False)
    return LossDistribution(tuple(pairs.items()), *_step(pairs))


@dataclass(frozen=True, slots=True, repr=False)
class LossDistribution:
    """L = ln(P(y) / Q(y)) of the worst pair of neighbours, y drawn from P; summed over what is composed.

    For reports only, never a stop rule. By default every figure errs upwards; with ``optimistic=True`` it errs downwards, and
    what it should be without error lies in between.
    """

    pairs: tuple[tuple[Pair, int], ...]
    step: Fraction
    is_lattice: bool  # whether every loss is a whole number of steps, so that the grid adds no error

    def delta(self, epsilon: Number, *, optimistic: bool = False) -> float:
        """The delta at which the batch is (epsilon, delta)-private."""
        level = float(exact_not_negative(epsilon, "epsilon"))
        parts = self._parts(optimistic)
        found = composed(parts, float(self.step), tilt_for_epsilon(parts, float(self.step), level))
        return found.delta(level, pessimistic=not optimistic)

    def epsilon(self, delta: Number, *, optimistic: bool = False) -> float:
        """The epsilon at which the batch is (epsilon, delta)-private; infinite if there is none."""
        slack = delta_between(delta)
        if slack < _LEAST_DELTA:
            raise ParameterError(
                f"delta is {float(slack):g}, below what a loss distribution tells apart from 0",
                hint=f"write a delta of at least {_LEAST_DELTA:g}, or compose by sums with dc.sequential",
            )
        parts = self._parts(optimistic)
        found = composed(parts, float(self.step), tilt_for_delta(parts, float(self.step), float(slack)))
        return found.epsilon(float(slack), pessimistic=not optimistic)

    def to_approximate(self, delta: Number) -> Approximate:
        """(epsilon, delta) of the whole batch, epsilon from above, to report."""
        epsilon = self.epsilon(delta)
        if epsilon == inf:
            raise ParameterError("no epsilon goes with this delta", hint="write a larger delta")
        return Approximate(epsilon=Fraction(epsilon), delta=delta)

    def curve(self, points: int = 40) -> list[tuple[float, float]]:
        """(epsilon, delta) from epsilon = 0 on to where delta is 1e-12, from above: what a chart of the trade draws."""
        last = min(self.epsilon("1e-12"), 1e6)
        return [(each, self.delta(each)) for each in np.linspace(0.0, last, points).tolist()]

    def losses(self) -> tuple[Floats, Floats]:
        """(losses, probabilities) of the sum on its grid, from above: what a chart of the loss draws.

        Places of no weight are left out, and so are infinite losses.
        """
        found = self._untilted()
        weighs = found.weights > 0
        return found.losses[weighs], found.weights[weighs]

    def plot(self) -> Any:
        """The loss and δ(ε): an Altair chart, or text where the plots extra is missing."""
        from discreet.plots.charts import drawn
        from discreet.privacy.pictures import figure_of_losses

        return drawn(figure_of_losses(self))

    @property
    def infinite(self) -> float:
        """The probability of an infinite loss."""
        return self._untilted().certain + 0.0  # no minus in front of a zero

    def _untilted(self) -> Composed:
        return composed(self._parts(False), float(self.step), 0.0)

    def _parts(self, optimistic: bool) -> Parts:
        if self.is_lattice:
            return [(on_lattice(atoms_of(pair, 0.0, pessimistic=not optimistic), self.step), often) for pair, often in self.pairs]
        onto, width = merged_onto if optimistic else split_onto, float(self.step) / 2
        return [(onto(atoms_of(pair, width, pessimistic=not optimistic), self.step), often) for pair, often in self.pairs]

    def __repr__(self) -> str:
        of = ", ".join(f"{often} × {pair}" for pair, often in self.pairs[:3])
        return f"LossDistribution({of}{', …' if len(self.pairs) > 3 else ''}, step={float(self.step):g}; a report, no stop rule)"


def _step(pairs: Counter[Pair]) -> tuple[Fraction, bool]:
    """A grid fine enough that its error is far below a thousandth, and whether it is one that all losses lie on."""
    count = sum(pairs.values())
    spread = sqrt(sum(often * coarse_spread(pair) ** 2 for pair, often in pairs.items()))
    if spread == 0.0:
        return Fraction(1), True
    wanted = 16 * spread / min(_MOST, int(_POINTS * sqrt(max(1.0, count / 1000))))
    units = [lattice_of(pair) for pair in pairs]
    known = [unit for unit in units if unit]
    # every unit is a whole multiple of this one
    common = Fraction(gcd(*(unit.numerator for unit in known)), lcm(*(unit.denominator for unit in known)))
    if all(unit is not None for unit in units) and common >= wanted / 4:
        return common, True
    return _dividing(max(map(largest_of, pairs)), wanted), False


def _dividing(loss: Fraction, wanted: float) -> Fraction:
    """About ``wanted``, and a whole part of ``loss`` where that is larger."""
    if loss <= wanted:
        return Fraction(wanted)
    return loss / int(float(loss) / wanted + 1)
