"""Arithmetic of losses: in sequence, on disjoint groups, for a group of units. Proof: docs/proofs/composition.md."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, assert_never

from discreet.errors import ParameterError
from discreet.exact import exact_whole
from discreet.noise.enclosures import exp, log
from discreet.privacy.conversion import rounded_up
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure

if TYPE_CHECKING:
    from discreet.privacy.events import Neighbours

__all__ = ["group", "groups_touched", "parallel", "sequential"]


def sequential(*losses: Loss, count: int = 1) -> Loss:
    """The loss of all of these on the same rows, chosen one after the other in any way, ``count`` times over: their sum."""
    times = exact_whole(count, "count", at_least=1)
    kinds = _alike(losses)
    match kinds[0]:
        case Pure():
            return Pure(epsilon=times * _total(kinds, "epsilon"))
        case Concentrated():
            return Concentrated(rho=times * _total(kinds, "rho"))
        case Approximate():
            return Approximate.capped(times * _total(kinds, "epsilon"), times * _total(kinds, "delta"))
        case _:
            assert_never(kinds[0])


def parallel(*losses: Loss, neighbours: "Neighbours", groups: int = 1) -> Loss:
    """The loss of one release on each of several disjoint groups of rows, when a unit has rows in at most ``groups`` of them.

    Under add_remove a unit touches that many groups; under change_one it may leave as many and enter as many others.
    """
    touched = groups_touched(neighbours, groups)
    kinds = _alike(losses)
    match kinds[0]:
        case Pure():
            return Pure(epsilon=_largest(kinds, "epsilon", touched))
        case Concentrated():
            return Concentrated(rho=_largest(kinds, "rho", touched))
        case Approximate():
            return Approximate.capped(_largest(kinds, "epsilon", touched), _largest(kinds, "delta", touched))
        case _:
            assert_never(kinds[0])


def groups_touched(neighbours: "Neighbours", groups: int) -> int:
    """How many disjoint groups differ between two neighbouring tables."""
    most = exact_whole(groups, "groups", at_least=1)
    match neighbours:
        case "add_remove":
            return most
        case "change_one":
            return 2 * most
        case _:
            raise ParameterError(f"neighbours is {neighbours!r}", hint="write 'add_remove' or 'change_one'")


def group(loss: Loss, k: int) -> Loss:
    """The loss for ``k`` units together."""
    units = exact_whole(k, "k", at_least=1)
    _check(loss)
    match loss:
        case Pure(epsilon=epsilon):
            return Pure(epsilon=units * epsilon)
        case Concentrated(rho=rho):
            return Concentrated(rho=units**2 * rho)
        case Approximate(epsilon=epsilon, delta=delta):
            return Approximate.capped(units * epsilon, _group_delta(epsilon, delta, units))
        case _:
            assert_never(loss)


def _group_delta(epsilon: Fraction, delta: Fraction, k: int) -> Fraction:
    """delta (1 + e^epsilon + ... + e^((k-1) epsilon)), rounded up at the twelfth digit; 1 as soon as it is that large."""
    if k == 1 or delta == 0:
        return delta
    if epsilon == 0:
        return min(Fraction(1), k * delta)
    if (k - 1) * epsilon >= -Fraction(log(delta, 96)[0], 1 << 96):  # the last term alone is 1 or more
        return Fraction(1)
    one = 1 << (bits := 128 + 2 * epsilon.denominator.bit_length())
    total = delta * Fraction(exp(k * epsilon, bits)[1] - one, exp(epsilon, bits)[0] - one)
    return min(Fraction(1), rounded_up(total))


def _alike(losses: Sequence[Loss]) -> Sequence[Loss]:
    """The losses in one kind: pure ones are read as whichever kind the others are."""
    if not losses:
        return (Pure(epsilon=0),)
    for loss in losses:
        _check(loss)
    has_approximate = any(isinstance(loss, Approximate) for loss in losses)
    has_concentrated = any(isinstance(loss, Concentrated) for loss in losses)
    if has_approximate and has_concentrated:
        raise ParameterError(
            "approximate and concentrated losses do not add up to either kind",
            hint="read the concentrated ones as approximate first: loss.to_approximate(delta)",
        )
    if has_approximate:
        return [loss.to_approximate() if isinstance(loss, Pure) else loss for loss in losses]
    if has_concentrated:
        return [loss.to_concentrated() if isinstance(loss, Pure) else loss for loss in losses]
    return losses


def _check(loss: Loss) -> None:
    if not isinstance(loss, Pure | Approximate | Concentrated):
        raise ParameterError(f"a {type(loss).__name__} is not a loss", hint="write a loss such as dc.Pure(epsilon='0.1')")


def _values(losses: Sequence[Loss], name: str) -> list[Fraction]:
    return [getattr(loss, name) for loss in losses]


def _total(losses: Sequence[Loss], name: str) -> Fraction:
    return sum(_values(losses, name), start=Fraction(0))


def _largest(losses: Sequence[Loss], name: str, count: int) -> Fraction:
    return sum(sorted(_values(losses, name), reverse=True)[:count], start=Fraction(0))
