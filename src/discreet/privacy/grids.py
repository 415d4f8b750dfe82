"""Losses on a common grid, so that sums of losses are sums of whole numbers. Proof: docs/proofs/loss-distribution.md.

From above, an atom is split over the grid points on either side of it so that both laws of the pair keep their masses; from
below, atoms are merged, likeliest first, until the merged loss is a grid point. Neither changes the loss by more than a step,
and its mean by more than about the square of one.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, expm1, floor

import numpy as np

from discreet.privacy.atoms import Atoms, Floats, Wholes

__all__ = ["Gridded", "merged_onto", "on_lattice", "split_onto"]

_ROUNDING = 2.0**-50
_SNAP = 2.0**-32  # of a step: what is so close to a grid point is taken to be there


@dataclass(frozen=True, slots=True)
class Gridded:
    """Probabilities of the losses first, first + 1, ... steps, and of an infinite one."""

    first: int
    masses: Floats
    certain: Fraction
    slack: float = 0.0  # how far rounding may have moved a loss


def on_lattice(atoms: Atoms, step: Fraction) -> Gridded:
    """The same losses, which are whole multiples of ``step``."""
    if not atoms.unit:
        return Gridded(0, np.array([float(np.sum(atoms.masses))]), atoms.certain)
    ratio = atoms.unit / (2 * step)
    places = atoms.halves * ratio.numerator // ratio.denominator
    return _gathered(places, atoms.masses, atoms.certain)


def split_onto(atoms: Atoms, step: Fraction) -> Gridded:
    """Not below: each atom at its two neighbours on the grid."""
    width, losses = float(step), atoms.losses
    below = np.floor(losses / width).astype(np.int64)
    within = np.clip(losses - below * width, 0.0, width)
    share = np.expm1(-within) / np.expm1(-width)
    places, masses = np.concatenate([below, below + 1]), np.concatenate([atoms.masses * (1 - share), atoms.masses * share])
    return _gathered(places, masses, atoms.certain, _ROUNDING * (float(np.max(np.abs(losses))) + width))


def merged_onto(atoms: Atoms, step: Fraction) -> Gridded:
    """Not above: from the largest loss down, atoms are taken together until their common loss is a grid point."""
    width, losses = float(step), atoms.losses
    order = np.argsort(-losses)
    found: dict[int, float] = {}
    place, near, far = 0, 0.0, 0.0  # masses taken together so far: under P, and under Q times e^(the grid point's loss)
    for loss, mass in zip(losses[order].tolist(), atoms.masses[order].tolist(), strict=True):
        left = mass
        while left > 0.0:
            if near == 0.0:
                place = floor(loss / width + _SNAP)
            gap = place * width - loss
            taken = left if gap <= _SNAP * width else min(left, max(0.0, near - far) / expm1(gap))
            near, far, left = near + taken, far + taken * exp(gap), left - taken
            if left > 0.0:  # the common loss has come down to the grid point
                found[place] = found.get(place, 0.0) + near
                near = far = 0.0
    found[place] = found.get(place, 0.0) + near
    slack = _ROUNDING * (float(np.max(np.abs(losses))) + width + 8) + _SNAP * width
    return _gathered(np.array(list(found)), np.array(list(found.values())), atoms.certain, slack)


def _gathered(places: Wholes, masses: Floats, certain: Fraction, slack: float = 0.0) -> Gridded:
    first = int(places.min())
    return Gridded(first, np.bincount(places - first, weights=masses).astype(np.float64), certain, slack)
