"""What planning asks of an engine: exact integers per cell, and nothing else."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from discreet.facts.model import Column as Declared
from discreet.private import Private
from discreet.questions.algebra import Column, Expression, Join

__all__ = [
    "Bound",
    "ByStep",
    "ByValue",
    "Candidates",
    "Counts",
    "CountsWanted",
    "CutWanted",
    "Engine",
    "Grid",
    "Key",
    "KeysWanted",
    "LOW_BITS",
    "Measure",
    "Sums",
    "UnitRows",
    "UnitValue",
    "UnitsWanted",
    "Wanted",
]


LOW_BITS = 62  # of a sum: what one row or unit adds is at most 2^62, and fewer than 2^63 of them leave a high half below 2^63


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

    With ``and_of`` and ``and_grid``: the sum of u^power * v^and_power over the rows where neither value is NULL; that is how
    many they are if both powers are 0. ``distinct``: how many different values of ``of`` there are, NULL not counted.

    With ``within`` = (low, high) each unit is brought into that range before units are added up: power 0 adds up
    min(count, high), low being 0; power 1 adds clamp(sum of X, low, high) - min(low, 0) for every unit that has rows in the
    cell, X not moved; if none of these meets ``filter`` and has a value, 0 - min(low, 0). ``spread`` is at most 2^62.
    """

    power: int
    of: Expression | None = None
    grid: Grid | None = None
    filter: Expression | None = None
    and_power: int = 0
    and_of: Expression | None = None
    and_grid: Grid | None = None
    distinct: bool = False
    within: tuple[int, int] | None = None

    @property
    def spread(self) -> int:
        """The most that a unit is told as, where units are brought into a range: it is 0 or more."""
        low, high = self.within or (0, 0)
        return max(high, 0) - min(low, 0)


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
    """Cell i holds the rows with floor((x - origin) / width) == first + i, in float64; other rows are in none.

    With ``null`` the last of the cells holds the rows where x is NULL, which are in none otherwise.
    """

    of: Expression
    width: Fraction
    origin: Fraction
    first: int
    cells: int
    null: bool = False

    @property
    def steps(self) -> int:
        """How many of the cells are of numbers."""
        return self.cells - self.null


Key = ByValue | ByStep


@dataclass(frozen=True, slots=True)
class Bound:
    """How much of one unit stays, of the rows that meet ``where`` and are in a cell: ``choice`` says which.

    ``groups`` cells at most, then ``rows_per_group`` rows in each of them, then ``rows`` in all; None: no limit of this kind.
    Rows whose unit is NULL are left out in any case. ``key`` is fixed for the table: with it units choose as if at random.
    """

    key: int
    groups: int | None = None
    rows_per_group: int | None = None
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class UnitValue:
    """What a unit comes to, over its rows that meet ``filter`` and have a value of ``of``: n of them, on the grid X1, ..., Xn.

    The count is n. The sum is X1 + ... + Xn, exact, and brought to within ±2^53 at the end; the mean is the floor of the exact
    sum by n; min and max are the least and the greatest. All but the count are in steps of the grid, and NULL where n is 0.
    """

    name: str
    kind: Literal["count", "sum", "mean", "min", "max"]
    of: Expression | None = None  # None: of a count of rows
    grid: Grid | None = None  # None: of a count
    filter: Expression | None = None


@dataclass(frozen=True, slots=True)
class UnitRows:
    """A table made of the table: one row for each unit that has rows which meet ``where``, in place of those.

    ``columns`` are the columns of that table as they are declared: ``keys``, whose values are the same on all rows of a unit,
    and ``values``. Rows whose unit is NULL are left out.

    With ``cells``, a unit has a row for each of these combinations of keys that its rows are in: of so many as ``unit`` says.
    There the value of a key is the least that its rows have, NULL if they have none: rows in one cell have one, or none.
    """

    columns: tuple[Declared, ...]
    keys: tuple[str, ...]
    values: tuple[UnitValue, ...]
    where: Expression | None = None
    joins: tuple[Join, ...] = ()
    cells: tuple[Key, ...] = ()
    unit: Bound = Bound(0)

    @property
    def inside(self) -> "Wanted":
        """What is read of the rows, as if it were all that is wanted."""
        read = [Measure(0, Column(name)) for name in self.keys]
        read += [Measure(0, each.of, filter=each.filter) for each in self.values]
        return Wanted(self.where, self.cells, tuple(read), self.unit, self.joins)


@dataclass(frozen=True, slots=True)
class Wanted:
    """All integers of a plan: measures for every combination of key cells, over the rows that meet ``where``.

    With ``unit``, over those of them that stay; then all measures are ``within`` a range, or none but those within (0, 1).
    """

    where: Expression | None
    keys: tuple[Key, ...]
    measures: tuple[Measure, ...]
    unit: Bound | None = None
    joins: tuple[Join, ...] = ()  # rows are those of the joined table
    also_read: frozenset[str] = frozenset()  # columns beside those above that decide which rows of a unit stay
    per_unit: UnitRows | None = None  # rows are those of this table

    @property
    def cells(self) -> int:
        """How many combinations there are; the last key moves fastest. One if there are no keys."""
        return int(np.prod([key.cells for key in self.keys], dtype=object)) if self.keys else 1


@dataclass(frozen=True, slots=True)
class Sums:
    """The integers high * 2^62 + low, one row per measure and one column per cell, 0 <= low < 2^62. They are exact: no sum that
    a table can have is too large for them, so that nothing saturates before the coordinates of a release are made of them.
    """

    high: NDArray[np.int64]
    low: NDArray[np.int64]

    def whole(self) -> NDArray[np.object_]:
        """The same as Python ints, which have no width to overflow."""
        return np.asarray(self.high.astype(object) * (1 << LOW_BITS) + self.low.astype(object))


@dataclass(frozen=True, slots=True)
class CountsWanted:
    """How many rows lie on each step of a public grid, in every combination of key cells, over the rows that meet ``where``.

    Steps u = X - grid.low go from 0 to grid.width; 2^``coarse`` of them are one bin, and only bins inside one of the ranges
    ``bins`` [first, last] are told (all of them, if None). Rows whose value is NULL or that fail ``filter`` are not counted.
    """

    where: Expression | None
    keys: tuple[Key, ...]
    of: Expression
    grid: Grid
    filter: Expression | None = None
    coarse: int = 0
    bins: tuple[tuple[int, int], ...] | None = None
    unit: Bound | None = None  # rows are chosen before ``filter`` and ``bins``
    joins: tuple[Join, ...] = ()
    per_unit: UnitRows | None = None

    @property
    def cells(self) -> int:
        """How many combinations of keys there are; the last key moves fastest."""
        return int(np.prod([key.cells for key in self.keys], dtype=object)) if self.keys else 1


@dataclass(frozen=True, slots=True)
class UnitsWanted:
    """How many units have how many rows that meet ``where``; with ``keys``, in how many of their cells units have such rows.

    Bins are these numbers, from 1 on, all in cell 0, and "rows" are units. A unit without such rows is not counted, nor is NULL.
    """

    where: Expression | None
    keys: tuple[Key, ...] = ()
    joins: tuple[Join, ...] = ()

    @property
    def all_rows(self) -> Wanted:
        """The same about rows, none of which is left out."""
        return Wanted(self.where, self.keys, (), Bound(0), self.joins)


@dataclass(frozen=True, slots=True)
class CutWanted:
    """How many units a cap would cut, in every combination of key cells, over all their rows that meet ``where``.

    Bin 1 has the units with rows in more than ``caps.groups`` cells of ``groups``, with more than ``caps.rows_per_group`` in one
    of these, or with more than ``caps.rows`` in all; bin 0 the others. Rows in no cell of ``groups`` are not looked at; if that
    is None, all rows of a unit are one group. The ``keys`` are constant per unit, and "rows" are units, none without a row.
    """

    where: Expression | None
    keys: tuple[Key, ...]
    groups: Key | None
    caps: Bound
    joins: tuple[Join, ...] = ()

    @property
    def all_rows(self) -> Wanted:
        """The rows that are looked at, with ``groups`` as the last of their keys."""
        groups = () if self.groups is None else (self.groups,)
        return Wanted(self.where, (*self.keys, *groups), (), Bound(0), self.joins)

    @property
    def inner(self) -> int:
        """How many cells of ``all_rows`` are one cell of ``keys``."""
        return 1 if self.groups is None else self.groups.cells


@dataclass(frozen=True, slots=True)
class Counts:
    """The bins that have rows, sorted by cell, then by bin: ``rows`` of them, at least 1, in each."""

    cell: NDArray[np.int64]
    bin: NDArray[np.int64]
    rows: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class KeysWanted:
    """The values of ``of`` that at least ``at_least`` units have, over the rows that meet ``where``; NULL is none.

    ``groups`` is how many values of one unit count, None if every row is a unit of its own; ``key`` is that of a Bound.
    """

    where: Expression | None
    of: Expression
    at_least: int
    groups: int | None = None
    key: int = 0
    joins: tuple[Join, ...] = ()
    per_unit: UnitRows | None = None


@dataclass(frozen=True, slots=True)
class Candidates:
    """Values in their order (texts by their letters), and how many units have each."""

    values: tuple[str | float, ...]
    units: NDArray[np.int64]


class Engine(Protocol):
    """Holds one table of one version."""

    def check(self) -> None:
        """Raises EngineFault if the source is gone; called before anything is charged."""

    def at_once(self) -> "AbstractContextManager[Engine]":
        """The table for several looks that belong together: rows that come or go meanwhile are not seen by some of them."""

    def run(self, wanted: Wanted) -> Private[Sums]:
        """The exact integers. Raises EngineFault, and no other error."""

    def counts(self, wanted: CountsWanted | UnitsWanted | CutWanted) -> Private[Counts]:
        """How many rows lie where, how many units have how many, or too many. Raises EngineFault, and no other error."""

    def keys(self, wanted: KeysWanted) -> Private[Candidates]:
        """The values that enough units have. Raises EngineFault, and no other error."""

    def close(self) -> None:
        """Let go of the data."""
