"""How far apart two calls of one mechanism are: what it was given on one table and on the other, exactly."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.engines.wanted import Candidates
from discreet.errors import ParameterError
from discreet.mechanisms import Gaussian, Laplace
from discreet.mechanisms.keys import KeySelection, NoisyThreshold
from discreet.mechanisms.quantile import Quantile, Ranking
from discreet.mechanisms.selects import Scored, Selects
from discreet.mechanisms.tape import Call
from discreet.privacy.composition import groups_touched

__all__ = ["Moved", "gaps", "moved", "units_apart"]

_NOTHING = Fraction(0)


@dataclass(frozen=True, slots=True)
class Moved:
    """How far what one call was given is from what the other was, in the measure of its mechanism, and how far was declared."""

    by: Fraction
    declared: Fraction | None
    of: str

    @property
    def share(self) -> Fraction:
        """The part of what was declared."""
        assert self.declared is not None
        return self.by / self.declared


def moved(call: Call, other: Call) -> Moved:
    """The distance of two calls of one mechanism."""
    match call.mechanism:
        case Laplace(sensitivity=None):
            return Moved(_l1(call, other), None, "steps")
        case Laplace() as laplace:
            return Moved(_l1(call, other), laplace.loss.epsilon / laplace.law.linear, "steps")
        case Gaussian() as gauss:
            return Moved(_l2_squared(call, other), gauss.cost.ratio_squared / (2 * gauss.law.quadratic), "steps, squared")
        case Quantile() as quantile:
            return Moved(_rows_apart(quantile, call.exact, other.exact), quantile.sensitivity, "rows")
        case Selects() as choice:
            return Moved(_scores_apart(call.exact, other.exact), choice.sensitivity, "in a score")
        case KeySelection() | NoisyThreshold() as keys if isinstance(call.exact, Candidates):
            differ = units_apart(call.exact, other.exact, keys.at_least)
            return Moved(sum(differ, _NOTHING), Fraction(groups_touched(keys.neighbours, keys.groups)), "units of keys")
        case mechanism:
            name = type(mechanism).__name__
            raise ParameterError(f"a {name} cannot be followed call by call", hint="sample it: dc.audit(one, other, epsilon=1)")


def gaps(call: Call, other: Call) -> list[Fraction]:
    """How far each of the numbers given to a mechanism moved, in steps."""
    gap = np.ravel(np.asarray(call.exact).astype(object) - np.asarray(other.exact).astype(object))
    return [Fraction(each) for each in gap]


def _l1(call: Call, other: Call) -> Fraction:
    return sum(map(abs, gaps(call, other)), _NOTHING)


def _l2_squared(call: Call, other: Call) -> Fraction:
    return sum((each**2 for each in gaps(call, other)), _NOTHING)


def _rows_apart(mechanism: Quantile, one: Ranking, other: Ranking) -> Fraction:
    """The most by which the distance of any place differs."""
    (starts, behind), (its_starts, its_behind) = one.profile(), other.profile()
    places = np.union1d(starts, its_starts)  # between these, neither changes
    here, there = (at[np.searchsorted(first, places, "right") - 1] for first, at in ((starts, behind), (its_starts, its_behind)))
    return Fraction(int(np.abs(here - there).max()), mechanism.unit)


def _scores_apart(one: Scored, other: Scored) -> Fraction:
    return max(abs(int(x) * one.unit - int(y) * other.unit) for x, y in zip(one.whole, other.whole, strict=True))


def units_apart(one: Candidates, other: Candidates, at_least: int) -> list[Fraction]:
    """By how many units every key differs, of those that count: below the public minimum all are alike."""
    counts, others = (dict(zip(each.values, each.units.tolist(), strict=True)) for each in (one, other))
    least = at_least - 1
    return [Fraction(abs(max(counts.get(key, 0), least) - max(others.get(key, 0), least))) for key in counts | others]
