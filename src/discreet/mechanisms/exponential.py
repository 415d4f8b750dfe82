"""The exponential mechanism: one of several candidates, better ones likelier."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, overload

from discreet.exact import Number
from discreet.mechanisms.accuracy import to_float
from discreet.mechanisms.observing import observed
from discreet.mechanisms.scores import Named, Scores, chances, in_order, names_of, read_scores, read_weights, taken, widest_gap
from discreet.mechanisms.selects import Scored, Selects, by_name
from discreet.noise.keystream import fresh
from discreet.noise.probabilities import Between
from discreet.noise.race import winner
from discreet.privacy.events import ExponentialSelection

__all__ = ["Exponential"]


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Exponential(Selects):
    """Chooses candidate r with probability proportional to weight(r) exp(epsilon score(r) / (2 sensitivity)), exactly.

    ``sensitivity`` is how far one unit can move any one score. Weights are public, and all 1 unless given.

    Proof: docs/proofs/exponential.md
    """

    @property
    def cost(self) -> ExponentialSelection:
        """What a selection is, as an event."""
        return ExponentialSelection(self.epsilon)

    @overload
    def select(self, scores: Scores, weights: Scores | None = None) -> int: ...
    @overload
    def select(self, scores: Named, weights: Named | None = None) -> Any: ...
    def select(self, scores: Scores | Named, weights: Scores | Named | None = None) -> Any:
        """The place of the chosen candidate, or its name where ``scores`` is a dict."""
        whole, unit = read_scores(scores)
        names = names_of(scores)
        if weights is None:
            return names[observed(self, Scored(whole, unit), lambda: winner(whole, self._factor * unit, "gumbel", fresh()))]
        able, shares = read_weights(in_order(weights, names), len(whole))
        some = taken(whole, able)
        place = observed(
            self, Scored(some, unit, shares), lambda: winner(some, self._factor * unit, "gumbel", fresh(), shares)
        )
        return names[int(able[place])]

    @overload
    def pmf(self, scores: Scores, weights: Scores | None = None, *, exact: bool = False) -> list[float] | list[Between]: ...
    @overload
    def pmf(
        self, scores: Named, weights: Named | None = None, *, exact: bool = False
    ) -> dict[Any, float] | dict[Any, Between]: ...
    def pmf(self, scores: Scores | Named, weights: Scores | Named | None = None, *, exact: bool = False) -> Any:
        """The probability of each candidate, under its name where ``scores`` is a dict."""
        whole, unit = read_scores(scores)
        names = names_of(scores)
        able, shares = read_weights([1] * len(whole) if weights is None else in_order(weights, names), len(whole))
        odds = chances(taken(whole, able), self._factor * unit)
        odds = [(int(share) * low, int(share) * high) for share, (low, high) in zip(shares, odds, strict=True)]
        low, high = sum(each[0] for each in odds), sum(each[1] for each in odds)
        between = [(Fraction(0), Fraction(0))] * len(whole)
        for at, each in zip(able.tolist(), odds, strict=True):
            between[at] = each[0] / high, each[1] / low
        return by_name(scores, between if exact else [to_float(each) for each in between])

    def score_gap(self, candidates: int, confidence: Number = "0.95") -> float:
        """How far the chosen score falls short of the best, at most and with at least this confidence; of equal weights."""
        return widest_gap(2 * self.sensitivity / self.epsilon, candidates, confidence)
