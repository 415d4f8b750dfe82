"""Noisy max and its top k: the best candidates by score plus noise, in one shot."""

from dataclasses import dataclass
from fractions import Fraction
from math import perm
from typing import Any, overload

from discreet.errors import ParameterError
from discreet.exact import Number, exact_whole, shown
from discreet.mechanisms.accuracy import to_float
from discreet.mechanisms.observing import observed
from discreet.mechanisms.scores import Named, Scores, Whole, chances, names_of, read_scores, widest_gap
from discreet.mechanisms.selects import Scored, Selects
from discreet.noise.keystream import fresh
from discreet.noise.probabilities import Between
from discreet.noise.race import ranking
from discreet.privacy.events import ExponentialSelection, Repeated

__all__ = ["NoisyMax"]

_MOST = 100_000  # orders whose probabilities are worked out


@dataclass(frozen=True, slots=True, init=False, repr=False)
class NoisyMax(Selects):
    """The ``count`` candidates with the largest score plus Gumbel noise of scale 2 count sensitivity / epsilon, best first.

    ``sensitivity`` is how far one unit can move any one score. The order has the same law as ``count`` rounds of the
    exponential mechanism at epsilon / count, each among the candidates that are left, and costs what they cost. The noisy
    scores themselves are not released. To choose a single candidate for a pure epsilon, permute-and-flip is better.

    Proof: docs/proofs/noisy_max.md
    """

    count: int

    def __init__(self, *, epsilon: Number, sensitivity: Number, count: int = 1) -> None:
        Selects.__init__(self, epsilon=epsilon, sensitivity=sensitivity)
        object.__setattr__(self, "count", exact_whole(count, "count", at_least=1))

    @property
    def cost(self) -> Repeated:
        """What a selection is, as an event."""
        return Repeated(ExponentialSelection(self.epsilon / self.count), self.count)

    @overload
    def select(self, scores: Scores) -> list[int]: ...
    @overload
    def select(self, scores: Named) -> list[Any]: ...
    def select(self, scores: Scores | Named) -> list[Any]:
        """The places of the chosen candidates, best first, or their names where ``scores`` is a dict."""
        whole, unit = self._read(scores)
        names = names_of(scores)
        places = observed(self, Scored(whole, unit), lambda: ranking(whole, self._factor * unit, "gumbel", fresh(), self.count))
        return [names[place] for place in places]

    def pmf(
        self, scores: Scores | Named, *, exact: bool = False
    ) -> dict[tuple[Any, ...], float] | dict[tuple[Any, ...], Between]:
        """The probability of every order of ``count`` places, or names where ``scores`` is a dict."""
        whole, unit = self._read(scores)
        if perm(len(whole), self.count) > _MOST:
            raise ParameterError(
                f"there are {perm(len(whole), self.count)} orders", hint=f"ask for the probabilities of at most {_MOST} orders"
            )
        names = names_of(scores)
        found = _orders(whole, self._factor * unit, tuple(range(len(whole))), self.count)
        between = {tuple(names[place] for place in order): each for order, each in found.items()}
        return between if exact else {order: to_float(each) for order, each in between.items()}

    def score_gap(self, candidates: int, confidence: Number = "0.95") -> float:
        """How far any chosen score falls short of the best score not chosen before it, at most and with this confidence."""
        count = exact_whole(candidates, "candidates", at_least=1)
        return widest_gap(2 * self.count * self.sensitivity / self.epsilon, count * self.count, confidence)

    def __repr__(self) -> str:
        return f"NoisyMax(epsilon={shown(self.epsilon)}, sensitivity={shown(self.sensitivity)}, count={self.count})"

    def _read(self, scores: Scores | Named) -> tuple[Whole, Fraction]:
        whole, unit = read_scores(scores)
        if self.count >= len(whole):
            raise ParameterError(
                f"{self.count} of {len(whole)} candidates is no choice", hint=f"write a count below {len(whole)}"
            )
        return whole, unit

    @property
    def _factor(self) -> Fraction:
        """Each round has its part of epsilon."""
        return self.epsilon / (2 * self.count * self.sensitivity)


def _orders(whole: Whole, factor: Fraction, left: tuple[int, ...], count: int) -> dict[tuple[int, ...], Between]:
    """Encloses the probability of every order of ``count`` of the places left: each time one is chosen among those that are."""
    if not count:
        return {(): (Fraction(1), Fraction(1))}
    odds = chances([int(whole[at]) for at in left], factor)  # by the best that is left, so that none is lost in its shadow
    low, high = sum(each[0] for each in odds), sum(each[1] for each in odds)
    found = {}
    for at, each in zip(left, odds, strict=True):
        others = tuple(other for other in left if other != at)
        for rest, (rest_low, rest_high) in _orders(whole, factor, others, count - 1).items():
            found[at, *rest] = each[0] / high * rest_low, min(Fraction(1), each[1] / low * rest_high)
    return found
