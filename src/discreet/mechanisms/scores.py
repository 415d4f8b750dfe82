"""What selections have in common: scores and weights as whole numbers, and exp of a score between two Fractions."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import frexp, lcm, log
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.exact import Number, exact_whole, stored
from discreet.mechanisms.accuracy import read_confidence
from discreet.noise.enclosures import exp_minus
from discreet.noise.probabilities import Between
from discreet.noise.race import Weights

__all__ = [
    "Named", "Scores", "Whole", "as_array", "chances", "in_order", "names_of", "read_scores", "read_weights", "taken",
    "widest_gap",
]  # fmt: skip

Scores = Sequence[Number] | NDArray[np.generic]
Named = Mapping[Any, Number]  # a score under the name of each candidate
Whole = Sequence[int] | NDArray[np.int64]

_HOW = "give one finite number per candidate, such as [816, 109, 7]"
_HOW_WEIGHTS = "give one number of 0 or more per candidate, not all 0, such as [1, 1, '1/2']"
_WIDE = 1 << 62


def names_of(scores: Scores | Named) -> list[Any]:
    """What candidates are called: their names where they have some, else their places."""
    return list(scores) if isinstance(scores, Mapping) else list(range(len(scores)))


def in_order(scores: Scores | Named, names: Sequence[Any]) -> Scores:
    """Scores or weights as a plain list, those with names in the order of ``names``."""
    if not isinstance(scores, Mapping):
        return scores
    if len(scores) != len(names) or any(name not in scores for name in names):
        raise ParameterError("the weights are not those of the candidates", hint="give every candidate a weight under its name")
    return [scores[name] for name in names]


def read_scores(scores: Scores | Named) -> tuple[Whole, Fraction]:
    """The scores as whole multiples of one unit, refused if there are none or one is not a finite number."""
    if isinstance(scores, Mapping):
        return read_scores(list(scores.values()))
    if isinstance(scores, str) or not isinstance(scores, Sequence | np.ndarray):
        raise ParameterError(f"the scores are a {type(scores).__name__}, not a list of numbers", hint=_HOW)
    if isinstance(scores, np.ndarray):
        if scores.ndim != 1 or not scores.size or scores.dtype.kind not in "iuf":
            raise ParameterError("the scores are not a flat, non-empty array of numbers", hint=_HOW)
        if (at_once := _array(scores)) is not None:
            return at_once
    if len(scores) == 0:
        raise ParameterError("there are no scores", hint=_HOW)
    if set(map(type, scores)) == {int}:
        whole = cast(Sequence[int], scores)
        return (np.array(whole, np.int64) if max(whole) < _WIDE and min(whole) > -_WIDE else whole), Fraction(1)
    try:
        numbers = [stored(score, "score") for score in scores]
    except ParameterError:
        raise ParameterError("a score is not a finite number", hint=_HOW) from None
    denominator = lcm(*(number.denominator for number in numbers))
    return [int(number * denominator) for number in numbers], Fraction(1, denominator)


def _array(scores: NDArray[np.generic]) -> tuple[Whole, Fraction] | None:
    """An array as whole numbers of 64 bits times a power of two, exactly; None if it does not fit."""
    if scores.dtype.kind == "i":
        return scores.astype(np.int64), Fraction(1)
    if scores.dtype.kind == "u":
        return (scores.astype(np.int64), Fraction(1)) if int(scores.max()) < _WIDE else None
    if scores.dtype.itemsize > 8 or not np.isfinite(scores).all():
        return None
    floats = scores.astype(np.float64)
    places = 62 - frexp(float(np.abs(floats).max()))[1]  # the largest is then below 2^62
    with np.errstate(under="ignore"):
        scaled = np.ldexp(floats, places)
        is_exact = (np.rint(scaled) == scaled) & (np.ldexp(scaled, -places) == floats)  # else the smallest were lost
    if not is_exact.all():
        return None
    return scaled.astype(np.int64), Fraction(2) ** -places


def read_weights(weights: Scores, candidates: int) -> tuple[NDArray[np.intp], Weights]:
    """The places of the candidates that have a weight above 0, and those weights as whole numbers in the same proportions."""
    try:
        whole, _ = read_scores(weights)
    except ParameterError:
        raise ParameterError("the weights are not a list of finite numbers", hint=_HOW_WEIGHTS) from None
    if len(whole) != candidates:
        raise ParameterError(f"there are {len(whole)} weights for {candidates} candidates", hint=_HOW_WEIGHTS)
    least, most = (int(whole.min()), int(whole.max())) if isinstance(whole, np.ndarray) else (min(whole), max(whole))
    if least < 0 or most == 0:
        raise ParameterError("a weight is negative, or all are 0", hint=_HOW_WEIGHTS)
    if isinstance(whole, np.ndarray):
        able = np.flatnonzero(whole)
        return able, whole[able].astype(np.uint64)
    able = np.array([at for at, weight in enumerate(whole) if weight], np.intp)
    return able, [weight for weight in whole if weight]


def taken(whole: Whole, places: NDArray[np.intp]) -> Whole:
    """The scores at these places."""
    return whole[places] if isinstance(whole, np.ndarray) else [whole[at] for at in places]


def chances(whole: Whole, factor: Fraction) -> list[Between]:
    """Encloses exp(factor (score - best)) for every score."""
    best = int(max(whole))
    return [_exp_minus(factor * (best - int(score))) for score in whole]


def _exp_minus(exponent: Fraction) -> Between:
    if exponent > 1 << 12:
        return Fraction(0), Fraction(1, 1 << (1 << 12))
    digits = 112 + int(exponent * 3 / 2)
    low, high = exp_minus(exponent, digits)
    return Fraction(low, 1 << digits), Fraction(high, 1 << digits)


def as_array(values: object) -> NDArray[np.generic]:
    """The values as an array of whatever type, refused if their rows are not of one length."""
    try:
        return np.asarray(values)
    except (ValueError, OverflowError):
        raise ParameterError("the values are not an array", hint="give numbers in rows of one length") from None


def widest_gap(width: Fraction, candidates: int, confidence: Number) -> float:
    """width ln(candidates / (1 - confidence)), erring upwards."""
    count, sure = exact_whole(candidates, "candidates", at_least=1), read_confidence(confidence)
    return float(width) * log(count / float(1 - sure)) * (1 + 1e-12)
