"""Draws from a law, by whichever path is cheaper; all paths give exactly the same law."""

from math import prod
from typing import overload

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.exact import Number, exact_positive, exact_whole
from discreet.noise.keystream import Entropy, fresh
from discreet.noise.law import Law, discrete_gaussian_law, discrete_laplace_law
from discreet.noise.many import draw_many
from discreet.noise.one import draw_few, draw_one, saturated
from discreet.noise.threshold_table import threshold_table

__all__ = ["LARGEST_SPREAD", "check_spread", "discrete_gaussian", "discrete_laplace", "draw", "draw_exactly_one", "draw_whole"]

LARGEST_SPREAD = 1 << 50  # of an array: beyond it int64 could not hold the noise
_COARSE, _FINE = 4, 40  # bins per spread: cheap to build, or rarely left open
_MANY = 512

Size = int | tuple[int, ...] | None


def draw(law: Law, size: int, entropy: Entropy) -> NDArray[np.int64]:
    """``size`` independent draws."""
    if size < _MANY:
        return np.array(list(map(saturated, draw_whole(law, size, entropy))), np.int64)
    return draw_many(threshold_table(law, _FINE), size, entropy)


def draw_whole(law: Law, size: int, entropy: Entropy) -> list[int]:
    """A few draws as Python ints, however wide the law is."""
    return draw_few(threshold_table(law, _COARSE), size, entropy)


def draw_exactly_one(law: Law, entropy: Entropy) -> int:
    """One draw, however wide the law is."""
    return draw_one(threshold_table(law, _COARSE), entropy)


@overload
def discrete_laplace(scale: Number, size: None = None) -> int: ...
@overload
def discrete_laplace(scale: Number, size: int | tuple[int, ...]) -> NDArray[np.int64]: ...
def discrete_laplace(scale: Number, size: Size = None) -> int | NDArray[np.int64]:
    """Exact draws with P(z) proportional to exp(-|z| / scale): an int, or an int64 array if a size is given."""
    return _shaped(discrete_laplace_law(exact_positive(scale, "scale")), size)


@overload
def discrete_gaussian(variance: Number, size: None = None) -> int: ...
@overload
def discrete_gaussian(variance: Number, size: int | tuple[int, ...]) -> NDArray[np.int64]: ...
def discrete_gaussian(variance: Number, size: Size = None) -> int | NDArray[np.int64]:
    """Exact draws with P(z) proportional to exp(-z^2 / (2 variance)): an int, or an int64 array if a size is given."""
    return _shaped(discrete_gaussian_law(exact_positive(variance, "variance")), size)


def _shaped(law: Law, size: Size) -> int | NDArray[np.int64]:
    if size is None:
        return draw_exactly_one(law, fresh())
    shape = tuple(exact_whole(length, "size") for length in (size if isinstance(size, tuple) else (size,)))
    check_spread(law)
    return draw(law, prod(shape), fresh()).reshape(shape)


def check_spread(law: Law) -> None:
    """Refuses a law too wide for arrays of 64-bit integers."""
    if law.spread > LARGEST_SPREAD:
        raise ParameterError(
            "the noise is wider than 2^50, too wide for an array of 64-bit integers",
            hint="draw one at a time (no size), or measure in a coarser step",
        )
