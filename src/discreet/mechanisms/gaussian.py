"""The Gaussian mechanism, with exact discrete noise."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isqrt, sqrt

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.exact import Number, exact_not_negative, exact_positive, exact_whole, shown
from discreet.mechanisms.accuracy import least_price, read_confidence
from discreet.mechanisms.grid import Numbers, Values, explicit_step, float_step, read_values
from discreet.mechanisms.noisy import AddsNoise, with_fields
from discreet.noise.law import Law, discrete_gaussian_law
from discreet.privacy.conversion import rho_of
from discreet.privacy.curves import least_variance
from discreet.privacy.events import GaussianRelease
from discreet.privacy.losses import Approximate, Concentrated, delta_between

__all__ = ["Gaussian"]

_HOW = "write dc.Gaussian(rho='0.01', sensitivity=1) or dc.Gaussian(epsilon=1, delta='1e-6', sensitivity=1)"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Gaussian(AddsNoise):
    """Adds discrete Gaussian noise to each of k numbers.

    Priced by ``rho``, or by ``epsilon`` and ``delta``: then one number is calibrated by the exact law of the noise, and
    several (``dimensions``) by the largest rho that implies (epsilon, delta). ``sensitivity`` is in the l2 norm over all
    numbers released together; where that is a square root, write ``sensitivity_squared``. Answers are whole multiples of
    ``step`` as for Laplace.

    Proof: docs/proofs/gaussian.md
    """

    loss: Concentrated | Approximate
    sensitivity_squared: Fraction
    dimensions: int | None  # how many numbers one release may have; None means any number
    step: Fraction
    rounds: int
    keeps_step: bool

    def __init__(
        self,
        *,
        rho: Number | None = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        sensitivity: Number | None = None,
        sensitivity_squared: Number | None = None,
        dimensions: int = 1,
        step: Number | None = None,
    ) -> None:
        squared = _read_squared(sensitivity, sensitivity_squared)
        is_whole = squared.denominator == 1
        most = exact_whole(dimensions, "dimensions", at_least=1)
        object.__setattr__(self, "loss", _read_loss(rho, epsilon, delta))
        object.__setattr__(self, "sensitivity_squared", squared)
        object.__setattr__(self, "dimensions", most if rho is None else None)
        on = explicit_step(step) if step is not None else Fraction(1) if is_whole else float_step(self._width)
        object.__setattr__(self, "step", on)
        object.__setattr__(self, "rounds", int(on != 1 or not is_whole))
        object.__setattr__(self, "keeps_step", step is not None)

    @classmethod
    def for_accuracy(cls, *, within: Number, confidence: Number = "0.95", sensitivity: Number) -> "Gaussian":
        """The cheapest Gaussian (rho to three digits) whose noise on one number is at most ``within`` with this confidence."""
        most, sure = exact_positive(within, "within"), read_confidence(confidence)

        def meets(rho: Fraction) -> bool:
            return cls(rho=rho, sensitivity=sensitivity).half_width(sure) <= most

        return cls(rho=least_price(meets), sensitivity=sensitivity)

    @property
    def _rho(self) -> Fraction | None:
        """The rho that the noise is calibrated to; None for one number at (epsilon, delta)."""
        if isinstance(self.loss, Concentrated):
            return self.loss.rho
        return None if self.dimensions == 1 else rho_of(self.loss.epsilon, self.loss.delta)

    @property
    def _width(self) -> Fraction:
        if (rho := self._rho) is not None:
            return _root_below(self.sensitivity_squared * min(Fraction(1), 1 / (2 * rho)))
        assert isinstance(self.loss, Approximate)
        return _root_below(self.sensitivity_squared * min(Fraction(1), least_variance(self.loss.epsilon, self.loss.delta, 1)))

    @property
    def _shift(self) -> int:
        return max(1, isqrt(int(self._reach_squared)))  # whole numbers differ by whole numbers

    @property
    def _reach_squared(self) -> Fraction:
        """How far apart two answers can be once they are on the step: squared, in steps."""
        if not self.rounds:
            return self.sensitivity_squared / self.step**2
        if self.rounds == 1:
            return Fraction(ceil(_root_above(self.sensitivity_squared) / self.step)) ** 2
        return (_root_above(self.sensitivity_squared) / self.step + _root_above(Fraction(self.rounds))) ** 2

    @property
    def law(self) -> Law:
        """The law of the noise, in steps."""
        if (rho := self._rho) is not None:
            return discrete_gaussian_law(self._reach_squared / (2 * rho))
        assert isinstance(self.loss, Approximate)
        return discrete_gaussian_law(least_variance(self.loss.epsilon, self.loss.delta, self._shift))

    @property
    def scale(self) -> float:
        """The standard deviation that the noise is nominally drawn with."""
        return sqrt(float(1 / (2 * self.law.quadratic))) * float(self.step)

    @property
    def cost(self) -> GaussianRelease:
        """What a release is, as an event."""
        ratio_squared = self._reach_squared * 2 * self.law.quadratic
        return GaussianRelease(ratio_squared, claim=self.loss if isinstance(self.loss, Approximate) else None)

    def loss_for(self, distance: Number) -> Concentrated:
        """What a release costs if one unit moves the answer by at most ``distance`` in the l2 norm: the privacy map.

        On step 1 this is about whole numbers; for k floats ask ``for_floats(k).loss_for()``.
        """
        apart = exact_not_negative(distance, "distance")
        if not apart:
            return Concentrated(rho=0)
        return Concentrated(rho=with_fields(self, sensitivity_squared=apart**2)._reach_squared * self.law.quadratic)

    def release(self, values: Values) -> Numbers:
        """The values with noise: an int for an int, a float for a float, an array for an array."""
        self._check_dimensions(read_values(values).dimensions)
        return AddsNoise.release(self, values)

    def release_whole(self, numbers: NDArray[np.object_]) -> NDArray[np.object_]:
        """Whole numbers of any size with noise, as Python ints."""
        self._check_dimensions(numbers.size)
        return AddsNoise.release_whole(self, numbers)

    def _check_dimensions(self, given: int) -> None:
        if self.dimensions is not None and given > self.dimensions:
            raise ParameterError(
                f"{given} numbers were given to a Gaussian for {self.dimensions}",
                hint=f"write dimensions={given}, or price it by rho",
            )

    def __repr__(self) -> str:
        return f"Gaussian({self.loss!r}, sensitivity_squared={shown(self.sensitivity_squared)}, step={shown(self.step)})"


def _read_loss(rho: Number | None, epsilon: Number | None, delta: Number | None) -> Concentrated | Approximate:
    if rho is not None:
        if epsilon is not None or delta is not None:
            raise ParameterError("Gaussian takes rho, or epsilon and delta, not both", hint=_HOW)
        return Concentrated(rho=exact_positive(rho, "rho"))
    if epsilon is None or delta is None:
        raise ParameterError("Gaussian takes rho, or epsilon and delta", hint=_HOW)
    price, slack = exact_positive(epsilon, "epsilon"), delta_between(delta)
    if slack == 0:
        raise ParameterError("Gaussian noise needs a delta above 0", hint="write a small delta such as '1e-6', or use dc.Laplace")
    return Approximate(epsilon=price, delta=slack)


def _read_squared(sensitivity: Number | None, sensitivity_squared: Number | None) -> Fraction:
    if (sensitivity is None) == (sensitivity_squared is None):
        raise ParameterError("Gaussian takes a sensitivity, or its square", hint=_HOW)
    if sensitivity is not None:
        return exact_positive(sensitivity, "sensitivity") ** 2
    assert sensitivity_squared is not None
    return exact_positive(sensitivity_squared, "sensitivity_squared")


def _root_above(x: Fraction) -> Fraction:
    """A rational at least the square root of a positive one: exact where that is rational, else to some 64 digits."""
    top, bottom = isqrt(x.numerator), isqrt(x.denominator)
    if top * top == x.numerator and bottom * bottom == x.denominator:
        return Fraction(top, bottom)
    places = 64 + x.denominator.bit_length()
    return Fraction(isqrt((x.numerator << 2 * places) // x.denominator) + 1, 1 << places)


def _root_below(x: Fraction) -> Fraction:
    """A positive rational at most the square root of a positive one, and close to it."""
    places = 64 + x.denominator.bit_length()
    return Fraction(isqrt((x.numerator << 2 * places) // x.denominator), 1 << places)
