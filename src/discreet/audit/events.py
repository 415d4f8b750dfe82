"""Events, and how they are chosen: on samples that are not used to test them.

Candidates are thresholds on quantiles of both sides pooled, in both directions, and for outcomes that repeat, sets of them in
order of likelihood. Of each feature the one that would refute most is taken.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.audit.claims import Claim, strengths
from discreet.audit.features import Feature, Sample, features_of

__all__ = ["Event", "choose", "happened"]

_QUANTILES, _RARE = 200, 60
_MOST_ATOMS = 5000
_LESS_PLAIN = 0.98  # a set of values must be better than a threshold by more than luck
_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens or not, told from one outcome: a feature at least or at most a number, or one of several values."""

    feature: Feature
    at_least: float | None = None
    at_most: float | None = None
    one_of: frozenset[float] | frozenset[str] | None = None

    def __str__(self) -> str:
        return self.said()

    def said(self, *, turned: bool = False) -> str:
        """In words; ``turned`` says that it did not happen."""
        if self.at_least is not None:
            return f"{self.feature} {'not ' if turned else ''}≥ {self.at_least:.9g}"
        if self.at_most is not None:
            return f"{self.feature} {'not ' if turned else ''}≤ {self.at_most:.9g}"
        values = sorted(self.one_of or (), key=lambda each: (isinstance(each, str), each))
        words = [each if isinstance(each, str) else f"{each:.9g}" for each in values[:_SHOWN]]
        more = f", … ({len(values)} values)" if len(values) > _SHOWN else ""
        if len(values) == 1:
            return f"{self.feature} is {'not ' if turned else ''}{words[0]}"
        return f"{self.feature} {'not ' if turned else ''}in {{{', '.join(words)}{more}}}"


@dataclass(frozen=True, slots=True)
class _Scored:
    event: Event
    score: float


def happened(event: Event, sample: Sample) -> int:
    """In how many outcomes."""
    values = event.feature.values(sample)
    if event.one_of is not None:
        return _among(values, event.one_of)
    with np.errstate(invalid="ignore"):
        within = values >= event.at_least if event.at_least is not None else values <= event.at_most
    return int(np.count_nonzero(within))


def _among(values: NDArray[Any], wanted: frozenset[Any]) -> int:
    if values.dtype.kind == "f":
        numbers = [each for each in wanted if not isinstance(each, str)]
        return int(np.count_nonzero(np.isin(values, numbers)))
    return sum(each in wanted for each in values.tolist())


def choose(one: Sample, other: Sample, claim: Claim, most: int, *, grid: float | None, z: float) -> list[Event]:
    """At most ``most`` events that refute most on these samples, of each feature the best.

    One half of the outcomes makes the candidates and the other compares them, else sets of many atoms would look too good.
    """
    half = one.size // 2
    score = _scorer(claim, one.size - half, z)
    firsts = []
    for feature in features_of(pooled(one, other), grid=grid):
        sides = feature.values(one), feature.values(other)
        making, comparing = [each[:half] for each in sides], [each[half:] for each in sides]
        found = [] if feature.is_text else _thresholds(feature, making, comparing, score)
        found += _sets(feature, making, comparing, score)
        if found:
            firsts.append(max(found, key=lambda each: each.score * (_LESS_PLAIN if each.event.one_of else 1)))
    firsts.sort(key=lambda each: -each.score)  # stable: of equal ones, the plainer feature, which comes first
    telling = [each for each in firsts if each.score > 0] or firsts[:1]
    return [each.event for each in telling[:most]]


def pooled(one: Sample, other: Sample) -> Sample:
    """The outcomes of both sides as one sample."""
    seconds = None if one.seconds is None or other.seconds is None else np.concatenate([one.seconds, other.seconds])
    if isinstance(one.outcomes, np.ndarray) and isinstance(other.outcomes, np.ndarray):
        return Sample(np.concatenate([one.outcomes, other.outcomes]), seconds)
    return Sample([*one.objects(), *other.objects()], seconds)


Sides = Sequence[NDArray[Any]]
Scorer = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]


def _scorer(claim: Claim, size: int, z: float) -> Scorer:
    """How much events refute that happened so often on the two sides, in the better direction."""

    def score(ones: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.float64]:
        (low, high), (other_low, other_high) = _wilson(ones, size, z), _wilson(others, size, z)
        straight = np.maximum(strengths(claim, low, other_high), strengths(claim, other_low, high))
        turned = np.maximum(strengths(claim, 1 - high, 1 - other_low), strengths(claim, 1 - other_high, 1 - low))
        return np.maximum(straight, turned)

    return score


def _wilson(counts: NDArray[np.int64], size: int, z: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    share, square = counts / size, z * z / size
    middle, half = share + square / 2, np.sqrt(square * (share * (1 - share) + square / 4))
    return np.clip((middle - half) / (1 + square), 0, 1), np.clip((middle + half) / (1 + square), 0, 1)


def _thresholds(feature: Feature, making: Sides, comparing: Sides, score: Scorer) -> list[_Scored]:
    points = _points(np.sort(np.concatenate([_there(each) for each in making])))
    if not points.size:
        return []
    one, other = (np.sort(_there(each)) for each in comparing)
    ups = score(*(values.size - np.searchsorted(values, points, "left") for values in (one, other)))
    downs = score(*(np.searchsorted(values, points, "right") for values in (one, other)))
    at, under = int(np.argmax(ups)), int(np.argmax(downs))
    return [_Scored(Event(feature, at_least=float(points[at])), float(ups[at])),
            _Scored(Event(feature, at_most=float(points[under])), float(downs[under]))]  # fmt: skip


def _there(values: NDArray[Any]) -> NDArray[Any]:
    return values[~np.isnan(values)] if values.dtype.kind == "f" else values


def _points(pooled: NDArray[np.float64]) -> NDArray[np.float64]:
    """Quantiles of what is finite, closer together towards both ends, where events are rare; and what is not finite."""
    finite = pooled[np.isfinite(pooled)]
    infinite = np.unique(pooled[np.isinf(pooled)])
    if not finite.size:
        return infinite
    even = np.linspace(0, finite.size - 1, _QUANTILES)
    rare = np.geomspace(1, finite.size, _RARE) - 1
    ranks = np.unique(np.round(np.concatenate([even, rare, finite.size - 1 - rare])).astype(int))
    return np.unique(np.concatenate([finite[ranks], infinite]))


def _sets(feature: Feature, making: Sides, comparing: Sides, score: Scorer) -> list[_Scored]:
    """Outcomes that repeat, likeliest on one side first, then on the other: the best beginning of each list."""
    sides = [_there(each) for each in making]
    atoms = np.unique(np.concatenate(sides))
    if not 0 < atoms.size <= min(_MOST_ATOMS, max(2, sum(each.size for each in sides) // 4)):
        return []
    counts = [_counted(each, atoms) for each in sides]
    held = [_counted(_there(each), atoms) for each in comparing]
    found = []
    for first, second in ((0, 1), (1, 0)):
        order = np.argsort(-(counts[first] + 0.5) / (counts[second] + 0.5), kind="stable")
        scores = score(*(np.cumsum(each[order]) for each in held))
        best = int(np.argmax(scores))
        found.append(_Scored(Event(feature, one_of=frozenset(atoms[order[: best + 1]].tolist())), float(scores[best])))
    return found


def _counted(values: NDArray[Any], atoms: NDArray[Any]) -> NDArray[np.int64]:
    """How often each of the sorted ``atoms`` is among the values."""
    places = np.minimum(np.searchsorted(atoms, values), atoms.size - 1)
    return np.bincount(places[atoms[places] == values], minlength=atoms.size)
