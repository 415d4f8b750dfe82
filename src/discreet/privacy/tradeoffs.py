"""What privacy means to somebody who guesses: the least rate of misses at each rate of false alarms.

Whoever looks at a release and decides between two neighbouring tables is wrong one way with probability p (false alarm) and the
other way with probability q (miss). A trade-off f says that q >= f(p) for every way to decide. Proof: docs/proofs/trade-off.md.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import exp, expm1, sqrt
from statistics import NormalDist
from typing import Any, cast

from discreet.errors import ParameterError
from discreet.exact import Number, exact, exact_not_negative, shown
from discreet.noise.law import Law
from discreet.noise.probabilities import tail
from discreet.privacy.curves import continuous_gaussian_delta, continuous_laplace_delta, delta_after_shift
from discreet.privacy.events import GaussianRelease, LaplaceRelease
from discreet.privacy.losses import Approximate, Pure
from discreet.privacy.pairs import AddsNoise, HasCost, shifted_by
from discreet.privacy.prices import approximate

__all__ = ["GaussianTradeoff", "LaplaceTradeoff", "NoiseTradeoff", "RegionTradeoff", "Tradeoff", "tradeoff"]

_HOW = "write dc.tradeoff(dc.Pure(epsilon=1)), a mechanism, mu=1 for Gaussian noise or ratio=1 for Laplace noise"
_NORMAL = NormalDist()


class Tradeoff(ABC):
    """A convex curve f on [0, 1] that never rises: f(alpha) is the least rate of misses at a false-alarm rate of ``alpha``."""

    __slots__ = ()

    @abstractmethod
    def _misses(self, alpha: float) -> float:
        """f(alpha) for 0 < alpha < 1."""

    @abstractmethod
    def delta(self, epsilon: Number) -> float:
        """The least delta at which this is (epsilon, delta)-private."""

    def __call__(self, alpha: Number) -> float:
        """The least rate of misses."""
        rate = _rate(alpha, "alpha")
        if rate in (0, 1):
            return 0.0 if rate else self._at_zero()
        return min(1.0, max(0.0, self._misses(float(rate))))

    def power(self, alpha: Number) -> float:
        """The most an attack can hope for: how often it is right about one table when it is wrong about the other this often."""
        return 1.0 - self(alpha)

    def allows(self, false_alarms: Number, misses: Number) -> bool:
        """Whether some way to decide may have these two rates of error."""
        p, q = _rate(false_alarms, "false_alarms"), _rate(misses, "misses")
        low, high = sorted((p, q))
        return float(high) >= self(low) and float(low) >= self(high)

    def points(self, alphas: Sequence[Number] | int = 101) -> list[tuple[float, float]]:
        """(alpha, f(alpha)), to draw the region of what is possible: at alphas that rise, or at so many even ones."""
        at = [Fraction(i, alphas - 1) for i in range(alphas)] if isinstance(alphas, int) and alphas > 1 else alphas
        if isinstance(at, int) or not len(at):
            raise ParameterError("the points are fewer than two", hint="write a number of 2 or more, or rates that rise")
        rates = [_rate(each, "alpha") for each in at]
        if any(later <= earlier for earlier, later in pairwise(rates)):
            raise ParameterError("the alphas do not rise", hint="write them in order and each once, such as [0, '0.1', '0.5', 1]")
        return [(float(each), self(each)) for each in rates]

    def plot(self) -> Any:
        """The curve, with the region of what is possible above it: an Altair chart, or text where the plots extra is missing."""
        from discreet.plots.charts import drawn
        from discreet.privacy.pictures import figure_of_tradeoffs

        return drawn(figure_of_tradeoffs({"least misses": self}))

    def _at_zero(self) -> float:
        return 1.0


@dataclass(frozen=True, slots=True)
class RegionTradeoff(Tradeoff):
    """All that (epsilon, delta) allows: p + e^epsilon q and e^epsilon p + q are at least 1 - delta (Wasserman and Zhou 2010)."""

    epsilon: Fraction
    slack: Fraction = Fraction(0)

    def _misses(self, alpha: float) -> float:
        left, odds = 1.0 - float(self.slack), exp(float(min(self.epsilon, Fraction(700))))
        return max(left - odds * alpha, (left - alpha) / odds)

    def _at_zero(self) -> float:
        return 1.0 - float(self.slack)

    def delta(self, epsilon: Number) -> float:
        """The least delta of randomized response with this epsilon and delta."""
        level = exact_not_negative(epsilon, "epsilon")
        if level >= self.epsilon:
            return float(self.slack)
        odds = exp(-float(self.epsilon))
        return float(self.slack) + float(1 - self.slack) * -expm1(float(level - self.epsilon)) / (1 + odds)


@dataclass(frozen=True, slots=True)
class GaussianTradeoff(Tradeoff):
    """Gaussian noise on the real line, ``mu`` = sensitivity / standard deviation: its square is kept. Several compose exactly."""

    mu_squared: Fraction

    @property
    def mu(self) -> float:
        """The distance of the two normal laws."""
        return sqrt(float(self.mu_squared))

    def _misses(self, alpha: float) -> float:
        return _NORMAL.cdf(-_NORMAL.inv_cdf(alpha) - self.mu)

    def delta(self, epsilon: Number) -> float:
        """As Balle and Wang (2018) have it."""
        level = float(exact_not_negative(epsilon, "epsilon"))
        return max(0.0, continuous_gaussian_delta(level, self.mu)) if self.mu_squared else 0.0


@dataclass(frozen=True, slots=True)
class LaplaceTradeoff(Tradeoff):
    """Laplace noise on the real line, ``ratio`` = sensitivity / scale."""

    ratio: Fraction

    def _misses(self, alpha: float) -> float:
        odds = exp(-float(self.ratio))
        if alpha < odds / 2:
            return 1.0 - alpha / odds
        return odds / (4 * alpha) if alpha <= 0.5 else odds * (1.0 - alpha)

    def delta(self, epsilon: Number) -> float:
        """1 - e^((epsilon - ratio) / 2) up to ratio, and 0 from there on."""
        return continuous_laplace_delta(float(exact_not_negative(epsilon, "epsilon")), float(self.ratio))


@dataclass(frozen=True, slots=True)
class NoiseTradeoff(Tradeoff):
    """Exact noise on whole steps, moved by ``shift``: the best way to decide is a threshold, tossed for at the border."""

    law: Law
    shift: int

    def _misses(self, alpha: float) -> float:
        rate = Fraction(alpha)
        low, high = 1 - self._reach(), self._reach()  # P(Z >= low) > rate >= P(Z >= high)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if _tail(self.law, middle) <= rate else (middle, high)
        here, more = _tail(self.law, high), _tail(self.law, low)
        missed, fewer = (1 - _tail(self.law, end - self.shift) for end in (high, low))  # P(Z + shift < end)
        return float(missed + (fewer - missed) * (rate - here) / (more - here))

    def _reach(self) -> int:
        return 2 + 800 * (self.law.spread + 1) if self.law.linear else 2 + 40 * (self.law.spread + 1)

    def delta(self, epsilon: Number) -> float:
        """From the exact law, from above."""
        return float(delta_after_shift(self.law, self.shift, exact_not_negative(epsilon, "epsilon"))[1])


def tradeoff(
    source: Pure | Approximate | HasCost | None = None,
    /,
    *,
    mu: Number | Sequence[Number] | None = None,
    ratio: Number | None = None,
) -> Tradeoff:
    """The trade-off of a loss, of a mechanism, or of continuous noise.

    A mechanism that adds noise has the trade-off of its exact law (Gaussian: of one number), any other that of its price.
    ``mu`` is Gaussian noise on the real line, sensitivity over standard deviation; several, in a list, are composed: the mu of
    the whole is the root of the sum of their squares. ``ratio`` is Laplace noise on the real line, sensitivity over scale.
    """
    given = [each is not None for each in (source, mu, ratio)]
    if sum(given) != 1:
        raise ParameterError("tradeoff takes one of a loss or mechanism, a mu, and a ratio", hint=_HOW)
    if mu is not None:
        return GaussianTradeoff(sum((exact_not_negative(each, "mu") ** 2 for each in _several(mu)), start=Fraction(0)))
    if ratio is not None:
        return LaplaceTradeoff(exact_not_negative(ratio, "ratio"))
    match source:
        case Pure(epsilon=epsilon):
            return RegionTradeoff(epsilon)
        case Approximate(epsilon=epsilon, delta=delta):
            return RegionTradeoff(epsilon, delta)
        case AddsNoise(cost=LaplaceRelease() | GaussianRelease()):
            moved = shifted_by(source)
            return NoiseTradeoff(moved.law, moved.shift)
        case HasCost():
            price = approximate(source.cost)
            return RegionTradeoff(price.epsilon, price.delta)
        case _:
            raise ParameterError(f"a {type(source).__name__} has no trade-off", hint=_HOW)


@lru_cache(maxsize=1 << 12)
def _tail(law: Law, value: int) -> Fraction:
    return tail(law, value)[0]


def _several(mu: Number | Sequence[Number]) -> Sequence[Number]:
    several = cast("Sequence[Number]", mu) if isinstance(mu, list | tuple) else [cast("Number", mu)]
    if not several:
        raise ParameterError("there is no mu", hint="write at least one, such as mu=['0.3', '0.4']")
    return several


def _rate(value: Number, name: str) -> Fraction:
    number = exact(value, name)
    if not 0 <= number <= 1:
        raise ParameterError(f"{name} is {shown(number)}, not between 0 and 1", hint="write a rate such as '0.05'")
    return number
