"""Counts that decide themselves whether they are told: their intervals, given that they are. Proof: docs/proofs/keys.md.

A key of n units has y = n + noise, and is told if n >= tau and y >= t. Where y is known to be at least t, its law is another one:
below t all n have the same, and nothing but an upper end can be told from a count near t. Everything here happens after release;
floating point decides for a wider interval where it cannot tell.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import log

import numpy as np
from numpy.typing import NDArray

from discreet.statistics.reach import Floats

__all__ = ["ToldLaw"]

Integers = NDArray[np.int64]

_UNSURE = 1 + 1e-9  # probabilities are known to about 1e-12 of themselves
_STEEPEST = Fraction(700)  # beyond, noise is 0 as far as a float can tell
_LARGEST = 1 << 61  # exact numbers of units are brought to it


@dataclass(frozen=True, slots=True)
class ToldLaw:
    """The law of a count that is told: discrete Laplace noise of scale 1 / ``epsilon``, from ``threshold`` on, of at least
    ``at_least`` units."""

    epsilon: Fraction
    threshold: int
    at_least: int

    def interval(self, counts: Integers, alpha: float) -> tuple[Integers, Integers]:
        """For each told count the numbers of units that it does not speak against: given that it is told, they miss with
        probability at most ``alpha``.

        Of n units, counts are cut off above with alpha / 2 at most, and below likewise; with alpha above, if none is cut below.
        """
        told = np.clip(counts, self.threshold, _LARGEST)  # none is below
        start = np.full_like(told, self.threshold)
        high = _last(lambda n: self._up_to(told, n) * _UNSURE > alpha / 2, told, told + self._far(alpha))
        above = _first(lambda n: self._from(told, n) * _UNSURE > alpha, start, told)
        both = _first(lambda n: self._from(told, n) * _UNSURE > alpha / 2, start, told)
        first = self._first_cut(alpha)
        low = np.where(above < first, above, np.minimum(np.maximum(both, first), told))
        low = np.where(low <= self.threshold, self.at_least, low)  # up to the threshold all numbers of units have the same law
        return np.minimum(low, counts), np.maximum(high, counts)

    @property
    def plain_from(self) -> int:
        """A count that is so far above the threshold that whether it is told makes no difference any more."""
        return self.threshold + self._far(1e-15)

    def _first_cut(self, alpha: float) -> int:
        """The least n for which a count is cut off below."""
        at = np.array([self.threshold])
        return int(_last(lambda n: self._up_to(at, n) * _UNSURE > alpha / 2, at, at + self._far(alpha))[0]) + 1

    def _far(self, alpha: float) -> int:
        """More units beyond a count than any that it does not speak against."""
        return min(int((4 - log(alpha)) / self._steep) + 2, 1 << 60)

    @property
    def _steep(self) -> float:
        return float(min(self.epsilon, _STEEPEST))

    def _from(self, told: Integers, n: Integers) -> Floats:
        """P(Y >= told), given Y >= threshold."""
        e, t = self._steep, self.threshold
        above = np.exp(-e * np.maximum(told - n, 0)) / (1 + np.exp(-e))
        below = 1 - np.exp(-e * np.maximum(n - told + 1, 0)) / (1 + np.exp(-e))
        return np.asarray(np.where(n <= t, np.exp(-e * (told - t)), np.where(told > n, above, below) / self._told(n)))

    def _up_to(self, told: Integers, n: Integers) -> Floats:
        """P(Y <= told), given Y >= threshold, for n >= told."""
        e, t = self._steep, self.threshold
        return np.asarray(np.exp(-e * (n - told)) * -np.expm1(-e * (told - t + 1)) / (1 + np.exp(-e)) / self._told(n))

    def _told(self, n: Integers) -> Floats:
        """P(Y >= threshold), for n >= threshold."""
        e = self._steep
        return np.asarray(1 - np.exp(-e * np.maximum(n - self.threshold + 1, 1)) / (1 + np.exp(-e)))


def _last(holds: Callable[[Integers], NDArray[np.bool_]], start: Integers, stop: Integers) -> Integers:
    """The last n from ``start`` on for which it holds, where it holds up to some n and not after; ``start`` if for none."""
    low, high = start, stop
    while (high - low > 1).any():
        middle = low + (high - low) // 2
        kept = holds(middle)
        low, high = np.where(kept, middle, low), np.where(kept, high, middle)
    return low


def _first(holds: Callable[[Integers], NDArray[np.bool_]], start: Integers, stop: Integers) -> Integers:
    """The first n from ``start`` on for which it holds, where it holds from some n on; ``stop`` if for none before."""
    return np.where(holds(start), start, _last(lambda n: ~holds(n), start, stop) + 1)
