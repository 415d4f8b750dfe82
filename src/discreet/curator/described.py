"""What stands behind the columns of an answer: what each means, and the mechanisms that its numbers came through."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from discreet.facts.model import Column
from discreet.planning.choosing import aggregates_in_expression
from discreet.planning.plan import Derived, Plan
from discreet.planning.purchase import Draw, Purchase
from discreet.questions.algebra import Aggregate, Expression, KeyOf
from discreet.questions.algebra import Column as ColumnRef
from discreet.questions.ranked import RANKED_KINDS, SIZE_KINDS
from discreet.questions.text import to_text
from discreet.questions.walk import every
from discreet.statistics.bounds import Found
from discreet.statistics.ends import RanksWithEnds
from discreet.statistics.keys import Keys
from discreet.statistics.mode import Mode
from discreet.statistics.part import Part
from discreet.statistics.ranks import Ranks
from discreet.views.stored import view_of

__all__ = ["Behind", "Described", "Mechanism", "behind", "described"]

Mechanism = Mapping[str, Any]  # as a receipt states it
Ends = tuple[tuple[Mechanism, ...], tuple[Mechanism, ...]]  # of the low and of the high end


@dataclass(frozen=True, slots=True)
class Described:
    """One column. Of a key, ``declared`` is its column if it is one, ``values`` all that it may be; None if no list has them.

    ``behind`` are the mechanisms that its numbers came through, or that chose its keys; ``ends`` those that chose the low and
    the high end of a value, where these were bought.
    """

    meaning: str
    has_interval: bool = False
    declared: Column | None = None
    values: tuple[object, ...] | None = ()
    behind: tuple[Mechanism, ...] = ()
    ends: Ends = ((), ())


@dataclass(frozen=True, slots=True)
class Behind:
    """The plan that an answer is made by, and for each of its vectors the mechanisms that released it."""

    plan: Plan
    mechanisms: tuple[tuple[Mechanism, ...], ...]

    @property
    def every(self) -> tuple[Mechanism, ...]:
        """All of them, in the order of the plan."""
        return tuple(chain.from_iterable(self.mechanisms))

    def of(self, vectors: Iterable[int]) -> tuple[Mechanism, ...]:
        """Those of some vectors."""
        return tuple(chain.from_iterable(self.mechanisms[place] for place in vectors))


def behind(purchase: Purchase, receipt: Mapping[str, Any]) -> Behind:
    """What is behind an answer: what was bought is in its receipt, in this order, and what was stored is as it was released."""
    view, bought = view_of(purchase), iter(receipt["mechanisms"])
    pairs = zip(view.plan.vectors, view.draws, strict=True)
    return Behind(view.plan, tuple(_released_by(vector, draw, bought, view.plan) for vector, draw in pairs))


def _released_by(vector: Part, draw: Draw | None, bought: Iterator[Mechanism], plan: Plan) -> tuple[Mechanism, ...]:
    stated = (vector if draw is None else draw.vector).described(plan.wanted.cells)
    return tuple(stated if draw is not None else islice(bought, len(stated)))


def described(plan: Plan, behind: Behind) -> tuple[Described, ...]:
    """Every column of the answer to a plan."""
    return tuple(_key(plan, behind, each.value) if isinstance(each.value, KeyOf) else _number(plan, behind, each.value)
                 for each in plan.question.outputs)  # fmt: skip


def _key(plan: Plan, behind: Behind, key: KeyOf) -> Described:
    """A key: what the facts say about it, and if no list names it, how it was chosen."""
    of = plan.question.keys[key.place]
    declared = plan.facts.column(of.name) if isinstance(of, ColumnRef) else None
    chosen = behind.of(i for i, each in enumerate(behind.plan.vectors) if isinstance(each, Keys) and each.place == key.place)
    values = None if chosen else plan.axes[key.place].values
    return Described("" if declared is None else declared.description, declared=declared, values=values, behind=chosen)


def _number(plan: Plan, behind: Behind, value: Expression) -> Described:
    """A number: how the question words it, and how it and the bounds that it is clamped to came about."""
    meaning = to_text(value, keys=plan.question.keys)
    columns = {part.name for each in aggregates_in_expression(value) for part in every(each) if isinstance(part, ColumnRef)}
    found = [i for i, each in enumerate(behind.plan.vectors) if isinstance(each, Found) and each.column in columns]
    has_interval = not isinstance(value, Aggregate) or value.kind not in (*RANKED_KINDS, *SIZE_KINDS, "mode") or value.interval
    mechanisms = (*_values(behind, value), *behind.of(found))
    part = plan.behind(value) if isinstance(value, Aggregate) else None
    values = part.values if isinstance(part, Mode) else ()
    return Described(meaning, has_interval, values=values, behind=mechanisms, ends=_ends(behind, value))


def _values(behind: Behind, value: Expression) -> tuple[Mechanism, ...]:
    """What a number came through; of a value that has an interval, only what chose the value."""
    found = behind.of(_vectors(behind.plan, value))
    is_chosen = isinstance(value, Aggregate) and isinstance(behind.plan.behind(value), RanksWithEnds)
    return found[:1] if is_chosen else found


def _ends(behind: Behind, value: Expression) -> Ends:
    """How the ends of a value that was chosen were found themselves; nothing where ends follow from its noise."""
    if not isinstance(value, Aggregate):
        return (), ()
    source = behind.plan.source(value)
    if isinstance(source, Derived) and isinstance(behind.plan.vectors[source.vector], RanksWithEnds):
        around = behind.mechanisms[source.vector][1 + 2 * source.filter : 3 + 2 * source.filter]  # a radius, and counts
        return (around, around) if value.interval else ((), ())
    ranks = {i: each for i, each in enumerate(behind.plan.vectors) if isinstance(each, Ranks)}
    own = {_chosen(ranks[i]) for i in _vectors(behind.plan, value) if i in ranks}
    low, high = ([i for i, each in ranks.items() if each.role == role and _chosen(each) in own] for role in ("low", "high"))
    return behind.of(low), behind.of(high)


def _chosen(ranks: Ranks) -> tuple[object, ...]:
    """What the ends of an interval and their value have in common."""
    return ranks.of, ranks.filter, ranks.kind


def _vectors(plan: Plan, value: Expression) -> list[int]:
    """Which released vectors a number comes from."""
    sources = [plan.source(each) for each in aggregates_in_expression(value)]
    return list(dict.fromkeys(source.vector for source in sources if isinstance(source, Derived)))
