"""Keys that no public list names: which of those in the data may be told, by how many units have each.

A key that one unit alone brought must almost never be told, so this takes a delta. A unit that has at most ``groups`` keys
spreads epsilon and delta over them; under change_one it may leave as many keys and enter as many others.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, log1p

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.exact import Number, exact_positive, exact_whole, shown
from discreet.mechanisms.observing import observed
from discreet.mechanisms.scores import as_array
from discreet.noise.bernoulli import coins
from discreet.noise.draws import check_spread, draw
from discreet.noise.enclosures import Enclosure, exp, floor_and_ceiling
from discreet.noise.enclosures import log as enclosed_log
from discreet.noise.keystream import fresh
from discreet.noise.law import Law, discrete_laplace_law
from discreet.noise.probabilities import tail
from discreet.privacy import events
from discreet.privacy.composition import groups_touched
from discreet.privacy.events import Neighbours
from discreet.privacy.losses import Approximate, delta_between

__all__ = ["KeySelection", "NoisyThreshold"]

Counts = NDArray[np.integer]
Places = NDArray[np.intp]

_LONGEST = 1 << 20  # counts at which a key's chance is neither 0 nor 1
_STEEPEST = Fraction(1000)  # exp(1000) is far above any 1/delta: a curve cannot be steeper, and a larger exp takes too long
_HOW = "give an array of whole numbers: how many units have each key"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class _OfKeys:
    """What both ways to choose keys are told: the price, and how many keys one unit may have."""

    epsilon: Fraction
    delta: Fraction
    groups: int
    neighbours: Neighbours
    at_least: int

    def __init__(self, *, epsilon: Number, delta: Number, groups: int = 1, neighbours: Neighbours, at_least: int = 1) -> None:
        object.__setattr__(self, "epsilon", exact_positive(epsilon, "epsilon"))
        object.__setattr__(self, "delta", delta_between(delta))
        object.__setattr__(self, "groups", exact_whole(groups, "groups", at_least=1))
        object.__setattr__(self, "neighbours", neighbours)
        object.__setattr__(self, "at_least", exact_whole(at_least, "at_least", at_least=1))
        groups_touched(neighbours, self.groups)  # refuses what is no relation
        if self.at_least > 1 << 62:
            raise ParameterError("at_least is above 2^62, and no key has so many units", hint="write a smaller at_least")
        if self.delta < Fraction("1e-300"):
            raise ParameterError("to choose among unknown keys takes a delta above 0", hint="write a small delta such as '1e-6'")

    @property
    def cost(self) -> events.KeyRelease:
        """What a selection is, as an event."""
        return events.KeyRelease(self.epsilon, self.delta)

    @property
    def loss(self) -> Approximate:
        """What a selection costs."""
        return Approximate(epsilon=self.epsilon, delta=self.delta)

    @property
    def key_epsilon(self) -> Fraction:
        """The share of epsilon for one key."""
        return self.epsilon / groups_touched(self.neighbours, self.groups)

    @property
    def key_delta(self) -> Fraction:
        """The share of delta for one key: 1 - (1 - delta)^(1/groups), rounded down, and half of it under change_one."""
        return _share(self.delta, self.groups) / (groups_touched(self.neighbours, self.groups) // self.groups)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(epsilon={shown(self.epsilon)}, delta={shown(self.delta)}, groups={self.groups}, "
            f"neighbours={self.neighbours!r}, at_least={self.at_least})"
        )

    def _beyond(self, units: Counts) -> NDArray[np.int64]:
        """By how many units each key is at or above the public minimum, from 1 on; 0 for those below."""
        given = as_array(units)
        if given.ndim != 1 or given.dtype.kind not in "iu":
            raise ParameterError("the counts are not a flat array of whole numbers", hint=_HOW)
        if given.dtype.kind == "u":
            given = np.minimum(given.astype(np.uint64), np.uint64(np.iinfo(np.int64).max))
        within = given.astype(np.int64)
        return np.maximum(within, self.at_least - 1) - (self.at_least - 1)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class KeySelection(_OfKeys):
    """Keeps each key with the largest probability that (epsilon, delta) allows for the number of units that have it.

    ``at_least`` is a public minimum: keys of fewer units are never told. Nothing but the keys is told; their counts are
    other questions. Keys should be sorted before, since an order could tell something too.

    Proof: docs/proofs/keys.md
    """

    def probability(self, units: int, *, exact: bool = False) -> float | Fraction:
        """The probability that a key of so many units is kept: the optimal curve, rounded down by less than 2^-60."""
        beyond = max(0, exact_whole(units, "units") - self.at_least + 1)
        curve, bits = self._curve
        chance = Fraction(curve[min(beyond, len(curve) - 1)], 1 << bits)
        return chance if exact else float(chance)

    def select(self, units: Counts) -> Places:
        """The places of the keys that are kept, in the order in which they came."""
        beyond = self._beyond(units)
        curve, bits = self._curve
        is_open = (beyond > 0) & (beyond < len(curve) - 1)  # before the curve's end a chance is neither 0 nor 1
        at = np.flatnonzero(is_open)
        kept = beyond >= len(curve) - 1
        low, last = _words(*self._curve_key)
        chosen = beyond[at]

        def chance(place: int, precision: int) -> Enclosure:
            return floor_and_ceiling(Fraction(curve[chosen[place]], 1 << bits), precision)

        kept[at] = coins(low[chosen], last[chosen], chance, observed(self, units, fresh))
        return np.flatnonzero(kept)

    @property
    def _curve_key(self) -> tuple[Fraction, Fraction]:
        return self.key_epsilon, self.key_delta

    @property
    def _curve(self) -> tuple[tuple[int, ...], int]:
        return _optimal(*self._curve_key)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class NoisyThreshold(_OfKeys):
    """Adds discrete Laplace noise to the number of units of each key, and tells keys and noisy numbers from a threshold on.

    At the same price it keeps slightly fewer keys than KeySelection, and tells how many units have them. ``at_least`` is a
    public minimum, as there.

    Proof: docs/proofs/keys.md
    """

    @property
    def law(self) -> Law:
        """The law of the noise."""
        return discrete_laplace_law(1 / self.key_epsilon)

    @property
    def threshold(self) -> int:
        """The least noisy number of units that is told."""
        return _threshold(self.law, self.key_delta) + self.at_least - 1

    def probability(self, units: int) -> float:
        """The probability that a key of so many units is kept."""
        if exact_whole(units, "units") < self.at_least:
            return 0.0
        return float(sum(tail(self.law, self.threshold - units)) / 2)

    def release(self, units: Counts) -> tuple[Places, NDArray[np.int64]]:
        """The places of the keys that are kept, in the order in which they came, and their noisy numbers of units."""
        beyond, law = self._beyond(units), self.law
        check_spread(law)
        candidates = np.flatnonzero(beyond)
        noise = draw(law, candidates.size, observed(self, units, fresh))
        noisy = np.minimum(beyond[candidates], 1 << 61) + noise + (self.at_least - 1)
        is_kept = noisy >= self.threshold
        return candidates[is_kept], noisy[is_kept]


@lru_cache(maxsize=64)
def _share(delta: Fraction, groups: int) -> Fraction:
    """The largest d that is found with (1 - d)^groups >= 1 - delta."""
    if groups == 1:
        return delta
    bits = 128 + delta.denominator.bit_length() + groups.bit_length()
    exponent = Fraction(enclosed_log(1 - delta, bits)[1], groups << bits)
    return max(delta / groups, 1 - Fraction(exp(exponent, bits)[1], 1 << bits))  # the first always is one


@lru_cache(maxsize=16)
def _optimal(epsilon: Fraction, delta: Fraction) -> tuple[tuple[int, ...], int]:
    """The curve of chances, from that of no units to the first that is 1, and how many bits they have.

    Each is the most that the one before allows, rounded down: so what is returned is private as it stands, and below the
    real curve by less than length 2^-bits / delta.
    """
    epsilon = min(epsilon, _STEEPEST)
    length = _length(epsilon, delta)
    bits = 64 + length.bit_length() + (delta.denominator // delta.numerator).bit_length()
    one, more = 1 << bits, floor_and_ceiling(delta, bits)[0]
    grow, shrink = exp(epsilon, bits)[0], exp(-epsilon, bits)[1]
    chances = [0]
    while chances[-1] < one:
        last = chances[-1]
        rest = max(0, one - last - more)
        chances.append(min((last * grow >> bits) + more, one + (-rest * shrink >> bits), one))
    return tuple(chances), bits


def _length(epsilon: Fraction, delta: Fraction) -> int:
    """At least how long the curve is: it takes about ln(1/delta)/epsilon to the middle, and as long again to the end."""
    steepness = max(float(min(epsilon, Fraction(500))), 1e-30)
    length = 2 * log1p(steepness / (2 * float(delta))) / steepness + 4
    if length > _LONGEST:
        raise ParameterError(
            f"keys would need about {length / 2:.2g} units to be told", hint="write a larger epsilon, or fewer groups per unit"
        )
    return ceil(length)


@lru_cache(maxsize=16)
def _words(epsilon: Fraction, delta: Fraction) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The curve before its end at 64 bits: rounded down, and the last word that may be below. No use is made of the first."""
    chances, bits = _optimal(epsilon, delta)
    low = [chance >> (bits - 64) for chance in chances[:-1]]
    last = [max(chance - 1, 0) >> (bits - 64) for chance in chances[:-1]]
    return np.array(low, np.uint64), np.array(last, np.uint64)


@lru_cache(maxsize=64)
def _threshold(law: Law, delta: Fraction) -> int:
    """The least T with P(1 + Z >= T) <= delta."""

    def suffices(reach: int) -> bool:
        return tail(law, reach)[1] <= delta

    low, high = -1, 1
    while suffices(low):
        low *= 2
    while not suffices(high):
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return high + 1
