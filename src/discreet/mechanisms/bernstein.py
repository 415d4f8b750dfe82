"""The Bernstein mechanism: a whole function on the unit cube, released once and evaluated as often as one likes.

F. Aldà and B. Rubinstein, *The Bernstein mechanism: function release under differential privacy*, AAAI 2017.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf, nextafter

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.errors import ParameterError
from discreet.exact import Number, exact_positive, exact_whole, shown
from discreet.mechanisms.accuracy import read_confidence
from discreet.mechanisms.binomial import binomial
from discreet.mechanisms.laplace import Laplace
from discreet.privacy.events import LaplaceRelease
from discreet.privacy.losses import Pure

__all__ = ["Bernstein", "BernsteinPolynomial"]

Function = Callable[..., Number]
Floats = NDArray[np.float64]

_MOST_POINTS = 1 << 20
_MOST_DEGREE = 1 << 11
_MOST_ITERATIONS = 64


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Bernstein:
    """Releases a function of ``dimensions`` numbers in [0, 1] as a Bernstein polynomial through noisy values on a lattice.

    ``sensitivity`` is how far one unit can move the function at any one point. The lattice has (degree + 1)^dimensions points,
    and the values there get Laplace noise for all of them together. ``iterations`` above 1 use the iterated Bernstein operator,
    which follows smooth functions more closely and noise too.

    Proof: docs/proofs/bernstein.md
    """

    epsilon: Fraction
    sensitivity: Fraction
    degree: int
    dimensions: int
    iterations: int

    def __init__(self, *, epsilon: Number, sensitivity: Number, degree: int, dimensions: int = 1, iterations: int = 1) -> None:
        object.__setattr__(self, "epsilon", exact_positive(epsilon, "epsilon"))
        object.__setattr__(self, "sensitivity", exact_positive(sensitivity, "sensitivity"))
        object.__setattr__(self, "degree", exact_whole(degree, "degree", at_least=1))
        object.__setattr__(self, "dimensions", exact_whole(dimensions, "dimensions", at_least=1))
        object.__setattr__(self, "iterations", exact_whole(iterations, "iterations", at_least=1))
        if self.dimensions > 20 or self.points > _MOST_POINTS or self.degree > _MOST_DEGREE:
            raise ParameterError(
                f"a lattice of {self.degree + 1}^{self.dimensions} points is too large",
                hint=f"write a degree of at most {_MOST_DEGREE}, and at most {_MOST_POINTS} points (degree + 1)^dimensions",
            )
        if self.iterations > _MOST_ITERATIONS:
            raise ParameterError(
                f"{self.iterations} iterations are too many", hint=f"write at most {_MOST_ITERATIONS}, or a higher degree"
            )

    @property
    def points(self) -> int:
        """How many points the lattice has."""
        return int((self.degree + 1) ** self.dimensions)

    @property
    def lattice(self) -> list[tuple[float, ...]]:
        """The points at which a function is evaluated, one coordinate after the other."""
        steps = [step / self.degree for step in range(self.degree + 1)]
        return list(product(steps, repeat=self.dimensions))

    @property
    def noise(self) -> Laplace:
        """What is added to the values on the lattice: one unit can move each of them."""
        return Laplace(epsilon=self.epsilon, sensitivity=self.sensitivity * self.points)

    @property
    def cost(self) -> LaplaceRelease:
        """What a release is, as an event."""
        return LaplaceRelease(self.epsilon)

    @property
    def loss(self) -> Pure:
        """What a release costs."""
        return Pure(epsilon=self.epsilon)

    def release(self, function: Function) -> "BernsteinPolynomial":
        """The function's polynomial with noise: it can be evaluated anywhere and any number of times without further loss."""
        noisy = self.noise.release([function(*point) for point in self.lattice])
        return BernsteinPolynomial(self._shaped(noisy), self.iterations)

    def without_noise(self, function: Function) -> "BernsteinPolynomial":
        """The polynomial that noise is added to, to see what the lattice alone costs. It protects nobody."""
        return BernsteinPolynomial(self._shaped([float(function(*point)) for point in self.lattice]), self.iterations)

    def half_width(self, confidence: Number = "0.95") -> float:
        """How far noise moves the polynomial anywhere, at most and with at least this confidence."""
        outside = 1 - read_confidence(confidence)
        each = self.noise.for_floats(self.points).reach(1 - outside / self.points)
        return nextafter(float(each * (2**self.iterations - 1)), inf)  # the iterated operator may stretch by so much

    def __repr__(self) -> str:
        return (
            f"Bernstein(epsilon={shown(self.epsilon)}, sensitivity={shown(self.sensitivity)}, degree={self.degree}, "
            f"dimensions={self.dimensions}, iterations={self.iterations})"
        )

    def _shaped(self, values: ArrayLike) -> Floats:
        return np.asarray(values, np.float64).reshape((self.degree + 1,) * self.dimensions)


class BernsteinPolynomial:
    """The (iterated) Bernstein polynomial of values on the lattice of the unit cube; an axis of the array for each dimension."""

    __slots__ = ("_coefficients", "values")

    def __init__(self, values: Floats, iterations: int = 1) -> None:
        self.values = values
        self._coefficients = _iterated(values, iterations)

    def __call__(self, *coordinates: ArrayLike) -> float | Floats:
        """The polynomial at one point, or at many if the coordinates are arrays."""
        if len(coordinates) != self.values.ndim:
            raise ParameterError(f"the function is of {self.values.ndim} numbers", hint="give one coordinate or array for each")
        axes = np.broadcast_arrays(*(np.asarray(each, np.float64) for each in coordinates))
        if not all(((axis >= 0) & (axis <= 1)).all() for axis in axes):
            raise ParameterError("a coordinate is outside 0 to 1", hint="give coordinates between 0 and 1")
        found = np.array([self._at(point) for point in zip(*(axis.flat for axis in axes), strict=True)])
        return found.reshape(axes[0].shape) if axes[0].ndim else float(found[0])

    def _at(self, point: Sequence[float]) -> float:
        left = self._coefficients
        for x in point:  # one axis less each time
            first, weights = binomial(left.shape[0] - 1, float(x))
            left = np.tensordot(weights, left[first : first + weights.size], axes=1)
        return float(left)


def _iterated(values: Floats, iterations: int) -> Floats:
    """Coefficients c for which B c is (I - (I - B)^h) v, the h-th iterate: c = v + (I - B) v + … + (I - B)^(h-1) v."""
    if iterations == 1:
        return values
    at_lattice = _basis(values.shape[0] - 1)
    total = rest = values
    for _ in range(iterations - 1):
        rest = rest - _on_every_axis(at_lattice, rest)
        total = total + rest
    return total


def _on_every_axis(matrix: Floats, values: Floats) -> Floats:
    for axis in range(values.ndim):
        values = np.moveaxis(np.tensordot(matrix, values, axes=(1, axis)), 0, axis)
    return values


def _basis(degree: int) -> Floats:
    """The Bernstein polynomials at the points of the lattice: row i is at i / degree."""
    matrix = np.zeros((degree + 1, degree + 1))
    for i in range(degree + 1):
        first, weights = binomial(degree, i / degree)
        matrix[i, first : first + weights.size] = weights
    return matrix
