"""What is too large for 64 bits saturates once, as a released coordinate made of exact sums; an ingredient never does."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.engines.rules.evaluate import on_grid
from discreet.engines.wanted import LOW_BITS, Sums
from discreet.facts.model import Budget, EachRow, Facts, Integer, Number
from discreet.planning.build import make_plan
from discreet.private import Private
from discreet.questions.algebra import Column
from discreet.questions.sql import read_sql
from discreet.releasing.run import release
from discreet.testing import recorded

CELLS = 700  # more than FEW: these travel in 64 bits
LARGEST = 1 << 61
BUDGET = Budget(dc.Pure(epsilon=100))
X, Y = Number("x", Fraction(-3), Fraction(5)), Number("y", Fraction(0), Fraction(9))
FACTS = Facts("t", "", EachRow(), "add_remove", (Integer("g", 0, CELLS - 1), X, Y, Integer("i", -1000, 1000)), BUDGET)
QUESTIONS = ["AVG(x)", "VAR_POP(x)", "COVAR_POP(x, y)", "CORR(x, y)", "SUM(i)", "AVG(i), SUM(i)"]
ROWS = [{"x": -3.0, "y": 0.0, "i": -1000.0}, {"x": 5.0, "y": 9.0, "i": 1000.0}, {"x": 1.0, "y": 4.5, "i": 0.0},
        {"x": 5.0, "y": 0.0, "i": 500.0}]  # fmt: skip


def plan_for(outputs):
    return make_plan(read_sql(f"SELECT g, {outputs} FROM t GROUP BY g", FACTS), FACTS, dc.Pure(epsilon=1))


def on(expression, grid, row):
    name = expression.name if isinstance(expression, Column) else expression.of[0].name  # COALESCE(x, 0)
    return on_grid(row[name], grid) - grid.low


def term(measure, row):
    """What a row adds to a measure."""
    u = on(measure.of, measure.grid, row) ** measure.power if measure.power else 1
    return int(u * on(measure.and_of, measure.and_grid, row) ** measure.and_power if measure.and_power else u)


def sums_of(plan, rows):
    """The sums of a table whose rows, with how often each is there, are all in cell 0; the other cells are empty."""
    high, low = (np.zeros((len(plan.wanted.measures), plan.wanted.cells), np.int64) for _ in range(2))
    for place, measure in enumerate(plan.wanted.measures):
        total = sum(times * term(measure, row) for row, times in rows)
        high[place, 0], low[place, 0] = total >> LOW_BITS, total & ((1 << LOW_BITS) - 1)
    return Sums(high, low)


def given_to_noise(plan, rows):
    with recorded() as calls:
        release(plan, Private(sums_of(plan, rows)))
    return calls


def apart(plan, rows, more):
    """How far one more row moves what the noise is added to, and how far it may; how large the largest coordinate is."""
    before, after = given_to_noise(plan, rows), given_to_noise(plan, [*rows, (more, 1)])
    (one,), (other,) = before, after
    gap = np.abs(np.asarray(one.exact).astype(object) - np.asarray(other.exact).astype(object)).sum()
    return gap, one.mechanism.sensitivity, max(abs(int(each)) for each in np.asarray(other.exact).ravel())


@pytest.mark.slow
@pytest.mark.parametrize("outputs", QUESTIONS)
def test_one_row_moves_saturated_coordinates_no_further_than_declared(outputs):
    plan, full, tight = plan_for(outputs), 0, 0
    for held in ROWS:
        for times in [0, 1, 2**20, 2**27, 2**30 - 1, 2**40, 2**62]:
            for more in ROWS:
                gap, allowed, largest = apart(plan, [(held, times)], more)
                assert gap <= allowed
                full += largest == LARGEST
                tight += gap == allowed
    assert full, "nothing saturated"
    assert tight, "the law would hold for a smaller sensitivity too"


@pytest.mark.slow
@pytest.mark.parametrize("outputs", ["VAR_POP(x)", "COVAR_POP(x, y)", "CORR(x, y)"])
def test_an_ingredient_that_saturated_would_break_it(outputs, monkeypatch):
    plan, whole = plan_for(outputs), Sums.whole

    broken = 0
    for held in ROWS:
        for ceiling in {each for each in whole(sums_of(plan, [(held, 1000)]))[:, 0].tolist() if each}:
            monkeypatch.setattr(Sums, "whole", lambda sums, most=ceiling: np.minimum(whole(sums), most))
            for more in ROWS:
                gap, allowed, _ = apart(plan, [(held, 1000)], more)
                broken += gap > allowed
    assert broken


def test_one_row_moves_a_stopped_square_by_48_where_16_is_declared():
    """Sums of u * u that stop at a ceiling: 48 where 16 is declared."""
    width, rows, ceiling = 4, [4] * 10, 160

    def coordinates(values, most):
        n, first, second = len(values), sum(values), min(most, sum(u * u for u in values))
        return np.array([width**2 * n - 2 * width * first + second, 2 * (width * first - second), second])

    assert np.abs(coordinates([*rows, 4], 10**9) - coordinates(rows, 10**9)).sum() == 16
    assert np.abs(coordinates([*rows, 4], ceiling) - coordinates(rows, ceiling)).sum() == 48


def test_parts_of_both_signs_that_saturate_before_they_meet_would_break_it():
    """A sum made of the parts of two threads, each stopped at a ceiling: who sits where would tell."""
    most = 10

    def stopped(values):
        return max(-most, min(most, sum(values)))

    def two_threads(values):
        half = len(values) // 2
        return stopped([stopped(values[:half]), stopped(values[half:])])

    table = [-most, -most, 0, most]
    assert stopped(table) == -most
    assert two_threads(table) == 0  # (-10) + 10
    assert stopped(table[1:]) == 0
    assert abs(two_threads([-most, -most, most, most]) - two_threads([-most, -most, most])) == most


@pytest.mark.parametrize("outputs", ["VAR_POP(x)", "COVAR_POP(x, y)"])
def test_numerators_of_a_known_table_are_unbounded_integers(outputs):
    size = 2**40
    columns = tuple(replace(each, null=Fraction(0)) for each in (X, Y))
    facts = replace(FACTS, neighbours="change_one", columns=columns, rows=size)
    plan = make_plan(read_sql(f"SELECT {outputs} FROM t", facts), facts, dc.Pure(epsilon=1))
    assert [vector.statistic.word for vector in plan.vectors] in (["variance_numerator"], ["covariance_numerator"])
    low, high = {"x": -3.0, "y": 0.0}, {"x": 5.0, "y": 9.0}
    halves, other_halves, alike, all_but_one = (
        given_to_noise(plan, [(low, size - times), (high, times)])[0] for times in (size // 2, size // 2 + 1, 0, 1)
    )
    allowed = halves.mechanism.sensitivity
    assert int(halves.exact.item()) > 2**100
    assert abs(int(halves.exact.item()) - int(other_halves.exact.item())) <= allowed
    moved = abs(int(alike.exact.item()) - int(all_but_one.exact.item()))
    assert Fraction(97, 100) * allowed < moved <= allowed
