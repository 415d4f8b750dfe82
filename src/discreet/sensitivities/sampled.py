"""Sensitivity by sampling, for targets that no table knows: random differential privacy (Rubinstein and Alda 2017).

What it gives is weaker than differential privacy. The promise holds but for a share ``gamma`` of pairs of neighbouring tables
drawn from the oracle, so it is labelled wherever it goes and is never a charge. The oracle must not be made from the private
rows. Proof: docs/proofs/sampled-sensitivity.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isqrt, log
from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from discreet.errors import ParameterError
from discreet.exact import Number, exact_between, exact_whole, shown, stored
from discreet.noise.enclosures import log as enclosed_log
from discreet.privacy.conversion import rounded_up
from discreet.privacy.losses import Loss

__all__ = ["Labelled", "Plan", "RandomLoss", "RandomlyPrivate", "SampledSensitivity", "sampled_sensitivity", "sampling_plan"]

Record = TypeVar("Record")
Target = Callable[[list[Record]], Any]
Norm = Literal["l1", "l2", "linf"]

_BITS = 96
_MOST_RECORDS = 10**9
_NORMS = {"linf": 0, "l2": 1, "l1": 2}  # each is at least the one before
_NEEDED: dict[str, Norm] = {"Laplace": "l1", "Gaussian": "l2"}  # others choose by scores, one at a time


@dataclass(frozen=True, slots=True)
class Plan:
    """Draw ``samples`` pairs and take the ``order``-th smallest distance; right but for a share ``gamma`` of pairs.

    ``rho`` of gamma is for bad luck in the sampling itself.
    """

    samples: int
    order: int
    rho: Fraction
    gamma: Fraction


def sampling_plan(*, gamma: Number | None = None, samples: int | None = None) -> Plan:
    """How many pairs for a ``gamma``, or which gamma from so many ``samples``; with both, the smallest order that will do."""
    share = None if gamma is None else exact_between(gamma, "gamma", 0, 1, closed_low=False, hint="write a gamma such as '0.1'")
    if samples is not None:
        return _for_samples(exact_whole(samples, "samples", at_least=1), share)
    if share is None:
        raise ParameterError("a sampling plan needs gamma or samples", hint="write gamma='0.1', samples=285, or both")
    rho = _root(lambda r: r * (1 - 2 * log(r)), float(share))  # where the number of samples is least
    count = ceil(_log_inverse(rho) / (2 * (share - rho) ** 2))
    return Plan(count, min(count, _order(count, share, rho)), rho, share)


def _for_samples(count: int, share: Fraction | None) -> Plan:
    rho = _root(lambda r: -8 * count * r * r * log(r), 1.0)  # where gamma is least
    floor = rounded_up(rho + _margin(count, rho))
    if floor >= 1:
        raise ParameterError(f"{count} samples are too few to say anything", hint="write more samples: 285 give gamma 0.1")
    if share is None:
        return Plan(count, count, rho, floor)
    if share < floor:
        raise ParameterError(
            f"gamma is {shown(share)}, and {count} samples give no less than {float(floor):.6f}",
            hint=f"write samples={sampling_plan(gamma=share).samples}, or a gamma of at least {float(rounded_up(floor, 4)):g}",
        )
    return Plan(count, _order(count, share, rho), rho, share)


def _order(count: int, share: Fraction, rho: Fraction) -> int:
    return ceil(count * (1 - share + rho + _margin(count, rho)))


def _margin(count: int, rho: Fraction) -> Fraction:
    """sqrt(ln(1 / rho) / (2 count)), from above: by how much a sampled law is off, but with probability rho."""
    return _root_above(_log_inverse(rho) / (2 * count))


def _log_inverse(rho: Fraction) -> Fraction:
    return Fraction(enclosed_log(1 / rho, _BITS)[1], 1 << _BITS)


def _root_above(x: Fraction) -> Fraction:
    root = isqrt((x.numerator << 2 * _BITS) // x.denominator)
    is_exact = root * root * x.denominator == x.numerator << 2 * _BITS
    return Fraction(root if is_exact else root + 1, 1 << _BITS)


def _root(rising: Callable[[float], float], value: float) -> Fraction:
    """Where ``rising`` is ``value`` between 0 and e^(-1/2), to 40 binary digits; any rho is valid, this one is the best."""
    low, high = 1e-12, 0.5
    for _ in range(80):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if rising(middle) < value else (low, middle)
    return Fraction(round(low * 2.0**60), 1 << 60)


# ---- what comes out of it, with its label


@dataclass(frozen=True, slots=True)
class RandomLoss:
    """Random differential privacy: ``loss`` but for a share ``gamma`` of pairs of tables. No price: it does not add up."""

    loss: Loss
    gamma: Fraction

    def __repr__(self) -> str:
        return f"RandomLoss({self.loss!r}, gamma={shown(self.gamma)}: random DP, no charge)"


@dataclass(frozen=True, slots=True)
class Labelled:
    """An answer under random differential privacy."""

    value: Any
    loss: RandomLoss

    def __repr__(self) -> str:
        return f"{self.value!r} (random DP, gamma={shown(self.loss.gamma)})"


class Mechanism(Protocol):
    """What has a loss."""

    @property
    def loss(self) -> Loss:
        """What it would cost if its sensitivity were proven."""


class RandomlyPrivate:
    """A mechanism whose sensitivity was sampled; answers and loss carry the label, and there is no cost to charge."""

    __slots__ = ("_mechanism", "gamma")

    def __init__(self, mechanism: Mechanism, gamma: Fraction) -> None:
        self._mechanism, self.gamma = mechanism, gamma

    @property
    def loss(self) -> RandomLoss:
        """What is promised, to read and not to charge."""
        return RandomLoss(self._mechanism.loss, self.gamma)

    @property
    def cost(self) -> Any:
        """Refused: random differential privacy is never a charge."""
        raise ParameterError(
            "a sampled sensitivity is random DP, which is never a charge",
            hint="prove a sensitivity and write it, as in dc.Laplace(epsilon=1, sensitivity=...)",
        )

    def select(self, scores: Any) -> Labelled:
        """The place of the candidate chosen."""
        return Labelled(self._mechanism.select(scores), self.loss)  # type: ignore[attr-defined]

    def release(self, values: Any) -> Labelled:
        """The values with noise."""
        return Labelled(self._mechanism.release(values), self.loss)  # type: ignore[attr-defined]

    def pmf(self, of: Any) -> Any:
        """The mechanism's own probabilities."""
        return self._mechanism.pmf(of)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"RandomlyPrivate({self._mechanism!r}, gamma={shown(self.gamma)}: random DP, no charge)"


@dataclass(frozen=True, slots=True)
class SampledSensitivity:
    """A distance that all but a share of sampled pairs keep. Random DP: no mechanism takes it as its sensitivity by mistake."""

    estimate: Fraction
    norm: Norm
    rows: int
    plan: Plan

    @property
    def gamma(self) -> Fraction:
        """The share of pairs for which nothing is promised."""
        return self.plan.gamma

    def mechanism(self, kind: Callable[..., Mechanism], **price: Any) -> RandomlyPrivate:
        """``kind`` with this sensitivity, labelled: ``found.mechanism(dc.Exponential, epsilon=1)``."""
        needed = _NEEDED.get(getattr(kind, "__name__", ""), "linf")
        if _NORMS[self.norm] < _NORMS[needed]:
            raise ParameterError(f"the sensitivity was sampled in {self.norm}", hint=f"sample it with norm={needed!r}")
        if not self.estimate:
            raise ParameterError("no sampled pair differed", hint="draw from an oracle whose records differ, or more samples")
        return RandomlyPrivate(kind(sensitivity=self.estimate, **price), self.gamma)

    def __repr__(self) -> str:
        about = f"{self.norm}, {self.plan.order} of {self.plan.samples} pairs of {self.rows} rows"
        return f"SampledSensitivity({float(self.estimate):g} in {about}: random DP, gamma={shown(self.gamma)}, no charge)"


def sampled_sensitivity(
    target: Target[Record],
    draw: Callable[[], Record],
    *,
    rows: int,
    gamma: Number | None = None,
    samples: int | None = None,
    norm: Norm = "l1",
) -> SampledSensitivity:
    """How far apart ``target`` is on two tables of ``rows`` records that differ in one, but for a share ``gamma`` of pairs.

    ``draw()`` is the oracle: it makes up one record, independently of the others and of the private rows. ``target`` returns a
    number or several; ``norm`` is 'l1' for Laplace, 'l2' for Gaussian, 'linf' for scores of candidates.

    The result is random DP, labelled as such, and never accepted as a charge.
    """
    size = exact_whole(rows, "rows", at_least=1)
    if norm not in _NORMS:
        raise ParameterError(f"norm is {norm!r}", hint="write 'l1', 'l2' or 'linf'")
    plan = sampling_plan(gamma=gamma, samples=samples)
    if plan.samples * size > _MOST_RECORDS:
        raise ParameterError(f"{plan.samples} pairs of {size} rows are too many", hint="write a larger gamma or fewer rows")
    distances = sorted(_distance(target, draw, size, norm) for _ in range(plan.samples))
    return SampledSensitivity(distances[plan.order - 1], norm, size, plan)


def _distance(target: Target[Record], draw: Callable[[], Record], rows: int, norm: Norm) -> Fraction:
    common = [draw() for _ in range(rows - 1)]
    one, other = (_numbers(target([*common, draw()])) for _ in range(2))
    if len(one) != len(other):
        raise ParameterError("the target returned different numbers of numbers", hint="return as many for every table")
    apart = [abs(a - b) for a, b in zip(one, other, strict=True)]
    match norm:
        case "l1":
            return sum(apart, start=Fraction(0))
        case "l2":
            return _root_above(sum((each**2 for each in apart), start=Fraction(0)))
        case _:
            return max(apart, default=Fraction(0))


def _numbers(found: Any) -> list[Fraction]:
    several = found.tolist() if isinstance(found, np.ndarray) else found
    return [stored(each) for each in (several if isinstance(several, Sequence) and not isinstance(several, str) else [several])]
