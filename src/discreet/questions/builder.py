"""Questions in Python: the same Question that the SQL would give.

rows.where("Age >= 40").group_by("Race", bin("Age", 10)).select(n=count(), m=mean("Age"))
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol

from discreet.errors import QuestionError
from discreet.exact import Number, exact
from discreet.facts.model import Facts
from discreet.questions.algebra import Aggregate, AggregateKind, Apply, Expression, Join, KeyOf, Literal, Output, Question
from discreet.questions.check import checked
from discreet.questions.functions import bin_of
from discreet.questions.joins import join_called
from discreet.questions.naming import default_name, unlike
from discreet.questions.places import Misfit
from discreet.questions.sql import read_condition, read_key, read_value
from discreet.questions.text import to_text

__all__ = [
    "Asker",
    "Asking",
    "BinSpec",
    "Rows",
    "Statistic",
    "bin",
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


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic over rows. ``of`` and ``where`` are SQL: a column, an expression, a condition."""

    kind: AggregateKind
    of: str | None = None
    where: str | None = None
    and_of: str | None = None
    q: Fraction | None = None
    interval: bool = False


@dataclass(frozen=True, slots=True)
class BinSpec:
    """Bins of a number as a key."""

    of: str
    width: Number
    origin: Number = 0


def count(of: str | None = None, *, where: str | None = None) -> Statistic:
    """How many rows there are, or how many have a value of ``of``."""
    return Statistic("count_rows" if of is None else "count", of, where)


def distinct(of: str, *, where: str | None = None) -> Statistic:
    """How many different values ``of`` has."""
    return Statistic("count_distinct", of, where)


def sum(of: str, *, where: str | None = None) -> Statistic:  # noqa: A001 - read as dc.sum
    """The sum of ``of``."""
    return Statistic("sum", of, where)


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


def bin(of: str, width: Number, origin: Number = 0) -> BinSpec:  # noqa: A001 - read as dc.bin
    """Bins of ``of`` as a key: [origin, origin + width) and so on, both ways."""
    return BinSpec(of, width, origin)


class Asker(Protocol):
    """Whatever answers questions about a table."""

    @property
    def ask(self) -> Callable[..., Any]:
        """Called with a question and a price: the answer."""

    @property
    def quote(self) -> Callable[..., Any]:
        """Called with a question and a price: what the answer would cost, and how exact it would be."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A question, and whom to ask."""

    question: Question
    asker: Asker | None = None

    def ask(self, **price: Any) -> Any:
        """The answer, for example ``.ask(epsilon=0.1)``."""
        return self._who().ask(self.question, **price)

    def quote(self, **price: Any) -> Any:
        """What the answer would cost, without touching data."""
        return self._who().quote(self.question, **price)

    def _who(self) -> Asker:
        if self.asker is None:
            raise QuestionError(
                "this question was built from facts alone", hint="build it from a table: dc.table(…) or dc.open(…)"
            )
        return self.asker

    def __str__(self) -> str:
        return to_text(self.question)


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of a table, perhaps in groups. Every method gives new rows or a question; nothing is read."""

    facts: Facts
    condition: Expression | None = None
    keys: tuple[Expression, ...] = ()
    asker: Asker | None = None
    joins: tuple[Join, ...] = ()

    def join(self, lookup: str, *, outer: bool = False) -> "Rows":
        """The rows beside those of a lookup that the facts declare; with ``outer``, rows that meet none stay as well."""
        return replace(self, joins=(*self.joins, join_called(lookup, self.facts, outer=outer)))

    def where(self, condition: str) -> "Rows":
        """The rows that also meet a condition in SQL."""
        new = read_condition(condition, self.facts, self.joins)
        return replace(self, condition=new if self.condition is None else Apply("and", (self.condition, new)))

    def group_by(self, *keys: str | BinSpec) -> "Rows":
        """The rows in groups: by columns, bins or other keys in SQL."""
        found = [_key(key, self.facts, self.joins) for key in keys]
        return replace(self, keys=tuple(dict.fromkeys([*self.keys, *found])))

    def select(self, **statistics: Statistic) -> Asking:
        """Named statistics of each group, behind its keys."""
        taken, outputs = list(statistics), []
        for place, key in enumerate(self.keys):
            outputs.append(Output(unlike(default_name(key, ()), taken), KeyOf(place)))
            taken.append(outputs[-1].name)
        outputs += [Output(name, _aggregate(one, self.facts, self.joins)) for name, one in statistics.items()]
        question = Question(self.facts.name, tuple(outputs), self.condition, self.keys, joins=self.joins)
        is_asked_later = self.asker is not None  # with a share of the price for finding bounds, perhaps
        return Asking(checked(question, self.facts, finds_bounds=is_asked_later), self.asker)

    def count(self, of: str | None = None) -> Asking:
        """How many rows there are, or how many have a value of ``of``."""
        return self._select(count(of))

    def sum(self, of: str) -> Asking:
        """The sum of ``of``."""
        return self._select(sum(of))

    def mean(self, of: str) -> Asking:
        """The mean of ``of``."""
        return self._select(mean(of))

    def variance(self, of: str, *, sample: bool = True) -> Asking:
        """The variance of ``of``."""
        return self._select(variance(of, sample=sample))

    def stddev(self, of: str, *, sample: bool = True) -> Asking:
        """The standard deviation of ``of``."""
        return self._select(stddev(of, sample=sample))

    def median(self, of: str, *, interval: bool = False) -> Asking:
        """The value of ``of`` with half of the rows below it."""
        return self._select(median(of, interval=interval))

    def quantile(self, of: str, q: Number, *, interval: bool = False) -> Asking:
        """The value of ``of`` with a share ``q`` of the rows below it."""
        return self._select(quantile(of, q, interval=interval))

    def min(self, of: str, *, interval: bool = False) -> Asking:
        """The value of ``of`` with a few rows below it."""
        return self._select(min(of, interval=interval))

    def max(self, of: str, *, interval: bool = False) -> Asking:
        """The value of ``of`` with a few rows above it."""
        return self._select(max(of, interval=interval))

    def _select(self, statistic: Statistic) -> Asking:
        name = default_name(_aggregate(statistic, self.facts, self.joins), ())
        return self.select(**{name: statistic})


def _aggregate(statistic: object, facts: Facts, joins: tuple[Join, ...]) -> Aggregate:
    if not isinstance(statistic, Statistic):
        raise QuestionError(f"a statistic is not a {type(statistic).__name__}", hint="write n=dc.count() or m=dc.mean('Age')")
    read_of = read_key if statistic.kind == "groups_per_unit" else read_value
    of = None if statistic.of is None else read_of(statistic.of, facts, joins)
    other = None if statistic.and_of is None else read_value(statistic.and_of, facts, joins)
    where = None if statistic.where is None else read_condition(statistic.where, facts, joins)
    return Aggregate(statistic.kind, of, where, other, statistic.q, statistic.interval)


def _key(key: object, facts: Facts, joins: tuple[Join, ...]) -> Expression:
    match key:
        case str():
            return read_key(key, facts, joins)
        case BinSpec(of, width, origin):
            try:
                return bin_of(read_value(of, facts, joins), Literal(exact(width, "width")), Literal(exact(origin, "origin")))
            except Misfit as wrong:
                raise QuestionError(wrong.message, hint=wrong.hint) from None
        case _:
            raise QuestionError(f"a key is not a {type(key).__name__}", hint="write 'Race' or dc.bin('Age', 10)")
