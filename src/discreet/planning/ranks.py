"""Quantiles, MIN and MAX in a plan: what is chosen together, at what price, and how far off in rank that can be.

All quantiles of one number over the same rows are one recursion and take one share of the price; MIN and MAX take one each. The
two ends of a value interval are chosen at ranks so far below and above that they miss with 99 % confidence at most once in two
hundred times each. Proof: docs/proofs/quantiles.md.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, isqrt, log
from typing import assert_never

from discreet.engines.wanted import Grid
from discreet.errors import QuestionError
from discreet.facts.model import MOST_OF_UNIT, Facts
from discreet.mechanisms.prior import Prior, round_numbers
from discreet.mechanisms.quantile import Quantile
from discreet.mechanisms.quantiles import BITS, Quantiles, Turn, turns
from discreet.planning.grids import lattice_for
from discreet.planning.levels import parts_of
from discreet.planning.plan import Ranks, Role
from discreet.planning.price import Price
from discreet.privacy.composition import groups_touched
from discreet.privacy.events import Event, ExponentialSelection
from discreet.privacy.events import Sequence as InSequence
from discreet.privacy.losses import Approximate, Concentrated, Pure
from discreet.questions.algebra import Aggregate, AggregateKind, Expression
from discreet.questions.bounds import bounds_of, is_whole
from discreet.questions.ranked import SIZE_KINDS
from discreet.questions.text import to_text
from discreet.sensitivities.scope import Scope
from discreet.sensitivities.statistic import QuantileScore
from discreet.sensitivities.table import score_change

__all__ = ["ENDS_MISS", "RankDraft", "SIZES", "epsilon_of", "event_of", "rank_drafts", "ranks_of", "reaches", "rows_beyond"]

ENDS_MISS = Fraction(1, 100)  # how often a bought interval may miss; the plan does not know what confidence will be asked for
_ROOT_DIGITS = 10**12
_PLAIN_ALONE, _PLAIN_TOGETHER = 64, 12  # 1 / the weight of each order of roundness; where points are cut, a heavy one needs more


def _sizes() -> tuple[int, ...]:
    found = [1]
    while found[-1] < MOST_OF_UNIT:
        found.append(min(max(found[-1] + 1, found[-1] * 33 // 32), MOST_OF_UNIT))
    return tuple(found)


SIZES = _sizes()  # among which sizes of units are ranked: all up to 64, then at most 3 % apart


@dataclass(frozen=True, slots=True)
class RankDraft:
    """Values of one number at given ranks, before they have a price. ``aggregates[i]`` are those that shares[i] answers."""

    of: Expression
    filter: Expression | None
    kind: AggregateKind
    role: Role
    shares: tuple[Fraction, ...]
    aggregates: tuple[tuple[Aggregate, ...], ...]
    scope: Scope
    what: str


def rank_drafts(wanted: Sequence[tuple[Aggregate, Expression, Scope]]) -> tuple[RankDraft, ...]:
    """One draft for all quantiles of a number over the same rows, one for each MIN and MAX; two more where ends are bought.

    Beside every aggregate: the number it ranks, NULL rules written out, and how one unit reaches it.
    """
    together: dict[tuple[Expression, Expression | None, AggregateKind], dict[Fraction, list[Aggregate]]] = {}
    scopes = {of: scope for _, of, scope in wanted}
    for aggregate, of, _ in wanted:
        shares = together.setdefault((of, aggregate.filter, aggregate.kind), {})
        shares.setdefault(_share(aggregate), []).append(aggregate)
    found: list[RankDraft] = []
    for (of, condition, kind), by_share in together.items():
        points = sorted(by_share)
        what = ", ".join(dict.fromkeys(to_text(replace(each, interval=False)) for q in points for each in by_share[q]))
        groups = tuple(tuple(by_share[q]) for q in points)
        found.append(RankDraft(of, condition, kind, "point", tuple(points), groups, scopes[of], what))
        if ends := [q for q in points if any(each.interval for each in by_share[q])]:
            said = ", ".join(dict.fromkeys(to_text(replace(by_share[q][0], interval=False)) for q in ends))
            for role in ("low", "high"):
                nothing: tuple[tuple[Aggregate, ...], ...] = ((),) * len(ends)
                found.append(RankDraft(of, condition, kind, role, tuple(ends), nothing, scopes[of], f"{role} end of {said}"))
    return tuple(found)


def _share(aggregate: Aggregate) -> Fraction:
    match aggregate.kind:
        case "min":
            return Fraction(0)
        case "max":
            return Fraction(1)
        case _:
            assert aggregate.q is not None
            return aggregate.q


# ---- prices


def ranks_of(draft: RankDraft, facts: Facts, price: Price, share: Fraction, cells: int) -> Ranks:
    """The draft with its lattice and its selections, at its share of the price."""
    grid = _grid(draft, facts)
    found = Ranks(
        of=draft.of, filter=draft.filter, kind=draft.kind, role=draft.role, shares=draft.shares, rows_beyond=0, grid=grid,
        mechanism=_selections(draft, grid, price, share, cells, Fraction(0)), share=share, what=draft.what,
    )  # fmt: skip
    beyond = rows_beyond(found)
    offset = {"min": Fraction(beyond), "max": Fraction(-beyond)}.get(draft.kind, Fraction(0))
    far = ceil(max(reaches(found, float(ENDS_MISS) / 2)))  # reaches do not depend on the offset
    offset += {"point": 0, "low": -far, "high": far}[draft.role]
    return replace(found, rows_beyond=beyond, mechanism=_selections(draft, grid, price, share, cells, offset))


def _grid(draft: RankDraft, facts: Facts) -> Grid:
    """The values among which one is chosen."""
    if draft.kind in SIZE_KINDS:
        return Grid(Fraction(1), 0, len(SIZES) - 1)
    bounds = bounds_of(draft.of, facts)
    assert bounds is not None
    return lattice_for(bounds, is_whole=is_whole(draft.of, facts), what=draft.what)


def _selections(draft: RankDraft, grid: Grid, price: Price, share: Fraction, cells: int, offset: Fraction) -> Quantiles:
    order = turns(draft.shares, offset)
    groups = _groups(order, cells)
    bits, plain = (0, _PLAIN_ALONE) if len(order) == 1 else (BITS, _PLAIN_TOGETHER)
    is_number = draft.kind not in SIZE_KINDS  # sizes stand on a list, and their places say nothing about how round they are
    points = grid.width + 1
    prior = round_numbers(grid.step, grid.low, points, plain=plain, bits=bits) if is_number else Prior(points, bits)
    touched = [1 if count == 1 else groups_touched(draft.scope.neighbours, 1) for count in groups]
    moves = [_moves(turn, draft.scope, groups[turn.level] == 1) for turn in order]
    parts = parts_of(order, moves, touched, is_concentrated=isinstance(price, Concentrated))
    mechanisms = []
    for turn, moved in zip(order, moves, strict=True):
        epsilon = epsilon_of(price, share * parts[turn.level], draft.what) / touched[turn.level]
        mechanisms.append(Quantile(epsilon=epsilon, sensitivity=moved, q=turn.q, offset=turn.offset, prior=prior))
    return Quantiles(order, tuple(mechanisms))


def _groups(order: Sequence[Turn], cells: int) -> list[int]:
    """How many disjoint groups of rows each level has."""
    counts = Counter(turn.level for turn in order)
    return [counts[level] * cells for level in range(len(counts))]


def epsilon_of(price: Price, share: Fraction, what: str) -> Fraction:
    """The epsilon of one selection that ``share`` of the price buys."""
    match price:
        case Pure(epsilon=epsilon):
            return epsilon * share
        case Concentrated(rho=rho):
            return _root(8 * rho * share)  # a selection at epsilon costs epsilon^2 / 8
        case Approximate():
            raise QuestionError(
                f"{what} is chosen without a delta", hint="leave delta out, or ask for it in a question of its own"
            )
        case _:
            assert_never(price)


def _root(square: Fraction) -> Fraction:
    """The root, rounded down at the twelfth decimal unless it is rational."""
    exact = Fraction(isqrt(square.numerator), isqrt(square.denominator))
    if exact**2 == square:
        return exact
    digits = _ROOT_DIGITS * 10 ** max(0, len(str(square.denominator // max(1, square.numerator))))
    return Fraction(isqrt(int(square * digits**2)), digits)


def _moves(turn: Turn, scope: Scope, is_alone: bool) -> Fraction:
    """How far one unit moves a distance. Rule 23.

    Where there are several groups under change_one, a unit that leaves one and enters another is paid twice; then a group need
    only bear its coming or going, and a replacement inside one group is no worse than both.
    """
    if is_alone or scope.neighbours == "add_remove":
        return score_change(QuantileScore(turn.q), scope)
    return score_change(QuantileScore(turn.q), replace(scope, neighbours="add_remove"))


def event_of(ranks: Ranks, facts: Facts, cells: int) -> Event:
    """What the selections are: levels in sequence, each no worse than one selection at the epsilon of all groups of a unit.

    They are not Disjoint events: a unit that is replaced inside one group moves that group's choice by both parts at once.
    """
    epsilons = {turn.level: each.epsilon for turn, each in zip(ranks.mechanism.order, ranks.mechanism.mechanisms, strict=True)}
    levels: list[Event] = []
    for level, groups in enumerate(_groups(ranks.mechanism.order, cells)):
        touched = 1 if groups == 1 else groups_touched(facts.neighbours, 1)
        levels.append(ExponentialSelection(epsilons[level] * touched))
    return levels[0] if len(levels) == 1 else InSequence(tuple(levels))


# ---- what comes of it


def rows_beyond(ranks: Ranks) -> int:
    """MIN and MAX look for a value with so many rows beyond it: as many as keep the empty space there from being chosen."""
    if ranks.kind not in ("min", "max"):
        return 0
    (selection,) = ranks.mechanism.mechanisms
    return ceil(2 * float(selection.sensitivity / selection.epsilon) * log(_odds(selection)))


def reaches(ranks: Ranks, alpha: float) -> list[float]:
    """Per share: how many rows the chosen value is from its rank; more with probability ``alpha`` at most, whatever the data."""
    return [_reach(ranks, target, alpha) for target in range(len(ranks.shares))]


def _reach(ranks: Ranks, target: int, alpha: float) -> float:
    """The selections on the way to a quantile share the risk; each inherits what the cuts around it are off."""
    turn_of = {turn.target: (turn, each) for turn, each in zip(ranks.mechanism.order, ranks.mechanism.mechanisms, strict=True)}
    risk = Fraction(alpha) / (turn_of[target][0].level + 1)
    known: dict[int | None, float] = {None: 0.0}

    def off(at: int) -> float:
        turn, selection = turn_of[at]
        for side in (turn.low, turn.high):
            if side is not None and side not in known:
                known[side] = off(side) + 1  # a cut goes through the middle of a place, which may have a row
        inherited = float(1 - turn.q) * known[turn.low] + float(turn.q) * known[turn.high]
        return selection.reach_at(_odds(selection), risk) + inherited

    return off(target)


def _odds(selection: Quantile) -> Fraction:
    assert selection.prior is not None
    return selection.prior.odds
