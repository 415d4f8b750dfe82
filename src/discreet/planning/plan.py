"""A plan: what exact integers are wanted, which noise each vector of them gets, and how answers come out of that.

A plan is made from the question, the facts and the price; it has read no data, and is the same for all neighbouring tables.
"""

from dataclasses import dataclass
from math import prod

from discreet.engines.wanted import Wanted
from discreet.facts.model import Facts
from discreet.planning.price import Price
from discreet.privacy.events import Event
from discreet.questions.algebra import Aggregate, Question
from discreet.statistics.part import Part, Released, Told

__all__ = ["Axis", "Derived", "Known", "Plan"]


@dataclass(frozen=True, slots=True)
class Axis:
    """A key of the answer: its values in order, with their labels where the facts give some.

    ``excluded`` are the places of values that no row can have, by what WHERE says: released like all others, and not shown.
    """

    values: tuple[object, ...]
    labels: tuple[str, ...] = ()
    excluded: tuple[int, ...] = ()
    null_label: str = ""  # of None, which is the last value where rows without the key are a group

    @property
    def shown(self) -> int:
        """How many values there are in an answer."""
        return len(self.values) - len(self.excluded)


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
    vectors: tuple[Part, ...]
    sources: tuple[tuple[Aggregate, Derived | Known], ...]
    event: Event

    def source(self, aggregate: Aggregate) -> Derived | Known:
        """Where the value of ``aggregate`` comes from."""
        return next(source for each, source in self.sources if each == aggregate)

    @property
    def groups(self) -> int:
        """How many groups an answer has before HAVING and LIMIT; 0 while their keys are not known."""
        return prod(axis.shown for axis in self.axes)

    def behind(self, aggregate: Aggregate) -> Part | None:
        """The part that an aggregate comes out of; None if it is public."""
        source = self.source(aggregate)
        return self.vectors[source.vector] if isinstance(source, Derived) else None

    def told(self, released: Released) -> Told:
        """What a release of this plan has told."""
        return Told(self.facts, self.vectors, released, bool(self.wanted.keys))
