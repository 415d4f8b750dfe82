"""Numbers to whole multiples of a public step and back, in one pass over each number by itself.

Rounding is floor(x / step + 1/2): halves go up, always. It never changes an order and goes along with a shift by whole
steps, so two numbers that are d apart end up at most d / step, rounded up, multiples apart. (Halves to even would not do:
1/2 and 3/2 would become 0 and 2.) What lies beyond 2^61 multiples saturates, which can only bring numbers closer together.

Which path a number takes, and what comes back, follows from types and public parameters alone: a Fraction that happens to
be whole is treated as one that is not, and a number too large for its type saturates.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.exact import Number, exact_positive, shown, stored

__all__ = ["Gridded", "Numbers", "Values", "explicit_step", "float_step", "read_values"]

_MOST = 1 << 61
_LARGEST = sys.float_info.max

Values = Number | NDArray[np.generic] | Sequence[Number]
Numbers = int | float | NDArray[np.int64] | NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Gridded:
    """The values of one release: flat numbers, the shape to give them back in, and whether they were whole numbers."""

    numbers: NDArray[np.generic]  # of an integer or float type, or Fractions where a list had several types
    shape: tuple[int, ...] | None
    are_whole: bool
    one: Fraction | None  # a single number, exactly

    @property
    def dimensions(self) -> int:
        return int(self.numbers.size) if self.one is None else 1

    def on(self, step: Fraction) -> NDArray[np.int64] | int:
        """The nearest whole multiples of ``step``; a single number stays an unbounded int."""
        if self.one is not None:
            return _nearest(self.one / step)
        if self.are_whole:
            return _whole_on(self.numbers, _exponent(step))
        if self.numbers.dtype.kind == "O":
            return np.array([max(-_MOST, min(_MOST, _nearest(number / step))) for number in self.numbers], np.int64)
        with np.errstate(over="ignore", under="ignore"):  # what overflows saturates, and nobody hears of it
            steps = np.clip(np.ldexp(self.numbers.astype(np.float64), -_exponent(step)), -_MOST, _MOST)
        even = np.rint(steps)
        up = steps - even == 0.5  # this difference is exact; adding 0.5 to steps would not be
        return np.asarray((even + up).astype(np.int64))

    def back(self, noisy: NDArray[np.int64] | int, step: Fraction) -> Numbers:
        """Released multiples as numbers in the shape that came in."""
        if isinstance(noisy, int):
            return noisy * int(step) if step.denominator == 1 and self.are_whole else _to_float(noisy * step)
        assert self.shape is not None
        if self.are_whole and step == 1:
            return noisy.reshape(self.shape)
        with np.errstate(over="ignore", under="ignore"):
            numbers = np.ldexp(noisy.astype(np.float64), _exponent(step))
        return np.clip(numbers, -_LARGEST, _LARGEST).reshape(self.shape)


def read_values(values: Values) -> Gridded:
    """The finite numbers to release, refused if they are anything else."""
    if isinstance(values, list | tuple):
        return _read_list(values)
    if isinstance(values, np.ndarray):
        if values.dtype.kind not in "iuf" or values.dtype.itemsize > 8:
            raise ParameterError("the values are not an array of numbers", hint=_NUMBERS)
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise ParameterError("the values are not all finite", hint=_FINITE)
        return Gridded(values.reshape(-1), values.shape, values.dtype.kind in "iu", None)
    try:
        one = stored(values)  # type: ignore[arg-type]  # whatever else a caller may have passed is refused here
    except ParameterError:
        raise ParameterError("the value is not a finite number", hint=_FINITE) from None
    return Gridded(_NOTHING, None, isinstance(values, int | np.integer), one)


def _read_list(values: Sequence[Number]) -> Gridded:
    try:
        cells = np.array(values, dtype=object)  # NumPy's own choice of a type may be one that cannot hold a large integer
        types = set(map(type, cells.flat))
        if types == {float}:
            return read_values(cells.astype(np.float64))
        numbers = [stored(cell) for cell in cells.flat]
    except (ParameterError, ValueError):
        raise ParameterError("the values are not finite numbers in rows of one length", hint=f"{_NUMBERS}; {_FINITE}") from None
    if all(issubclass(each, int | np.integer) for each in types):
        within = [max(-_MOST, min(_MOST, number.numerator)) for number in numbers]
        return Gridded(np.array(within, np.int64), cells.shape, True, None)
    exactly = np.empty(cells.size, dtype=object)
    exactly[:] = numbers
    return Gridded(exactly, cells.shape, False, None)


def _nearest(number: Fraction) -> int:
    return (2 * number.numerator + number.denominator) // (2 * number.denominator)


def _to_float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return _LARGEST if number > 0 else -_LARGEST


_NOTHING = np.empty(0)
_FINITE = "replace missing and infinite values by a public rule first"
_NUMBERS = "give integers or floats of at most 64 bits, such as [51, 337]"


def float_step(width: Fraction, dimensions: int = 1) -> Fraction:
    """The public step of a float release: the largest power of two at most width 2^-20, finer when there are many numbers."""
    finest = width / ((1 << 20) * dimensions)
    exponent = finest.numerator.bit_length() - finest.denominator.bit_length()
    step = Fraction(2) ** exponent
    return step if step <= finest else step / 2


def explicit_step(step: Number) -> Fraction:
    """A step given by hand: a power of two, so that multiples of it are exact floats."""
    size = exact_positive(step, "step")
    if size.numerator & (size.numerator - 1) or size.denominator & (size.denominator - 1):
        raise ParameterError(f"step is {shown(size)}, not a power of two", hint="write a power of two such as 1 or '1/1024'")
    return size


def _exponent(step: Fraction) -> int:
    return step.numerator.bit_length() - step.denominator.bit_length()


def _whole_on(numbers: NDArray[np.generic], exponent: int) -> NDArray[np.int64]:
    """Integers as nearest multiples of 2^exponent, without passing through floats, which cannot hold large ones."""
    if numbers.dtype.kind == "u":
        numbers = np.minimum(numbers.astype(np.uint64), np.uint64(_MOST))
    limit = _MOST >> max(0, -exponent)
    whole = np.clip(numbers.astype(np.int64), -limit, limit)
    if exponent <= 0:
        return whole << -exponent if exponent > -62 else np.zeros_like(whole)
    return (whole + (1 << (exponent - 1))) >> exponent if exponent < 62 else np.zeros_like(whole)
