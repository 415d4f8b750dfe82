"""What planning asks of an engine: exact integers per cell, and nothing else."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.private import Private
from discreet.questions.algebra import Expression

__all__ = ["ByStep", "ByValue", "Engine", "Grid", "Key", "Measure", "Sums", "Wanted"]


@dataclass(frozen=True, slots=True)
class Grid:
    """Numbers as whole multiples of a power of two: X = clamp(floor(x / step + 1/2), low, high), in float64."""

    step: Fraction
    low: int
    high: int

    @property
    def width(self) -> int:
        """How far apart two values on the grid can be: at most 2^31."""
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class Measure:
    """One integer per cell, over the rows that meet ``filter``.

    power 0: how many of them have a value of ``of`` (all of them, if ``of`` is None). power 1 or 2: the sum of u or of u * u,
    where u = X - grid.low is between 0 and grid.width, over the rows whose value is not NULL.
    """

    power: int
    of: Expression | None = None
    grid: Grid | None = None
    filter: Expression | None = None


@dataclass(frozen=True, slots=True)
class ByValue:
    """Cells 0, 1, ... are the declared values in order (float for numbers); with ``other`` one more holds every other row."""

    of: Expression
    values: tuple[Fraction | str | bool, ...]
    other: bool = False

    @property
    def cells(self) -> int:
        return len(self.values) + self.other


@dataclass(frozen=True, slots=True)
class ByStep:
    """Cell i holds the rows with floor((x - origin) / width) == first + i, in float64; other rows and NULL are in none."""

    of: Expression
    width: Fraction
    origin: Fraction
    first: int
    cells: int


Key = ByValue | ByStep


@dataclass(frozen=True, slots=True)
class Wanted:
    """All integers of a plan: measures for every combination of key cells, over the rows that meet ``where``."""

    where: Expression | None
    keys: tuple[Key, ...]
    measures: tuple[Measure, ...]

    @property
    def cells(self) -> int:
        """How many combinations there are; the last key moves fastest. One if there are no keys."""
        return int(np.prod([key.cells for key in self.keys], dtype=object)) if self.keys else 1


@dataclass(frozen=True, slots=True)
class Sums:
    """The integers high * 2^32 + low, one row per measure and one column per cell, 0 <= low < 2^32."""

    high: NDArray[np.int64]
    low: NDArray[np.int64]


class Engine(Protocol):
    """Holds one table of one version."""

    def check(self) -> None:
        """Raises EngineFault if the source is gone; called before anything is charged."""

    def run(self, wanted: Wanted) -> Private[Sums]:
        """The exact integers. Raises EngineFault, and no other error."""

    def close(self) -> None:
        """Let go of the data."""
