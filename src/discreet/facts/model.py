"""What is public about a table, as frozen data. Nothing here has seen a row.

A column that is ``per_unit`` has one value for all rows of a unit. That is made so and not trusted: see engines/choice.py.

Where groups are made by a column, rows without a value are a group of their own, called ``null_label`` if that is not ''; with
``drop`` they are in no group, and where ``null`` is a value they count as that. So it is with ``null_keys``; tables that were
registered before there was such a group have them in no group.
"""

from dataclasses import dataclass, field
from datetime import date, datetime
from fractions import Fraction
from typing import Literal

from discreet.privacy.events import Neighbours
from discreet.privacy.losses import Loss

__all__ = [
    "Boolean",
    "Budget",
    "ByColumn",
    "Category",
    "Column",
    "Companion",
    "CsvFormat",
    "Date",
    "EachRow",
    "FRAME",
    "Facts",
    "Integer",
    "Joinable",
    "Lookup",
    "MOST_OF_UNIT",
    "Number",
    "Source",
    "SourceKind",
    "Text",
    "Timestamp",
    "Unit",
]

Scalar = int | str

MOST_OF_UNIT = (1 << 31) - 1  # rows or groups that a cap can name


@dataclass(frozen=True, slots=True)
class Number:
    """Real numbers, clamped to [lower, upper] where these are given.

    ``null`` replaces a missing value in aggregates; None drops it. ``decimal`` and ``thousands`` are how texts write numbers.
    """

    name: str
    lower: Fraction | None = None
    upper: Fraction | None = None
    null: Fraction | None = None
    description: str = ""
    per_unit: bool = False
    decimal: str = "."
    thousands: str = ""  # nothing
    drop: bool = False
    null_label: str = ""


@dataclass(frozen=True, slots=True)
class Integer:
    """Whole numbers, clamped to [lower, upper] where these are given; written as a ``Number`` is."""

    name: str
    lower: int | None = None
    upper: int | None = None
    null: int | None = None
    description: str = ""
    per_unit: bool = False
    decimal: str = "."
    thousands: str = ""
    drop: bool = False
    null_label: str = ""


@dataclass(frozen=True, slots=True)
class Category:
    """One of ``values`` (all ints or all strings). Anything else is NULL, or in a cell of its own if ``other``.

    Only a lookup's may have none: those that the lookup has are put there before anything is asked (engines/lookup_values.py).
    """

    name: str
    values: tuple[Scalar, ...]
    labels: tuple[str, ...] = ()
    other: bool = False
    description: str = ""
    per_unit: bool = False
    null: Scalar | None = None
    drop: bool = False
    null_label: str = ""


@dataclass(frozen=True, slots=True)
class Boolean:
    """True or false: what is one of ``true`` or of ``false``; where these are empty 1/0, t/f, true/false and yes/no."""

    name: str
    null: bool | None = None
    description: str = ""
    per_unit: bool = False
    true: tuple[Scalar, ...] = ()
    false: tuple[Scalar, ...] = ()
    drop: bool = False
    null_label: str = ""


@dataclass(frozen=True, slots=True)
class Date:
    """Days, clamped to [lower, upper] where these are given; written as a ``Timestamp`` is, whose day in its zone they are."""

    name: str
    lower: date | None = None
    upper: date | None = None
    description: str = ""
    per_unit: bool = False
    format: str = ""
    zone: str = ""
    drop: bool = False
    null_label: str = ""


@dataclass(frozen=True, slots=True)
class Timestamp:
    """Moments by the clocks of one ``zone``, '' for UTC, clamped to [lower, upper] where these are given.

    What is stored with an offset is moved to that zone; what is stored without one is taken to be in it. ``format`` is how texts
    write moments, '' for ISO 8601.
    """

    name: str
    lower: datetime | None = None
    upper: datetime | None = None
    description: str = ""
    per_unit: bool = False
    format: str = ""
    zone: str = ""
    drop: bool = False
    null_label: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """Any text; what is longer than ``max_length`` characters is cut there."""

    name: str
    max_length: int = 256
    description: str = ""
    per_unit: bool = False
    drop: bool = False
    null_label: str = ""


Column = Number | Integer | Category | Boolean | Date | Timestamp | Text


@dataclass(frozen=True, slots=True)
class EachRow:
    """Every row is a unit of its own."""


@dataclass(frozen=True, slots=True)
class ByColumn:
    """All rows with one value of ``column`` are one unit; rows without a value are left out.

    Of each unit a question reads ``max_rows`` rows in all, ``max_rows_per_group`` of any group and ``max_groups`` groups at most,
    unless it says otherwise itself. None: no limit of this kind.
    """

    column: str
    max_rows: int | None = None
    max_groups: int | None = None
    max_rows_per_group: int | None = None


Unit = EachRow | ByColumn


SourceKind = Literal["csv", "parquet", "duckdb", "postgresql", "spark"]


@dataclass(frozen=True, slots=True)
class Source:
    """Where the rows are kept: an absolute path (a pattern of paths, if ``glob``) or an address, and the table inside it."""

    kind: SourceKind
    place: str
    table: str | None = None
    glob: bool = False

    @property
    def is_live(self) -> bool:
        """Whether rows may change there while a version stays, which nothing can pin."""
        return self.kind in ("postgresql", "spark")


FRAME = Source("spark", "frame")  # of a session: a query, and not its rows


@dataclass(frozen=True, slots=True)
class CsvFormat:
    """How a CSV source is written; never sniffed while asking."""

    delimiter: str = ","
    quote: str = '"'
    header: bool = True
    encoding: str = "utf-8"
    names: tuple[str, ...] = ()  # of the columns in order, where there is no header


@dataclass(frozen=True, slots=True)
class Lookup:
    """A public table beside the confidential one, met where ``column`` of that equals ``match`` of this.

    One row may meet ``max_matches`` of its rows at most. In questions its columns are called ``name.column``.
    """

    name: str
    source: str
    column: str
    match: str
    columns: tuple[Column, ...] = ()
    max_matches: int = 1
    csv: CsvFormat = field(default_factory=CsvFormat)
    located: Source | None = None  # as in Facts


@dataclass(frozen=True, slots=True)
class Companion:
    """Another confidential table about the same people, met where both are about the same unit.

    ``column`` and ``match`` are the columns that tell units apart, in the table and in this one, whose ``facts`` are those of a
    file of its own, without what it is joined with itself. Of each unit a question reads its ``max_rows`` at most.
    """

    name: str
    source: str
    column: str
    match: str
    facts: "Facts"

    @property
    def columns(self) -> tuple[Column, ...]:
        """What questions may read of it."""
        return self.facts.columns

    @property
    def max_matches(self) -> int:
        """How many of its rows one row of the table meets at most."""
        unit = self.facts.unit
        assert isinstance(unit, ByColumn)
        assert unit.max_rows is not None
        return unit.max_rows


Joinable = Lookup | Companion


@dataclass(frozen=True, slots=True)
class Budget:
    """How much may be spent on a table."""

    cap: Loss
    accounting: str = "basic"
    partition: str | None = None
    per_analyst: Loss | None = None
    max_epsilon_per_question: Fraction | None = None
    expires: date | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """All that is public about one table."""

    name: str
    source: str
    unit: Unit
    neighbours: Neighbours
    columns: tuple[Column, ...]
    budget: Budget
    version: str = "1"
    rows: int | None = None  # public, only with change_one and a unit of one row
    units: int | None = None  # public, only with change_one and a column unit
    rows_about: int | None = None  # a rough size that helps quotes
    people: str | None = None
    csv: CsvFormat = field(default_factory=CsvFormat)
    description: str = ""
    located: Source | None = None  # ``source`` seen from the folder of its facts file; None for rows in memory, FRAME for Spark's
    joins: tuple[Joinable, ...] = ()
    null_keys: bool = False  # as facts were understood before rows without a key were a group

    @property
    def is_held(self) -> bool:
        """Whether the table is one of this process, and its budget with it."""
        return not self.source or self.located in (None, FRAME)

    @property
    def is_live(self) -> bool:
        """Whether rows may change under their version, which nothing can pin."""
        return self.located is not None and self.located.is_live

    def column(self, name: str) -> Column | None:
        """The declared column of this name, by exact spelling first and by case-folded spelling if that is unique."""
        by_name = {column.name: column for column in self.columns}
        if name in by_name:
            return by_name[name]
        folded = [column for column in self.columns if column.name.casefold() == name.casefold()]
        return folded[0] if len(folded) == 1 else None
