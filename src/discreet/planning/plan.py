"""A plan: what exact integers are wanted, which noise each vector of them gets, and how answers come out of that.

A plan is made from the question, the facts and the price; it has read no data, and is the same for all neighbouring tables.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from discreet.engines.wanted import Grid, Wanted
from discreet.facts.model import Facts
from discreet.mechanisms import Gaussian, Laplace
from discreet.planning.price import Price
from discreet.privacy.events import Event
from discreet.questions.algebra import Aggregate, Expression, Question

__all__ = ["Axis", "Derived", "Estimator", "Known", "Mechanism", "Plan", "Vector"]

Estimator = Literal["count", "sum", "bernstein", "variance_numerator"]
Mechanism = Laplace | Gaussian


@dataclass(frozen=True, slots=True)
class Axis:
    """A key of the answer: its values in order, with their labels where the facts give some."""

    values: tuple[object, ...]
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Vector:
    """Integers that are released together with one kind of noise, priced by their joint sensitivity.

    ``filters`` are the row-disjoint FILTER conditions whose statistics lie side by side in it (None: all rows). For every
    cell and filter there are ``coordinates`` integers, computed from the measures that start at ``measures[filter]``.
    """

    estimator: Estimator
    of: Expression | None
    filters: tuple[Expression | None, ...]
    measures: tuple[int, ...]
    grid: Grid | None
    degree: int
    mechanism: Mechanism
    share: Fraction
    are_few: bool  # then sums and noise are unbounded integers
    what: str  # for people: "COUNT(*)", "AVG(Income)"

    @property
    def coordinates(self) -> int:
        """How many integers a cell takes."""
        return self.degree + 1 if self.estimator == "bernstein" else 1


@dataclass(frozen=True, slots=True)
class Derived:
    """Where an aggregate's value comes from: a vector, and which of its filters."""

    vector: int
    filter: int


@dataclass(frozen=True, slots=True)
class Known:
    """An aggregate that is public: COUNT(*) of a table whose size is."""

    value: int


@dataclass(frozen=True, slots=True)
class Plan:
    """All that happens to a question once it is paid for."""

    facts: Facts
    question: Question
    price: Price
    axes: tuple[Axis, ...]
    wanted: Wanted
    vectors: tuple[Vector, ...]
    sources: tuple[tuple[Aggregate, Derived | Known], ...]
    event: Event

    def source(self, aggregate: Aggregate) -> Derived | Known:
        """Where the value of ``aggregate`` comes from."""
        return next(source for each, source in self.sources if each == aggregate)
