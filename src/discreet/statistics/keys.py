"""Keys that no public list names: told by how many units have each, at a price with a delta. Rule 24, docs/proofs/keys.md.

Keys are chosen first; what is asked about them is then released for the chosen ones alone, each part for its own share of
epsilon. Where only the count of the units is asked, keys and counts are one release. Chosen keys travel among the released
integers, so that a stored answer has all of itself.
"""

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import cycle, islice
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.engines.wanted import Wanted
from discreet.errors import QuestionError
from discreet.exact import shown
from discreet.facts.model import Facts, Integer, Number, Text
from discreet.mechanisms.keys import KeySelection, NoisyThreshold
from discreet.privacy.events import Event
from discreet.privacy.losses import Approximate, Loss
from discreet.questions.algebra import Aggregate, AggregateKind, Column, Expression, Question
from discreet.remedies import Remedy
from discreet.statistics.estimate import Estimate
from discreet.statistics.part import Draft, FirstPart, Part, Told, Worth, Writer
from discreet.statistics.told_counts import ToldLaw
from discreet.statistics.vector import noise_of

__all__ = ["Key", "Keys", "KeysDraft", "counts_told", "keys_as_integers", "keys_told", "law_of", "law_told"]

Key = str | float

_MANY = 10  # keys of one unit: with fewer, somebody has thought about it
_SLACK = 10  # the minimum of units is at most so small a part of what a key needs to be told
_MOST = 1 << 61  # what counts are brought to
_COUNTS = (0, 1 << 61, 1, 1000)
_LETTERS = ("", " ", "'; --", "\x1b[31m\x00\n", "\u202e", "=cmd|' /C calc'!A0", "<b>&\"", "é🜍", "none")
_NUMBERS = (0.0, -0.0, 1.0, 0.1, -1e308, 1e308, 5e-324)


@dataclass(frozen=True, slots=True)
class Keys(FirstPart):
    """Keys that are told although no public list names them; always the first of a plan's parts.

    ``place`` is the key's in the question, ``groups`` how many keys of one unit count (None: every row is a unit), ``readable``
    how many units a key needs to be told about as often as not, ``cuts`` whether a unit may have more keys than count.
    """

    place: int
    mechanism: KeySelection | NoisyThreshold
    share: Fraction
    what: str
    groups: int | None
    readable: int
    cuts: bool
    takes_delta: ClassVar[bool] = True

    @property
    def fits_any_cells(self) -> bool:
        return False

    def event(self, facts: Facts, cells: int) -> Event:
        return self.mechanism.cost

    def readings(self, wanted: Wanted) -> Iterable[tuple[Expression | None, ...]]:
        return [(wanted.where,)]

    def estimate(self, told: Told, place: int, slot: int, aggregate: Aggregate, alpha: float) -> Estimate:
        """The counts that were told with their keys, by the law that is stored beside them; else by that of the plan."""
        assert isinstance(self.mechanism, NoisyThreshold)
        integers = told.released[place]
        law, counts = law_told(integers) or law_of(self.mechanism), counts_told(integers)
        low, high = law.interval(np.clip(counts, -_MOST, _MOST).astype(np.int64), alpha)
        return Estimate(counts, low.astype(np.float64), np.maximum(high.astype(np.float64), counts))

    def statement(self, kind: AggregateKind) -> str:
        return "count"

    def assumed(self, rows: int) -> NDArray[Any]:
        law = law_of(self.mechanism) if isinstance(self.mechanism, NoisyThreshold) else None
        return keys_as_integers([""], [rows if law is None else max(rows, law.plain_from)], law)

    def possible(self, question: Question, facts: Facts, axes: Sequence[Sequence[object]]) -> list[NDArray[Any]]:
        law = law_of(self.mechanism) if isinstance(self.mechanism, NoisyThreshold) else None
        if known := axes[self.place]:  # chosen before: they are what they are
            keys = [each if isinstance(each, str) else float(str(each)) for each in known]
            return [keys_as_integers(keys, _some_counts(len(keys)), law)]
        hostile = _hostile(question.keys[self.place], facts)
        counts = None if law is None else _some_counts(len(hostile))
        return [keys_as_integers([], [], law), keys_as_integers(hostile, counts, law)]

    def names(self, write: Writer, facts: Facts) -> list[list[list[str]]]:
        """Which keys of a unit count is part of the name: of each its own, since ``choice`` has a say in it."""
        (((before,),),) = self.names_before(write, facts)
        return [[[f"{before} by unit" if self.cuts else before]]]

    def names_before(self, write: Writer, facts: Facts) -> list[list[list[str]]]:
        return [[[f"keys {write.key(self.place)} of {self.groups}"]]]

    def worth(self, slot: int, kinds: Iterable[AggregateKind], planned: Part) -> Worth | None:
        """A key needs so many units; counts that are released with the keys have their noise beside it."""
        if not isinstance(planned, Keys):
            return None
        needs = Fraction(self.readable)
        if not isinstance(planned.mechanism, NoisyThreshold):
            return (needs,)
        return (needs, noise_of(self.mechanism.law)) if isinstance(self.mechanism, NoisyThreshold) else None

    def described(self, cells: int) -> list[dict[str, Any]]:
        mechanism = self.mechanism
        is_optimal = isinstance(mechanism, KeySelection)
        return [{
            "what": self.what, "statistic": "keys",
            "noise": "chance of the optimal curve" if is_optimal else "discrete Laplace and a threshold",
            "epsilon": shown(mechanism.epsilon), "delta": shown(mechanism.delta), "groups": mechanism.groups,
            "at_least": mechanism.at_least,
        }]  # fmt: skip

    def notes(self) -> list[str]:
        each = "rows" if self.groups is None else "units"
        key = f"a key with about {self.readable} {each}"
        if self.cuts:
            key = f"a key that about {self.readable} units keep (each keeps {self.groups} at most)"
        keeps_many = self.cuts and self.groups is not None and self.groups > _MANY
        fewer = "; PER UNIT 5 GROUPS at the end of the question lets rarer ones through" if keeps_many else ""
        return [f"{self.what}: {key} is released half the time; rarer keys almost never{fewer}"]


@dataclass(frozen=True, slots=True)
class KeysDraft(Draft):
    """A choice of keys before it has a share; ``aggregates`` are those that its own noisy counts answer."""

    place: int
    aggregates: tuple[tuple[Aggregate, ...], ...]
    groups: int | None  # keys of one unit; None if every row is a unit
    cuts: bool  # whether a unit may have more
    what: str
    instead: str  # what else could be done
    is_capped: bool  # whether anybody said how many keys of a unit count; else as many do as it may have rows
    is_first: ClassVar[bool] = True

    def planned(self, facts: Facts, price: Loss, share: Fraction, cells: int) -> Keys:
        """With its mechanism; refused unless the price has a delta."""
        if not isinstance(price, Approximate):
            raise QuestionError(
                f"the {self.what} are not public, and releasing them requires a delta",
                hint=Remedy(f"write {{epsilon=1}}{self._delta()}, or {self.instead}"),
            )
        given = {"epsilon": price.epsilon * share, "delta": price.delta, "groups": self.groups or 1}
        kind = NoisyThreshold if self.aggregates else KeySelection
        loose = kind(**given, neighbours=facts.neighbours)  # type: ignore[arg-type]
        middle = _middle(loose)
        mechanism = kind(**given, neighbours=facts.neighbours, at_least=1 + middle // _SLACK)  # type: ignore[arg-type]
        return Keys(self.place, mechanism, share, self.what, self.groups, middle + middle // _SLACK, self.cuts)

    def _delta(self) -> str:
        """What is needed; and a cap, for a unit that counts under many keys is hidden by as much more noise in each."""
        if self.is_capped:
            return " and {delta=1e-6}"
        return f", {{delta=1e-6}} and {{max_groups=5}} (else a unit counts under up to {self.groups:,} keys: few would show)"


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


# ---- keys to try things on


def _some_counts(keys: int) -> list[int]:
    return list(islice(cycle(_COUNTS), keys))


def _hostile(key: Expression, facts: Facts) -> list[Key]:
    match facts.column(key.name) if isinstance(key, Column) else None:
        case Text(max_length=most):
            return list(dict.fromkeys([each[:most] for each in _LETTERS] + ["w" * most]))
        case Integer():
            return [0.0, 1.0, -1.0, float(1 << 53), -float(1 << 53)]
        case Number():
            return list(_NUMBERS)
        case _:
            return list(_LETTERS)


# ---- keys among integers: how many, and for each a count (-1: none), a length (-1: a number) and letters or the number's bits;
# then the law of the counts, if there are some. Draws that were stored before the law was have none: they are of the plan's.


def law_of(mechanism: NoisyThreshold) -> ToldLaw:
    """The law of the counts that a mechanism tells."""
    return ToldLaw(mechanism.key_epsilon, mechanism.threshold, mechanism.at_least)


def keys_as_integers(
    keys: Sequence[Key], counts: Sequence[int] | None = None, law: ToldLaw | None = None
) -> NDArray[np.object_]:
    """Keys, with their counts and the law of these where there are some, as a row of integers."""
    found: list[int] = [len(keys)]
    for key, count in zip(keys, counts if counts is not None else [-1] * len(keys), strict=True):
        letters = [ord(letter) for letter in key] if isinstance(key, str) else [_bits(key)]
        found += [int(count), len(letters) if isinstance(key, str) else -1, *letters]
    if law is not None:
        found += [law.epsilon.numerator, law.epsilon.denominator, law.threshold, law.at_least]
    return np.array(found, dtype=object)


def _read(integers: NDArray[np.object_]) -> tuple[list[tuple[Key, int]], list[int]]:
    """Keys with their counts, and what comes after them."""
    left = iter([int(each) for each in integers])
    found: list[tuple[Key, int]] = []
    for _ in range(next(left)):
        count, length = next(left), next(left)
        found.append((_number(next(left)) if length < 0 else "".join(map(chr, islice(left, length))), count))
    return found, list(left)


def keys_told(integers: NDArray[np.object_]) -> tuple[Key, ...]:
    """The keys that were chosen."""
    return tuple(key for key, _ in _read(integers)[0])


def counts_told(integers: NDArray[np.object_]) -> NDArray[np.float64]:
    """The noisy counts beside the keys."""
    return np.array([count for _, count in _read(integers)[0]], np.float64)


def law_told(integers: NDArray[np.object_]) -> ToldLaw | None:
    """The law of these counts, if it is stored with them."""
    match _read(integers)[1]:
        case [above, below, threshold, at_least]:
            return ToldLaw(Fraction(above, below), threshold, at_least)
        case _:
            return None


def _bits(number: float) -> int:
    return int.from_bytes(struct.pack(">d", number), "big")


def _number(bits: int) -> float:
    return float(struct.unpack(">d", bits.to_bytes(8, "big"))[0])
