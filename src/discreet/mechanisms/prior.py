"""Public weights of the values of a lattice: round numbers are likelier, before any row is looked at.

Amounts, counts and prices that people tell are round more often than not. A choice that knows this finds them at a lower price;
where the rows are not round it loses little, as each order of roundness gets but a small part of all weight. Weights depend on
nothing but the lattice, so they cost no privacy. Proof: docs/proofs/quantiles.md, "Weights".
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.exact import exact_whole

__all__ = ["Order", "Prior", "round_numbers"]

Places = TypeVar("Places", int, NDArray[np.int64])

_POWERS = range(-12, 13)  # of ten: beyond, products would not fit into 64 bits, and nobody's numbers are round
_SELDOM, _OFTEN = 4, 10  # round numbers are at least so many points apart, and at least so many on the lattice


@dataclass(frozen=True, slots=True)
class Order:
    """The multiples of one power of ten, ``every`` points apart; ``shift`` tells where on the lattice they begin.

    The j-th multiple is at the point with number floor(j every + 1/2) - low. If every = a / b, shift is (2 low - 1) b modulo 2 a.
    """

    every: Fraction
    shift: int

    @property
    def weight(self) -> int:
        """Of one multiple: about that of all points between it and the next."""
        return int(self.every)

    def before(self, points: Places) -> Places:
        """How many multiples there are on the points before these."""
        apart, steps = 2 * self.every.numerator, 2 * self.every.denominator
        return self.shift // -apart - (points * steps + self.shift) // -apart  # a floor of minus a number is minus its ceiling


@dataclass(frozen=True, slots=True)
class Prior:
    """A whole weight for each point of a lattice: ``plain``, and more for every order of roundness that it has.

    A point is cut into 2^``bits`` places, and each of these has the weight of the point.
    """

    points: int
    bits: int = 0
    plain: int = 1
    orders: tuple[Order, ...] = ()

    @property
    def total(self) -> int:
        """The weight of all places."""
        return self.before(self.points << self.bits)

    @property
    def odds(self) -> Fraction:
        """The weight of all places, over the least that any place has: at most; how many they are, if all weigh the same."""
        return Fraction(self.total, self.plain)

    def before(self, places: Places) -> Places:
        """The weight of all places before these."""
        if not self.bits:
            return self._before(places)
        points, inside = places >> self.bits, places & ((1 << self.bits) - 1)
        before = self._before(points)
        return (before << self.bits) + inside * (self._before(points + 1) - before)

    def place_at(self, weight: int, first: int, last: int) -> int:
        """The place, from ``first`` to ``last``, that begins at or before this weight and does not end before it."""
        while first < last:
            middle = (first + last + 1) // 2
            first, last = (middle, last) if self.before(middle) <= weight else (first, middle - 1)
        return first

    def places_at(self, weights: NDArray[np.int64], first: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.int64]:
        """The same for many weights, each from its own ``first`` to its own ``last``."""
        while (first < last).any():
            middle = (first + last + 1) // 2
            is_upper = self.before(middle) <= weights
            first, last = np.where(is_upper, middle, first), np.where(is_upper, last, middle - 1)
        return first

    def _before(self, points: Places) -> Places:
        found = self.plain * points
        for order in self.orders:
            found = found + order.weight * order.before(points)
        return found


def round_numbers(step: Fraction, low: int, points: int, *, plain: int, bits: int = 0) -> Prior:
    """The prior of the numbers low * step, (low + 1) * step, …: each order of roundness weighs 1 / plain of all points."""
    width = exact_whole(points, "points", at_least=1)
    apart = [Fraction(10) ** power / step for power in _POWERS]
    orders = [
        Order(every, (2 * low - 1) * every.denominator % (2 * every.numerator))
        for every in apart
        if every >= _SELDOM and every * _OFTEN <= width
    ]
    return Prior(width, bits, plain, tuple(orders))
