"""Advanced composition, to compare with: Dwork, Rothblum and Vadhan (2010), with the drift of randomized response.

Proof: docs/proofs/optimal-composition.md.
"""

from fractions import Fraction
from math import isqrt

from discreet.errors import ParameterError
from discreet.exact import Number, exact_whole, shown
from discreet.noise.enclosures import exp_minus, log
from discreet.privacy.composition import sequential
from discreet.privacy.conversion import rounded_up
from discreet.privacy.losses import Approximate, Loss, Pure, delta_between

__all__ = ["advanced_composition"]

_BITS = 128


def advanced_composition(*losses: Loss, count: int = 1, delta: Number) -> Approximate:
    """(epsilon, delta) of all these losses composed, ``count`` times over, for the ``delta`` given; epsilon is rounded up.

    epsilon is the sum of e_i tanh(e_i / 2) plus sqrt(2 ln(1 / d) sum of e_i^2), or the sum of e_i if that is less; d is what
    is left of delta beside the deltas of the losses. It is never less than what ``optimal_composition`` finds, and easier to
    look through.
    """
    whole = delta_between(delta)
    total = sequential(*losses, count=exact_whole(count, "count", at_least=1))
    if not isinstance(total, Pure | Approximate) or not losses:
        raise ParameterError(
            "advanced composition is for pure and approximate losses", hint="add what is told by rho with dc.sequential"
        )
    room = whole - (total.delta if isinstance(total, Approximate) else 0)
    if room <= 0:
        raise ParameterError(
            f"delta is {shown(whole)}, and the losses leave nothing of it",
            hint=f"write a delta above {shown(whole - room)}, such as {shown(whole - room + Fraction(1, 10**6))}",
        )
    sizes = [loss.epsilon for loss in losses if isinstance(loss, Pure | Approximate)]
    drift = count * sum((size * _tanh_of_half(size) for size in sizes), start=Fraction(0))
    spread = 2 * count * sum((size**2 for size in sizes), start=Fraction(0)) * Fraction(log(1 / room, _BITS)[1], 1 << _BITS)
    epsilon = min(total.epsilon, rounded_up(drift + _root_above(spread)))
    return Approximate.capped(epsilon, whole)


def _tanh_of_half(x: Fraction) -> Fraction:
    """(1 - e^-x) / (1 + e^-x), from above."""
    low = Fraction(exp_minus(x, _BITS)[0], 1 << _BITS)
    return (1 - low) / (1 + low)


def _root_above(x: Fraction) -> Fraction:
    return Fraction(isqrt((x.numerator << 2 * _BITS) // x.denominator) + 1, 1 << _BITS)
