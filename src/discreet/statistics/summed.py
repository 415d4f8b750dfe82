"""The port of statistics that are sums over rows, released with noise: what each says about itself, in one class.

From what the engine adds up, through the integers that get noise and how far one unit moves them, to values and intervals; what
quotes assume, what serves in its place, and what it is called. ``Vector`` is one of them in a plan, with its noise.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import Measure
from discreet.facts.model import Facts
from discreet.noise.law import Law
from discreet.questions.algebra import AggregateKind, Expression
from discreet.sensitivities.contribution import Sensitivity
from discreet.sensitivities.scope import Scope
from discreet.statistics.clamping import Reach
from discreet.statistics.estimate import Estimate
from discreet.statistics.on_grid import OnGrid
from discreet.statistics.ratio import Ratio
from discreet.statistics.reach import Floats

__all__ = ["COUNTS", "Exact", "MEAN", "Noisy", "SQUARE", "Summed"]

Exact = NDArray[np.object_]  # Python ints: no width to overflow
Number = Callable[[Expression | None], str]  # an expression as names write it

COUNTS: tuple[AggregateKind, ...] = ("count", "count_rows")
MEAN = 0.05  # of the range: where quotes assume values to lie, mostly low as incomes do
SQUARE = MEAN**2 + MEAN * (1 - MEAN) * 0.2  # of the same, on average: so widely


@dataclass(frozen=True, slots=True)
class Noisy:
    """Released sums of one filter (coordinates x cells), the law of their noise, and the facts that they are read with."""

    sums: Floats
    law: Law
    facts: Facts
    is_grouped: bool = True  # False for a plan of one cell, made to say what to expect
    first: Expression | None = None  # what the aggregate names first, of two numbers whose order matters

    @property
    def rows(self) -> int:
        """The public number of rows, for statistics that are for tables which have one."""
        assert self.facts.rows is not None
        return self.facts.rows


class Summed(ABC):
    """A statistic that comes out of integers with noise. Frozen: one on its grid is another object."""

    __slots__ = ()
    word: ClassVar[str]  # what receipts call it; names of what is stored have it too, so it stays
    is_fitted: ClassVar[bool] = False  # its values fit each other, and are not rounded
    tells_rows: ClassVar[bool] = False  # a count of all its rows can be read off it
    is_steady: ClassVar[bool] = False  # its error does not depend on how many rows there are
    is_of_units: ClassVar[bool] = False  # a unit counts once, in whatever rows it is found
    is_bounded: ClassVar[bool] = False  # what a unit adds is brought between two numbers, and no cap on rows applies

    # ---- before the release

    def on_grid(self, facts: Facts, *, noise: Fraction | None, what: str) -> Self:
        """On the finest grid that its noise allows; ``noise`` is the scale for a range one step wide, None if it is no limit."""
        return self

    def over(self, leaves: int) -> Self:
        """The same about fewer values of the last key."""
        return self

    def shaped(self, *, is_gaussian: bool) -> Self:
        """In the form that suits the kind of noise."""
        return self

    @property
    def is_clamped(self) -> bool:
        """Whether it is of totals of units that are clamped."""
        return False

    def clamped(self, most: int | None) -> "Summed | None":
        """Of totals of units that are clamped to ``most`` rows' worth each; None if it has no such form."""
        return None

    def with_rows(self, what: str) -> "Summed | None":
        """What is released instead if values are rounded after all and its interval then needs the number of rows."""
        return None

    @abstractmethod
    def sensitivity(self, scope: Scope, reach: Reach | None) -> Sensitivity:
        """How far one unit moves its integers, in steps of its grid."""

    @abstractmethod
    def measures(self, condition: Expression | None) -> list[Measure]:
        """What the engine adds up."""

    def shape(self, cells: int) -> tuple[int, int]:
        """How many integers there are for one filter: coordinates, and groups that have them."""
        return 1, cells

    def held(self, cells: int) -> int:
        """How many sums are held for it: a few are kept as unbounded integers."""
        coordinates, groups = self.shape(cells)
        return coordinates * groups

    @abstractmethod
    def exact(self, sums: Exact, rows: int | None) -> Exact:
        """The integers that get noise (coordinates x groups), of the measures (x cells). ``rows`` are public, or None."""

    # ---- after it

    @abstractmethod
    def estimate(self, noisy: Noisy, kind: AggregateKind, alpha: float) -> Estimate:
        """The aggregate in every cell, with intervals that miss with probability at most ``alpha``."""

    def ratio(self, noisy: Noisy, kind: AggregateKind, alpha: float) -> Ratio | None:
        """The aggregate as weighted sums of its integers; None if it is none. Its blur holds but with probability ``alpha``."""
        return None

    def statement(self, kind: AggregateKind) -> str:
        """What the interval of an aggregate says about the noise: those that say the same hold or miss together."""
        return "one noisy number"

    @abstractmethod
    def assumed(self, rows: int) -> list[float]:
        """Its integers without noise for ``rows`` rows whose values lie low in their range."""

    # ---- among others

    @property
    def form(self) -> tuple[object, ...]:
        """What has to be the same, beside the class, for one to stand for another."""
        return ()

    @property
    def moments(self) -> int | None:
        """The degree of sums of powers that hold all it tells; None if there are none."""
        return None

    def tells(self, planned: "Summed") -> bool:
        """Whether it has all that ``planned`` has, of the same number."""
        return type(self) is type(planned) and self.form == planned.form

    @property
    def on(self) -> tuple[OnGrid, ...]:
        """The numbers that it is of, where these have a grid."""
        return ()

    @property
    def step(self) -> Fraction:
        """How coarsely values are rounded: a finer grid is no worse."""
        return max((each.grid.step for each in self.on), default=Fraction(0))

    def variance(self, noise: Fraction, kind: AggregateKind) -> Fraction:
        """The variance of an aggregate, in its own units or in parts of its range, where integers have variance ``noise``."""
        return noise * prod(each.grid.step for each in self.on) ** 2

    @abstractmethod
    def names(self, number: Number, facts: Facts) -> list[str]:
        """What its integers are, filters aside: its own name first, then others by which it is found. Rule 16."""
