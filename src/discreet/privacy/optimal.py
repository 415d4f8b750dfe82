"""The least that pure and approximate losses compose to: Kairouz, Oh and Viswanath (2015), Murtagh and Vadhan (2016).

k private things, chosen in any way in view of each other's answers, lose no more than as many independent randomized responses,
and those lose exactly what is worked out here. Every step is carried through with whole numbers at both ends of an enclosure, so
that what is returned is never below the truth. Proof: docs/proofs/optimal-composition.md.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm, prod

from discreet.errors import ParameterError
from discreet.exact import Number, exact_not_negative, exact_whole, shown
from discreet.noise.enclosures import Enclosure, exp, exp_minus, log
from discreet.privacy.conversion import rounded_up
from discreet.privacy.distribution import loss_distribution
from discreet.privacy.events import Event, PureRelease, Repeated
from discreet.privacy.losses import Approximate, Loss, Pure, delta_between

__all__ = ["optimal_composition"]

_MOST_SUMS = 1 << 14  # different sums of signed epsilons up to which all of them are listed
_MOST_BITS = 1 << 13
_MOST_DELTAS = 1000
_HOW = "write epsilon= to learn delta, or delta= to learn epsilon"


def optimal_composition(
    *losses: Loss, count: int = 1, epsilon: Number | None = None, delta: Number | None = None
) -> Approximate:
    """(epsilon, delta) of all these losses composed, ``count`` times over: delta for the epsilon given, or the reverse.

    The figure that was asked for is rounded up at the twelfth digit and is otherwise the least possible, if the losses have at
    most 16 384 different sums with signs; if they have more, they are put on a grid, and the figure is above the least by no
    more than ``loss_distribution(...)`` and its ``optimistic=True`` differ. Like every composition that is not a sum, it is for
    batches whose losses are fixed beforehand.
    """
    found = _counted(losses, exact_whole(count, "count", at_least=1))
    if (epsilon is None) == (delta is None):
        raise ParameterError("optimal_composition takes an epsilon or a delta", hint=_HOW)
    kept = _kept(found)
    if epsilon is not None:
        return _at_epsilon(found, kept, exact_not_negative(epsilon, "epsilon"))
    assert delta is not None
    return _at_delta(found, kept, delta_between(delta))


def _counted(losses: tuple[Loss, ...], times: int) -> Counter[Approximate]:
    if not losses:
        raise ParameterError("there is nothing to compose", hint="write at least one loss, such as dc.Pure(epsilon='0.1')")
    found: Counter[Approximate] = Counter()
    for loss in losses:
        if not isinstance(loss, Pure | Approximate):
            what = "a rho" if isinstance(loss, Loss) else f"a {type(loss).__name__}"
            raise ParameterError(
                f"{what} is not composed optimally", hint="write pure or approximate losses; a rho is added by dc.sequential"
            )
        found[Approximate.capped(loss.epsilon, loss.delta if isinstance(loss, Approximate) else Fraction(0))] += times
    return found


def _kept(found: Counter[Approximate]) -> Fraction:
    """The product of all 1 - delta: exactly, or from below if there are many."""
    if any(loss.delta == 1 for loss in found):
        return Fraction(0)
    if sum(often for loss, often in found.items() if loss.delta) <= _MOST_DELTAS:
        return prod(((1 - loss.delta) ** often for loss, often in found.items()), start=Fraction(1))
    bits = 256
    lost = sum(-often * log(1 - loss.delta, bits)[0] for loss, often in found.items() if loss.delta)
    return Fraction(exp_minus(Fraction(lost, 1 << bits), bits)[0], 1 << bits)


def _at_epsilon(found: Counter[Approximate], kept: Fraction, level: Fraction) -> Approximate:
    sums = _sums(found)
    if sums is None:
        over = Fraction(loss_distribution(*_pure(found)).delta(level))
    else:
        near, far = _beyond(sums, level)
        bits = _bits(found)
        odds = Fraction(exp(level, bits)[0], 1 << bits)
        over = max(Fraction(0), Fraction(near, 1 << bits) - Fraction(far, 1 << bits) * odds)
    lost = 1 - kept * (1 - min(Fraction(1), over))
    return Approximate.capped(level, min(Fraction(1), rounded_up(lost)))


def _at_delta(found: Counter[Approximate], kept: Fraction, slack: Fraction) -> Approximate:
    if 1 - kept > slack:
        least = shown(rounded_up(1 - kept, digits=3))
        raise ParameterError(f"delta is {shown(slack)}, below that of the losses", hint=f"write a delta of at least {least}")
    room = 1 - (1 - slack) / kept  # what is left for the pure parts
    total = sum((often * loss.epsilon for loss, often in found.items()), start=Fraction(0))
    if room == 0:
        return Approximate.capped(total, slack)
    sums = _sums(found)
    level = Fraction(loss_distribution(*_pure(found)).epsilon(room)) if sums is None else _solved(found, sums, room)
    return Approximate.capped(min(total, rounded_up(level)), slack)


# ---- the law of the summed losses, exactly


@dataclass(frozen=True, slots=True)
class _Sums:
    """How likely each sum of signed epsilons is, in units of 2^-bits; a sum is told by how many ``unit`` it is."""

    unit: Fraction
    law: dict[int, Enclosure]


def _bits(found: Counter[Approximate]) -> int:
    """Enough that even the least likely sum, whose probability is above (2 e^epsilon)^-1 for each loss, keeps its digits."""
    return 256 + sum(often * int(2 + 3 * loss.epsilon / 2) for loss, often in found.items())


def _sums(found: Counter[Approximate]) -> _Sums | None:
    """None if there are too many of them."""
    by_epsilon: Counter[Fraction] = Counter()
    for loss, often in found.items():
        if loss.epsilon:
            by_epsilon[loss.epsilon] += often
    if _bits(found) > _MOST_BITS:
        return None
    bits = _bits(found)
    law: dict[int, Enclosure] = {0: (1 << bits, 1 << bits)}
    if not by_epsilon:
        return _Sums(Fraction(0), law)
    unit = Fraction(gcd(*(each.numerator for each in by_epsilon)), lcm(*(each.denominator for each in by_epsilon)))
    reach = sum((often * each for each, often in by_epsilon.items()), start=Fraction(0)) / unit
    if min(int(reach), prod(often + 1 for often in by_epsilon.values())) > _MOST_SUMS:
        return None
    for epsilon, often in by_epsilon.items():
        law = _added(law, _binomial(epsilon, often, bits), int(epsilon / unit), bits)
    return _Sums(unit, law)


def _binomial(epsilon: Fraction, count: int, bits: int) -> list[Enclosure]:
    """How likely it is that 0, 1, ... count of the responses are false; each is with probability 1 / (1 + e^epsilon)."""
    one = 1 << bits
    low, high = exp_minus(epsilon, bits)
    true = (one * one // (one + high), -(-one * one // (one + low)))
    at_low, at_high = one, one
    for _ in range(count):
        at_low, at_high = at_low * true[0] >> bits, -(-at_high * true[1] >> bits)
    found = []
    odds_low, odds_high, ways = one, one, 1
    for false in range(count + 1):
        ways = ways * (count - false + 1) // false if false else 1
        found.append((ways * at_low * odds_low >> bits, -(-ways * at_high * odds_high >> bits)))
        odds_low, odds_high = odds_low * low >> bits, -(-odds_high * high >> bits)
    return found


def _added(sums: Mapping[int, Enclosure], more: list[Enclosure], size: int, bits: int) -> dict[int, Enclosure]:
    found: dict[int, Enclosure] = {}
    for place, (low, high) in sums.items():
        for false, (at_low, at_high) in enumerate(more):
            here = place + (len(more) - 1 - 2 * false) * size
            before = found.get(here, (0, 0))
            found[here] = before[0] + (low * at_low >> bits), before[1] - (-high * at_high >> bits)
    return found


def _beyond(sums: _Sums, level: Fraction) -> tuple[int, int]:
    """P(L > level) from above, and from below Q(L > level), where Q(L = l) = P(L = -l): both sides look the same."""
    above = [place for place in sums.law if place * sums.unit > level]
    return sum(sums.law[place][1] for place in above), sum(sums.law[-place][0] for place in above)


def _solved(found: Counter[Approximate], sums: _Sums, room: Fraction) -> Fraction:
    """The least epsilon at which the pure parts' delta is within ``room``, from above.

    Between two sums delta is P(L > epsilon) - e^epsilon Q(L > epsilon), which is solved for epsilon.
    """
    bits = _bits(found)
    near = far = 0
    places = sorted((place for place in sums.law if place > 0), reverse=True)
    for place, below in zip(places, [*places, 0][1:], strict=True):  # at the sum ``place`` itself, delta is within room
        near, far = near + sums.law[place][1], far + sums.law[-place][0]
        missing = Fraction(near, 1 << bits) - room
        if missing <= 0:
            continue
        level = Fraction(log(missing / Fraction(far, 1 << bits), 128)[1], 1 << 128) if far else place * sums.unit
        if level > below * sums.unit:
            return min(level, place * sums.unit)
    return Fraction(0)


def _pure(found: Counter[Approximate]) -> list[Event]:
    return [Repeated(PureRelease(loss.epsilon), often) for loss, often in found.items()]
