"""What a budget means for one unit, as odds: how often somebody guesses right about it who sees all that is ever answered.

Whoever tells two neighbouring tables apart, each as likely as the other, is right with at most (1 + TV) / 2, where TV is the
total variation distance of what they see. For (ε, δ) that is at most (e^ε − 1 + 2δ) / (e^ε + 1); for ρ-zCDP, whose divergence
is at most ρ, it is at most √(ρ/2) (Pinsker) and √(1 − e^−ρ) (Bretagnolle and Huber).
"""

from math import ceil, exp, sqrt
from typing import assert_never

from discreet.answers.losses import loss_in_words
from discreet.facts.model import ByColumn, Facts
from discreet.plots.lettering import clean
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure

__all__ = ["guesses_in_100", "odds_of"]

_SURE = 30  # an epsilon above which nobody is protected at all
_UP = 1 + 1e-12  # more than all rounding of the line it stands in


def guesses_in_100(loss: Loss) -> int:
    """How often at most a guess out of two is right, rounded up."""
    match loss:
        case Pure(epsilon=epsilon):
            distance = _distance(float(epsilon), 0.0)
        case Approximate(epsilon=epsilon, delta=delta):
            distance = _distance(float(epsilon), float(delta))
        case Concentrated(rho=rho):
            distance = min(sqrt(float(rho) / 2), sqrt(1 - exp(-float(rho))))
        case _:
            assert_never(loss)
    return 50 if distance == 0 else min(100, ceil(50 * (1 + distance) * _UP))


def _distance(epsilon: float, delta: float) -> float:
    grown = exp(min(epsilon, _SURE))
    return min(1.0, (grown - 1 + 2 * delta) / (grown + 1))


def odds_of(cap: Loss, facts: Facts) -> str:
    """The sentence that stands beside a budget."""
    unit = f"one {clean(facts.unit.column)}" if isinstance(facts.unit, ByColumn) else "one row"
    about = f"whether {unit} is in it" if facts.neighbours == "add_remove" else f"which of two values {unit} has"
    return (f"With {loss_in_words(cap)} over the life of this table, someone who would guess right 50 times in 100 {about} "
            f"can get to at most {guesses_in_100(cap)} in 100.")  # fmt: skip
