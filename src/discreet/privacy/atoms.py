"""The privacy loss of one pair as a list of atoms: L = ln(P(y) / Q(y)), y drawn from P.

A loss is a whole number times half a ``unit``. Where a pair has too many outputs to list, neighbouring ones are taken together
in blocks: a block is told from above by its two ends (``pessimistic``) or from below by its one merged output. Masses are
floating-point numbers within a factor 1 ± ``MASS_ERROR`` of the truth. Proof: docs/proofs/loss-distribution.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, sqrt
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from discreet.noise.law import Law
from discreet.noise.probabilities import mass
from discreet.privacy.pairs import Pair, Ranged, Response, Shifted

__all__ = ["Atoms", "MASS_ERROR", "atoms_of", "coarse_spread", "largest_of", "lattice_of"]

Floats = NDArray[np.float64]
Wholes = NDArray[np.int64]
MASS_ERROR = 2.0**-40
CUT_AT = 80.0  # a Gaussian tail of less than e^-80 is told as one atom, or as certain loss
_BLOCK = 0.02  # of a standard deviation, over how many of them the law is looked at from its middle


@dataclass(frozen=True, slots=True)
class Atoms:
    """Losses ``halves`` times half of ``unit`` and their probabilities under P; ``certain`` is that of an infinite loss."""

    unit: Fraction
    halves: Wholes
    masses: Floats
    certain: Fraction = Fraction(0)

    @property
    def losses(self) -> Floats:
        """Each loss, as the nearest floating-point number or one of its neighbours."""
        return self.halves.astype(np.float64) * float(self.unit / 2)


def lattice_of(pair: Pair) -> Fraction | None:
    """A number of which every loss of the pair is a whole multiple, 0 if there is no loss; None if there is none."""
    match pair:
        case Response(epsilon):
            return epsilon
        case Shifted(law, shift):
            unit = law.linear or law.quadratic * shift
            return 2 * unit if shift % 2 == 0 else unit
        case Ranged():
            return None
        case _:
            assert_never(pair)


def coarse_spread(pair: Pair) -> float:
    """About the standard deviation of the loss."""
    match pair:
        case Response(epsilon) | Ranged(epsilon):
            return float(epsilon)
        case Shifted(law, shift):
            return float(shift * law.linear) if law.linear else float(shift) * sqrt(float(2 * law.quadratic))
        case _:
            assert_never(pair)


def largest_of(pair: Pair) -> Fraction:
    """The largest finite loss, where it is an atom that a grid should not miss; else 0."""
    match pair:
        case Response(epsilon):
            return epsilon
        case Shifted(law, shift):
            return shift * law.linear
        case Ranged():
            return Fraction(0)
        case _:
            assert_never(pair)


def atoms_of(pair: Pair, width: float, *, pessimistic: bool) -> Atoms:
    """The atoms of a pair, blocks being at most about ``width`` wide; all outputs one by one if ``width`` is 0."""
    match pair:
        case Response(epsilon, delta):
            odds = exp(-float(epsilon))
            likely = np.maximum(np.array([odds, 1.0]) / (1.0 + odds) * float(1 - delta), 1e-300)
            return Atoms(epsilon, np.array([-2, 2]), likely, delta)
        case Ranged(epsilon):
            return _ranged(epsilon, width, pessimistic=pessimistic)
        case Shifted(law, shift) if law.quadratic:
            return _gaussian(law, shift, width, pessimistic=pessimistic)
        case Shifted(law, shift):
            return _laplace(law, shift, width, pessimistic=pessimistic)
        case _:
            assert_never(pair)


def _ranged(epsilon: Fraction, width: float, *, pessimistic: bool) -> Atoms:
    """Density e^(l/2) on [-epsilon, epsilon], up to a constant: its blocks are symmetric about their middle."""
    if not epsilon:
        return Atoms(Fraction(0), np.array([0]), np.array([1.0]))
    size = float(epsilon)
    count = max(16, int(2 * size / width) + 1) if width else 4096
    ends = 2 * np.arange(count + 1, dtype=np.int64) - count  # in units of epsilon / count
    upper = ends[1:] * (size / count)
    masses = np.exp((upper - size) / 2) * (np.expm1(-size / count) / np.expm1(-size))
    return _from_blocks(epsilon / count, ends[:-1], ends[1:], masses, pessimistic=pessimistic)


def _laplace(law: Law, shift: int, width: float, *, pessimistic: bool) -> Atoms:
    """Losses (shift - 2 i) / scale for i = 0 ... shift; only the outermost two are not part of a geometric sequence."""
    linear = float(law.linear)
    size = max(1, int(width / (2 * linear))) if width else 1
    first = np.arange(1, shift, size, dtype=np.int64)
    last = np.minimum(first + size - 1, shift - 1)
    masses = np.exp(-first * linear) * -np.expm1(-(last - first + 1) * linear)
    inner = _from_blocks(law.linear, shift - 2 * last, shift - 2 * first, masses, pessimistic=pessimistic)
    outer = np.array([exp(-shift * linear), 1.0])
    halves = np.concatenate([inner.halves, [-2 * shift, 2 * shift]])
    return Atoms(law.linear, halves, np.concatenate([inner.masses, outer]) / (1.0 + exp(-linear)))


def _gaussian(law: Law, shift: int, width: float, *, pessimistic: bool) -> Atoms:
    """Losses shift (shift - 2 z) / (2 variance); a block's mass by the Hermite series of the law about its middle."""
    unit = law.quadratic * shift
    sigma = 1 / sqrt(2 * float(law.quadratic))
    size = max(1, min(int(_BLOCK * sigma / (13 + shift / sigma)), int(width / (2 * float(unit))))) if width else 1
    reach = int(sqrt(2 * CUT_AT) * sigma) + size + 1
    first = np.arange(-reach, reach + 1, size, dtype=np.int64)
    last = first + size - 1
    middle = (first + last) / 2 / sigma
    top = float(mass(law, 0)[0])
    masses = top * size * np.exp(-(middle**2) / 2) * _series(middle, size, sigma)
    if pessimistic:
        masses[-1] += exp(-CUT_AT)  # what lies beyond has less loss still
    moved = _series(middle - shift / sigma, size, sigma) if size > 1 else None
    lean = np.zeros_like(middle) if moved is None else np.log(_series(middle, size, sigma) / moved)
    blocks = _from_blocks(unit, shift - 2 * last, shift - 2 * first, masses, pessimistic=pessimistic, lean=lean)
    return Atoms(unit, blocks.halves, blocks.masses, Fraction(exp(-CUT_AT)) if pessimistic else Fraction(0))


def _series(x: Floats, size: int, sigma: float) -> Floats:
    """The mean of exp(-(x + t)^2 / 2) over a block's t, over its value at the middle: Hermite polynomials times even moments."""
    n = float(size)
    second = (n**2 - 1) / 12 / sigma**2
    fourth = (n**2 - 1) * (3 * n**2 - 7) / 240 / sigma**4
    sixth = (n**2 - 1) * (3 * n**4 - 18 * n**2 + 31) / 1344 / sigma**6
    y = x**2
    return np.asarray(
        1 + (y - 1) * second / 2 + ((y - 6) * y + 3) * fourth / 24 + (((y - 15) * y + 45) * y - 15) * sixth / 720
    )


def _from_blocks(
    unit: Fraction, low: Wholes, high: Wholes, masses: Floats, *, pessimistic: bool, lean: Floats | None = None
) -> Atoms:
    """Each block at both its ends, so that P and Q keep their masses, or at the loss of the whole.

    That loss is the middle of the ends plus ``lean``.
    """
    if not pessimistic:
        shifts = low + high
        if lean is not None and np.any(lean):
            shifts = shifts + np.floor(lean / float(unit / 2)).astype(np.int64)  # whole halves, downwards
        return Atoms(unit, shifts, masses)
    span = (high - low) * float(unit)
    above = span / 2 if lean is None else np.clip(span / 2 + lean + 2.0**-48, 0, span)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(span > 0, np.expm1(-above) / np.expm1(-span), 1.0)
    share = np.minimum(1.0, share * (1 + 2.0**-50))
    return Atoms(unit, np.concatenate([2 * low, 2 * high]), np.concatenate([masses * (1 - share), masses * share]))
