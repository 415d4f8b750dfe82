"""A plan: what exact integers are wanted, which noise each vector of them gets, and how answers come out of that.

A plan is made from the question, the facts and the price; it has read no data, and is the same for all neighbouring tables.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from numpy.typing import NDArray

from discreet.engines.wanted import Grid, Wanted
from discreet.facts.model import Facts
from discreet.mechanisms import Gaussian, Laplace
from discreet.mechanisms.keys import KeySelection, NoisyThreshold
from discreet.mechanisms.quantiles import Quantiles
from discreet.planning.price import Price
from discreet.planning.trees import Tree
from discreet.privacy.events import Event
from discreet.questions.algebra import Aggregate, AggregateKind, Expression, Question

__all__ = [
    "AnyVector", "Axis", "Derived", "Estimator", "Found", "Keys", "Known", "Mechanism", "Plan", "Ranks", "Released", "Role",
    "Vector",
]  # fmt: skip

Estimator = Literal[
    "count", "units", "distinct", "sum", "bernstein", "variance_numerator", "tensor", "covariance_numerator", "tree"
]
Mechanism = Laplace | Gaussian
Role = Literal["point", "low", "high"]
Released = tuple[NDArray[Any], ...]  # per vector, integers: coordinates x filters x cells


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
    and_of: Expression | None = None  # of a tensor: the second number, and its grid
    and_grid: Grid | None = None
    per_unit: int | None = None  # so many rows' worth of one unit count in a cell: its count or sum is clamped to that
    tree: Tree | None = None  # over the bins of the last key: then there are its nodes in place of coordinates

    def numbers(self, cells: int) -> int:
        """How many integers are released."""
        each = cells * self.coordinates if self.tree is None else cells // self.tree.leaves * self.tree.nodes
        return each * len(self.filters)

    @property
    def coordinates(self) -> int:
        """How many integers a cell takes."""
        match self.estimator:
            case "bernstein":
                return self.degree + 1
            case "tensor":
                return (self.degree + 1) ** 2
            case _:
                return 1

    @property
    def sums(self) -> int:
        """How many measures a filter takes."""
        match self.estimator:
            case "sum" if self.per_unit is not None and self.grid is not None:
                return 1 if self.grid.low >= 0 else 2
            case "count" | "units" | "distinct" | "tree":
                return 1
            case "tensor" | "covariance_numerator":
                return (self.degree + 1) ** 2
            case _:
                return self.degree + 1


@dataclass(frozen=True, slots=True)
class Ranks:
    """Values of one number that are chosen by their rank: those with a share of the rows below them, in every cell.

    ``role`` tells the values themselves from the low and high ends of intervals around them. ``rows_beyond`` is how many rows
    MIN and MAX leave beyond the value they look for.
    """

    of: Expression
    filter: Expression | None
    kind: AggregateKind
    role: Role
    shares: tuple[Fraction, ...]
    rows_beyond: int
    grid: Grid
    mechanism: Quantiles
    share: Fraction
    what: str

    @property
    def points(self) -> int:
        """How many values the lattice has."""
        return self.grid.width + 1

    @property
    def are_few(self) -> bool:
        """Places on the lattice fit into 64 bits."""
        return False


@dataclass(frozen=True, slots=True)
class Keys:
    """Keys that are told although no public list names them; always the first of a plan's vectors.

    ``place`` is the key's in the question, ``groups`` how many keys of one unit count (None: every row is a unit), ``readable``
    how many units a key needs to be told about as often as not.
    """

    place: int
    mechanism: KeySelection | NoisyThreshold
    share: Fraction
    what: str
    groups: int | None
    readable: int

    @property
    def are_few(self) -> bool:
        """Letters and bits are kept as unbounded integers."""
        return True


@dataclass(frozen=True, slots=True)
class Found:
    """Bounds of one column that are found, each end by its rank; before the other vectors of a plan.

    ``ends`` are the low end ("min") and the high one ("max"), without one that is public.
    """

    column: str
    ends: tuple[Ranks, ...]
    share: Fraction
    what: str

    @property
    def are_few(self) -> bool:
        """Bounds are kept as unbounded integers."""
        return True


AnyVector = Vector | Ranks | Keys | Found


@dataclass(frozen=True, slots=True)
class Derived:
    """Where an aggregate's value comes from: a vector, and which of its filters; or of its shares, where values have ranks."""

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
    vectors: tuple[AnyVector, ...]
    sources: tuple[tuple[Aggregate, Derived | Known], ...]
    event: Event

    def source(self, aggregate: Aggregate) -> Derived | Known:
        """Where the value of ``aggregate`` comes from."""
        return next(source for each, source in self.sources if each == aggregate)
