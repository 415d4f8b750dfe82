"""The mechanism calls of two runs side by side: how far what they were given is apart, and what that loses.

Proof: docs/proofs/audit.md, "The grey box". All numbers are exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from discreet.audit.distances import Moved, gaps, moved, units_apart
from discreet.exact import shown
from discreet.mechanisms import Gaussian, Laplace
from discreet.mechanisms.keys import KeySelection, NoisyThreshold
from discreet.mechanisms.tape import Call, among
from discreet.planning.plan import Plan
from discreet.privacy.composition import groups_touched
from discreet.privacy.conversion import rho_of
from discreet.privacy.curves import delta_after_shift
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure
from discreet.privacy.prices import concentrated
from discreet.statistics.ends import RanksWithEnds
from discreet.statistics.ranks import Ranks

__all__ = ["Family", "Lost", "calls_differ", "families_of", "lost", "too_far", "underpaid"]

Pairs = Sequence[tuple[Call, Call]]

_NOTHING = Fraction(0)


def calls_differ(calls: Sequence[Call], others: Sequence[Call]) -> list[str]:
    """The first public difference between the calls of two runs."""
    if len(calls) != len(others):
        return [f"one table makes {len(calls)} calls of mechanisms, the other {len(others)}"]
    for place, (call, other) in enumerate(zip(calls, others, strict=True)):
        if call.mechanism != other.mechanism:
            return [f"call {place + 1} is {call.mechanism} on one table and {other.mechanism} on the other"]
        if among(call) != among(other):
            return [f"call {place + 1} is given numbers of shape {among(call)} and {among(other)}"]
    return []


# ---- as declared


@dataclass(frozen=True, slots=True)
class Family:
    """Choices on disjoint rows, by their places among the calls; ``touched`` of them are charged."""

    places: tuple[int, ...]
    touched: int


def families_of(plan: Plan) -> list[Family]:
    """The choices by rank in a plan that are charged together: all cells and nodes of one level of a recursion."""
    found: list[Family] = []
    start, touched = 0, 1 if plan.wanted.cells == 1 else groups_touched(plan.facts.neighbours, 1)
    for vector in plan.vectors:
        if not isinstance(vector, Ranks):
            start += vector.calls(plan.wanted.cells)
            continue
        levels = [turn.level for turn in vector.mechanism.order]
        cells = range(plan.wanted.cells)
        for level in sorted(set(levels)):
            turns = [place for place, its in enumerate(levels) if its == level]
            places = tuple(start + turn * len(cells) + cell for cell in cells for turn in turns)  # turn by turn, all cells
            found.append(Family(places, 1 if len(places) == 1 else groups_touched(plan.facts.neighbours, 1)))
        start += len(cells) * len(levels)
        if isinstance(vector, RanksWithEnds):
            for _ in vector.shares:  # a radius in every cell, and then counts, which are one call
                found.append(Family(tuple(range(start, start + len(cells))), touched))
                start += len(cells) + 1
    return found


def too_far(pairs: Pairs, families: Sequence[Family]) -> list[str]:
    """Every call, or family of choices, that was given more different things than its mechanism was told to expect."""
    together = {place for family in families for place in family.places}
    found = [_alone(place, *pair) for place, pair in enumerate(pairs) if place not in together]
    return [text for text in [*found, *(_family(each, pairs) for each in families)] if text]


def _alone(place: int, call: Call, other: Call) -> str:
    apart, named = moved(call, other), f"call {place + 1}, {call.mechanism}"
    if apart.declared is None:
        return f"{named}, declares no sensitivity"
    if apart.by > apart.declared:
        return f"{named}: {_said(apart)}"
    if isinstance(call.mechanism, KeySelection | NoisyThreshold):
        most = max(units_apart(call.exact, other.exact, call.mechanism.at_least), default=_NOTHING)
        return f"{named}: moved by {_round(most)} units of one key, declared 1 of each" if most > 1 else ""
    return ""


def _said(apart: Moved) -> str:
    assert apart.declared is not None
    return f"moved by {_round(apart.by)} {apart.of}, declared {_round(apart.declared)}"


def _family(family: Family, pairs: Pairs) -> str:
    """A unit is in several of the groups, with some of its rows in each: the parts add up."""
    apart = [moved(*pairs[place]) for place in family.places]
    if (total := sum((each.share for each in apart), _NOTHING)) <= family.touched:
        return ""
    worst = max(apart, key=lambda each: each.share)
    place = family.places[apart.index(worst)]
    said = f"call {place + 1}, {pairs[place][0].mechanism}: {_said(worst)}"
    if len(family.places) == 1:
        return said
    return f"{said}; in {len(apart)} disjoint groups {_round(total)} times what is declared, {family.touched} charged"


# ---- as paid


@dataclass(frozen=True, slots=True)
class Lost:
    """What calls let through on this very pair: ``epsilon`` if all are pure but for ``delta``, and ``rho`` beside that delta."""

    epsilon: Fraction
    rho: Fraction
    delta: Fraction
    has_gaussian: bool


def lost(pairs: Pairs) -> Lost:
    """What all calls together lose."""
    each = [_lost(*pair) for pair in pairs]
    return Lost(
        sum((one.epsilon for one in each), _NOTHING),
        sum((one.rho for one in each), _NOTHING),
        sum((one.delta for one in each), _NOTHING),
        any(one.has_gaussian for one in each),
    )


def _lost(call: Call, other: Call) -> Lost:
    apart = moved(call, other)
    match call.mechanism:
        case Laplace() as laplace:
            epsilon = laplace.law.linear * apart.by
            return Lost(epsilon, epsilon**2 / 2, _NOTHING, has_gaussian=False)
        case Gaussian() as gauss:
            return Lost(_NOTHING, gauss.law.quadratic * apart.by, _NOTHING, has_gaussian=apart.by > 0)
        case KeySelection() | NoisyThreshold() as keys:
            epsilon, left = keys.key_epsilon * apart.by, (1 - keys.key_delta) ** int(apart.by)
            return Lost(epsilon, epsilon**2 / 2, 1 - left, has_gaussian=False)
        case choice:
            epsilon = choice.epsilon * apart.share
            return Lost(epsilon, concentrated(choice.cost).rho * apart.share**2, _NOTHING, has_gaussian=False)


def underpaid(pairs: Pairs, paid: Loss) -> list[str]:
    """Whether what all calls together let through is more than was paid."""
    total = lost(pairs)
    more = " and more" if total.has_gaussian else f", δ = {_round(total.delta)}" if total.delta else ""
    match paid:
        case Pure(epsilon=epsilon) if total.epsilon > epsilon or more:
            return [f"all calls together lose ε = {_round(total.epsilon)}{more}, and ε = {_round(epsilon)} was paid"]
        case Concentrated(rho=rho) if total.rho > rho or total.delta:
            more = f", δ = {_round(total.delta)}" if total.delta else ""
            return [f"all calls together lose ρ = {_round(total.rho)}{more}, and ρ = {_round(rho)} was paid"]
        case Approximate(epsilon=epsilon, delta=delta) if not _covers(pairs, total, epsilon, delta):
            return [f"all calls together lose more than ε = {_round(epsilon)}, δ = {_round(delta)}, which was paid"]
    return []


def _covers(pairs: Pairs, total: Lost, epsilon: Fraction, delta: Fraction) -> bool:
    if not total.has_gaussian and total.epsilon <= epsilon and total.delta <= delta:
        return True
    if total.delta < delta and total.rho <= rho_of(epsilon, delta - total.delta):
        return True
    if len(pairs) != 1 or not isinstance(pairs[0][0].mechanism, Gaussian) or len(gap := gaps(*pairs[0])) != 1:
        return False
    return delta_after_shift(pairs[0][0].mechanism.law, abs(int(gap[0])), epsilon)[0] <= delta  # a single number, exactly


def _round(number: Fraction) -> str:
    return shown(number) if number.denominator == 1 else f"{float(number):.6g}"
