"""Questions in Python: the same Question that the SQL would give.

rows.where("Age >= 40").group_by("Race", bin("Age", 10)).select(n=count(), m=mean("Age")).order_by("n DESC").limit(3)
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol

from discreet.errors import QuestionError
from discreet.exact import Number, exact, exact_whole, shown
from discreet.facts.model import ByColumn, Facts
from discreet.questions import measures
from discreet.questions.algebra import Aggregate, Apply, Expression, Join, KeyOf, Literal, Operation, Output, Question
from discreet.questions.check import checked
from discreet.questions.functions import bin_of
from discreet.questions.joins import join_called
from discreet.questions.measures import BinSpec, Computed, Measure, Statistic, constant
from discreet.questions.naming import default_name, unlike
from discreet.questions.operators import Operators, extent_of
from discreet.questions.places import Misfit
from discreet.questions.sql import read_condition, read_having, read_key, read_order, read_value
from discreet.questions.text import to_text
from discreet.questions.walk import parts

__all__ = ["Asker", "Asking", "Rows"]


class Asker(Protocol):
    """Whatever answers questions about a table."""

    @property
    def ask(self) -> Callable[..., Any]:
        """Called with a question and a price: the answer."""

    @property
    def quote(self) -> Callable[..., Any]:
        """Called with a question and a price: what the answer would cost, and how exact it would be."""


@dataclass(frozen=True, slots=True, repr=False)
class Asking(Operators["Asking"]):
    """A question about some rows. Every method but ``ask`` and ``quote`` gives another one, in whatever order they are called."""

    rows: "Rows"
    question: Question

    def having(self, condition: str) -> "Asking":
        """The groups that also meet a condition on released values, in SQL: ``having("n > 100")``."""
        new, old = read_having(condition, self.question, self.rows.facts), self.question.having
        return self._with(having=new if old is None else Apply("and", (old, new)))

    def order_by(self, *by: str) -> "Asking":
        """The rows of the answer sorted by released values, in SQL: ``order_by("n DESC", "Race")``."""
        new = tuple(read_order(each, self.question, self.rows.facts) for each in by)
        return self._with(order=(*self.question.order, *new))

    def limit(self, rows: int) -> "Asking":
        """The first so many rows of the answer."""
        most, before = exact_whole(rows, "limit", at_least=1), self.question.limit
        return self._with(limit=most if before is None else min(most, before))

    def ask(self, **price: Any) -> Any:
        """The answer, for example ``.ask(epsilon=0.1)``."""
        return self._who().ask(self.question, **price)

    def quote(self, **price: Any) -> Any:
        """What the answer would cost, without touching data."""
        return self._who().quote(self.question, **price)

    def _who(self) -> Asker:
        if self.rows.asker is None:
            raise QuestionError(
                "this question was built from facts alone", hint="build it from a table: dc.table(…) or dc.open(…)"
            )
        return self.rows.asker

    def _with(self, **clauses: Any) -> "Asking":
        return self.rows.asking(replace(self.question, **clauses))

    def _applied(self, operation: Operation, *of: object) -> "Asking":
        values = tuple(one.number_about(self.rows) if isinstance(one, Asking) else _literal(constant(one)) for one in of)
        extent_of([_extent(one) for one in values])
        return self.rows.asking_for({"value": Apply(operation, values)})

    def number_about(self, rows: "Rows") -> Expression:
        """The only number that is asked for, to be computed with others about the same rows."""
        numbers = [output.value for output in self.question.outputs if not isinstance(output.value, KeyOf)]
        if rows != self.rows:
            hint = "let a condition stand in the statistic: table.select(share=dc.count(where='Age >= 40') / dc.count())"
            raise QuestionError("these questions are about different rows", hint=hint)
        if len(numbers) != 1:
            hint = "compute while selecting: select(rate=dc.sum('Income') / dc.count())"
            raise QuestionError("a question for several numbers is not computed with", hint=hint)
        if self.question.order or self.question.having is not None or self.question.limit is not None:
            raise QuestionError("a question that is sorted or cut off is not computed with", hint="sort what was computed")
        return numbers[0]

    def __str__(self) -> str:
        return to_text(self.question)

    def __repr__(self) -> str:
        how = ".ask(epsilon=0.1) answers it, .quote(epsilon=0.1) says first how good the answer would be"
        return f"{self}\n· {how}" if self.rows.asker is not None else f"{self}\n· built from facts alone: a table answers it"


def _extent(expression: Expression) -> tuple[int, int]:
    return extent_of([(0, 0), *(_extent(part) for part in parts(expression))])


@dataclass(frozen=True, slots=True, repr=False)
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

    def select(self, **statistics: Measure) -> Asking:
        """Named statistics of each group, or what is computed from some, behind its keys."""
        return self.asking_for({name: _number(one, self.facts, self.joins) for name, one in statistics.items()})

    def asking_for(self, numbers: Mapping[str, Expression]) -> Asking:
        """The question for these numbers by their names, behind the keys."""
        taken, outputs = list(numbers), list[Output]()
        for place, key in enumerate(self.keys):
            outputs.append(Output(unlike(default_name(key, ()), taken), KeyOf(place)))
            taken.append(outputs[-1].name)
        outputs += [Output(name, number) for name, number in numbers.items()]
        return self.asking(Question(self.facts.name, tuple(outputs), self.condition, self.keys, joins=self.joins))

    def asking(self, question: Question) -> Asking:
        """The question, found to be one that can be asked of these rows."""
        is_asked_later = self.asker is not None  # with a share of the price for finding bounds, perhaps
        return Asking(self, checked(question, self.facts, finds_bounds=is_asked_later))

    def count(self, of: str | None = None) -> Asking:
        """How many rows there are, or how many have a value of ``of``."""
        return self._select(measures.count(of))

    def sum(self, of: str, *, per_unit: tuple[Number, Number] | None = None) -> Asking:
        """The sum of ``of``; with ``per_unit``, the total of each unit is brought between these two numbers."""
        return self._select(measures.sum(of, per_unit=per_unit))

    def mean(self, of: str) -> Asking:
        """The mean of ``of``."""
        return self._select(measures.mean(of))

    def variance(self, of: str, *, sample: bool = True) -> Asking:
        """The variance of ``of``."""
        return self._select(measures.variance(of, sample=sample))

    def stddev(self, of: str, *, sample: bool = True) -> Asking:
        """The standard deviation of ``of``."""
        return self._select(measures.stddev(of, sample=sample))

    def median(self, of: str, *, interval: bool = False) -> Asking:
        """The value of ``of`` with half of the rows below it."""
        return self._select(measures.median(of, interval=interval))

    def quantile(self, of: str, q: Number, *, interval: bool = False) -> Asking:
        """The value of ``of`` with a share ``q`` of the rows below it."""
        return self._select(measures.quantile(of, q, interval=interval))

    def min(self, of: str, *, interval: bool = False) -> Asking:
        """The value of ``of`` with a few rows below it."""
        return self._select(measures.min(of, interval=interval))

    def max(self, of: str, *, interval: bool = False) -> Asking:
        """The value of ``of`` with a few rows above it."""
        return self._select(measures.max(of, interval=interval))

    def _select(self, statistic: Statistic) -> Asking:
        number = _number(statistic, self.facts, self.joins)
        return self.asking_for({default_name(number, ()): number})

    def __str__(self) -> str:
        """The clauses of SQL that say which rows these are, and in which groups."""
        written = to_text(Question(self.facts.name, (), self.condition, self.keys, joins=self.joins))
        return written.removeprefix("SELECT ").lstrip()

    def __repr__(self) -> str:
        return f"{self}\n· ask about them: .count(), .mean('…'), .select(n=dc.count())"


def _number(measure: object, facts: Facts, joins: tuple[Join, ...]) -> Expression:
    match measure:
        case Statistic():
            return _aggregate(measure, facts, joins)
        case Computed(operation, of):
            inner = (_literal(one) if isinstance(one, Fraction) else _number(one, facts, joins) for one in of)
            return Apply(operation, tuple(inner))
        case _:
            hint = "write n=dc.count(), m=dc.mean('Age') or r=dc.sum('Income') / dc.count()"
            raise QuestionError(f"a statistic is not a {type(measure).__name__}", hint=hint)


def _literal(number: Fraction) -> Expression:
    """The number as SQL can write it: what has no decimal is a division."""
    if "/" not in shown(number):
        return Literal(number)
    return Apply("divide", (Literal(Fraction(number.numerator)), Literal(Fraction(number.denominator))))


def _aggregate(statistic: Statistic, facts: Facts, joins: tuple[Join, ...]) -> Aggregate:
    read_of = read_key if statistic.kind in ("groups_per_unit", "at_caps") else read_value
    is_units = statistic.kind == "count_distinct" and _is_unit(statistic.of, facts)
    of = None if statistic.of is None or is_units else read_of(statistic.of, facts, joins)
    other = None if statistic.and_of is None else read_value(statistic.and_of, facts, joins)
    where = None if statistic.where is None else read_condition(statistic.where, facts, joins)
    kind, ends = "count_units" if is_units else statistic.kind, statistic.unit_range
    return Aggregate(kind, of, where, other, statistic.q, statistic.interval, ends)


def _is_unit(name: object, facts: Facts) -> bool:
    """Whether this names the column that tells units apart, which can be counted and is nothing else for questions."""
    return isinstance(facts.unit, ByColumn) and isinstance(name, str) and name.casefold() == facts.unit.column.casefold()


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
