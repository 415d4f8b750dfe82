"""What the mechanisms that add noise to numbers have in common."""

from abc import ABC, abstractmethod
from copy import copy
from fractions import Fraction
from math import inf, nextafter
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.exact import Number, exact_positive, exact_whole, shown, stored
from discreet.mechanisms.accuracy import half_width, read_confidence, to_float
from discreet.mechanisms.grid import Gridded, Numbers, Values, float_step, read_values
from discreet.mechanisms.observing import observed
from discreet.noise.draws import check_spread, draw, draw_exactly_one, draw_whole
from discreet.noise.keystream import fresh
from discreet.noise.law import Law
from discreet.noise.probabilities import Between, mass, tail, total_variance
from discreet.privacy.curves import delta_after_shift

__all__ = ["AddsNoise", "with_fields"]

M = TypeVar("M")


class AddsNoise(ABC):
    """Adds independent noise of one law to numbers on a public step. Proof: docs/proofs/grid.md."""

    __slots__ = ()

    step: Fraction  # answers are whole multiples of it
    rounds: int  # how many numbers of one release may have to be rounded to it; 0 on step 1, for whole numbers
    keeps_step: bool  # whether the step was given, and is never made finer

    @property
    @abstractmethod
    def law(self) -> Law:
        """The law of the noise, in steps."""

    @property
    @abstractmethod
    def _shift(self) -> int:
        """The most steps by which one unit can move a single number."""

    @property
    @abstractmethod
    def _width(self) -> Fraction:
        """What the step should be far below, from public parameters alone: noise and sensitivity, whichever is less."""

    def for_floats(self, dimensions: int = 1) -> Self:
        """The mechanism behind a release of ``dimensions`` floats at once: same loss, finer step, slightly wider noise."""
        most = exact_whole(dimensions, "dimensions", at_least=1)
        step = self.step if self.keeps_step else min(self.step, float_step(self._width, most))
        return with_fields(self, step=step, rounds=most)

    def release(self, values: Values) -> Numbers:
        """The values with noise under one fresh key: an int for an int, a float for a float, an array for an array.

        Numbers that this mechanism's step was not made for are released by ``for_floats``, whose interval and
        probabilities differ a little.
        """
        given = read_values(values)
        is_ready = self.rounds >= given.dimensions or (given.are_whole and self.step <= 1)  # nothing to round
        return _noised(given, self if is_ready else self.for_floats(given.dimensions))

    def release_whole(self, numbers: NDArray[np.object_]) -> NDArray[np.object_]:
        """Whole numbers of any size with noise, as Python ints: for a few sums that may outgrow 64 bits. On step 1 only."""
        if self.step != 1:
            raise ParameterError(f"step is {shown(self.step)}, and whole numbers stay whole on step 1 only", hint="write step=1")
        return observed(self, numbers, lambda: numbers + _whole(self.law, numbers))

    def interval(self, confidence: Number = "0.95") -> tuple[int, int] | tuple[float, float]:
        """Offsets (low, high) from a released number between which the exact one lies with at least this confidence.

        On step 1 this is about whole numbers; for k floats ask ``for_floats(k).interval()``.
        """
        size = self.half_width(confidence)
        if size.denominator == 1:
            return -int(size), int(size)
        outwards = float(size) if Fraction(float(size)) >= size else nextafter(float(size), inf)
        return -outwards, outwards

    def half_width(self, confidence: Number = "0.95") -> Fraction:
        """The least distance that noise and rounding exceed with probability at most 1 - confidence."""
        return self.reach(read_confidence(confidence))

    def reach(self, confidence: Fraction) -> Fraction:
        """The same for a confidence as close to 1 as several numbers at once may need it."""
        return half_width(self.law, confidence) * self.step + (self.step / 2 if self.rounds else 0)

    @property
    def variance(self) -> float:
        """The variance of the noise."""
        return to_float(total_variance(self.law)) * float(self.step) ** 2

    def pmf(self, offset: Number, *, exact: bool = False) -> float | Between:
        """The probability that the noise is ``offset``, or two Fractions around it."""
        steps = self._steps(offset)
        between = mass(self.law, int(steps)) if steps.denominator == 1 else (Fraction(0), Fraction(0))
        return between if exact else to_float(between)

    def cdf(self, offset: Number, *, exact: bool = False) -> float | Between:
        """The probability that the noise is at most ``offset``, or two Fractions around it."""
        between = tail(self.law, -int(self._steps(offset) // 1))  # P(Z <= a) = P(Z >= -a)
        return between if exact else to_float(between)

    def delta_for(self, epsilon: Number, *, exact: bool = False) -> float | Between:
        """The delta at which the release of a single number is (epsilon, delta)-private, from above or between two Fractions."""
        between = delta_after_shift(self.law, self._shift, exact_positive(epsilon, "epsilon"))
        return between if exact else nextafter(float(between[1]), inf) if between[1] else 0.0

    def plot(self) -> Any:
        """The law of the noise with its 95 % interval: an Altair chart, or text where the plots extra is missing."""
        from discreet.mechanisms.pictures import figure_of_noise
        from discreet.plots.charts import drawn

        return drawn(figure_of_noise(self))

    def _steps(self, offset: Number) -> Fraction:
        return stored(offset, "offset") / self.step  # released numbers are exact multiples of the step


def with_fields(mechanism: M, **fields: object) -> M:
    """A copy of a frozen mechanism with other fields."""
    changed = copy(mechanism)
    for name, value in fields.items():
        object.__setattr__(changed, name, value)
    return changed


def _noised(given: Gridded, mechanism: AddsNoise) -> Numbers:
    law, on_step = mechanism.law, given.on(mechanism.step)
    return given.back(observed(mechanism, on_step, lambda: on_step + _noise(law, on_step)), mechanism.step)


def _noise(law: Law, numbers: int | NDArray[np.int64]) -> int | NDArray[np.int64]:
    if isinstance(numbers, int):
        return draw_exactly_one(law, fresh())
    check_spread(law)
    return draw(law, numbers.size, fresh())


def _whole(law: Law, numbers: NDArray[np.object_]) -> NDArray[np.object_]:
    return np.array(draw_whole(law, numbers.size, fresh()), dtype=object).reshape(numbers.shape)
