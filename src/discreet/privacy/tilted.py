"""Sums of independent losses by fast Fourier transform, weighted so that the part that matters is the largest.

Masses are multiplied by e^(tilt loss) before they are transformed and divided by it afterwards. Rounding and wrapping around
are then small beside the bulk of the weighted law, which the tilt puts where delta(epsilon) comes from; without a tilt they
would be small beside 1. What they can amount to is bounded and added. Proof: docs/proofs/loss-distribution.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, expm1, inf, log, log1p, log2, sqrt

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.privacy.atoms import MASS_ERROR, Floats
from discreet.privacy.grids import Gridded

__all__ = ["Composed", "Parts", "composed", "tilt_for_delta", "tilt_for_epsilon"]

Parts = Sequence[tuple[Gridded, int]]  # what is composed, and how often each

_UNIT = 2.0**-53
_OUTSIDE = 1e-14  # of the weighted law, at most, on either side of what is kept
_MOST_POINTS = 1 << 23
_TILTS = np.geomspace(1e-6, 1e6, 49)
_FEW = 512
_FAR = 45.0  # e^-45 is nothing beside 1
_NOTHING = 1e-20
_CERTAINLY = 2.0**-44

Bound = Callable[[float, float], float]


@dataclass(frozen=True, slots=True)
class Kernel:
    """e^(-tilt over) and e^(-(tilt + 1) over) at over = 0, 1, 2, ... steps, as far as they count."""

    slow: Floats
    fast: Floats
    norm: float  # in the l2, of e^(-tilt over) (1 - e^(-over)), over taken a step too large in the second factor


@dataclass(frozen=True, slots=True)
class Composed:
    """The law of a sum of losses near the ones of interest: mass at loss l is weight e^(log_total - tilt l)."""

    losses: Floats
    weights: Floats
    tilt: float
    log_total: float
    kernel: Kernel
    error: float  # of the weighted sums, by rounding and by what lies outside
    relative: float  # of every mass
    top: float  # no finite sum is larger
    middle: float  # the mean of the weighted law
    slack: float  # by how much a sum of losses may have been moved by rounding
    certain: float  # the probability of an infinite loss, within a factor 1 ± _CERTAINLY

    def delta(self, epsilon: float, *, pessimistic: bool) -> float:
        """E(1 - e^(epsilon - L))^+, from above or below."""
        slack = self.slack + 2.0**-48 * (1 + abs(epsilon) + abs(float(self.losses[-1])))
        level = epsilon - slack if pessimistic else epsilon + slack
        if level >= self.top:
            return min(1.0, self.certain * (1 + (_CERTAINLY if pessimistic else -_CERTAINLY)))
        more, less = self._beyond(level)
        scale = exp(min(self.log_total - self.tilt * level, 700.0))
        error = self.error + 4 * _UNIT * len(self.kernel.slow) * more
        if pessimistic:
            return min(1.0, scale * (more - less + error) * (1 + self.relative) + self.certain * (1 + _CERTAINLY))
        return min(1.0, scale * max(0.0, more - less - error) * (1 - self.relative) + self.certain * (1 - _CERTAINLY))

    def epsilon(self, delta: float, *, pessimistic: bool) -> float:
        """An epsilon >= 0 at which ``delta(epsilon)`` is within ``delta`` from above, or not within it from below."""
        finite = delta - self.certain
        if finite <= self.certain * _CERTAINLY:
            return inf
        found, rate = self._about(finite)
        for turn in range(60):  # each step covers what is still missing, and a little more
            over = self.delta(found, pessimistic=pessimistic) / delta - 1
            if (over <= 0.0) if pessimistic else (over > 0.0 or found == 0.0):
                return found
            more = 1.5**turn * (1.01 * over + (1e-12 if pessimistic else -1e-12)) / rate
            found = min(max(0.0, found + more), self.top + 2 * self.slack + 1e-9)
        return inf if pessimistic else 0.0

    def _about(self, delta: float) -> tuple[float, float]:
        """Where the finite part of delta(epsilon) is ``delta``, and the rate at which it falls there; 0 if it is never so large.

        Newton's steps on its logarithm, from Chernoff's bound on, and halving where they lead astray.
        """
        low, high, rate = 0.0, max(0.0, self.top), self.tilt
        epsilon = min(high, max(0.0, (self.log_total - log(delta)) / self.tilt))
        for _ in range(200):
            more, less = self._beyond(epsilon)
            if more > less > 0.0:
                rate = less / (more - less)
                over = log(more - less) + self.log_total - self.tilt * epsilon - log(delta)
                low, high = (epsilon, high) if over > 0.0 else (low, epsilon)
                guess = epsilon + over / rate
            elif epsilon < self.middle:  # too far below for anything to be left of what lies above
                low, guess = epsilon, -1.0
            else:
                high, guess = epsilon, -1.0
            before, epsilon = epsilon, guess if low < guess < high else (low + high) / 2
            if abs(epsilon - before) <= 1e-9 * (1 + epsilon):  # what is returned in the end is checked
                break
        return epsilon, rate

    def _beyond(self, level: float) -> tuple[float, float]:
        """Sums over the losses l above ``level`` of weight e^(-tilt over), and of that e^(-over), where over = l - level."""
        start = int(np.searchsorted(self.losses, level, side="right"))
        if start == len(self.losses):
            return 0.0, 0.0
        weights = self.weights[start : start + len(self.kernel.slow)]
        over = float(self.losses[start]) - level
        more = _dot(self.kernel.slow[: len(weights)], weights) * exp(-self.tilt * over)
        return more, _dot(self.kernel.fast[: len(weights)], weights) * exp(-(self.tilt + 1) * over)


def _kernel(tilt: float, step: float, most: int) -> Kernel:
    length = int(min(_FAR / (tilt * step) + 2, most)) if tilt else most
    over = np.arange(length) * step
    slow = np.exp(-tilt * over)
    fast = slow * np.exp(-over)
    wide = slow - exp(-step) * fast
    return Kernel(slow, fast, sqrt(_dot(wide, wide)))


def tilt_for_epsilon(parts: Parts, step: float, epsilon: float) -> float:
    """The tilt at which the bound delta <= c e^(log_total - tilt epsilon) is least, roughly."""
    return _best(parts, step, lambda tilt, total: total - tilt * epsilon + _log_peak(tilt))


def tilt_for_delta(parts: Parts, step: float, delta: float) -> float:
    """The tilt at which the same bound gives the least epsilon for ``delta``, roughly."""
    return _best(parts, step, lambda tilt, total: (total - log(delta) + _log_peak(tilt)) / tilt)


def _log_peak(tilt: float) -> float:
    """ln c, where c is the largest (1 - e^-t) e^(-tilt t)."""
    return -tilt * log1p(1 / tilt) - log1p(tilt)


def _best(parts: Parts, step: float, bound: Bound) -> float:
    """Where ``bound``, of a tilt and the logarithm of the total weight, is least: a scan, then closer looks."""
    coarse = [(*_coarse(part, step), count) for part, count in parts]

    def at(tilt: float) -> float:
        return bound(tilt, sum(count * _log_total(losses, masses, tilt) for losses, masses, count in coarse))

    tilts = _TILTS
    for _ in range(3):
        place = int(np.argmin([at(tilt) for tilt in tilts.tolist()]))
        tilts = np.geomspace(tilts[max(0, place - 1)], tilts[min(len(tilts) - 1, place + 1)], 5)
    return float(tilts[2])


def _coarse(part: Gridded, step: float) -> tuple[Floats, Floats]:
    """About the same law with few points, good enough to choose a tilt by; the largest losses are kept one by one."""
    losses = (part.first + np.arange(len(part.masses), dtype=np.float64)) * step
    if len(losses) <= 2 * _FEW:
        return losses, part.masses
    size = len(losses) // _FEW
    starts = np.concatenate([np.arange(0, len(losses) - _FEW, size), np.arange(len(losses) - _FEW, len(losses))])
    masses: Floats = np.add.reduceat(part.masses, starts)
    return losses[np.append(starts[1:], len(losses)) - 1], masses


def _log_total(losses: Floats, masses: Floats, tilt: float) -> float:
    """ln of the sum of mass e^(tilt loss)."""
    with np.errstate(divide="ignore"):
        exponents = np.log(masses) + tilt * losses
    top = float(np.max(exponents))
    return top + log(float(np.sum(np.exp(exponents - top))))


@dataclass(frozen=True, slots=True)
class _Weighted:
    """One part under the tilt: weights that add up to 1 at the losses first, first + 1, ... steps."""

    first: int
    losses: Floats
    weights: Floats
    log_total: float
    count: int

    @property
    def moments(self) -> tuple[float, float]:
        mean = _dot(self.weights, self.losses)
        return self.count * mean, self.count * _dot(self.weights, (self.losses - mean) ** 2)

    def growth(self, tilt: float) -> float:
        """ln E e^(tilt L) of all ``count`` of them."""
        return self.count * _log_total(self.losses, self.weights, tilt)


def _weighted(part: Gridded, count: int, step: float, tilt: float) -> _Weighted:
    losses = (part.first + np.arange(len(part.masses), dtype=np.float64)) * step
    total = _log_total(losses, part.masses, tilt)
    with np.errstate(divide="ignore"):
        weights = np.exp(np.log(part.masses) + (tilt * losses - total))
    return _Weighted(part.first, losses, weights, total, count)


def composed(parts: Parts, step: float, tilt: float) -> Composed:
    """The law of the sum of all losses, under this tilt."""
    weighted = [_weighted(part, count, step, tilt) for part, count in parts]
    low, high = _window(weighted)
    first = int(np.floor(low / step)) - 1
    length = _smooth(int(np.ceil(high / step)) + 2 - first)
    spectrum = _power(np.fft.rfft(_wrapped(weighted[0], length)), weighted[0].count)
    for each in weighted[1:]:
        spectrum *= _power(np.fft.rfft(_wrapped(each, length)), each.count)
    sums = np.roll(np.maximum(np.fft.irfft(spectrum, length), 0.0), -(first % length))
    kernel = _kernel(tilt, step, length)
    count = sum(each.count for each in weighted)
    log_total = sum(each.count * each.log_total for each in weighted)
    reach = max(float(np.max(np.abs(each.losses))) for each in weighted)
    return Composed(
        losses=(first + np.arange(length, dtype=np.float64)) * step,
        weights=sums,
        tilt=tilt,
        log_total=log_total,
        kernel=kernel,
        error=_rounding(weighted, sums, length) * kernel.norm + 2 * _OUTSIDE + exp(-_FAR),
        relative=count * (MASS_ERROR + 8 * _UNIT * (8 + tilt * reach)) + 2.0**-42 * (1 + abs(log_total)),
        top=sum(each.count * float(each.losses[-1]) for each in weighted) * (1 + 2.0**-45),
        middle=sum(each.moments[0] for each in weighted),
        slack=sum(count * part.slack for part, count in parts),
        certain=_certain(parts),
    )


def _window(weighted: Sequence[_Weighted]) -> tuple[float, float]:
    """Losses outside of which the weighted law has at most _OUTSIDE on each side, by Chernoff's bound."""
    variance = sum(each.moments[1] for each in weighted)
    ends = [sum(each.count * float(each.losses[place]) for each in weighted) for place in (0, -1)]
    if variance == 0.0:
        return ends[0], ends[1]
    tail = -log(_OUTSIDE)
    thetas = sqrt(2 * tail / variance) * 2.0 ** np.arange(-3, 5)
    above = min((sum(each.growth(theta) for each in weighted) + tail) / theta for theta in thetas.tolist())
    below = max(-(sum(each.growth(-theta) for each in weighted) + tail) / theta for theta in thetas.tolist())
    return max(ends[0], below), min(ends[1], above)


def _wrapped(each: _Weighted, length: int) -> Floats:
    """The weights around a circle of ``length`` points."""
    places = (each.first + np.arange(len(each.weights))) % length
    return np.bincount(places, weights=each.weights, minlength=length).astype(np.float64)


def _power(values: NDArray[np.complex128], count: int) -> NDArray[np.complex128]:
    """values^count by squaring; 0 where that is below _NOTHING."""
    found = np.zeros_like(values)
    kept = np.flatnonzero(values.real**2 + values.imag**2 > _NOTHING ** (2 / count))
    base, power = values[kept], np.ones(len(kept), np.complex128)
    while count:
        if count & 1:
            power *= base
        base *= base
        count >>= 1
    found[kept] = power
    return found


def _smooth(least: int) -> int:
    """The least length from ``least`` on whose transform is quick: no prime factor above 5."""
    if least > _MOST_POINTS:
        raise ParameterError(f"the losses take {least} grid points", hint="write a larger step")
    best = 1 << (least - 1).bit_length()
    for fives in (1, 5, 25):
        for threes in (1, 3, 9, 27):
            by = fives * threes
            best = min(best, by << max(0, (-(-least // by) - 1).bit_length()))
    return best


def _rounding(weighted: Sequence[_Weighted], sums: Floats, length: int) -> float:
    """What rounding adds to the sums at most, in the l2 norm."""
    transform = 16 * _UNIT * log2(length + 2)
    size = sqrt(_dot(sums, sums))
    inputs = sum(each.count * (transform + 8 * _UNIT) * sqrt(_dot(each.weights, each.weights)) for each in weighted)
    count = sum(each.count for each in weighted)
    return 1.01 * (inputs + (4 * _UNIT * (count + len(weighted)) + transform) * (size + inputs) + len(weighted) * _NOTHING)


def _dot(a: Floats, b: Floats) -> float:
    """The sum of products on this thread alone: threads of a linear-algebra library wait for each other on a busy machine."""
    return float(np.einsum("i,i->", a, b))


def _certain(parts: Parts) -> float:
    """The probability that any loss is infinite."""
    if any(part.certain >= 1 for part, _ in parts):
        return 1.0
    return -expm1(sum(count * log1p(-float(part.certain)) for part, count in parts))
