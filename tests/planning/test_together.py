"""Intervals that hold all at once: joint coverage by simulation, both ways."""

from fractions import Fraction

import numpy as np
import pytest

from discreet.engines.reference.engine import Reference
from discreet.engines.wanted import Sums
from discreet.facts import parse_facts
from discreet.noise import discrete_gaussian, discrete_laplace
from discreet.planning.build import make_plan
from discreet.planning.plan import Known
from discreet.planning.price import read_price
from discreet.private import Private
from discreet.questions.sql import read_sql
from discreet.releasing.run import release
from discreet.views.estimates import estimate
from discreet.views.rows import answer_table
from discreet.views.simultaneous import risks_together

FACTS = """
[table]
name = "t"
source = "t.csv"
unit = "row"
neighbours = "{neighbours}"
{size}
[budget]
epsilon = 1000
[columns.x]
type = "number"
lower = 0
upper = 10
null = 0
[columns.k]
type = "integer"
lower = 1
upper = 50
null = 1
[columns.b]
type = "boolean"
[columns.d]
type = "boolean"
"""
ROWS = [{"x": (i * 7 % 83) / 10, "k": 1 + i % 50, "b": i % 3 == 0, "d": i % 2 == 0} for i in range(600)]
FREE = parse_facts(FACTS.format(neighbours="add_remove", size=""), "t.toml")
FIXED = parse_facts(FACTS.format(neighbours="change_one", size=f"rows = {len(ROWS)}"), "t.toml")
RUNS, TABLES, CELLS, SURE = 40_000, 8_000, 50, 0.95
FIVE_ERRORS = 5 * (SURE * (1 - SURE) / RUNS) ** 0.5                     # a false alarm once in three million


def plan_for(sql, facts=FREE, **price):
    return make_plan(read_sql(sql, facts), facts, read_price(**price))


def widths(plan, *, confidence=SURE, simultaneous=True):
    """How wide the interval of the last column is in every row, whatever was released."""
    exact = tuple(np.zeros(v.shape(plan.wanted.cells), np.int64) for v in plan.vectors)
    return [high - low for low, high in answer_table(plan, exact, confidence, simultaneous).columns[-1].intervals]


# ---- counts: noise of different cells is independent


@pytest.mark.parametrize(("price", "noise"), [
    ({"epsilon": "1/100"}, lambda size: discrete_laplace(Fraction(100), size)),
    ({"rho": "1/20000"}, lambda size: discrete_gaussian(Fraction(10_000), size)),
])
def test_fifty_counts_are_within_their_intervals_together_as_often_as_stated(price, noise):
    half = widths(plan_for("SELECT k, COUNT(*) AS n FROM t GROUP BY k", **price))[0] // 2
    largest = np.abs(noise(RUNS * CELLS)).reshape(RUNS, CELLS).max(axis=1)
    assert SURE - FIVE_ERRORS <= (largest <= half).mean() <= 0.97
    assert (largest <= 0.97 * half).mean() < SURE - FIVE_ERRORS          # and three per cent less would not do
    alone = widths(plan_for("SELECT k, COUNT(*) AS n FROM t GROUP BY k", **price), simultaneous=False)[0] // 2
    assert (largest <= alone).mean() < 0.2                               # as one by one they do not hold together


def test_two_vectors_count_as_twice_the_cells():
    two = plan_for("SELECT COUNT(*) FILTER (WHERE b) AS n, COUNT(*) FILTER (WHERE d) AS m FROM t", epsilon="1/50")
    half = widths(two)[0] // 2
    assert len(two.vectors) == 2
    runs = 20 * RUNS                                                     # 3 % of so little are told apart only by many
    five_errors = FIVE_ERRORS / 20**0.5
    largest = np.abs(discrete_laplace(Fraction(100), 2 * runs)).reshape(runs, 2).max(axis=1)
    assert SURE - five_errors <= (largest <= half).mean() <= SURE + 0.002 + five_errors
    assert (largest <= 0.97 * half).mean() < SURE - five_errors


# ---- what is read off one and the same noise


def many_times(sums):
    """The same exact sums in TABLES cells: one release is then as many independent ones."""
    found = sums.take()
    return Private(Sums(np.repeat(found.high, TABLES, axis=1), np.repeat(found.low, TABLES, axis=1)))


X = np.array([row["x"] for row in ROWS])
TRUTH = {"n": len(X), "s": X.sum(), "m": X.mean(), "v": X.var(ddof=1), "d": X.std(), "k": sum(row["k"] for row in ROWS)}
QUESTIONS = [
    "SELECT AVG(x) AS m FROM t",
    "SELECT COUNT(*) AS n, SUM(x) AS s, AVG(x) AS m FROM t",
    "SELECT COUNT(*) AS n, SUM(x) AS s, AVG(x) AS m, VAR_SAMP(x) AS v, STDDEV_POP(x) AS d FROM t",
    "SELECT SUM(k) AS k, AVG(x) AS m FROM t",
]


def held_together(plan, cells):
    """How often the intervals of all outputs in ``cells`` cells hold at once."""
    released = release(plan, many_times(Reference(plan.facts, ROWS).run(plan.wanted)))
    risks = risks_together(plan, SURE, cells)
    holds = np.ones(TABLES, bool)
    for output in plan.question.outputs:
        found = estimate(plan, output.value, released, risks.get(output.value, 1.0))
        truth, slack = TRUTH[output.name], 1e-9 * np.abs(found.value)
        holds &= (found.low - slack <= truth) & (truth <= found.high + slack)
    return holds.reshape(-1, cells).all(axis=1).mean()


@pytest.mark.slow
@pytest.mark.parametrize("facts", [FREE, FIXED], ids=["add_remove", "change_one"])
@pytest.mark.parametrize("sql", QUESTIONS)
@pytest.mark.parametrize("cells", [1, 20])
def test_statistics_of_one_table_hold_together_at_least_as_often_as_stated(sql, facts, cells):
    for price in ({"epsilon": 2}, {"rho": "0.5"}):
        plan = plan_for(sql, facts, **price)
        errors = 5 * (SURE * (1 - SURE) / (TABLES // cells)) ** 0.5
        held = held_together(plan, cells)
        assert held >= SURE - errors, f"{sql} at {price}"
        if sql == QUESTIONS[0] and "epsilon" in price:                   # one statement: nothing is given away
            assert held <= 0.97 + errors


def test_statistics_that_say_the_same_about_the_noise_share_no_risk():
    def risk(sql, facts=FREE):
        return max(risks_together(plan_for(sql, facts, epsilon=1), SURE, 1).values())

    assert risk("SELECT STDDEV(x) AS d FROM t") == pytest.approx(0.05)
    assert risk("SELECT STDDEV(x) AS d, VAR_POP(x) AS v FROM t") == pytest.approx(0.05)
    assert risk("SELECT STDDEV(x) AS d, AVG(x) AS m FROM t") == pytest.approx(0.025)
    assert risk("SELECT SUM(x) AS s, AVG(x) AS m FROM t", FIXED) == pytest.approx(0.05)
    assert risk("SELECT COUNT(*) AS n, COUNT(x) AS m, SUM(x) AS s FROM t") == pytest.approx(0.025)


def test_what_is_public_takes_no_part_of_the_risk():
    plan = plan_for("SELECT COUNT(*) AS n, AVG(x) AS m FROM t", FIXED, epsilon=1)
    assert isinstance(plan.source(plan.question.outputs[0].value), Known)
    assert list(risks_together(plan, SURE, 1).values()) == [pytest.approx(0.05)]
    table = answer_table(plan, release(plan, Reference(FIXED, ROWS).run(plan.wanted)), SURE, simultaneous=True)
    assert table.columns[0].intervals == [(600, 600)]


# ---- rows that the answer chooses


@pytest.mark.slow
def test_the_largest_of_fifty_equal_counts_is_within_its_interval_only_if_all_are():
    plan = plan_for("SELECT k, COUNT(*) AS n FROM t GROUP BY k ORDER BY n DESC LIMIT 1", epsilon="1/10")
    runs, held = 400, {True: 0, False: 0}
    noise = discrete_laplace(Fraction(10), runs * CELLS).reshape(runs, 1, 1, CELLS)
    for each in noise:
        for simultaneous in (True, False):
            (low, high), = answer_table(plan, (1000 + each,), SURE, simultaneous).columns[-1].intervals
            held[simultaneous] += low <= 1000 <= high
    assert held[True] / runs >= SURE - 5 * (0.05 * 0.95 / runs) ** 0.5
    assert held[False] / runs < 0.6


def test_only_rows_that_are_shown_count_where_their_choice_is_public():
    def first(sql):
        return widths(plan_for(sql, epsilon="1/10"))[0]

    every = first("SELECT k, COUNT(*) AS n FROM t GROUP BY k")
    assert first("SELECT k, COUNT(*) AS n FROM t GROUP BY k ORDER BY k LIMIT 3") < every
    assert first("SELECT k, COUNT(*) AS n FROM t GROUP BY k ORDER BY n LIMIT 3") == every
    assert first("SELECT k, COUNT(*) AS n FROM t GROUP BY k HAVING COUNT(*) > -100 LIMIT 3") == every


def test_one_number_alone_has_the_same_interval_both_ways():
    plan = plan_for("SELECT COUNT(*) AS n FROM t", epsilon="1/10")
    assert widths(plan) == widths(plan, simultaneous=False)
    many = plan_for("SELECT k, COUNT(*) AS n FROM t GROUP BY k", epsilon="1/10")
    assert widths(many, confidence=0.5) < widths(many, confidence=0.95) < widths(many, confidence=0.999999)


# ---- arithmetic


def test_outputs_of_several_aggregates_follow_from_their_intervals_and_need_no_risk_of_their_own():
    plan = plan_for("SELECT SUM(x) AS s, SUM(k) AS k, SUM(x) / SUM(k) AS r FROM t", epsilon=2)
    table = answer_table(plan, release(plan, Reference(FREE, ROWS).run(plan.wanted)), SURE, simultaneous=True)
    (low, high), (least, most), (smallest, largest) = (column.intervals[0] for column in table.columns)
    assert (smallest, largest) == (pytest.approx(low / most, rel=1e-4), pytest.approx(high / least, rel=1e-4))


@pytest.mark.parametrize(("released", "expected"), [(1003, 3), (7, 7), (-13, -3)])
def test_a_remainder_may_be_anything_that_the_interval_allows(released, expected):
    plan = plan_for("SELECT COUNT(*) % 10 AS r FROM t", epsilon=1)
    column, = answer_table(plan, (np.array([[[released]]]),), SURE).columns
    (low, high), value = column.intervals[0], column.values[0]
    assert value == expected
    assert (low, high) == {1003: (0, 10), 7: (0, 10), -13: (-10, 0)}[released]
