"""Intervals of expressions over several aggregates, and of variances: they hold, and would not if they were narrower."""

import numpy as np
import pytest

import discreet as dc
from discreet.engines.reference.engine import Reference
from discreet.engines.wanted import Sums
from discreet.facts import parse_facts
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.private import Private
from discreet.questions.sql import read_sql
from discreet.releasing.run import release
from discreet.statistics.variances import variance_of
from discreet.views.arithmetic import evaluated
from discreet.views.expected import expected_errors
from discreet.views.rows import answer_table
from discreet.views.together import ends_together

FACTS = """
[table]
name = "t"
source = "t.csv"
unit = "row"
neighbours = "add_remove"
[budget]
epsilon = 1000
delta = 0.1
[columns.x]
type = "number"
lower = 0
upper = 100
null = 0
[columns.y]
type = "integer"
lower = -10
upper = 90
null = 0
[columns.g]
type = "category"
values = ["a", "b", "c"]
"""
ABOUT = parse_facts(FACTS, "t.toml")
IN_A, IN_B = "FILTER (WHERE g = 'a')", "FILTER (WHERE g = 'b')"


def rows_of(n):
    return [{"x": (i * i * 7.5) % 101 / 2, "y": i * 13 % 60 - 5, "g": "aabbbc"[i % 6]} for i in range(n)]


def exactly(rows):
    x, y, g = (np.array([row[name] for row in rows]) for name in ("x", "y", "g"))
    a, b = g == "a", g == "b"
    return {
        f"COUNT(*) {IN_A} - COUNT(*) {IN_B}": a.sum() - b.sum(),
        f"(COUNT(*) {IN_A} + 3 * COUNT(*) {IN_B}) / 2": (a.sum() + 3 * b.sum()) / 2,
        f"100.0 * COUNT(*) {IN_A} / COUNT(*) {IN_B}": 100 * a.sum() / b.sum(),
        f"COUNT(*) {IN_A} / (COUNT(*) {IN_A} + COUNT(*) {IN_B})": a.sum() / (a.sum() + b.sum()),
        f"SUM(y) {IN_A} / SUM(y)": y[a].sum() / y.sum(),
        f"SUM(x) / COUNT(*) {IN_A} * 2": 2 * x.sum() / a.sum(),
        f"AVG(x) {IN_A} - AVG(x) {IN_B}": x[a].mean() - x[b].mean(),
        "AVG(x) - AVG(y)": x.mean() - y.mean(),
        f"100 * AVG(x) {IN_A} / AVG(x) {IN_B} - 100": 100 * x[a].mean() / x[b].mean() - 100,
        f"AVG(x) - 2 * COUNT(*) {IN_A} / COUNT(*) {IN_B} + 1": x.mean() - 2 * a.sum() / b.sum() + 1,
        f"AVG(x) {IN_A} + AVG(x) {IN_B} - 2 * AVG(y)": x[a].mean() + x[b].mean() - 2 * y.mean(),
    }


EXACT = 6  # of these have no risk to spare but for the steps of their noise


def many_times(sums, runs, each):
    """The exact sums of ``each`` times the rows, as often as there are runs."""
    found = sums.take()
    return Private(Sums(np.repeat(each * found.high, runs, axis=1), np.repeat(each * found.low, runs, axis=1)))


def found_for(sql, engine, runs, price, each=1, alpha=0.05):
    plan = make_plan(read_sql(f"SELECT {sql} AS v FROM t", ABOUT), ABOUT, read_price(**price))
    released = release(plan, many_times(engine.run(plan.wanted), runs, each))
    value = plan.question.outputs[0].value
    assert ends_together(plan, value, released, alpha) is not None
    return evaluated(plan, value, released, alpha)


@pytest.mark.slow
@pytest.mark.parametrize("price", [{"epsilon": "0.05"}, {"rho": "0.0004"}])
def test_expressions_hold_as_often_as_they_say_and_would_not_if_their_intervals_were_narrower(price):
    rows, each = rows_of(1200), 10
    engine = Reference(ABOUT, rows)
    exact = exactly(rows * each)
    for place, (sql, truth) in enumerate(exact.items()):
        runs = 20_000 if place < EXACT else 4000
        found = found_for(sql, engine, runs, price, each)
        held = ((found.low <= truth) & (truth <= found.high)).mean()
        assert held >= 0.95 - 5 * (0.05 * 0.95 / runs) ** 0.5, (sql, held)
        by = 0.05 if place < EXACT else 0.25
        low, high = found.low + by * (found.value - found.low), found.high - by * (found.high - found.value)
        if place < len(exact) - 1:  # three means have more than they need
            assert ((low <= truth) & (truth <= high)).mean() < 0.95, sql


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 6, 120])
def test_expressions_hold_however_few_rows_there_are(n):
    rows, runs = rows_of(n), 2000
    engine = Reference(ABOUT, rows)
    with np.errstate(all="ignore"):
        exact = exactly(rows) if n >= 6 else dict.fromkeys(exactly(rows_of(6)), 0.0)
    for sql, truth in exact.items():
        found = found_for(sql, engine, runs, {"epsilon": 1})
        assert not np.isnan(found.low).any()
        assert not np.isnan(found.high).any()
        if np.isfinite(truth) and (n >= 6 or ("/" not in sql and "AVG" not in sql)):
            held = ((found.low <= truth) & (truth <= found.high)).mean()
            assert held >= 0.95 - 5 * (0.05 * 0.95 / runs) ** 0.5, (sql, held)


SHARED = {  # the same draws above and below the line, and factors whose squares no float holds
    "AVG(x) / COUNT(*)": 2.5,
    "COUNT(*) / AVG(x)": 0.4,
    "(AVG(x) + COUNT(*)) / (AVG(x) - COUNT(*))": 140 / 60,
    "(SUM(x) + COUNT(*)) * 1e200": 4040e200,
    "(SUM(x) + COUNT(*)) * 1e-200": 4040e-200,
}


@pytest.mark.slow
@pytest.mark.parametrize("price", [{"epsilon": 30}, {"rho": 20}])
def test_expressions_hold_where_the_same_noise_is_above_and_below_and_at_any_scale(price):
    engine, runs = Reference(ABOUT, [{"x": 100.0, "y": 0, "g": "a"}] * 40), 2000
    for sql, truth in SHARED.items():
        found = found_for(sql, engine, runs, price)
        held = ((found.low <= truth) & (truth <= found.high)).mean()
        assert held >= 0.95 - 5 * (0.05 * 0.95 / runs) ** 0.5, (sql, held)
        assert held < 1, sql                                                        # nor is everything in it


def test_a_quote_is_by_the_same_formula_as_the_answer_and_all_at_once_rests_on_the_aggregates():
    sql = f"SELECT COUNT(*) {IN_A} - COUNT(*) {IN_B} AS v FROM t"
    plan = make_plan(read_sql(sql, ABOUT), ABOUT, read_price(epsilon=1))
    released = release(plan, Reference(ABOUT, rows_of(60)).run(plan.wanted))
    (one,), (all_,) = (answer_table(plan, released, 0.95, together).columns for together in (False, True))
    (expected,) = expected_errors(plan, 0.95, 1000)
    width, wider = (high - low for ((low, high),) in (one.intervals, all_.intervals))
    assert 2 * expected.plus_minus == pytest.approx(width)
    assert width < 0.8 * wider


SHAPES = {"at one end": [0.0], "at both ends": [0.0, 1.0], "in the middle": [0.5], "one at the end": [0.0] * 49 + [1.0],
          "spread": np.linspace(0, 1, 50), "low": np.linspace(0, 1, 50) ** 3}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", [dc.Laplace(scale=200), dc.Gaussian(rho="1/20000", sensitivity=1)], ids=str)
def test_a_variance_is_between_its_ends_as_often_as_they_say_and_narrower_ends_would_not_do(mechanism):
    law = mechanism.law
    runs, unit, points = 20_000, 100, [(0.0, 0.0), (0.5, 0.0), (1.0, 1.0)]
    for u, n in ((np.array(u), n) for u in SHAPES.values() for n in (50, 500, 50_000)):
        exact = n * unit * np.array([((1 - u) ** 2).mean(), 2 * (u * (1 - u)).mean(), (u * u).mean()])
        sums = np.rint(exact).reshape(-1, 1) + np.stack([mechanism.release(np.zeros(runs, np.int64)) for _ in exact])
        p, v = u.mean(), (u * u).mean() - u.mean() ** 2
        _, (low, high) = variance_of(sums, points, law, (np.full(runs, p), np.full(runs, p)), 0.05)
        slack = 3 / (n * unit)  # of rounding to whole numbers
        held = ((low - slack <= v) & (v <= high + slack)).mean()
        assert held >= 0.95 - 5 * (0.05 * 0.95 / runs) ** 0.5, (u, n)
        if n == 50_000 and len(u) > 2:
            middle, half = (low + high) / 2, 0.95 * (high - low) / 2
            assert (np.abs(v - middle) <= half).mean() < 0.95, (u, n)
