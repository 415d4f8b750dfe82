"""The continuous Laplace and normal distributions, for teaching only.

They show the curves that the texts draw. Noise drawn here is a floating-point number, whose low bits can give the
protected value away; a release draws exact integers instead, in ``discreet.mechanisms``.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.exact import exact_whole
from discreet.noise import keystream

__all__ = ["Continuous", "Floats", "Laplace", "Normal", "Points"]

Points = NDArray[Any] | Sequence[float]
Floats = NDArray[np.float64]


class Continuous(ABC):
    """A law on the real line, told by where its middle is and how wide it is."""

    __slots__ = ()

    location: float
    scale: float

    def __post_init__(self) -> None:
        if not math.isfinite(self.location):
            raise ParameterError(f"location is {self.location}, not a finite number", hint="write a number, such as 0")
        if not (math.isfinite(self.scale) and self.scale > 0):
            raise ParameterError(f"scale is {self.scale}, not a finite number above 0", hint="write a scale above 0, such as 1")

    @property
    @abstractmethod
    def variance(self) -> float:
        """The mean square of the distance to the location."""

    @abstractmethod
    def _density(self, standard: Floats) -> Floats: ...

    @abstractmethod
    def _below(self, standard: Floats) -> Floats: ...

    @abstractmethod
    def _inverse(self, p: Floats) -> Floats: ...

    @overload
    def pdf(self, x: float) -> float: ...
    @overload
    def pdf(self, x: Points) -> Floats: ...
    def pdf(self, x: float | Points) -> float | Floats:
        """The density at ``x``; an array of points gives an array."""
        return _each(x, lambda at: self._density(self._standard(at)) / self.scale)

    @overload
    def cdf(self, x: float) -> float: ...
    @overload
    def cdf(self, x: Points) -> Floats: ...
    def cdf(self, x: float | Points) -> float | Floats:
        """The probability of a value of at most ``x``."""
        return _each(x, lambda at: self._below(self._standard(at)))

    @overload
    def ppf(self, p: float) -> float: ...
    @overload
    def ppf(self, p: Points) -> Floats: ...
    def ppf(self, p: float | Points) -> float | Floats:
        """The value that ``cdf`` sends to ``p``: minus and plus infinity at 0 and 1. Refuses a ``p`` outside [0, 1]."""

        def value(at: Floats) -> Floats:
            if not np.all((at >= 0) & (at <= 1)):
                raise ParameterError("p is not between 0 and 1", hint="write a probability, such as 0.975")
            return self.location + self.scale * self._inverse(at)

        return _each(p, value)

    def draw(self, n: int) -> Floats:
        """``n`` independent draws by inversion of uniforms. Unpredictable, yet not fit for a release."""
        words = np.empty(exact_whole(n, "n"), dtype=np.uint64)
        if words.size:
            keystream.fresh().fill(words)
        # 52 bits, so that k + 1/2 is exact and a uniform is never 0 or 1
        return self.ppf(((words >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52)

    def plot(self) -> Any:
        """Density, cdf and its inverse: an Altair chart, or text where the plots extra is missing."""
        from discreet.lessons.pictures import figure_of_law
        from discreet.plots.charts import drawn

        return drawn(figure_of_law(self))

    def _standard(self, x: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return (x - self.location) / self.scale


@dataclass(frozen=True, slots=True)
class Laplace(Continuous):
    """The density exp(−|x − location| / scale) / (2 · scale) on the real line. For teaching only."""

    location: float = 0.0
    scale: float = 1.0

    @property
    def variance(self) -> float:
        """Twice the square of the scale."""
        return 2.0 * self.scale * self.scale

    def _density(self, standard: Floats) -> Floats:
        return np.exp(-np.abs(standard)) / 2.0

    def _below(self, standard: Floats) -> Floats:
        tail = np.exp(-np.abs(standard)) / 2.0
        return np.where(standard < 0, tail, 1.0 - tail)

    def _inverse(self, p: Floats) -> Floats:
        lower = p < 0.5
        with np.errstate(divide="ignore"):
            reach = np.log(2.0 * np.where(lower, p, 1.0 - p))
        return np.where(lower, reach, -reach)


@dataclass(frozen=True, slots=True)
class Normal(Continuous):
    """The normal law with mean ``location`` and standard deviation ``scale``, to compare with. For teaching only."""

    location: float = 0.0
    scale: float = 1.0

    @property
    def variance(self) -> float:
        """The square of the scale."""
        return self.scale * self.scale

    def _density(self, standard: Floats) -> Floats:
        with np.errstate(over="ignore"):
            return np.exp(-(standard**2) / 2.0) / math.sqrt(2.0 * math.pi)

    def _below(self, standard: Floats) -> Floats:
        return _one_by_one(lambda z: math.erfc(-z / math.sqrt(2.0)) / 2.0, standard)

    def _inverse(self, p: Floats) -> Floats:
        known = NormalDist()
        return _one_by_one(lambda each: known.inv_cdf(each) if 0 < each < 1 else math.inf * (2 * each - 1), p)


def _one_by_one(function: Callable[[float], float], points: Floats) -> Floats:
    return np.array([function(each) for each in points.ravel().tolist()], np.float64).reshape(points.shape)


def _each(x: float | Points, function: Callable[[Floats], Floats]) -> float | Floats:
    """``function`` of every point of ``x``; a float for a single number."""
    at = np.asarray(x, dtype=np.float64)
    found = function(at)
    return float(found) if at.ndim == 0 else found
