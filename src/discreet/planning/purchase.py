"""What of a plan is bought, and what is there already: the plan is made as if nothing were stored, then crossed out. Rule 16."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.planning.found_bounds import price_without
from discreet.planning.identity import EARLIER, HERE, Names, names_of
from discreet.planning.plan import Derived, Plan
from discreet.planning.staged import opened
from discreet.privacy.conversion import epsilon_of
from discreet.privacy.events import Event, GaussianRelease
from discreet.privacy.events import Sequence as InSequence
from discreet.privacy.losses import Approximate
from discreet.questions.algebra import AggregateKind
from discreet.statistics.part import Part, Released, Worth

__all__ = ["Draw", "Offer", "Purchase", "Use", "bought_whole", "crossed_out", "event_of_bought"]

_USELESS = 10**12  # variance over the planned one: nobody wants a number with a ± a million times as wide


@dataclass(frozen=True, slots=True)
class Draw:
    """One slot (a filter, or a share of the rows) of a vector that a charge has bought, and the vector as it was released."""

    charge: int
    place: int
    slot: int
    vector: Part
    is_own: bool = False  # bought by whoever asks, with this very question: then it is answered as before

    @property
    def whole(self) -> tuple[int, int]:
        """What tells the whole draw apart, whatever slot of it is meant."""
        return self.charge, self.place


@dataclass(frozen=True, slots=True)
class Use:
    """A slot of the plan that a stored draw fills."""

    place: int
    slot: int
    draw: Draw


@dataclass(frozen=True, slots=True)
class Offer:
    """A planned vector that is bought although a stored draw tells the same less precisely: ``factor`` times the scale."""

    place: int
    uses: tuple[Use, ...]
    factor: float


@dataclass(frozen=True, slots=True)
class Purchase:
    """A plan crossed out: the places that are bought, what fills the others, and what the bought ones are to the people in it.

    ``plan`` is opened where its keys or bounds are among what is stored.
    """

    plan: Plan
    bought: tuple[int, ...]
    uses: tuple[Use, ...]
    event: Event
    offers: tuple[Offer, ...] = ()

    @property
    def is_free(self) -> bool:
        """Whether nothing is bought."""
        return not self.bought

    @property
    def free(self) -> tuple[int, ...]:
        """The places that stored draws fill."""
        return tuple(place for place in range(len(self.plan.vectors)) if place not in self.bought)

    @property
    def finds(self) -> bool:
        """Whether keys or bounds are among what is bought."""
        return any(self.plan.vectors[place].is_first for place in self.bought)

    @property
    def names(self) -> tuple[tuple[int, int, str], ...]:
        """What the bought vectors are about: place, slot, and each of its names."""
        return self._named()

    @property
    def earlier_names(self) -> tuple[tuple[tuple[int, int, str], ...], ...]:
        """The same as each of several earlier versions wrote it."""
        return tuple(map(self._named, EARLIER))

    def _named(self, age: int = 0) -> tuple[tuple[int, int, str], ...]:
        names = names_of(self.plan, _found_by(self.uses, self.plan), age=age)
        return tuple((place, slot, name) for place in self.bought for slot, each in enumerate(names[place]) for name in each)


Find = Callable[[Sequence[str]], Mapping[str, Sequence[Draw]]]  # names → stored draws that have one of them


def bought_whole(plan: Plan) -> Purchase:
    """The purchase of everything."""
    return Purchase(plan, tuple(range(len(plan.vectors))), (), plan.event)


def crossed_out(plan: Plan, find: Find, released: Callable[[Sequence[Use]], Released]) -> Purchase:
    """The plan without what stored draws tell as well as planned. Keys and bounds come first: what follows is about them."""
    first = tuple(place for place, each in enumerate(plan.vectors) if each.is_first)
    best = bought_whole(plan)  # whatever is told of other keys, or in other bounds, is something else
    for uses in _beginnings(plan, first, find):
        staged = opened(plan, released(uses)) if first else plan
        if first and not staged.wanted.cells:  # no key was chosen, and nothing is left to buy; some that were are better
            best = best if best.uses else Purchase(staged, (), uses, event_of_bought(staged, ()))
            continue
        filled, offers = _filled(staged, range(len(first), len(plan.vectors)), find, _found_by(uses, staged))
        bought = tuple(place for place in range(len(first), len(plan.vectors)) if place not in filled)
        if not best.uses or not best.plan.wanted.cells or len(bought) < len(best.bought):
            others = tuple(use for place in sorted(filled) for use in filled[place])
            best = Purchase(staged, bought, (*uses, *others), event_of_bought(staged, bought), offers)
    return best


def _beginnings(plan: Plan, first: Sequence[int], find: Find) -> Iterator[tuple[Use, ...]]:
    """Stored keys or bounds to begin with: those of one charge, one charge after the other, and then the best of all."""
    if not first:
        yield ()
        return
    names = names_of(plan, "")
    stored = find([names[place][0][0] for place in first])
    for charge in dict.fromkeys(draw.charge for draws in stored.values() for draw in draws):
        only = {name: [draw for draw in draws if draw.charge == charge] for name, draws in stored.items()}
        yield from _whole(_filled_from(plan, first, only, names)[0], first)
    yield from _whole(_filled_from(plan, first, stored, names)[0], first)


def _whole(filled: Mapping[int, tuple[Use, ...]], first: Sequence[int]) -> list[tuple[Use, ...]]:
    return [tuple(use for place in first for use in filled[place])] if len(filled) == len(first) else []


def _found_by(uses: Sequence[Use], plan: Plan) -> str:
    """The charge that found all keys or bounds; if there are several, which of them found what."""
    first = [(plan.vectors[use.place].what, use.draw.charge) for use in uses if plan.vectors[use.place].is_first]
    charges = {charge for _, charge in first}
    return HERE + (",".join(f"{what} {charge}" for what, charge in first) if len(charges) > 1 else "".join(map(str, charges)))


def _filled(
    plan: Plan, places: Sequence[int], find: Find, found_by: str
) -> tuple[dict[int, tuple[Use, ...]], tuple[Offer, ...]]:
    """The vectors that stored draws fill, whole; and those that they could fill, less precisely."""
    names = names_of(plan, found_by)
    return _filled_from(plan, places, find([own for place in places for own, *_ in names[place]]) if places else {}, names)


def _filled_from(
    plan: Plan, places: Sequence[int], stored: Mapping[str, Sequence[Draw]], names: Sequence[tuple[Names, ...]]
) -> tuple[dict[int, tuple[Use, ...]], tuple[Offer, ...]]:
    stored = {**stored, **_around_one_value(plan, names, stored)}
    kinds = _kinds(plan)
    filled, offers = {}, []
    for place in places:
        slots = [_best(plan.vectors[place], slot, kinds.get((place, slot), ()), stored.get(own, ()))
                 for slot, (own, *_) in enumerate(names[place])]  # fmt: skip
        if any(each is None for each in slots):
            continue
        uses = tuple(Use(place, slot, each[0]) for slot, each in enumerate(slots) if each is not None)
        factor = max(each[1] for each in slots if each is not None)
        if factor <= 1:
            filled[place] = uses
        elif factor < _USELESS and plan.vectors[place].scales:
            offers.append(Offer(place, uses, float(factor) ** 0.5))
    return filled, tuple(offers)


def _around_one_value(
    plan: Plan, names: Sequence[tuple[Names, ...]], stored: Mapping[str, Sequence[Draw]]
) -> dict[str, Sequence[Draw]]:
    """Of stored draws that make one interval with others, those that mean the same value as all others, stored or bought."""
    together: dict[object, list[tuple[str, Part]]] = {}
    for slots, part in zip(names, plan.vectors, strict=True):
        if part.around is not None:
            together.setdefault(part.around[0], []).append((slots[0][0], part))
    found: dict[str, Sequence[Draw]] = {}
    for group in (each for each in together.values() if len(each) > 1):
        serving = [{_meant(draw.vector) for draw in stored.get(name, ()) if _serves(draw, part)} for name, part in group]
        meant = min(set.intersection(*serving), default=_meant(group[0][1]))
        found |= {name: [draw for draw in stored.get(name, ()) if _meant(draw.vector) == meant] for name, _ in group}
    return found


def _meant(part: Part) -> int:
    return -1 if part.around is None else part.around[1]


def _serves(draw: Draw, planned: Part) -> bool:
    best = _best(planned, 0, (), [draw])
    return best is not None and best[1] <= 1


def _kinds(plan: Plan) -> dict[tuple[int, int], list[AggregateKind]]:
    """What is read off each slot of a vector."""
    kinds: dict[tuple[int, int], list[AggregateKind]] = {}
    for aggregate, source in plan.sources:
        if isinstance(source, Derived):
            kinds.setdefault((source.vector, source.filter), []).append(aggregate.kind)
    return kinds


def _best(
    planned: Part, slot: int, kinds: Sequence[AggregateKind], stored: Sequence[Draw]
) -> tuple[Draw, Fraction] | None:
    """The stored draw to use, and how much less than planned it tells: at most 1 if it serves. One's own goes before others."""
    limit = planned.worth(slot, kinds, planned)
    assert limit is not None
    found = [(draw, each) for draw in stored if (each := draw.vector.worth(draw.slot, kinds, planned)) is not None]
    judged = [(draw, _factor(each, limit)) for draw, each in found]
    return min(judged, key=lambda pair: (pair[1] > 1, not pair[0].is_own, pair[1]), default=None)


def _factor(found: Worth, limit: Worth) -> Fraction:
    """By how much the worst part is above what was planned."""
    return max((a / b if b else Fraction(a > 0) * 2 for a, b in zip(found, limit, strict=True)), default=Fraction(0))


# ---- what the bought part is


def event_of_bought(plan: Plan, bought: Sequence[int]) -> Event:
    """What the release of some vectors is. At (epsilon, delta) it is one claim: the least epsilon that holds with that delta."""
    if len(bought) == len(plan.vectors):
        return plan.event
    vectors = [plan.vectors[place] for place in bought]
    if isinstance(plan.price, Approximate) and not any(each.takes_delta for each in plan.vectors):
        return _claimed(vectors, _price_left(plan)) if vectors else InSequence(())
    return InSequence(tuple(each.event(plan.facts, plan.wanted.cells) for each in vectors))


def _price_left(plan: Plan) -> Approximate:
    """What was planned for all that follows the bounds."""
    left = price_without(plan.price, sum((each.share for each in plan.vectors if each.is_first), start=Fraction(0)))
    assert isinstance(left, Approximate)
    return left


def _claimed(vectors: Sequence[Part], price: Approximate) -> Event:
    ratio = sum((each.ratio_squared for each in vectors), start=Fraction(0))
    least = min(price.epsilon, epsilon_of(ratio / 2, price.delta))
    return GaussianRelease(ratio, claim=Approximate(epsilon=least, delta=price.delta))
