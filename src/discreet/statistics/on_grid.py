"""An aggregated number on its integer grid. Rules 18 and 19."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

from discreet.engines.wanted import Grid
from discreet.facts.model import Facts
from discreet.questions.algebra import Expression
from discreet.questions.bounds import bounds_of, is_whole
from discreet.sensitivities.statistic import Bounds
from discreet.statistics.grids import grid_for, grids_for_pair

__all__ = ["ONE_STEP", "OnGrid", "both_put"]

ONE_STEP = Grid(Fraction(1), 0, 1)  # of a number before it has its grid: sensitivities are those of a range one step wide


@dataclass(frozen=True, slots=True)
class OnGrid:
    """A number, its null rules written out, and the grid that its values are put on."""

    of: Expression
    grid: Grid = ONE_STEP

    def put(self, facts: Facts, *, degree: int, noise: Fraction | None, what: str) -> Self:
        """On the finest grid that sums of this degree and their noise allow."""
        whole = is_whole(self.of, facts)
        return replace(self, grid=grid_for(self.bounds(facts), is_whole=whole, degree=degree, noise=noise, what=what))

    @property
    def steps(self) -> Bounds:
        """Its bounds in steps, as sensitivities want them."""
        return Bounds(self.grid.low, self.grid.high)

    @property
    def step(self) -> float:
        return float(self.grid.step)

    @property
    def span(self) -> float:
        """How wide its range is, in its own units."""
        return self.grid.width * self.step

    def rounding(self, facts: Facts) -> float:
        """How far a value can be from its place on the grid."""
        return 0.0 if self.grid.step == 1 and is_whole(self.of, facts) else self.step / 2

    def range(self, facts: Facts) -> tuple[float, float]:
        """Its public bounds."""
        low, high = self.bounds(facts)
        return float(low), float(high)

    def bounds(self, facts: Facts) -> tuple[Fraction, Fraction]:
        bounds = bounds_of(self.of, facts)
        assert bounds is not None
        return bounds


def both_put(
    x: OnGrid, y: OnGrid, facts: Facts, *, degree: int, noise: Fraction | None, what: str
) -> tuple[OnGrid, OnGrid]:
    """Two numbers whose powers are multiplied, on the finest grids that allow it."""
    bounds, are_whole = (x.bounds(facts), y.bounds(facts)), (is_whole(x.of, facts), is_whole(y.of, facts))
    one, other = grids_for_pair(bounds, are_whole, degree=degree, noise=noise, what=what)
    return replace(x, grid=one), replace(y, grid=other)
