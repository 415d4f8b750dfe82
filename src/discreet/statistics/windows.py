"""Windows around a chosen value: public stretches of its lattice, one inside the other, that ends of an interval are tried at.

How far a point is from the value is told in steps where it is near, in bins where it is far: so what is counted in any window
is known once the bins near the value were read finely. Proof: docs/proofs/value-intervals.md. A stored release is read by these
windows and multiples: other ones would be another kind of release.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = ["BINS", "NEAR", "TIMES", "Windows", "coarse_digits"]

Integers = NDArray[np.int64]

TIMES = tuple(map(Fraction, ("24", "6", "2", "1", "0.7", "0.5", "0")))  # of the radius: where ends are tried, outside in
BINS = 2 * len(TIMES) + 1  # between the ends that are tried
NEAR = 16  # so many bins to each side of the value are read finely
_SMALL = 1 << 12  # points of a lattice that is read finely at once
_COARSE = 10  # binary digits of the number of bins of a larger one


def coarse_digits(points: int) -> int:
    """How many binary digits of a place are left out where a lattice is read coarsely."""
    return 0 if points <= _SMALL else (points - 1).bit_length() - _COARSE


@dataclass(frozen=True, slots=True)
class Windows:
    """The windows on a lattice of so many points, each around a point of it."""

    points: int

    def apart(self, points: Integers, around: Integers) -> Integers:
        """How far points are from those that windows are around: in steps, or in bins where these are far apart."""
        digits = coarse_digits(self.points)
        bins = np.abs((points >> digits) - (around >> digits))
        return np.where(bins > NEAR, bins << digits, np.abs(points - around))

    def tried(self, radius: Integers, around: Integers) -> tuple[Integers, Integers]:
        """The low ends and the high ends that are tried, from the outside in: multiples x cells."""
        far = np.stack([radius * each.numerator // each.denominator for each in TIMES])
        digits = coarse_digits(self.points)
        bins, middle = np.maximum(far >> digits, NEAR), around >> digits
        low, high = (middle - bins) << digits, ((middle + bins + 1) << digits) - 1  # of the bins that it reaches
        is_near = far >> digits <= NEAR
        low, high = np.where(is_near, np.maximum(low, around - far), low), np.where(is_near, np.minimum(high, around + far), high)
        return np.maximum(low, 0), np.minimum(high, self.points - 1)
