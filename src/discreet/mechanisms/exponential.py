"""The exponential mechanism: one of several candidates, better ones likelier."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, log

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.exact import Number, exact_not_negative, exact_positive, exact_whole, shown, stored
from discreet.mechanisms.accuracy import read_confidence, to_float
from discreet.noise.enclosures import exp_minus
from discreet.noise.keystream import fresh
from discreet.noise.probabilities import Between
from discreet.noise.race import winner
from discreet.privacy.events import ExponentialSelection
from discreet.privacy.losses import Pure

__all__ = ["Exponential", "Scores"]

Scores = Sequence[Number] | NDArray[np.generic]
_HOW = "give one finite number per candidate, such as [816, 109, 7]"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Exponential:
    """Chooses candidate r with probability proportional to exp(epsilon score(r) / (2 sensitivity)), exactly.

    ``sensitivity`` is how far one unit can move any one score.

    Proof: docs/proofs/exponential.md
    """

    epsilon: Fraction
    sensitivity: Fraction

    def __init__(self, *, epsilon: Number, sensitivity: Number) -> None:
        object.__setattr__(self, "epsilon", exact_positive(epsilon, "epsilon"))
        object.__setattr__(self, "sensitivity", exact_positive(sensitivity, "sensitivity"))

    @property
    def cost(self) -> ExponentialSelection:
        """What a selection is, as an event."""
        return ExponentialSelection(self.epsilon)

    @property
    def loss(self) -> Pure:
        """What a selection costs."""
        return Pure(epsilon=self.epsilon)

    def loss_for(self, distance: Number) -> Pure:
        """What a selection costs if one unit moves any one score by at most ``distance``: the privacy map."""
        return Pure(epsilon=self.epsilon * exact_not_negative(distance, "distance") / self.sensitivity)

    def select(self, scores: Scores) -> int:
        """The place of the chosen candidate."""
        whole, unit = read_scores(scores)
        return winner(whole, self._factor * unit, "gumbel", fresh())

    def pmf(self, scores: Scores, *, exact: bool = False) -> list[float] | list[Between]:
        """The probability of each candidate."""
        whole, unit = read_scores(scores)
        best = int(max(whole))
        weights = [_weight(self._factor * unit * (best - int(score))) for score in whole]
        low, high = sum(w[0] for w in weights), sum(w[1] for w in weights)
        between = [(w[0] / high, w[1] / low) for w in weights]
        return between if exact else [to_float(each) for each in between]

    def score_gap(self, candidates: int, confidence: Number = "0.95") -> float:
        """How far the chosen score falls short of the best, at most and with at least this confidence."""
        count, sure = exact_whole(candidates, "candidates", at_least=1), read_confidence(confidence)
        return float(2 * self.sensitivity / self.epsilon) * log(count / float(1 - sure)) * (1 + 1e-12)  # errs upwards

    def __repr__(self) -> str:
        return f"Exponential(epsilon={shown(self.epsilon)}, sensitivity={shown(self.sensitivity)})"

    @property
    def _factor(self) -> Fraction:
        return self.epsilon / (2 * self.sensitivity)


def read_scores(scores: Scores) -> tuple[Sequence[int] | NDArray[np.int64], Fraction]:
    """The scores as whole multiples of one unit, refused if there are none or one is not a finite number."""
    if isinstance(scores, str) or not isinstance(scores, Sequence | np.ndarray):
        raise ParameterError(f"the scores are a {type(scores).__name__}, not a list of numbers", hint=_HOW)
    if isinstance(scores, np.ndarray):
        if scores.ndim != 1 or not scores.size or scores.dtype.kind not in "iuf":
            raise ParameterError("the scores are not a flat, non-empty array of numbers", hint=_HOW)
        if scores.dtype.kind == "i":
            return scores.astype(np.int64), Fraction(1)
    if len(scores) == 0:
        raise ParameterError("there are no scores", hint=_HOW)
    try:
        numbers = [stored(score, "score") for score in scores]
    except ParameterError:
        raise ParameterError("a score is not a finite number", hint=_HOW) from None
    denominator = lcm(*(number.denominator for number in numbers))
    return [int(number * denominator) for number in numbers], Fraction(1, denominator)


def _weight(exponent: Fraction) -> Between:
    if exponent > 1 << 12:
        return Fraction(0), Fraction(1, 1 << (1 << 12))
    digits = 112 + int(exponent * 3 / 2)
    low, high = exp_minus(exponent, digits)
    return Fraction(low, 1 << digits), Fraction(high, 1 << digits)
