"""Permute-and-flip: one of several candidates, never worse than the exponential mechanism at the same epsilon."""

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any, overload

from discreet.errors import ParameterError
from discreet.exact import Number
from discreet.mechanisms.accuracy import to_float
from discreet.mechanisms.observing import observed
from discreet.mechanisms.scores import Named, Scores, chances, names_of, read_scores, widest_gap
from discreet.mechanisms.selects import Scored, Selects, by_name
from discreet.noise.enclosures import Enclosure, floor_and_ceiling
from discreet.noise.keystream import fresh
from discreet.noise.probabilities import Between
from discreet.noise.race import winner
from discreet.privacy.events import PureRelease

__all__ = ["PermuteAndFlip"]

_MOST = 256  # candidates whose probabilities are worked out
_BITS = 128

Row = list[Enclosure]


@dataclass(frozen=True, slots=True, init=False, repr=False)
class PermuteAndFlip(Selects):
    """Goes through the candidates in random order and takes r with probability exp(epsilon (score(r) - best) / (2 sensitivity)).

    That is the law; what happens is a race with exponential noise, which has the same winner. ``sensitivity`` is how far one
    unit can move any one score. On a ledger of rho it costs epsilon^2 / 2, four times what the exponential mechanism costs.

    Proof: docs/proofs/permute_and_flip.md
    """

    @property
    def cost(self) -> PureRelease:
        """What a selection is, as an event."""
        return PureRelease(self.epsilon)

    @overload
    def select(self, scores: Scores) -> int: ...
    @overload
    def select(self, scores: Named) -> Any: ...
    def select(self, scores: Scores | Named) -> Any:
        """The place of the chosen candidate, or its name where ``scores`` is a dict."""
        whole, unit = read_scores(scores)
        place = observed(self, Scored(whole, unit), lambda: winner(whole, self._factor * unit, "exponential", fresh()))
        return names_of(scores)[place]

    @overload
    def pmf(self, scores: Scores, *, exact: bool = False) -> list[float] | list[Between]: ...
    @overload
    def pmf(self, scores: Named, *, exact: bool = False) -> dict[Any, float] | dict[Any, Between]: ...
    def pmf(self, scores: Scores | Named, *, exact: bool = False) -> Any:
        """The probability of each candidate, under its name where ``scores`` is a dict."""
        whole, unit = read_scores(scores)
        if len(whole) > _MOST:
            raise ParameterError(
                f"the probabilities of {len(whole)} candidates take too long", hint=f"ask for those of at most {_MOST} candidates"
            )
        taken = chances(whole, self._factor * unit)
        passed = [(1 - high, 1 - low) for low, high in taken]
        between = [(p[0] * i[0], min(Fraction(1), p[1] * i[1])) for p, i in zip(taken, _reached(passed), strict=True)]
        return by_name(scores, between if exact else [to_float(each) for each in between])

    def score_gap(self, candidates: int, confidence: Number = "0.95") -> float:
        """How far the chosen score falls short of the best, at most and with at least this confidence."""
        return widest_gap(2 * self.sensitivity / self.epsilon, candidates, confidence)


def _reached(passed: list[Between]) -> list[Between]:
    """Encloses, for each candidate, the probability that it is reached: all that come before it are passed over.

    A uniform y says who comes before whom, so this is the integral over y of the product of (1 - y) + y passed(s) over the
    others s. Its coefficients at y^j (1 - y)^(m-j) are not negative, so nothing cancels, and each integrates to
    1 / ((m + 1) C(m, j)).
    """
    others = len(passed) - 1
    factors = [(floor_and_ceiling(low, _BITS)[0], floor_and_ceiling(high, _BITS)[1]) for low, high in passed]
    shares = [Fraction(1, (others + 1) * comb(others, j) << _BITS) for j in range(others + 1)]
    rows = _without_each(factors, [(1 << _BITS, 1 << _BITS)])
    return [(_dot([c[0] for c in row], shares), _dot([c[1] for c in row], shares)) for row in rows]


def _dot(coefficients: list[int], shares: list[Fraction]) -> Fraction:
    return sum((c * share for c, share in zip(coefficients, shares, strict=True)), Fraction(0))


def _without_each(factors: list[Enclosure], product: Row) -> list[Row]:
    """For each factor, ``product`` times all the others: halves get the other half's factors, and so on down."""
    if len(factors) == 1:
        return [product]
    half = len(factors) // 2
    left, right = factors[:half], factors[half:]
    return _without_each(left, _times(product, right)) + _without_each(right, _times(product, left))


def _times(product: Row, factors: list[Enclosure]) -> Row:
    """The coefficients of ``product`` times every (1 - y) + factor y."""
    for low, high in factors:
        longer, before = [*product, (0, 0)], (0, 0)
        for j, each in enumerate(longer):
            longer[j] = each[0] + (before[0] * low >> _BITS), each[1] - (-before[1] * high >> _BITS)
            before = each
        product = longer
    return product
