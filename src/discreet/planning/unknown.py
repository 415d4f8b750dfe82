"""Keys that no public list names: told by how many units have each, at a price with a delta. Rule 24, docs/proofs/keys.md.

Keys are chosen first; what is asked about them is then released for the chosen ones alone, each part for its own share of
epsilon. Where only the count of the units is asked, keys and counts are one release. Chosen keys travel among the released
integers, so that a stored answer has all of itself.
"""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import ByValue
from discreet.errors import QuestionError
from discreet.facts.model import EachRow, Facts, Integer, Number
from discreet.mechanisms.keys import KeySelection, NoisyThreshold
from discreet.planning.cells import MOST_CELLS, unknown_key
from discreet.planning.plan import Axis, Keys, Plan, Released
from discreet.planning.price import Price
from discreet.planning.units import matches_of, reach_of
from discreet.privacy.losses import Approximate
from discreet.questions.algebra import Aggregate, AggregateKind, Column, Expression, Question
from discreet.questions.disjoint import is_per_unit
from discreet.questions.text import to_text
from discreet.remedies import Remedy

__all__ = ["KeysDraft", "counts_told", "keys_as_integers", "keys_draft", "keys_of", "opened"]

Key = str | float

_SLACK = 10  # the minimum of units is at most so small a part of what a key needs to be told


@dataclass(frozen=True, slots=True)
class KeysDraft:
    """A choice of keys before it has a share; ``aggregates`` are those that its own noisy counts answer."""

    place: int
    aggregates: tuple[tuple[Aggregate, ...], ...]
    groups: int | None  # keys of one unit; None if every row is a unit
    what: str
    instead: str  # what else could be done


def keys_draft(question: Question, facts: Facts, aggregates: Sequence[Aggregate]) -> KeysDraft | None:
    """The choice of keys that the question needs; None if all its keys are public."""
    places = [place for place, key in enumerate(question.keys) if unknown_key(key, facts)]
    if not places:
        return None
    named = to_text(question.keys[places[0]])
    if len(places) > 1:
        raise QuestionError(
            f"{named} and {to_text(question.keys[places[1]])} are both keys without a public list of values",
            hint="group by one of them, or declare the values of the other",
        )
    reach = reach_of(question, facts)
    if reach is not None and reach.groups >= MOST_CELLS:
        how = Remedy("write {max_groups=5} beside the price")
        raise QuestionError("nothing limits how many keys one unit may have", hint=how)
    if reach is None and matches_of(question, facts) > 1:
        raise QuestionError(
            f"{named} is a key without a public list of values, and one row may become several here",
            hint="declare its values, or join lookups whose max_matches is 1",
        )
    counted: AggregateKind = "count_rows" if isinstance(facts.unit, EachRow) else "count_units"
    is_count = list(aggregates) == [Aggregate(counted)] and len(question.keys) == 1
    answered = ((Aggregate(counted),),) if is_count else ()
    what = f"keys {named}, {to_text(Aggregate(counted))}" if is_count else f"keys {named}"
    key = question.keys[places[0]]
    groups = None if reach is None else 1 if is_per_unit(key, facts) else reach.groups
    return KeysDraft(places[0], answered, groups, what, _instead(key, facts))


def _instead(key: Expression, facts: Facts) -> str:
    match facts.column(key.name) if isinstance(key, Column) else None:
        case Number():
            return f"group by BIN({to_text(key)}, width)"
        case Integer():
            return "declare lower and upper in the facts"
        case _:
            return "declare a category in the facts"


def keys_of(draft: KeysDraft, facts: Facts, price: Price, share: Fraction) -> Keys:
    """The draft with its mechanism; refused unless the price has a delta."""
    if not isinstance(price, Approximate):
        raise QuestionError(
            f"the {draft.what} are not public, and releasing them requires a delta",
            hint=Remedy(f"write {{epsilon=1}} and {{delta=1e-6}}, or {draft.instead}"),
        )
    given = {"epsilon": price.epsilon * share, "delta": price.delta, "groups": draft.groups or 1}
    kind = NoisyThreshold if draft.aggregates else KeySelection
    loose = kind(**given, neighbours=facts.neighbours)  # type: ignore[arg-type]
    middle = _middle(loose)
    mechanism = kind(**given, neighbours=facts.neighbours, at_least=1 + middle // _SLACK)  # type: ignore[arg-type]
    return Keys(draft.place, mechanism, share, draft.what, draft.groups, middle + middle // _SLACK)


def _middle(mechanism: KeySelection | NoisyThreshold) -> int:
    """How many units a key needs to be told about as often as not."""
    if isinstance(mechanism, NoisyThreshold):
        return mechanism.threshold
    low, high = 0, 1
    while mechanism.probability(high, exact=True) < Fraction(1, 2):
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if mechanism.probability(middle, exact=True) >= Fraction(1, 2) else (middle, high)
    return high


# ---- the plan once they are known


def opened(plan: Plan, released: Released) -> Plan:
    """The plan with the keys that were chosen in place of those that were not known."""
    keys = plan.vectors[0] if plan.vectors else None
    if not isinstance(keys, Keys) or not plan.wanted.keys or len(plan.axes[keys.place].values):
        return plan
    values = _keys_told(released[0])
    shown = tuple(int(value) if isinstance(value, float) and value.is_integer() else value for value in values)
    exact = tuple(value if isinstance(value, str) else Fraction(value) for value in values)
    axes, wanted = list(plan.axes), list(plan.wanted.keys)
    axes[keys.place] = Axis(shown)
    wanted[keys.place] = ByValue(plan.question.keys[keys.place], exact)
    return replace(plan, axes=tuple(axes), wanted=replace(plan.wanted, keys=tuple(wanted)))


# ---- keys among integers: how many, and for each a count (-1: none), a length (-1: a number) and letters or the number's bits


def keys_as_integers(keys: Sequence[Key], counts: Sequence[int] | None = None) -> NDArray[np.object_]:
    """Keys, with their counts where there are some, as a row of integers."""
    found: list[int] = [len(keys)]
    for key, count in zip(keys, counts if counts is not None else [-1] * len(keys), strict=True):
        letters = [ord(letter) for letter in key] if isinstance(key, str) else [_bits(key)]
        found += [int(count), len(letters) if isinstance(key, str) else -1, *letters]
    return np.array(found, dtype=object)


def _told(integers: NDArray[np.object_]) -> Iterator[tuple[Key, int]]:
    left = iter([int(each) for each in integers])
    for _ in range(next(left)):
        count, length = next(left), next(left)
        yield (_number(next(left)) if length < 0 else "".join(map(chr, islice(left, length)))), count


def _keys_told(integers: NDArray[np.object_]) -> tuple[Key, ...]:
    return tuple(key for key, _ in _told(integers))


def counts_told(integers: NDArray[np.object_]) -> NDArray[np.float64]:
    """The noisy counts beside the keys."""
    return np.array([count for _, count in _told(integers)], np.float64)


def _bits(number: float) -> int:
    return int.from_bytes(struct.pack(">d", number), "big")


def _number(bits: int) -> float:
    return float(struct.unpack(">d", bits.to_bytes(8, "big"))[0])
