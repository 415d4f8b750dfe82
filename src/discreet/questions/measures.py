"""Statistics as Python writes them: ``dc.count()``, ``dc.mean("Age", where="Sex = 'male'")``, ``dc.sum("x") / dc.count()``.

They are words about no table yet: ``of`` and ``where`` are SQL that is read once a table is asked.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Real

from discreet.errors import QuestionError
from discreet.exact import Number, exact, shown
from discreet.questions.aggregates import FORMS
from discreet.questions.algebra import Aggregate, AggregateKind, Operation
from discreet.questions.operators import Operators, extent_of
from discreet.questions.ranked import RANKED_KINDS, SIZE_KINDS, ranked_text
from discreet.questions.unit_range import given_range

__all__ = [
    "BinSpec",
    "Computed",
    "Measure",
    "Statistic",
    "at_caps",
    "bin",
    "constant",
    "correlation",
    "count",
    "covariance",
    "distinct",
    "groups_per_unit",
    "intercept",
    "max",
    "mean",
    "median",
    "min",
    "mode",
    "quantile",
    "r_squared",
    "rows_per_unit",
    "slope",
    "stddev",
    "sum",
    "variance",
]

_SIGNS: dict[Operation, str] = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "remainder": "%"}


class Measure(Operators["Computed"]):
    """A number of every group: a statistic, or what is computed from some. ``extent``: how deep it is, and how large."""

    __slots__ = ()
    extent: tuple[int, int] = (1, 1)

    def _applied(self, operation: Operation, *of: object) -> "Computed":
        parts = tuple(one if isinstance(one, Statistic | Computed) else constant(one) for one in of)
        return Computed(operation, parts, extent_of([(1, 1) if isinstance(one, Fraction) else one.extent for one in parts]))

    def __repr__(self) -> str:
        return f"{self}\n· for a question about a table: table.select(name=…).ask(epsilon=0.1)"


@dataclass(frozen=True, slots=True, repr=False)
class Statistic(Measure):
    """A statistic over rows. ``of`` and ``where`` are SQL: a column, an expression, a condition."""

    kind: AggregateKind
    of: str | None = None
    where: str | None = None
    and_of: str | None = None
    q: Fraction | None = None
    interval: bool = False
    unit_range: tuple[Fraction, Fraction] | None = None

    def __str__(self) -> str:
        numbers = [str(one) for one in (self.of, self.and_of) if one is not None]
        condition = "" if self.where is None else f" FILTER (WHERE {self.where})"
        if self.kind in SIZE_KINDS or self.kind in RANKED_KINDS:
            return ranked_text(Aggregate(self.kind, q=self.q, interval=self.interval), ", ".join(numbers)) + condition
        distinctly = "DISTINCT " if self.kind == "count_distinct" else ""
        everything = "" if self.kind == "at_caps" else "*"
        bounded = "" if (ends := self.unit_range) is None else f" PER UNIT BETWEEN {shown(ends[0])} AND {shown(ends[1])}"
        return f"{FORMS[self.kind].sql}({distinctly}{', '.join(numbers) or everything}){condition}{bounded}"


@dataclass(frozen=True, slots=True, repr=False)
class Computed(Measure):
    """A number computed from released ones, which costs no more than they do."""

    operation: Operation
    of: tuple["Statistic | Computed | Fraction", ...]
    extent: tuple[int, int] = (2, 2)

    def __str__(self) -> str:
        if self.operation not in (*_SIGNS, "negate"):
            return f"{self.operation.upper()}({self.of[0]})"
        texts = [shown(one) if isinstance(one, Fraction) else f"({one})" if _is_signed(one) else str(one) for one in self.of]
        return f"-{texts[0]}" if self.operation == "negate" else f" {_SIGNS[self.operation]} ".join(texts)


def _is_signed(one: Statistic | Computed) -> bool:
    return isinstance(one, Computed) and one.operation != "abs"


def constant(given: object) -> Fraction:
    """A number of Python beside a statistic. Raises QuestionError for what is none."""
    if isinstance(given, str | bool) or not isinstance(given, Real | Decimal):
        hint = "write dc.sum('Income') / dc.count(), or 1000 * dc.mean('Rate')"
        raise QuestionError(f"a {type(given).__name__} is not computed with", hint=hint)
    return exact(given, "a constant")  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, repr=False)
class BinSpec:
    """Bins of a number as a key."""

    of: str
    width: Number
    origin: Number = 0

    def __repr__(self) -> str:
        return f"BIN({self.of}, {self.width}{f', {self.origin}' if self.origin else ''})\n· for the keys of group_by(…)"


def count(of: str | None = None, *, where: str | None = None) -> Statistic:
    """How many rows there are, or how many have a value of ``of``."""
    return Statistic("count_rows" if of is None else "count", of, where)


def distinct(of: str, *, where: str | None = None) -> Statistic:
    """How many different values ``of`` has."""
    return Statistic("count_distinct", of, where)


def sum(  # noqa: A001 - read as dc.sum
    of: str, *, where: str | None = None, per_unit: tuple[Number, Number] | None = None
) -> Statistic:
    """The sum of ``of``; with ``per_unit`` = (least, most), the total of each unit in a group is brought between these two."""
    return Statistic("sum", of, where, unit_range=None if per_unit is None else given_range(per_unit))


def mean(of: str, *, where: str | None = None) -> Statistic:
    """The mean of ``of``."""
    return Statistic("mean", of, where)


def variance(of: str, *, where: str | None = None, sample: bool = True) -> Statistic:
    """The variance of ``of``: of the sample (over n - 1), or of the rows themselves (over n)."""
    return Statistic("variance_samp" if sample else "variance_pop", of, where)


def stddev(of: str, *, where: str | None = None, sample: bool = True) -> Statistic:
    """The standard deviation of ``of``: the root of its variance."""
    return Statistic("stddev_samp" if sample else "stddev_pop", of, where)


def covariance(of: str, and_of: str, *, where: str | None = None, sample: bool = False) -> Statistic:
    """The covariance of two numbers: of the rows themselves (over n), or of the sample (over n - 1)."""
    return Statistic("covariance_samp" if sample else "covariance_pop", of, where, and_of)


def correlation(of: str, and_of: str, *, where: str | None = None) -> Statistic:
    """The correlation of two numbers, between -1 and 1."""
    return Statistic("correlation", of, where, and_of)


def slope(of: str, on: str, *, where: str | None = None) -> Statistic:
    """By how much ``of`` is larger where ``on`` is larger by one, on the line that fits best."""
    return Statistic("regr_slope", of, where, on)


def intercept(of: str, on: str, *, where: str | None = None) -> Statistic:
    """What ``of`` is on that line where ``on`` is 0."""
    return Statistic("regr_intercept", of, where, on)


def r_squared(of: str, on: str, *, where: str | None = None) -> Statistic:
    """The share of the variance of ``of`` that the line explains: the square of the correlation."""
    return Statistic("regr_r2", of, where, on)


def quantile(of: str, q: Number, *, where: str | None = None, interval: bool = False) -> Statistic:
    """The value of ``of`` with a share ``q`` of the rows below it; ``interval`` buys an interval for it."""
    return Statistic("quantile", of, where, q=exact(q, "q"), interval=interval)


def median(of: str, *, where: str | None = None, interval: bool = False) -> Statistic:
    """The value of ``of`` with half of the rows below it."""
    return quantile(of, Fraction(1, 2), where=where, interval=interval)


def min(of: str, *, where: str | None = None, interval: bool = False) -> Statistic:  # noqa: A001 - read as dc.min
    """The value of ``of`` with a few rows below it: how few is public and told."""
    return Statistic("min", of, where, interval=interval)


def max(of: str, *, where: str | None = None, interval: bool = False) -> Statistic:  # noqa: A001 - read as dc.max
    """The value of ``of`` with a few rows above it: how few is public and told."""
    return Statistic("max", of, where, interval=interval)


def mode(of: str, *, where: str | None = None) -> Statistic:
    """The declared value of ``of`` that most rows have, or hardly fewer: by how many is told."""
    return Statistic("mode", of, where)


def rows_per_unit(q: Number) -> Statistic:
    """The number of rows that a share ``q`` of the units does not exceed: what to take as max_rows."""
    return Statistic("rows_per_unit", q=exact(q, "q"))


def groups_per_unit(q: Number, key: str) -> Statistic:
    """The number of groups by ``key`` that a share ``q`` of the units does not exceed: what to take as max_groups."""
    return Statistic("groups_per_unit", key, q=exact(q, "q"))


def at_caps(key: str | None = None) -> Statistic:
    """The share of units of which a cap on rows cuts something; with a ``key``, of which any cap does in groups by it."""
    return Statistic("at_caps", key)


def bin(of: str, width: Number, origin: Number = 0) -> BinSpec:  # noqa: A001 - read as dc.bin
    """Bins of ``of`` as a key: [origin, origin + width) and so on, both ways."""
    return BinSpec(of, width, origin)
