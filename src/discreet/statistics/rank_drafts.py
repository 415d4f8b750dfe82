"""Values that are chosen by their rank, before they have a price: what is chosen together, and what a share of a price buys.

Proof: docs/proofs/quantiles.md
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, isqrt
from typing import ClassVar, Self, assert_never

from discreet.engines.wanted import Grid
from discreet.errors import QuestionError
from discreet.facts.model import Facts
from discreet.mechanisms.prior import Prior, round_numbers
from discreet.mechanisms.quantile import Quantile
from discreet.mechanisms.quantiles import BITS, Quantiles, Turn, turns
from discreet.privacy.composition import groups_touched
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure
from discreet.questions.algebra import Aggregate, AggregateKind, Expression
from discreet.questions.bounds import bounds_of, is_whole
from discreet.questions.text import to_text
from discreet.sensitivities.scope import Scope
from discreet.sensitivities.statistic import QuantileScore
from discreet.sensitivities.table import score_change
from discreet.statistics.grids import lattice_for
from discreet.statistics.levels import groups_of_levels, parts_of
from discreet.statistics.part import Draft, Part
from discreet.statistics.ranks import ENDS_MISS, Ranks, Role, reaches, rows_beyond

__all__ = ["RankDraft", "epsilon_of", "rank_drafts"]

_ENDS: tuple[Role, ...] = ("low", "high")
_ROOT_DIGITS = 10**12
_PLAIN_ALONE, _PLAIN_TOGETHER = 64, 12  # 1 / the weight of each order of roundness; where points are cut, a heavy one needs more


@dataclass(frozen=True, slots=True)
class RankDraft(Draft):
    """Values of one number at given ranks, before they have a price. ``aggregates[i]`` are those that shares[i] answers."""

    of: Expression
    filter: Expression | None
    kind: AggregateKind
    role: Role
    shares: tuple[Fraction, ...]
    aggregates: tuple[tuple[Aggregate, ...], ...]
    scope: Scope
    what: str
    beyond: int | None = None  # of an end: how many rows MIN or MAX leaves beyond the value that it is an end of
    made: ClassVar[type[Ranks]] = Ranks

    def beside(self, planned: Sequence[Part]) -> Self:
        """An end is that of the value, whatever share of the price each of them has."""
        about = self.of, self.filter, self.kind
        values = [each for each in planned if isinstance(each, Ranks) and (each.of, each.filter, each.kind) == about]
        return replace(self, beyond=values[0].rows_beyond) if values else self

    def planned(self, facts: Facts, price: Loss, share: Fraction, cells: int) -> Ranks:
        """With its lattice and its selections."""
        grid = self.lattice(facts)
        found = self.made(
            of=self.of, filter=self.filter, kind=self.kind, role=self.role, shares=self.shares, rows_beyond=0, grid=grid,
            mechanism=self._selections(grid, price, share, cells, Fraction(0)), share=share, what=self.what,
        )  # fmt: skip
        beyond = rows_beyond(found) if self.beyond is None else self.beyond
        offset = {"min": Fraction(beyond), "max": Fraction(-beyond)}.get(self.kind, Fraction(0))
        far = ceil(max(reaches(found, float(ENDS_MISS) / 2)))  # reaches do not depend on the offset
        offset += {"point": 0, "low": -far, "high": far}[self.role]
        return replace(found, rows_beyond=beyond, mechanism=self._selections(grid, price, share, cells, offset))

    def lattice(self, facts: Facts) -> Grid:
        """The values among which one is chosen."""
        bounds = bounds_of(self.of, facts)
        assert bounds is not None
        return lattice_for(bounds, is_whole=is_whole(self.of, facts), what=self.what)

    def prior(self, grid: Grid, *, plain: int, bits: int) -> Prior:
        """What is known about values beforehand: round ones are likelier."""
        return round_numbers(grid.step, grid.low, grid.width + 1, plain=plain, bits=bits)

    def _selections(self, grid: Grid, price: Loss, share: Fraction, cells: int, offset: Fraction) -> Quantiles:
        order = turns(self.shares, offset)
        groups = groups_of_levels(order, cells)
        bits, plain = (0, _PLAIN_ALONE) if len(order) == 1 else (BITS, _PLAIN_TOGETHER)
        prior = self.prior(grid, plain=plain, bits=bits)
        touched = [1 if count == 1 else groups_touched(self.scope.neighbours, 1) for count in groups]
        moves = [_moves(turn, self.scope, groups[turn.level] == 1) for turn in order]
        parts = parts_of(order, moves, touched, is_concentrated=isinstance(price, Concentrated))
        mechanisms = []
        for turn, moved in zip(order, moves, strict=True):
            epsilon = epsilon_of(price, share * parts[turn.level], self.what) / touched[turn.level]
            mechanisms.append(Quantile(epsilon=epsilon, sensitivity=moved, q=turn.q, offset=turn.offset, prior=prior))
        return Quantiles(order, tuple(mechanisms))


Wished = tuple[Aggregate, Expression, Scope]  # the number it ranks, NULL rules written out, and how one unit reaches it


def rank_drafts(
    wanted: Sequence[Wished], made: type[RankDraft] = RankDraft, with_ends: type[RankDraft] | None = None
) -> tuple[RankDraft, ...]:
    """One draft for all quantiles of a number over the same rows, one for each MIN and MAX; for those with an interval, one more.

    ``with_ends`` is that one; None for ends that are chosen by rank themselves, as earlier versions did, two drafts more.
    """
    together: dict[tuple[Expression, Expression | None, AggregateKind], dict[Fraction, list[Aggregate]]] = {}
    scopes = {of: scope for _, of, scope in wanted}
    for aggregate, of, _ in wanted:
        shares = together.setdefault((of, aggregate.filter, aggregate.kind), {})
        shares.setdefault(_share(aggregate), []).append(aggregate)
    found: list[RankDraft] = []
    for (of, condition, kind), by_share in together.items():
        about = of, condition, kind
        ends = [q for q in sorted(by_share) if any(each.interval for each in by_share[q])]
        points = [q for q in sorted(by_share) if with_ends is None or q not in ends]
        groups = {q: tuple(by_share[q]) for q in by_share}
        if points:
            said = _said(groups, points)
            found.append(made(*about, "point", tuple(points), tuple(groups[q] for q in points), scopes[of], said))
        if ends and with_ends is not None:
            said = _said(groups, ends, interval=True)
            found.append(with_ends(*about, "point", tuple(ends), tuple(groups[q] for q in ends), scopes[of], said))
        elif ends:
            found += [made(*about, role, tuple(ends), ((),) * len(ends), scopes[of], f"{role} end of {_said(groups, ends)}")
                      for role in _ENDS]  # fmt: skip
    return tuple(found)


def _said(groups: Mapping[Fraction, Sequence[Aggregate]], shares: Sequence[Fraction], *, interval: bool = False) -> str:
    return ", ".join(dict.fromkeys(to_text(replace(each, interval=interval)) for q in shares for each in groups[q]))


def _share(aggregate: Aggregate) -> Fraction:
    match aggregate.kind:
        case "min":
            return Fraction(0)
        case "max":
            return Fraction(1)
        case _:
            assert aggregate.q is not None
            return aggregate.q


def epsilon_of(price: Loss, share: Fraction, what: str) -> Fraction:
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
