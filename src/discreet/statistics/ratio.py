"""Weighted sums of noisy integers and quotients of two of them: what aggregates are made of, and between which ends they are.

Noise of several draws is looked at together, so that an expression has one risk and not one for each of its parts.
Proof: docs/proofs/intervals.md, "Arithmetic between aggregates".
"""

from dataclasses import dataclass
from math import inf, pi

import numpy as np

from discreet.noise.law import Law
from discreet.statistics.ranges import Range, size
from discreet.statistics.reach import Floats, reaches_of

__all__ = ["Noises", "Ratio", "off", "quotient_range"]

_ROUNDS = 5  # of narrowing: how far noise reaches depends a little on the quotient
_SURE = pi / 4  # a quotient is told from others only if it is known this well, as an angle
_OUTWARDS = 1e-12


@dataclass(frozen=True, slots=True)
class Ratio:
    """An aggregate as a weighted sum of its integers, over another one unless ``bottom`` is None.

    The exact value is within ``blur`` of that of the integers without noise, and between ``least`` and ``most``.
    """

    top: tuple[float, ...]
    bottom: tuple[float, ...] | None = None
    blur: Floats | float = 0.0
    least: float = -inf
    most: float = inf


@dataclass(frozen=True, slots=True)
class Noises:
    """Independent noise of several integers: all discrete Laplace, or all discrete Gaussian."""

    laws: tuple[Law, ...]

    @property
    def are_alike(self) -> bool:
        """Whether they can be added up by one formula."""
        return len({bool(law.quadratic) for law in self.laws}) == 1

    def reach(self, weights: Floats, alpha: float) -> Floats:
        """How far the weighted sum goes, for every column of weights; further with probability at most ``alpha``."""
        return reaches_of(self.laws, weights, alpha)


def quotient_range(
    released: tuple[Floats, Floats], weights: tuple[Floats, Floats], noises: Noises, blur: tuple[Floats, Floats], alpha: float
) -> Range:
    """Between which ends a quotient of two weighted sums is, of which ``released`` are known: infinite where nothing is told.

    Along the angle of the quotient the exact sums cancel, and the released ones show noise alone. No angle is kept at which they
    show more than its reach, found by narrowing: outside of the last ends there is none.
    """
    over = _comparable(weights, noises, alpha)
    bottom = np.where(released[1] < 0, -1.0, 1.0)
    x, y = over * released[1] * bottom, released[0] * bottom
    angle, radius = np.arctan2(y, x), np.maximum(np.hypot(x, y), 1e-300)
    blurred = blur[0] + over * blur[1]

    def turned(by: Floats) -> Floats:
        return np.asarray(np.abs(np.outer(weights[0], np.cos(by)) - over * np.outer(weights[1], np.sin(by))))

    def far(sizes: Floats) -> Floats:
        return np.asarray(np.arcsin(np.minimum((noises.reach(sizes, alpha) + blurred) / radius, 1.0)))

    most = far(np.hypot(weights[0], over * weights[1]).reshape(-1, 1) * np.ones_like(angle))
    ends = []
    for sign in (-1.0, 1.0):
        off = most
        for _ in range(_ROUNDS):
            sizes = np.maximum(turned(angle), turned(angle + sign * off)) / np.cos(off / 2)  # of waves, between two points
            off = np.minimum(off, far(sizes))
        ends.append(angle + sign * off)
    is_told = (most < _SURE) & (ends[0] > -pi / 2) & (ends[1] < pi / 2)
    low, high = (over * np.tan(np.where(is_told, each, 0.0)) for each in ends)
    return (np.where(is_told, low - np.abs(low) * _OUTWARDS, -inf), np.where(is_told, high + np.abs(high) * _OUTWARDS, inf))


def _comparable(weights: tuple[Floats, Floats], noises: Noises, alpha: float) -> float:
    """How much larger the noise of the upper sum is than that of the lower: any number would do, this one suits."""
    top, bottom = (float(noises.reach(each.reshape(-1, 1), alpha)[0]) for each in weights)
    return top / bottom if top > 0 else 1 / bottom


def off(of: Range, value: Floats) -> Floats:
    """How far from ``value`` something between these ends can be."""
    return size((of[0] - value, of[1] - value))
