"""The port of what a plan buys in one piece: integers that get their noise together, or a choice, for one share of the price.

Everything that a plan, a release, a view or a receipt has to know about a piece is asked of the piece itself.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import cycle, islice
from typing import Any, ClassVar, Protocol, Self
from typing import Literal as OneOfThese

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import CountsWanted, Measure, Wanted
from discreet.facts.model import Facts
from discreet.noise.law import Law
from discreet.privacy.events import Event
from discreet.privacy.losses import Loss
from discreet.questions.algebra import Aggregate, AggregateKind, Expression, Question
from discreet.statistics.estimate import Estimate
from discreet.statistics.ratio import Ratio

__all__ = ["Draft", "FirstPart", "Off", "Part", "Released", "Told", "Worth", "Writer", "filled", "measured"]

Released = tuple[NDArray[Any], ...]  # per part, integers: coordinates x slots x cells
Off = tuple[int, OneOfThese["rank", "rank_of_units", "count"]]  # so many rows or units, and in what
Worth = tuple[Fraction, ...]  # of one thing told each: less is better, and a draw serves if none is more than planned


class Writer(Protocol):
    """Writes what names are made of."""

    def number(self, of: Expression | None) -> str: ...
    def filter(self, condition: Expression | None) -> str: ...
    def key(self, place: int) -> str: ...
    @property
    def caps(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Told:
    """What a release has told: parts with their integers, and the public facts that they are read with."""

    facts: Facts
    parts: Sequence["Part"]
    released: Released
    is_grouped: bool = True  # False for a plan of one cell, made to say what to expect


class Part(ABC):
    """One piece of a plan. It has slots: filters side by side, or shares of the rows."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]  # every part is frozen data
    what: str  # for people: "COUNT(*)", "AVG(Income)"
    share: Fraction  # of the price
    is_first: ClassVar[bool] = False  # chosen before anything else is read, and all else is about it
    takes_delta: ClassVar[bool] = False  # then all else is paid in epsilon alone
    weight: ClassVar[Fraction] = Fraction(1)  # of its share beside others, where no weight is named
    scales: ClassVar[bool] = False  # a lower price buys the same with wider noise, in proportion

    @property
    @abstractmethod
    def slots(self) -> int:
        """How many things are told, in every cell."""

    @abstractmethod
    def shape(self, cells: int) -> tuple[int, int, int]:
        """Of its integers: coordinates x slots x groups of cells."""

    @property
    @abstractmethod
    def are_few(self) -> bool:
        """Whether its integers are kept unbounded."""

    @property
    def fits_any_cells(self) -> bool:
        """Whether its integers are the same for each cell, however many there are."""
        return True

    def over(self, leaves: int) -> Self:
        """The same about fewer values of the last key."""
        return self

    @property
    def shares_noise(self) -> bool:
        """Whether what it tells of different cells rests on the same noise."""
        return False

    @property
    def tried_as(self) -> object:
        """Equal for parts of which all are tried with one: what follows a release takes the same way for them."""
        return self

    # ---- what it costs

    @abstractmethod
    def event(self, facts: Facts, cells: int) -> Event:
        """What its release is to the people in the table."""

    @property
    def ratio_squared(self) -> Fraction:
        """What it adds to the one Gaussian event of a price in (epsilon, delta)."""
        return Fraction(0)

    def alone(self, price: Loss, cells: int) -> Self:
        """With its noise, where nothing else is paid from the same price."""
        return self

    # ---- what it takes

    def wants(self) -> list[list[Measure]]:
        """Per slot, the sums that the engine adds up for it; none if it is chosen by counts."""
        return []

    def at(self, starts: tuple[int, ...]) -> Self:
        """The same, with the places of its sums among those of the plan."""
        return self

    def numbers(self, cells: int) -> int:
        """How many integers get noise."""
        return 0

    def choices(self, cells: int) -> int:
        """How many values are chosen."""
        return 0

    def calls(self, cells: int) -> int:
        """How often a mechanism is called."""
        return 1

    def readings(self, wanted: Wanted) -> Iterable[tuple[Expression | None, ...]]:
        """The terms of every reading of the rows beside that of all sums at once."""
        return ()

    def reading(self, wanted: Wanted) -> Wanted | CountsWanted | None:
        """What is read for it, where units have many rows and what is read decides which of them stay; None if it does not."""
        return wanted

    # ---- what comes of it

    @abstractmethod
    def estimate(self, told: Told, place: int, slot: int, aggregate: Aggregate, alpha: float) -> Estimate:
        """An aggregate in every cell, from the integers of this part, which is at ``place``."""

    def ratio(self, told: Told, place: int, slot: int, aggregate: Aggregate, alpha: float) -> Ratio | None:
        """An aggregate as weighted sums of the integers of a slot; None if it is none. Its blur holds but with ``alpha``."""
        return None

    @property
    def law(self) -> Law | None:
        """The law of the noise of every integer, where these are independent; None if there is none."""
        return None

    def off(self, slot: int, alpha: float) -> Off | None:
        """How far off a choice may be, and more with probability ``alpha`` at most; None for numbers, which have intervals."""
        return None

    @abstractmethod
    def statement(self, kind: AggregateKind) -> str:
        """What the interval of an aggregate says about the noise: those that say the same hold or miss together."""

    @property
    def tells_rows(self) -> bool:
        """Whether a count of rows can be read off it."""
        return False

    @property
    def is_steady(self) -> bool:
        """Whether how good it is does not depend on how many rows there are."""
        return True

    @abstractmethod
    def assumed(self, rows: int) -> NDArray[Any]:
        """Its integers in one cell without noise, for ``rows`` rows whose values lie low in their range."""

    @abstractmethod
    def extremes(self, cells: int, turn: int) -> NDArray[Any]:
        """Integers at the extremes, to try on them what comes after a release; the second turn begins with other ones."""

    # ---- among others

    @abstractmethod
    def names(self, write: Writer, facts: Facts) -> list[list[list[str]]]:
        """Per slot, per name, the lines it is made of; the first is its own name. Rule 16."""

    def names_before(self, write: Writer, facts: Facts) -> list[list[list[str]]]:
        """The same as an earlier version wrote them, where the exact integers were others then."""
        return self.names(write, facts)

    @abstractmethod
    def worth(self, slot: int, kinds: Iterable[AggregateKind], planned: "Part") -> Worth | None:
        """How good a slot is for what ``planned`` would tell; None if it does not tell that. Docs: proofs/reuse.md."""

    @property
    def around(self) -> tuple[object, int] | None:
        """Of one that makes an interval with others: of what, and which value of that is meant. All of them mean the same one."""
        return None

    def in_place_of(self, planned: "Part") -> Self:
        """The same, stored before, by the name that it is looked for by."""
        return self

    # ---- what is said about it

    @abstractmethod
    def described(self, cells: int) -> list[dict[str, Any]]:
        """What a receipt states about its mechanisms."""

    def notes(self) -> list[str]:
        """What has to be known about what it tells."""
        return []


class FirstPart(Part):
    """A part that is chosen before anything else is read: all else is about it."""

    __slots__ = ()
    is_first: ClassVar[bool] = True

    def shape(self, cells: int) -> tuple[int, int, int]:
        raise AssertionError("what is chosen first has a form of its own")

    @property
    def are_few(self) -> bool:
        return True

    @property
    def slots(self) -> int:
        return 1

    def reading(self, wanted: Wanted) -> None:
        return None

    @abstractmethod
    def possible(self, question: Question, facts: Facts, axes: Sequence[Sequence[object]]) -> list[NDArray[Any]]:
        """Integers that it could come to, among them the extremes; what it came to, if that is known.

        ``axes`` are the values of the keys, as far as they are known.
        """

    def extremes(self, cells: int, turn: int) -> NDArray[Any]:
        raise AssertionError("what is chosen first is told before anything else")


class Draft(ABC):
    """A part before it has a price. ``aggregates[i]`` are those that its slot i answers."""

    __slots__ = ()
    what: str
    aggregates: tuple[tuple[Aggregate, ...], ...]
    is_first: ClassVar[bool] = False
    weight: ClassVar[Fraction] = Fraction(1)

    @property
    def is_clamped(self) -> bool:
        """Whether totals of units are clamped, so that no row has to be left out."""
        return False

    def beside(self, planned: Sequence[Part]) -> Self:
        """The same, with what it has to know of those that are planned already."""
        return self

    @abstractmethod
    def planned(self, facts: Facts, price: Loss, share: Fraction, cells: int) -> Part:
        """The part that ``share`` of the price buys."""


def measured(parts: Iterable[Part]) -> tuple[tuple[Measure, ...], tuple[Part, ...]]:
    """The sums that parts need, one after another, and the parts with the places of theirs."""
    measures: list[Measure] = []
    placed = []
    for part in parts:
        starts = []
        for wanted in part.wants():
            starts.append(len(measures))
            measures += wanted
        placed.append(part.at(tuple(starts)))
    return tuple(measures), tuple(placed)


def filled(shape: tuple[int, ...], numbers: Sequence[int], turn: int, kind: type) -> NDArray[Any]:
    """An array in which neighbouring numbers differ."""
    some = islice(cycle(numbers), turn, turn + int(np.prod(shape)))
    return np.array(list(some), dtype=kind).reshape(shape)
