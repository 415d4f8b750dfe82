"""The integer grid of an aggregated number: public, from its bounds, the power it enters in and the price. Rules 18 and 19.

A few sums are added up and noised as unbounded integers, so their grid is as fine as the engine allows. Many sums travel in
64-bit arrays: their grid is coarse enough for the noise's scale to be at most 2^50 and for sums of 2^27 rows to be within 2^61.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import floor

from discreet.engines.wanted import Grid
from discreet.errors import QuestionError

__all__ = ["FEW", "LARGEST_SCALE", "grid_for", "grids_for_pair", "lattice_for"]

FEW = 512  # numbers in a vector
LARGEST_SCALE = 1 << 50  # of noise, in steps, where numbers are many
_LARGEST_TERM = 1 << 34  # of one row, where numbers are many
_HUGE = Fraction(10**60)  # squares of it, and sums of them, are still far from the largest float
_FINEST, _COARSEST = 30, 8  # binary digits of the range
_PAIRS = {1: 30, 2: 14}  # binary digits at most, by degree, of two numbers whose powers are multiplied
_COARSEST_PAIR = 6
_LARGEST_PRODUCT = 1 << 62
_LATTICE = 20  # binary digits of the number of values that have ranks
_LARGEST = 1 << 51  # of a number on the grid: far below it float64 holds halves


def grid_for(bounds: tuple[Fraction, Fraction], *, is_whole: bool, degree: int, noise: Fraction | None, what: str) -> Grid:
    """The finest grid that sums and their noise allow; whole numbers keep their own steps where they can.

    ``noise`` is the scale of the noise when the range is one step wide; None where numbers are few and nothing limits it.
    """
    lower, upper = _reachable(bounds, what)
    if is_whole:
        grid = Grid(Fraction(1), int(lower), int(upper))
        if _fits(grid, degree, noise):
            return grid
    for digits in range(_FINEST, _COARSEST - 1, -1):
        grid = _stepped(lower, upper, digits)
        if _fits(grid, degree, noise):
            return grid
    raise _out_of_reach(what, [(lower, upper)], _COARSEST)


def grids_for_pair(
    bounds: tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]],
    are_whole: tuple[bool, bool],
    *,
    degree: int,
    noise: Fraction | None,
    what: str,
) -> tuple[Grid, Grid]:
    """The finest grids of two numbers whose powers up to ``degree`` are multiplied; a product of one row is at most 2^62."""
    ends = [_reachable(each, what) for each in bounds]
    for digits in range(_PAIRS[degree], _COARSEST_PAIR - 1, -1):
        one, other = (_at_most(*each, digits, is_whole=whole) for each, whole in zip(ends, are_whole, strict=True))
        if _fits(one, 0, None) and _fits(other, 0, None) and _fits_product((one.width * other.width) ** degree, noise):
            return one, other
    raise _out_of_reach(what, ends, _COARSEST_PAIR)


def lattice_for(bounds: tuple[Fraction, Fraction], *, is_whole: bool, what: str) -> Grid:
    """The values among which one is chosen by its rank: 2^20 at most; whole numbers themselves where they are so few."""
    lower, upper = _reachable(bounds, what)
    grid = _at_most(lower, upper, _LATTICE - 1, is_whole=is_whole and upper - lower < 1 << _LATTICE)
    if not _fits(grid, 0, None):
        raise _too_far(lower, what)
    return grid


def _at_most(lower: Fraction, upper: Fraction, digits: int, *, is_whole: bool) -> Grid:
    is_narrow = is_whole and upper - lower <= 1 << (digits + 1)
    return Grid(Fraction(1), int(lower), int(upper)) if is_narrow else _stepped(lower, upper, digits)


def _fits_product(most: int, noise: Fraction | None) -> bool:
    return most <= _LARGEST_PRODUCT and (noise is None or (noise * most <= LARGEST_SCALE and most <= _LARGEST_TERM))


def _reachable(bounds: tuple[Fraction, Fraction], what: str) -> tuple[Fraction, Fraction]:
    if max(abs(bounds[0]), abs(bounds[1])) > _HUGE or 0 < bounds[1] - bounds[0] < 1 / _HUGE:
        raise QuestionError(f"the range of {what} is out of reach", hint="use a unit in which it is between 1e-60 and 1e60")
    return bounds if bounds[0] < bounds[1] else (bounds[0], bounds[0] + 1)  # a constant, too, gets noise


def _too_far(lower: Fraction, what: str) -> QuestionError:
    """No price helps: float64 has no room for steps between numbers that are as far from 0 as this."""
    near = abs(int(lower) if lower.denominator == 1 else float(lower))
    return QuestionError(
        f"the bounds of {what} are too far from 0 for their distance",
        hint=f"subtract a constant first: write x {'-' if lower > 0 else '+'} {near} in the place of x",
    )


def _out_of_reach(what: str, bounds: Sequence[tuple[Fraction, Fraction]], digits: int) -> QuestionError:
    """Why there is no grid at this price: the bounds are what they are, whatever is paid; else it is the noise."""
    for lower, upper in bounds:
        if not _fits(_stepped(lower, upper, digits), 0, None):
            return _too_far(lower, what)
    return QuestionError(
        f"the noise for {what} would be out of reach at this price",
        hint="pay more, or ask for fewer statistics at once",
    )


def _stepped(lower: Fraction, upper: Fraction, digits: int) -> Grid:
    step = _step_below((upper - lower) / (1 << digits))
    return Grid(step, _on(lower, step), _on(upper, step))


def _fits(grid: Grid, degree: int, noise: Fraction | None) -> bool:
    if grid.width > 1 << 31 or max(abs(grid.low), abs(grid.high)) > _LARGEST:
        return False
    return noise is None or (noise * grid.width**degree <= LARGEST_SCALE and grid.width**degree <= _LARGEST_TERM)


def _step_below(width: Fraction) -> Fraction:
    """The largest power of two that is at most ``width``."""
    step = Fraction(2) ** (width.numerator.bit_length() - width.denominator.bit_length())
    return step if step <= width else step / 2


def _on(bound: Fraction, step: Fraction) -> int:
    """A bound on the grid, by the same float64 map that puts values there."""
    return floor(float(bound) * float(1 / step) + 0.5)
