"""What an event costs, in each kind of loss. Proof: docs/proofs/composition.md."""

from collections.abc import Iterable
from fractions import Fraction
from typing import assert_never

from discreet.errors import ParameterError
from discreet.privacy.composition import parallel, sequential
from discreet.privacy.events import (
    Disjoint,
    Event,
    ExponentialSelection,
    GaussianRelease,
    KeyRelease,
    LaplaceRelease,
    PureRelease,
    Repeated,
    Sequence,
)
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure

__all__ = ["approximate", "concentrated", "concentrated_delta", "concentrated_part", "pure"]


def pure(event: Event) -> Pure:
    """The least epsilon for which ``event`` is epsilon-differentially private."""
    match event:
        case LaplaceRelease(ratio):
            return Pure(epsilon=ratio)
        case ExponentialSelection(epsilon) | PureRelease(epsilon):
            return Pure(epsilon=epsilon)
        case GaussianRelease():
            raise ParameterError("Gaussian noise has no pure epsilon", hint="price it by rho, or by epsilon and delta")
        case KeyRelease():
            raise ParameterError("a selection of keys has no pure epsilon", hint="price it by epsilon and delta")
        case Sequence() | Repeated() | Disjoint():
            loss = _composed(event, map(pure, _parts(event)))
            assert isinstance(loss, Pure)
            return loss
        case _:
            assert_never(event)


def approximate(event: Event) -> Approximate:
    """An (epsilon, delta) that ``event`` satisfies: the sums that a basic ledger charges."""
    match event:
        case GaussianRelease(claim=Approximate() as claim):
            return claim
        case GaussianRelease():
            raise ParameterError("this Gaussian noise was priced by rho", hint="price it by epsilon and delta")
        case KeyRelease(epsilon, delta):
            return Approximate(epsilon=epsilon, delta=delta)
        case LaplaceRelease() | ExponentialSelection() | PureRelease():
            return pure(event).to_approximate()
        case Sequence() | Repeated() | Disjoint():
            nothing = Approximate(epsilon=0, delta=0)  # so that no parts have this kind of price too
            loss = _composed(event, [nothing, *map(approximate, _parts(event))])
            assert isinstance(loss, Approximate)
            return loss
        case _:
            assert_never(event)


def concentrated(event: Event) -> Concentrated:
    """A rho for which ``event`` is rho-zero-concentrated; refused if a delta stays beside it."""
    if concentrated_delta(event):
        raise ParameterError(
            "a selection of keys has no rho alone", hint="charge its delta beside the rho: a concentrated ledger has delta_keys"
        )
    return concentrated_part(event)


def concentrated_part(event: Event) -> Concentrated:
    """A rho for which ``event`` is rho-zero-concentrated but for a part of probability at most ``concentrated_delta(event)``."""
    match event:
        case LaplaceRelease(epsilon) | PureRelease(epsilon) | KeyRelease(epsilon):
            return Pure(epsilon=epsilon).to_concentrated()
        case GaussianRelease(ratio_squared):
            return Concentrated(rho=ratio_squared / 2)
        case ExponentialSelection(epsilon):
            return Concentrated(rho=epsilon**2 / 8)  # bounded range, which not every selection has
        case Sequence() | Repeated() | Disjoint():
            nothing = Concentrated(rho=0)
            loss = _composed(event, [nothing, *map(concentrated_part, _parts(event))])
            assert isinstance(loss, Concentrated)
            return loss
        case _:
            assert_never(event)


def concentrated_delta(event: Event) -> Fraction:
    """The delta that a concentrated ledger charges beside rho: that of key selection, added up."""
    match event:
        case LaplaceRelease() | GaussianRelease() | ExponentialSelection() | PureRelease():
            return Fraction(0)
        case KeyRelease(delta=delta):
            return delta
        case Sequence() | Repeated() | Disjoint():
            deltas = (Approximate.capped(Fraction(0), concentrated_delta(part)) for part in _parts(event))
            loss = _composed(event, [Approximate(epsilon=0, delta=0), *deltas])
            assert isinstance(loss, Approximate)
            return loss.delta
        case _:
            assert_never(event)


def _parts(event: Sequence | Repeated | Disjoint) -> tuple[Event, ...]:
    return (event.part,) if isinstance(event, Repeated) else event.parts


def _composed(event: Sequence | Repeated | Disjoint, losses: Iterable[Loss]) -> Loss:
    match event:
        case Sequence():
            return sequential(*losses)
        case Repeated(count=count):
            return sequential(*losses, count=count)
        case Disjoint(neighbours=neighbours, groups=groups):
            return parallel(*losses, neighbours=neighbours, groups=groups)
        case _:
            assert_never(event)
