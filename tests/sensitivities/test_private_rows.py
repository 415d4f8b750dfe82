"""Every sum of the table against brute force: all small tables, all neighbours, the number of rows private.

A world is a statistic, a scope, the rows that exist in it, and the statistic written out a second time, without thought of
sensitivity. Each world holds every unit of up to m rows, and tables in which such a unit is alone or beside other rows.
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import NamedTuple

import pytest

from discreet.sensitivities import (
    Bernstein,
    Bounds,
    Count,
    Counts,
    Distinct,
    Histogram,
    Marginals,
    Pair,
    PrefixCounts,
    Scope,
    Sensitivity,
    Sum,
    Summed,
    Tensor,
    Units,
    UnitTotals,
    sensitivity_of,
)

Number = int | Fraction


class Row(NamedTuple):
    x: Number
    y: Number
    group: int
    kept: bool


Unit = tuple[Row, ...]
Released = dict[object, Number]  # cell → number; a cell that is not there holds 0


@dataclass(frozen=True)
class World:
    statistic: Summed
    evaluate: Callable[[Iterable[Unit]], Released]
    xs: tuple[Number, ...] = (0,)
    ys: tuple[Number, ...] = (0,)
    groups: int = 2
    others: int = 1  # the most rows beside the unit that comes, goes or is replaced


def grid(x: Bounds, points: int = 3) -> tuple[Number, ...]:
    steps = [x.lower + x.width * i / (points - 1) for i in range(points)]
    return tuple(int(value) if value.denominator == 1 else value for value in steps)


# ── the statistics, written out ──────────────────────────────────────────────────────────────────────────────────────


def over_rows(terms: Callable[[Row], Iterable[tuple[object, Number]]]) -> Callable[[Iterable[Unit]], Released]:
    """The sums, per group, of what ``terms`` gives for each row that is kept."""

    def evaluate(table: Iterable[Unit]) -> Released:
        released: Released = defaultdict(int)
        for row in itertools.chain.from_iterable(table):
            if row.kept:
                for cell, value in terms(row):
                    released[row.group, cell] += value
        return released

    return evaluate


def distinct(table: Iterable[Unit]) -> Released:
    released: Released = defaultdict(int)
    for group, _ in {(row.group, row.x) for row in itertools.chain.from_iterable(table) if row.kept}:
        released[group] += 1
    return released


def units(table: Iterable[Unit]) -> Released:
    released: Released = defaultdict(int)
    for unit in table:
        for group in {row.group for row in unit if row.kept}:
            released[group] += 1
    return released


def clamped(x: Bounds) -> Callable[[Iterable[Unit]], Released]:
    def evaluate(table: Iterable[Unit]) -> Released:
        released: Released = defaultdict(int)
        for unit in table:
            for group in {row.group for row in unit if row.kept}:
                total = sum(row.x for row in unit if row.kept and row.group == group)
                released[group] += min(max(total, x.lower), x.upper)
        return released

    return evaluate


def bernstein(x: Bounds, degree: int, value: Number) -> list[Number]:
    lower, upper = grid(x, 2)
    return [comb(degree, j) * (value - lower) ** j * (upper - value) ** (degree - j) for j in range(degree + 1)]


def tensor(x: Bounds, y: Bounds, row: Row) -> list[Number]:
    return [u * v for u in bernstein(x, 1, row.x) for v in bernstein(y, 1, row.y)]


UNIT, SIGNED, ABOVE, BELOW, HALVES = Bounds(0, 4), Bounds(-2, 3), Bounds(1, 3), Bounds(-5, -2), Bounds("-1/2", "3/2")

WORLDS = {
    "count": World(Count(), over_rows(lambda row: [("n", 1)])),
    "distinct": World(Distinct(), distinct, xs=(0, 1, 2, 3), others=2),
    "sum": World(Sum(UNIT), over_rows(lambda row: [("s", row.x)]), xs=grid(UNIT)),
    "sum of both signs": World(Sum(SIGNED), over_rows(lambda row: [("s", row.x)]), xs=grid(SIGNED)),
    "sum above 0": World(Sum(ABOVE), over_rows(lambda row: [("s", row.x)]), xs=grid(ABOVE)),
    "sum below 0": World(Sum(BELOW), over_rows(lambda row: [("s", row.x)]), xs=grid(BELOW)),
    "sum of halves": World(Sum(HALVES), over_rows(lambda row: [("s", row.x)]), xs=grid(HALVES)),
    "pair": World(Pair(SIGNED), over_rows(lambda row: enumerate(bernstein(SIGNED, 1, row.x))), xs=grid(SIGNED)),
    "bernstein 2": World(Bernstein(UNIT, 2), over_rows(lambda row: enumerate(bernstein(UNIT, 2, row.x))), xs=grid(UNIT)),
    "bernstein 3": World(Bernstein(ABOVE, 3), over_rows(lambda row: enumerate(bernstein(ABOVE, 3, row.x))), xs=grid(ABOVE)),
    "tensor": World(
        Tensor(UNIT, ABOVE, 1), over_rows(lambda row: enumerate(tensor(UNIT, ABOVE, row))), xs=grid(UNIT, 2), ys=grid(ABOVE, 2)
    ),
    "histogram": World(Histogram(), over_rows(lambda row: [(row.x, 1)]), xs=(0, 1, 2)),
    "contingency": World(Histogram(), over_rows(lambda row: [((row.x, row.y), 1)]), xs=(0, 1), ys=(0, 1)),
    "marginals": World(
        Marginals(3), over_rows(lambda row: [(("x", row.x), 1), (("y", row.y), 1), ((row.x, row.y), 1)]), xs=(0, 1), ys=(0, 1)
    ),
    "counts": World(Counts(2), over_rows(lambda row: [("none", row.x == 0), ("few", row.x < 2)]), xs=(0, 1, 2)),
    "prefix counts": World(PrefixCounts(2), over_rows(lambda row: [(t, row.x <= t) for t in (0, 1)]), xs=(0, 1, 2)),
}
OVER_GROUPS = {  # one number per unit and group: four groups, so that a unit can leave two and enter two others
    "units": World(Units(), units, groups=4),
    "vector of both signs": World(UnitTotals(Bounds(-2, 2)), clamped(Bounds(-2, 2)), xs=(-2, 0, 2), groups=4),
    "vector mostly above 0": World(UnitTotals(Bounds(-1, 5)), clamped(Bounds(-1, 5)), xs=(-1, 2, 5), groups=4),
    "vector above 0": World(UnitTotals(Bounds(0, 3)), clamped(Bounds(0, 3)), xs=(0, 3), groups=4),
}


# ── all tables, all neighbours ───────────────────────────────────────────────────────────────────────────────────────


def units_in(world: World, scope: Scope) -> list[Unit]:
    groups = range(world.groups if scope.grouped else 1)
    rows = [Row(*row) for row in itertools.product(world.xs, world.ys, groups, (True, False) if scope.filtered else (True,))]
    sizes = range(1, (scope.rows_per_unit or 0) + 1)
    found = itertools.chain.from_iterable(itertools.combinations_with_replacement(rows, size) for size in sizes)
    return [unit for unit in found if len({row.group for row in unit}) <= scope.groups_per_unit]


def distances(one: Released, other: Released) -> tuple[Number, Number]:
    changes = [one.get(cell, 0) - other.get(cell, 0) for cell in {**one, **other}]
    return sum(map(abs, changes)), sum(change**2 for change in changes)


def neighbours_of(world: World, scope: Scope) -> Iterator[tuple[Released, Released]]:
    """What neighbouring tables release, every pair that is different once."""
    everyone = units_in(world, scope)
    single = [unit for unit in everyone if len(unit) == 1]
    sizes = range(world.others + 1)
    for others in itertools.chain.from_iterable(itertools.combinations_with_replacement(single, size) for size in sizes):
        with_one_more = {tuple(sorted(world.evaluate((*others, unit)).items(), key=repr)) for unit in everyone}
        released = [dict(table) for table in with_one_more]
        if scope.neighbours == "add_remove":
            without = world.evaluate(others)
            yield from ((without, table) for table in released)
        else:
            yield from itertools.combinations(released, 2)
            yield released[0], released[0]


def largest(world: World, scope: Scope) -> tuple[Number, Number]:
    l1, l2_squared = zip(*itertools.starmap(distances, neighbours_of(world, scope)), strict=True)
    return max(l1), max(l2_squared)


def check(world: World, scope: Scope) -> Sensitivity:
    claimed = sensitivity_of(world.statistic, scope)
    found = largest(world, scope)
    assert found[0] <= claimed.l1
    assert found[1] <= claimed.l2_squared
    assert (found == (claimed.l1, claimed.l2_squared)) == claimed.tight  # an untight claim is never met, a tight one is
    return claimed


RELATIONS = ("add_remove", "change_one")


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("filtered", [False, True])
@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize("name", [*WORLDS, "units"])
def test_no_pair_of_tables_differs_by_more_and_one_by_as_much_in_one_cell(name, m, filtered, neighbours):
    check({**WORLDS, **OVER_GROUPS}[name], Scope(neighbours, filtered=filtered, rows_per_unit=m))


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("filtered", [False, True])
@pytest.mark.parametrize(("m", "groups"), [(1, 1), (2, 1), (2, 2)])
@pytest.mark.parametrize("name", [*WORLDS, *OVER_GROUPS])
def test_no_pair_of_tables_differs_by_more_and_one_by_as_much_over_groups(name, m, groups, filtered, neighbours):
    claimed = check(
        {**WORLDS, **OVER_GROUPS}[name],
        Scope(neighbours, filtered=filtered, grouped=True, rows_per_unit=m, groups_per_unit=groups),
    )
    assert claimed.tight


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("m", [1, 2])
def test_k_counts_stay_within_their_claim_whatever_the_conditions(m, neighbours):
    conditions = [set(chosen) for size in range(4) for chosen in itertools.combinations((0, 1, 2), size)]
    scope = Scope(neighbours, rows_per_unit=m)
    claimed = sensitivity_of(Counts(3), scope)
    found = []
    for asked in itertools.combinations_with_replacement(conditions, 3):
        counts = over_rows(lambda row, asked=asked: [(i, row.x in condition) for i, condition in enumerate(asked)])
        found.append(largest(World(Counts(3), counts, xs=(0, 1, 2)), scope))
    assert max(found) == (claimed.l1, claimed.l2_squared)


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_a_finer_grid_of_values_finds_no_larger_change(neighbours):
    scope = Scope(neighbours, filtered=True, rows_per_unit=2)
    sums, moments = over_rows(lambda row: [("s", row.x)]), over_rows(lambda row: enumerate(bernstein(SIGNED, 2, row.x)))
    check(World(Sum(SIGNED), sums, xs=grid(SIGNED, 6)), scope)
    check(World(Bernstein(SIGNED, 2), moments, xs=grid(SIGNED, 6)), scope)
