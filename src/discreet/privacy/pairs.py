"""Worst pairs: for each event, two laws of output that are at least as far apart as those on any two neighbouring tables.

If one pair has the larger delta(epsilon) at every epsilon, then so have its compositions, whatever is composed with it; so a
batch of events is told by the pairs of its parts. Every pair here looks the same from both sides. Proof:
docs/proofs/loss-distribution.md.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Protocol, assert_never, runtime_checkable

from discreet.errors import ParameterError
from discreet.exact import exact_whole
from discreet.noise.law import Law
from discreet.privacy.composition import groups_touched
from discreet.privacy.events import (
    Disjoint,
    Event,
    ExponentialSelection,
    GaussianRelease,
    KeyRelease,
    LaplaceRelease,
    PureRelease,
    Repeated,
    Sequence,
)
from discreet.privacy.losses import Approximate, Concentrated, Pure
from discreet.privacy.prices import approximate

__all__ = ["AddsNoise", "HasCost", "Pair", "Ranged", "Response", "Shifted", "Source", "pairs_of", "shifted_by"]


@dataclass(frozen=True, slots=True)
class Response:
    """Randomized response: with probability ``delta`` the truth, for certain; else a word e^epsilon times likelier if true."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class Shifted:
    """Noise of a law, and the same noise moved by ``shift`` steps."""

    law: Law
    shift: int


@dataclass(frozen=True, slots=True)
class Ranged:
    """The least pair above all whose logarithms of odds span at most ``epsilon``: bounded range."""

    epsilon: Fraction


Pair = Response | Shifted | Ranged


@runtime_checkable
class HasCost(Protocol):
    """A mechanism: what it does is an event."""

    @property
    def cost(self) -> Event:
        """What happens to data."""


@runtime_checkable
class AddsNoise(HasCost, Protocol):
    """A mechanism that adds noise of a law, in steps."""

    @property
    def law(self) -> Law:
        """The law of the noise."""


_MOST_STEPS = 1 << 50
Source = Event | Pure | Approximate | HasCost
_HOW = "give a mechanism such as dc.Laplace(epsilon='0.1', sensitivity=1), its cost, dc.Pure(...) or dc.Approximate(...)"


def pairs_of(sources: Iterable[Source], count: int = 1) -> Counter[Pair]:
    """How often each pair occurs when all ``sources`` happen to the same rows, ``count`` times over."""
    times = exact_whole(count, "count", at_least=1)
    found: Counter[Pair] = Counter()
    for source in sources:
        for pair, often in _pairs(source).items():
            found[pair] += often * times
    return found


def shifted_by(mechanism: AddsNoise) -> Shifted:
    """The noise of a mechanism and how far, in steps, one unit can move what it is added to: l1, or one number for Gaussian."""
    law, event = mechanism.law, mechanism.cost
    match event:
        case LaplaceRelease(ratio):
            return _within_reach(Shifted(law, max(1, int(ratio / law.linear))))
        case GaussianRelease(ratio_squared):
            squared = ratio_squared / (2 * law.quadratic)
            shift = isqrt(int(squared))
            if shift < 1 or shift * shift != squared:
                raise ParameterError(
                    "this Gaussian is for several numbers at once: one moves by a whole number of steps",
                    hint="price it by rho and compose by dc.sequential, or write a sensitivity instead of its square",
                )
            return _within_reach(Shifted(law, shift))
        case _:
            raise ParameterError(f"a {type(event).__name__} adds no noise to numbers", hint=_HOW)


def _within_reach(pair: Shifted) -> Shifted:
    if pair.shift > _MOST_STEPS or pair.law.spread > _MOST_STEPS:
        raise ParameterError("the noise spans more than 2^50 steps", hint="write a coarser step")
    return pair


def _pairs(source: Source) -> Counter[Pair]:
    match source:
        case Pure(epsilon=epsilon):
            return Counter([Response(epsilon)])
        case Approximate(epsilon=epsilon, delta=delta):
            return Counter([Response(epsilon, delta)])
        case Concentrated():
            raise ParameterError("a rho has no worst pair", hint="give the Gaussian mechanism itself, dc.Gaussian(...)")
        case Sequence() | Repeated() | Disjoint():
            return _composed(source)
        case LaplaceRelease() | GaussianRelease() | ExponentialSelection() | PureRelease() | KeyRelease():
            return Counter([_pair(source)])
        case AddsNoise(cost=LaplaceRelease() | GaussianRelease()):
            return Counter([shifted_by(source)])
        case HasCost():
            return _pairs(source.cost)
        case _:
            raise ParameterError(f"a {type(source).__name__} has no loss distribution", hint=_HOW)


def _pair(event: LaplaceRelease | GaussianRelease | ExponentialSelection | PureRelease | KeyRelease) -> Pair:
    match event:
        case LaplaceRelease(epsilon) | PureRelease(epsilon):
            return Response(epsilon)  # noise on a coarse step, one step apart, is no better than this
        case ExponentialSelection(epsilon):
            return Ranged(epsilon)
        case KeyRelease(epsilon, delta):
            return Response(epsilon, delta)
        case GaussianRelease(claim=Approximate(epsilon=epsilon, delta=delta)):
            return Response(epsilon, delta)
        case GaussianRelease():
            raise ParameterError(
                "the event of a Gaussian release does not say how fine its step was, and its worst pair depends on that",
                hint="give the mechanism itself, dc.Gaussian(...), or compose by rho with dc.sequential",
            )
        case _:
            assert_never(event)


def _composed(event: Sequence | Repeated | Disjoint) -> Counter[Pair]:
    match event:
        case Sequence(parts):
            return pairs_of(parts)
        case Repeated(part, count):
            return pairs_of([part], count)
        case Disjoint(parts, neighbours, groups):
            touched = groups_touched(neighbours, groups)
            plain = [_pair(part) for part in parts if isinstance(part, LaplaceRelease | ExponentialSelection | PureRelease)]
            if len(plain) == len(parts) and len(set(map(type, plain))) == 1:
                return Counter(sorted(plain, key=_size, reverse=True)[:touched])  # of one kind, the largest are the worst
            return _pairs(approximate(event))
        case _:
            assert_never(event)


def _size(pair: Pair) -> Fraction:
    assert isinstance(pair, Response | Ranged)
    return pair.epsilon
