"""Intervals of expressions over several aggregates: one risk for the noise of all of them. Proof: docs/proofs/intervals.md.

A sum of noisy numbers has the interval of all its noise at once. So has a quotient of two sums, turned round as for a mean. A
sum of quotients has that of a sum, as if what the quotients are over were known; what that may be off has a small risk of its
own.
"""

from dataclasses import dataclass, replace
from functools import reduce
from math import inf

import numpy as np

from discreet.planning.choosing import aggregates_in_expression
from discreet.planning.plan import Derived, Plan
from discreet.questions.algebra import Expression
from discreet.statistics.part import Released
from discreet.statistics.ranges import Range, minus, plus, size, times
from discreet.statistics.ratio import Noises, off, quotient_range
from discreet.statistics.reach import Floats
from discreet.views.terms import Over, Quotient, Terms, Weighted, terms_of

__all__ = ["ends_together"]

_SIDES = 1 / 10  # of the risk: for all that is of second order
_ROUNDS = 3  # of narrowing
_STEPS = 4  # in which the part of a piece is tried out
_MOST_CELLS = 1 << 18  # more would take long, and have interval arithmetic
_BLURS = 1 / 100  # of the risk: for how many rows there are to be rounded
_MOST = 9  # terms of noise: more cannot be added up to the digit by one formula


def ends_together(plan: Plan, value: Expression, released: Released, alpha: float) -> Range | None:
    """Ends of an output of two aggregates or more that miss with probability at most ``alpha``; None if it has another form."""
    aggregates = aggregates_in_expression(value)
    if len(aggregates) < 2 or plan.wanted.cells > _MOST_CELLS:
        return None
    terms = terms_of(plan, value, released, alpha * _BLURS / len(aggregates))
    if terms is None or terms.is_constant:
        return None
    about = _About.of(plan, terms, released)
    if about is None:
        return None
    with np.errstate(all="ignore"):
        return about.ends(terms, alpha * (1 - _BLURS))


@dataclass(frozen=True, slots=True)
class _About:
    """The integers that an expression is of: where they are, what was released, and their noise."""

    places: tuple[Derived, ...]
    sizes: tuple[int, ...]  # how many of them are at each place
    integers: Floats  # all of them x cells
    noises: Noises

    @classmethod
    def of(cls, plan: Plan, terms: Terms, released: Released) -> "_About | None":
        places = tuple(dict.fromkeys(at for each in terms.sums for at in each.weights))
        integers = [released[at.vector][:, at.filter, :].astype(np.float64) for at in places]
        laws = tuple(plan.vectors[at.vector].law for at, each in zip(places, integers, strict=True) for _ in each)
        known = tuple(each for each in laws if each is not None)
        noises = Noises(known)
        sizes = tuple(len(each) for each in integers)
        return cls(places, sizes, np.concatenate(integers), noises) if len(known) <= _MOST and noises.are_alike else None

    def weights(self, of: Weighted) -> Floats:
        return np.concatenate([of.weights.get(at, np.zeros(n)) for at, n in zip(self.places, self.sizes, strict=True)])

    def value(self, of: Weighted) -> Floats:
        return np.asarray(self.weights(of) @ self.integers + of.constant)

    def reach(self, weights: Floats, alpha: float) -> Floats:
        """Of weights that are the same in all cells."""
        return self.noises.reach(weights.reshape(-1, 1), alpha)

    def ends(self, terms: Terms, alpha: float) -> Range:
        rest, quotients = terms.rest, terms.quotients
        if terms.over is not None:
            return plus(times(self.over(terms.over, alpha), _both(terms.over.by)), _both(rest.constant))
        if not quotients:
            value, far = self.value(rest), self.reach(self.weights(rest), alpha) + rest.blur
            return value - far, value + far
        if len(quotients) == 1 and not rest.weights:
            low, high = self.quotient(quotients[0], alpha)
            return plus(times((low, high), _both(quotients[0].by)), _both(rest.constant))
        return self.sum_of_quotients(terms, alpha)

    def quotient(self, of: Quotient, alpha: float) -> Range:
        """One quotient without its factor."""
        released, weights = (self.value(of.top), self.value(of.bottom)), (self.weights(of.top), self.weights(of.bottom))
        nothing = np.zeros(self.integers.shape[1])
        low, high = quotient_range(released, weights, self.noises, (of.top.blur + nothing, of.bottom.blur + nothing), alpha)
        least, most = of.least - of.blur, of.most + of.blur  # of rounded values as well
        return np.clip(low - of.blur, least, most), np.clip(high + of.blur, least, most)

    def sum_of_quotients(self, terms: Terms, alpha: float) -> Range:
        """By the noise of all, as if what each quotient is over were known; what it may be off has a small risk of its own."""
        pieces = self._pieces(terms, alpha * _SIDES / _statements(terms))
        value, hull, blur = self._taken_together(terms, pieces)
        far = self._far(pieces, alpha * (1 - _SIDES)) + blur
        is_told = np.isfinite(far) & np.isfinite(value)
        low, high = np.where(is_told, value - far, -inf), np.where(is_told, value + far, inf)
        return np.fmax(low, hull[0]), np.fmin(high, hull[1])

    def over(self, of: Over, alpha: float) -> Range:
        """The quotient that makes the upper sum minus itself times the lower one zero: that is off by noise alone."""
        part = alpha * _SIDES / (_statements(of.top) + _statements(of.bottom))
        above, below = self._pieces(of.top, part), self._pieces(of.bottom, part)
        (top, upper, blur), (bottom, lower, lower_blur) = (
            self._taken_together(terms, pieces) for terms, pieces in ((of.top, above), (of.bottom, below))
        )
        found = times(upper, (1 / lower[1], 1 / lower[0]))
        for _ in range(_ROUNDS):
            less = -found[1], -found[0]  # what is above and below has one noise: its sign decides whether weights add up
            pieces = [*above, *(each.times(less) for each in below)]
            far = self._far(pieces, alpha * (1 - _SIDES)) + blur + size(found) * lower_blur
            low, high = times((top - far, top + far), (1 / bottom, 1 / bottom))
            found = np.fmax(found[0], low), np.fmin(found[1], high)
        is_told = (lower[0] > 0) | (lower[1] < 0)
        return np.where(is_told, found[0], -inf), np.where(is_told, found[1], inf)

    def _pieces(self, terms: Terms, alpha: float) -> list["_Piece"]:
        return [*(self._piece(each, alpha) for each in terms.quotients), *self._rest(terms.rest, alpha)]

    def _taken_together(self, terms: Terms, pieces: list["_Piece"]) -> tuple[Floats, Range, Floats]:
        """Value, ends and blur of the sum of all pieces and the constant."""
        constant = self.value(Weighted(constant=terms.rest.constant))
        value = constant + sum(each.value for each in pieces)
        blur = constant * 0 + terms.rest.blur + sum(each.blur for each in pieces)
        return value, _added([(constant, constant), *(each.between for each in pieces)]), blur

    def _piece(self, of: Quotient, alpha: float) -> "_Piece":
        bottom, (low, high) = self.value(of.bottom), self.quotient(of, alpha)
        most = self.reach(self.weights(of.bottom), alpha) + of.bottom.blur
        top, under = self.weights(of.top).reshape(-1, 1), self.weights(of.bottom).reshape(-1, 1)
        first = times(minus((top, top), times((under, under), (low, high))), (of.by / bottom,) * 2)
        unsure = np.where(most < np.abs(bottom), most / np.abs(bottom), inf)
        blur = of.blur + (of.top.blur + size((low, high)) * of.bottom.blur) / (np.abs(bottom) * (1 - unsure))
        value, between = of.by * self.value(of.top) / bottom, times(_both(of.by), (low, high))
        return _Piece(value, between, first, unsure, abs(of.by) * blur)

    def _rest(self, of: Weighted, alpha: float) -> list["_Piece"]:
        if not of.weights:
            return []
        value, weights = self.value(replace(of, constant=0.0)), self.weights(of).reshape(-1, 1)
        far, nothing = self.reach(self.weights(of), alpha) + of.blur, np.zeros_like(value)
        return [_Piece(value, (value - far, value + far), (weights, weights), nothing, nothing)]

    def _far(self, pieces: list["_Piece"], alpha: float) -> Floats:
        """How far the noise of all pieces reaches, whatever part of it each has."""
        others = [np.maximum.reduce([o.unsure for o in pieces if o is not each] or [each.unsure * 0]) for each in pieces]
        least = [(1 - other) / (1 + each.unsure) for each, other in zip(pieces, others, strict=True)]
        ones = np.ones_like(pieces[0].unsure)
        if len(pieces) > 2:  # all but one have less than their whole part, at most
            beside = [(1 - part) * each.off for part, each in zip(least, pieces, strict=True)]
            far = self._reached(pieces, [(part, ones) for part in least], alpha)
            return np.asarray(far + np.sum(beside, axis=0) - np.minimum.reduce(beside))
        found = []
        for at, (each, part) in enumerate(zip(pieces, least, strict=True)):
            for step in range(_STEPS):
                shares = [(ones, ones)] * len(pieces)
                from_, to = (ones + (part - ones) * k / _STEPS for k in (step + 1, step))
                shares[at] = from_, to
                found.append(self._reached(pieces, shares, alpha) + (1 - from_) * each.off)
        return np.asarray(np.maximum.reduce(found))

    def _reached(self, pieces: list["_Piece"], shares: list[Range], alpha: float) -> Floats:
        sizes = size(_added([times(share, each.first) for share, each in zip(shares, pieces, strict=True)]))
        is_known = np.isfinite(sizes).all(axis=0)
        return np.where(is_known, self.noises.reach(np.where(is_known, sizes, 0.0), alpha), inf)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a sum: its value and ends, what noise does to it as if its divisor were known, and how unsure that is."""

    value: Floats
    between: Range
    first: Range  # of every integer
    unsure: Floats  # by what part of itself the divisor may be off
    blur: Floats

    def times(self, by: Range) -> "_Piece":
        """As much of it as is in a difference, with a factor that is between these ends."""
        off = size(by) * self.off
        return _Piece(off * 0, (-off, off), times(by, self.first), self.unsure, self.blur * 0)

    @property
    def off(self) -> Floats:
        return off(self.between, self.value)


def _statements(terms: Terms) -> int:
    """How many intervals the pieces have beside that of the whole: two for a quotient, one for the rest."""
    return 2 * len(terms.quotients) + 1


def _added(ranges: list[Range]) -> Range:
    return reduce(plus, ranges)


def _both(number: float) -> Range:
    return np.asarray(number), np.asarray(number)
