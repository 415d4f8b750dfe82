"""Randomized response: every answer is made private on its own, before anybody collects it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.exact import Number, exact_positive, exact_whole, shown
from discreet.mechanisms.accuracy import read_confidence, to_float
from discreet.mechanisms.binomial import upper_tail
from discreet.mechanisms.observing import observed
from discreet.mechanisms.scores import as_array
from discreet.noise.bernoulli import coins, uniforms_below
from discreet.noise.enclosures import Enclosure
from discreet.noise.enclosures import exp as enclosed_exp
from discreet.noise.keystream import fresh
from discreet.noise.probabilities import Between
from discreet.privacy.events import PureRelease
from discreet.privacy.losses import Pure

__all__ = ["RandomizedResponse"]

Answers = int | Sequence[int] | NDArray[np.generic]
_HOW = "give whole numbers from 0 to categories - 1, such as [0, 1, 1]"
_MOST = 1 << 20  # categories


@dataclass(frozen=True, slots=True, init=False, repr=False)
class RandomizedResponse:
    """Tells the true one of k categories with probability e^epsilon / (e^epsilon + k - 1), else one of the others at random.

    Categories are the numbers 0 to k - 1, or False and True. Each answer costs epsilon, under change_one.

    Proof: docs/proofs/randomized_response.md
    """

    epsilon: Fraction
    categories: int

    def __init__(self, *, epsilon: Number, categories: int = 2) -> None:
        object.__setattr__(self, "epsilon", exact_positive(epsilon, "epsilon"))
        object.__setattr__(self, "categories", exact_whole(categories, "categories", at_least=2))
        if self.categories > _MOST or self.epsilon > 500:
            raise ParameterError(
                "so many categories, or such an epsilon, are out of reach",
                hint=f"write at most {_MOST} categories and an epsilon of at most 500",
            )

    @property
    def cost(self) -> PureRelease:
        """What one answer is, as an event."""
        return PureRelease(self.epsilon)

    @property
    def loss(self) -> Pure:
        """What one answer costs."""
        return Pure(epsilon=self.epsilon)

    def release(self, answers: Answers) -> int | NDArray[np.int64]:
        """The answers as they are told, each by coins of its own: an int for an int, else an array."""
        true = self._read(answers)
        size, (low, high) = true.size, _lie(self.epsilon, self.categories, 64)
        entropy = observed(self, true, fresh)
        lies = coins(
            np.full(size, low, np.uint64),
            np.full(size, high - 1, np.uint64),
            lambda _, precision: _lie(self.epsilon, self.categories, precision),
            entropy,
        )
        away = 1 + uniforms_below(self.categories - 1, size, entropy)  # drawn for every answer, told or not
        told = np.where(lies, (true + away) % self.categories, true)
        return told.reshape(np.shape(answers)) if np.ndim(answers) else int(told[0])

    def pmf(self, answer: int, told: int, *, exact: bool = False) -> float | Between:
        """The probability that ``told`` is told for ``answer``."""
        places = self._read([answer, told])
        precision = 128 + 2 * int(self.epsilon)
        low, high = (Fraction(end, 1 << precision) for end in _lie(self.epsilon, self.categories, precision))
        others = self.categories - 1
        between = (1 - high, 1 - low) if places[0] == places[1] else (low / others, high / others)
        return between if exact else to_float(between)

    def frequencies(self, told: Answers) -> NDArray[np.float64]:
        """Unbiased estimates of the share of each category among the true answers, from the told ones; some may be negative."""
        counts = self._counts(told)
        return np.asarray((counts / counts.sum() - self._false) / (self._true - self._false))

    def variance(self, size: int, share: float = 0.0) -> float:
        """The variance of one estimate from ``size`` answers, a ``share`` of which are truly of the category."""
        answers = exact_whole(size, "size", at_least=1)
        spread = share * self._true * (1 - self._true) + (1 - share) * self._false * (1 - self._false)
        return spread / (answers * (self._true - self._false) ** 2)

    def intervals(self, told: Answers, confidence: Number = "0.95") -> list[tuple[float, float]]:
        """For each category the shares among the true answers that what was told does not speak against, at this confidence."""
        outside = float(1 - read_confidence(confidence)) / 2 * (1 - 1e-9)
        counts = self._counts(told)
        return [self._interval(int(count), int(counts.sum()), outside) for count in counts]

    def __repr__(self) -> str:
        return f"RandomizedResponse(epsilon={shown(self.epsilon)}, categories={self.categories})"

    def _interval(self, count: int, size: int, outside: float) -> tuple[float, float]:
        """The least and the largest share at which neither tail is below ``outside``."""

        def at_least(members: int) -> float:
            return upper_tail(count, (members, self._true), (size - members, self._false))

        def at_most(members: int) -> float:
            return 1 - upper_tail(count + 1, (members, self._true), (size - members, self._false))

        lowest = _first(size, lambda members: at_least(members) > outside)
        highest = size - _first(size, lambda missing: at_most(size - missing) > outside)
        return min(lowest, size) / size, max(highest, 0) / size

    def _counts(self, told: Answers) -> NDArray[np.int64]:
        places = self._read(told)
        if not places.size:
            raise ParameterError("there are no answers", hint=_HOW)
        return np.bincount(places, minlength=self.categories)

    def _read(self, answers: Answers) -> NDArray[np.int64]:
        given = as_array(answers)
        if not given.size:
            return np.empty(0, np.int64)
        if given.dtype.kind not in "biu" or given.min() < 0 or given.max() >= self.categories:
            raise ParameterError(f"an answer is none of the {self.categories} categories", hint=_HOW)
        return given.astype(np.int64).reshape(-1)

    @property
    def _true(self) -> float:
        return 1 - (self.categories - 1) * self._false

    @property
    def _false(self) -> float:
        return 1 / (exp(float(self.epsilon)) + self.categories - 1)


@lru_cache(maxsize=64)
def _lie(epsilon: Fraction, categories: int, bits: int) -> Enclosure:
    """Encloses the probability of telling another category, (k - 1) / (e^epsilon + k - 1)."""
    others = categories - 1
    low, high = enclosed_exp(epsilon, bits)
    unit = others << bits
    return (unit << bits) // (high + unit), -(-(unit << bits) // (low + unit))


def _first(size: int, holds: Callable[[int], bool]) -> int:
    """The least number up to ``size`` from which on ``holds``; size if it never does."""
    low, high = 0, size
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
