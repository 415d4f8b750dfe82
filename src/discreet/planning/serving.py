"""Whether a stored draw serves in the place of one that is planned: same kind of noise, and no more of it. Rule 16.

The two are about the same rows, cells and number (``identity``). A vector of a higher degree holds what a lower one tells: the
count is the sum of its coordinates, the total a weighted sum of them, the mean a ratio. Weights are public, so the variance of
what is derived is that of the noise times a public factor; for ranks, how far off they may be says the same.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import ceil

from discreet.mechanisms.keys import NoisyThreshold
from discreet.noise.law import Law
from discreet.planning.plan import AnyVector, Found, Keys, Ranks, Vector
from discreet.planning.ranks import reaches
from discreet.questions.algebra import AggregateKind
from discreet.questions.functions import BOUNDED

__all__ = ["Worth", "worth"]

Worth = tuple[Fraction, ...]  # of one thing told each: less is better, and a draw serves if none is more than planned

_COUNTS = ("count", "count_rows")
_MEAN_OF_THREE = Fraction(5, 4)  # the most by which the variance of a mean is larger from three sums than from two: where all
# values lie at one end, 1^2 + (1/2)^2 against 1^2; docs/proofs/reuse.md
_MISS = 0.05  # at which ranks are compared; any would do, they differ by a factor of epsilon


def worth(vector: AnyVector, slot: int, kinds: Iterable[AggregateKind], planned: AnyVector) -> Worth | None:
    """How good the ``slot`` of a vector is for what ``planned`` would tell; None if it does not tell that.

    ``worth(planned, slot, kinds, planned)`` is what a stored one must not exceed in any part.
    """
    match planned, vector:
        case (Keys(), Keys()):
            return _of_keys(vector, planned)
        case (Found(), Found()):
            return tuple(Fraction(end.rows_beyond) for end in vector.ends)
        case (Ranks(), Ranks()):
            far = Fraction(ceil(reaches(vector, _MISS)[slot]))
            return (far, Fraction(vector.rows_beyond)) if vector.grid == planned.grid else None
        case (Vector(), Vector()):
            if _is_gaussian(vector.mechanism.law) != _is_gaussian(planned.mechanism.law) or not _tells(vector, planned):
                return None
            wanted = sorted(set(kinds))
            rounded = [_step(vector)] if any(kind not in _COUNTS for kind in wanted) else []  # a count needs no grid
            return (*rounded, *(_variance(vector, kind) for kind in wanted))
        case _:
            return None


def _of_keys(vector: Keys, planned: Keys) -> Worth | None:
    """A key needs so many units; counts that are released with the keys have their noise beside it."""
    needs = Fraction(vector.readable)
    if not isinstance(planned.mechanism, NoisyThreshold):
        return (needs,)
    return (needs, _noise(vector.mechanism.law)) if isinstance(vector.mechanism, NoisyThreshold) else None


def _is_gaussian(law: Law) -> bool:
    return law.quadratic > 0


def _noise(law: Law) -> Fraction:
    """The squared scale of Laplace noise, or the variance of Gaussian noise."""
    return 1 / (2 * law.quadratic) if _is_gaussian(law) else 1 / law.linear**2


def _tells(vector: Vector, planned: Vector) -> bool:
    """Whether the vector has all that is planned: in the same form, or among sums of a higher degree."""
    if planned.estimator in ("count", "sum", "bernstein") and vector.estimator == "bernstein" and planned.per_unit is None:
        return vector.degree >= planned.degree
    same = (vector.estimator, vector.degree, vector.per_unit, vector.tree)
    return same == (planned.estimator, planned.degree, planned.per_unit, planned.tree)


def _step(vector: Vector) -> Fraction:
    """How coarsely values are rounded: a finer grid is no worse."""
    steps = [grid.step for grid in (vector.grid, vector.and_grid) if grid is not None]
    return max(steps, default=Fraction(0))


def _variance(vector: Vector, kind: AggregateKind) -> Fraction:
    """The variance of what is derived, in its own units; of means and further moments, in units of their range."""
    noise = _noise(vector.mechanism.law)
    if vector.estimator != "bernstein" or vector.grid is None:
        return noise * _scale(vector) ** 2
    low, width, degree, step = vector.grid.low, vector.grid.width, vector.degree, vector.grid.step
    each = noise / Fraction(width) ** (2 * degree)  # of a coordinate, in rows
    if kind in _COUNTS:
        return each * (degree + 1)
    if kind == "sum":
        return each * sum((((low + Fraction(width * j, degree)) * step) ** 2 for j in range(degree + 1)), start=Fraction(0))
    if kind == "mean" or kind in BOUNDED:
        return each * (_MEAN_OF_THREE if degree == 2 else 1)
    return each


def _scale(vector: Vector) -> Fraction:
    """What one step of the integers is worth, for vectors of one coordinate form."""
    scale = Fraction(1)
    for grid in (vector.grid, vector.and_grid):
        if grid is not None and vector.estimator == "tensor":
            scale /= Fraction(grid.width) ** vector.degree
        elif grid is not None:
            scale *= grid.step
    return scale
