"""The closed language of questions, as frozen data.

Values of row expressions are numbers (IEEE float64), text, truth values, days (whole days since 1970-01-01) and moments (whole
microseconds since then), or NULL. Every operation is defined on every value:

- a column is read as its declared type; what cannot be read (NaN, '', '?', a bad number) is NULL, a number outside its bounds
  (±inf too) is the nearest bound, a category outside its declared values is NULL, a long text is cut;
- arithmetic is float64, operation by operation; x / 0 and x % 0 are NULL, % has the sign of x; a result that is NaN is NULL;
- floor, ceil, abs as usual; round(x) is sign(x) * floor(|x| + 0.5); least and greatest skip NULL, coalesce takes the first value;
  clamp(x, low, high), of two constants, is x, low where x is below that and high where it is above, and NULL where x is;
- comparisons with NULL are NULL; and, or, not follow SQL's three values; IN is equality with any of its literals;
- LIKE knows % and _ only, is case-sensitive, and matches the whole text; lower and upper change the letters A to Z and no other;
  a character is one of Unicode, whatever it is put together with on paper;
- sqrt, ln, exp and powers take what ``curves`` says, whatever the value;
- a cast of what cannot be read is NULL: a text is read as a column of that type is, a truth value is 1 or 0;
- bin(x, width, origin) is origin + floor((x - origin) / width) * width.

The same classes serve after release: there the leaves are aggregates, keys and literals.
"""

from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import Literal as OneOfThese

__all__ = [
    "Aggregate",
    "AggregateKind",
    "Apply",
    "Bin",
    "Caps",
    "Case",
    "Cast",
    "Column",
    "DatePart",
    "DateTrunc",
    "Expression",
    "In",
    "Join",
    "KeyOf",
    "Like",
    "Literal",
    "Operation",
    "Order",
    "Output",
    "Overall",
    "Part",
    "PerUnit",
    "Period",
    "Power",
    "Question",
    "Substring",
    "To",
    "Transform",
]

Operation = OneOfThese[
    "add",
    "subtract",
    "multiply",
    "divide",
    "remainder",
    "negate",
    "abs",
    "floor",
    "ceil",
    "round",
    "sqrt",
    "ln",
    "exp",
    "lower",
    "upper",
    "length",
    "least",
    "greatest",
    "coalesce",
    "clamp",
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "and",
    "or",
    "not",
    "is_null",
]
Part = OneOfThese[  # of ISO 8601: weekday (Monday is 1), week, isoyear; dow: Sunday is 0; doy: the day of the year
    "year", "isoyear", "quarter", "month", "week", "doy", "day", "hour", "minute", "weekday", "dow",
    "day_number", "hour_number",  # since 1970 began: of plans, not of questions
]  # fmt: skip
Period = OneOfThese["year", "quarter", "month", "week", "day", "hour"]
To = OneOfThese["number", "whole", "text", "truth", "day", "moment"]
AggregateKind = OneOfThese[
    "count_rows",
    "count_units",
    "count",
    "count_distinct",
    "running_rows",
    "at_bounds",
    "at_lower",
    "at_upper",
    "at_caps",
    "sum",
    "mean",
    "variance_pop",
    "variance_samp",
    "stddev_pop",
    "stddev_samp",
    "covariance_pop",
    "covariance_samp",
    "correlation",
    "regr_slope",
    "regr_intercept",
    "regr_r2",
    "quantile",
    "min",
    "max",
    "mode",
    "rows_per_unit",
    "groups_per_unit",
]


@dataclass(frozen=True, slots=True)
class Column:
    """The value of a declared column, by its declared spelling; of a joined ``table``, it is called table.column in ``name``."""

    name: str
    table: str | None = None


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant; numbers are exact here and become the nearest float64 in an engine. A date is a day, a datetime a moment."""

    value: Fraction | str | bool | date | datetime | None


@dataclass(frozen=True, slots=True)
class Apply:
    """An operation on one or more values; ``and``, ``or``, ``least``, ``greatest`` and ``coalesce`` take any number."""

    operation: Operation
    of: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class In:
    """Whether a value equals one of several literals."""

    of: "Expression"
    values: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class Like:
    """Whether a text matches a pattern of literal characters, % and _."""

    of: "Expression"
    pattern: str


@dataclass(frozen=True, slots=True)
class Case:
    """The value beside the first condition that is true, else ``otherwise``."""

    whens: tuple[tuple["Expression", "Expression"], ...]
    otherwise: "Expression"


@dataclass(frozen=True, slots=True)
class DatePart:
    """A part of a day or moment, as a number."""

    part: Part
    of: "Expression"


@dataclass(frozen=True, slots=True)
class DateTrunc:
    """The first day or moment of the period that a day or moment is in; a week begins on Monday."""

    period: Period
    of: "Expression"


@dataclass(frozen=True, slots=True)
class Cast:
    """A value as one of another kind, NULL where it does not read as one."""

    of: "Expression"
    to: To


@dataclass(frozen=True, slots=True)
class Substring:
    """The characters of a text from the ``start``-th on, the first being 1: ``count`` of them, or all (None)."""

    of: "Expression"
    start: int
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Power:
    """A number to a constant power."""

    of: "Expression"
    exponent: Fraction


@dataclass(frozen=True, slots=True)
class Bin:
    """The lower end of the public bin that a number is in."""

    of: "Expression"
    width: Fraction
    origin: Fraction


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One statistic over the rows of a group that meet ``filter``."""

    kind: AggregateKind
    of: "Expression | None" = None  # None for counts of rows and units, and sizes; a key for groups_per_unit; either for at_caps
    filter: "Expression | None" = None
    and_of: "Expression | None" = None  # the second of two numbers that are related: rows lacking either are dropped
    q: Fraction | None = None  # of quantiles alone: the share of rows (or of units) below it, from 0 to 1
    interval: bool = False  # of a quantile, MIN or MAX: whether the ends of an interval for its value are bought too
    unit_range: tuple[Fraction, Fraction] | None = None  # of a sum: between what the total of one unit in a group is brought


@dataclass(frozen=True, slots=True)
class Overall:
    """After release: the sum of an aggregate over all groups, in each of them."""

    of: "Expression"


@dataclass(frozen=True, slots=True)
class KeyOf:
    """After release: the group's value of the key at this place."""

    place: int


Transform = DateTrunc | Cast | Substring | Power  # functions of one value that have constants beside it
Expression = Column | Literal | Apply | In | Like | Case | DatePart | Transform | Bin | Aggregate | Overall | KeyOf


@dataclass(frozen=True, slots=True)
class Output:
    """A column of the answer, computed from released values."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Order:
    """A released value to sort the answer by."""

    by: Expression
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Caps:
    """How much of each unit is read, where the question itself says so; None leaves it to the facts."""

    rows: int | None = None
    groups: int | None = None
    rows_per_group: int | None = None


@dataclass(frozen=True, slots=True)
class Join:
    """Every row beside the rows of a declared ``table`` whose ``match`` equals its ``column``; NULL equals nothing.

    ``outer``: a row that meets none stays, once, with NULL for every column of the joined table; else it is left out.
    """

    table: str
    column: str
    match: str
    outer: bool = False


@dataclass(frozen=True, slots=True)
class PerUnit:
    """One row for each unit that has rows which meet ``where``: what it comes to, and what is the same on all of its rows.

    ``unit`` is the column that tells units apart, ``keys`` name columns that are constant per unit, and ``values`` are counts,
    sums, means, least and greatest values of a unit's rows. A value is read as a column whose name is its text: see ``per_unit``.

    ``moving`` name columns that may differ between the rows of a unit: it has a row for each combination of these that its rows
    have, and of those at most as many as the question's cap on groups says.
    """

    unit: str
    values: tuple[Aggregate, ...]
    keys: tuple[str, ...] = ()
    where: Expression | None = None
    joins: tuple[Join, ...] = ()
    moving: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """What an analyst asks. Checked against the facts, and in one form for all ways of writing it (see ``normal``)."""

    table: str
    outputs: tuple[Output, ...]
    where: Expression | None = None
    keys: tuple[Expression, ...] = ()
    having: Expression | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None
    caps: Caps = Caps()
    joins: tuple[Join, ...] = ()
    bounds_share: Fraction | None = None  # of the price, for finding bounds that nothing public says
    per_unit: PerUnit | None = None  # what all of the above is about, in place of the rows of the table
