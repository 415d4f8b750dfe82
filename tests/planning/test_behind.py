"""Quotes that rest on a count already released: which count, where it stands in the order of rule 29, and what it is worth."""

from dataclasses import replace

import pytest

from discreet.engines.reference.engine import Reference
from discreet.facts import parse_facts
from discreet.facts.model import ByColumn
from discreet.planning.build import make_plan
from discreet.planning.identity import names_of
from discreet.planning.price import read_price
from discreet.planning.purchase import Draw
from discreet.questions.sql import read_sql
from discreet.releasing.run import release
from discreet.views.counts_behind import count_behind, counts_for, rows_at_least
from discreet.views.expected import expected_errors, price_within

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
[columns.y]
type = "number"
null = "drop"
lower = 0
upper = 100
[columns.rows]
type = "category"
null = "drop"
values = [1, 2, 3]
"""
FREE = parse_facts(FACTS.format(neighbours="add_remove", size=""), "t.toml")
ABOUT = parse_facts(FACTS.format(neighbours="add_remove", size="rows_about = 600"), "t.toml")
CAPPED = replace(ABOUT, unit=ByColumn("u", max_rows=2))
FIXED = parse_facts(FACTS.format(neighbours="change_one", size="rows = 900"), "t.toml")
ROWS = [{"x": i % 10, "y": None if i % 2 else i % 90, "rows": 1 + i % 3} for i in range(900)]


def plan_for(sql, facts=FREE, **price):
    return make_plan(read_sql(sql, facts), facts, read_price(**price or {"epsilon": 1}))


def expected(sql, facts=FREE, assuming=None, released=None):
    found = expected_errors(plan_for(sql, facts), 0.95, assuming, released)
    return [(each.name, each.basis, each.rows) for each in found]


# ---- which count


@pytest.mark.parametrize(
    ("asked", "counted"),
    [
        ("SELECT AVG(x) AS m FROM t", "SELECT COUNT(*) AS n FROM t"),
        ("SELECT AVG(y) AS m FROM t", "SELECT COUNT(y) AS n FROM t"),
        ("SELECT COUNT(*) FILTER (WHERE y > 3) / COUNT(*) AS m FROM t", "SELECT COUNT(*) AS n FROM t"),
        ("SELECT SUM(x) / COUNT(*) AS m FROM t WHERE y > 3 AND x < 2", "SELECT COUNT(*) AS n FROM t WHERE x < 2 AND y > 3"),
        ("SELECT STDDEV(x + y) AS m FROM t", "SELECT COUNT(x + y) AS n FROM t"),
        ("SELECT AVG(x) FILTER (WHERE y > 3) AS m FROM t", "SELECT COUNT(*) FILTER (WHERE y > 3) AS n FROM t"),
        (
            "SELECT rows, AVG(x) AS m FROM t WHERE y > 3 GROUP BY rows HAVING COUNT(*) > 9 ORDER BY m LIMIT 1",
            "SELECT rows, COUNT(*) AS n FROM t WHERE y > 3 GROUP BY rows",
        ),
    ],
)
def test_the_count_behind_a_statistic_has_its_rows_and_its_keys(asked, counted):
    (behind,) = counts_for(plan_for(asked)).values()
    ((names,),) = names_of(plan_for(counted))
    assert behind == names[0]


def test_an_output_about_different_rows_has_no_count_behind_it():
    plan = plan_for("SELECT AVG(x) - AVG(y) AS d, AVG(x) AS m FROM t")
    assert count_behind(plan.question.outputs[0].value, plan) is None
    assert list(counts_for(plan)) == ["m"]


# ---- what it says


def told(plan, place, rows=ROWS, confidence=0.999999):
    """What one vector of a plan says about the number of rows."""
    released = release(plan, Reference(FREE, rows).run(plan.wanted))
    return rows_at_least(plan, Draw(1, place, 0, plan.vectors[place]), released[place], confidence)


@pytest.mark.parametrize(
    ("sql", "truth"),
    [
        ("SELECT COUNT(*) AS n FROM t", [[900]]),
        ("SELECT rows, COUNT(y) AS n FROM t GROUP BY rows", [[150, 150, 150]]),
        ("SELECT AVG(x) AS m, STDDEV(y) AS s FROM t", [[900], [450]]),
        ("SELECT COVAR(x, y) AS c FROM t", [[450]]),
    ],
)
def test_a_released_vector_says_how_many_rows_there_are_at_least(sql, truth):
    plan = plan_for(sql, epsilon=40)
    for place, counts in enumerate(truth):
        assert all(0.9 * each - 5 < least <= each for least, each in zip(told(plan, place), counts, strict=True))


def test_a_count_of_nothing_says_that_there_may_be_nothing():
    assert told(plan_for("SELECT COUNT(*) AS n FROM t", epsilon="0.001"), 0, rows=[]) == (0,)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ({1: 4000, 2: 900, 3: 0}, (True, True, False)),
        ({1: 4000, 2: 900, 3: 156}, (True, True, False)),      # there is a row, and how many there are is hardly known
        ({1: 4000, 2: 156, 3: 156}, (True, True, True)),       # so it is of most
        ({1: 0, 2: 0, 3: 0}, (False, False, False)),
    ],
)
def test_groups_that_are_counted_coarsely_say_nothing_where_most_are_counted_well(rows, expected):
    plan = plan_for("SELECT rows, COUNT(*) AS n FROM t GROUP BY rows", epsilon="0.2")
    many = [{"x": 1, "y": None, "rows": place} for place, count in rows.items() for _ in range(count)]
    for _ in range(20):
        assert tuple(each > 0 for each in told(plan, 0, many, 1 - 1e-9)) == expected


def test_a_sum_alone_tells_no_count():
    assert told(plan_for("SELECT SUM(CASE WHEN x > 1 THEN 1 ELSE 0 END) AS s FROM t"), 0) is None


# ---- where it stands


MEAN = "SELECT AVG(x) AS m FROM t"


@pytest.mark.parametrize(
    ("facts", "sql", "assuming", "released", "basis"),
    [
        (FIXED, MEAN, 50, 70, ("m", "rows", 900)),
        (FIXED, MEAN + " WHERE x > 1", 50, 70, ("m", "released", 70)),
        (FIXED, "SELECT AVG(y) AS m FROM t", 50, None, ("m", "assuming", 50)),           # NULLs are dropped: n is private
        (FIXED, "SELECT AVG(x) FILTER (WHERE y > 1) AS m FROM t", 50, 70, ("m", "released", 70)),
        (FREE, MEAN, 50, 70, ("m", "released", 70)),
        (FREE, MEAN, 50, -3, ("m", "released", 1)),
        (FREE, MEAN, 50, {"m": 70}, ("m", "released", 70)),
        (FREE, MEAN, 50, {"other": 70}, ("m", "assuming", 50)),
        (ABOUT, MEAN, None, None, ("m", "rows_about", 600)),
        (CAPPED, MEAN, None, None, ("m", "rows_kept", 600)),
        (replace(CAPPED, neighbours="change_one", units=9), MEAN, None, None, ("m", "rows_kept", 18)),
        (ABOUT, "SELECT rows, AVG(x) AS m FROM t GROUP BY rows", None, None, ("m", "rows_about", 200)),
        (ABOUT, "SELECT rows, AVG(x) AS m FROM t GROUP BY rows", None, (400, 30, 90), ("m", "released", 30)),
        (ABOUT, "SELECT rows, AVG(x) AS m FROM t GROUP BY rows", 50, {"m": (-4, 30, 90)}, ("m", "released", 30)),
        (ABOUT, "SELECT rows, AVG(x) AS m FROM t GROUP BY rows", 50, {"m": (-4, 0, -1)}, ("m", "released", 1)),
    ],
)
def test_public_rows_come_first_then_a_released_count_then_what_is_assumed(facts, sql, assuming, released, basis):
    assert expected(sql, facts, assuming, released) == [basis]


def test_each_output_rests_on_its_own_count():
    sql = "SELECT AVG(x) AS mx, AVG(y) AS my, COUNT(*) AS n FROM t"
    mx, my, n = ("mx", "released", 900), ("my", "released", 450), ("n", "none", None)
    assert expected(sql, released={"mx": 900, "my": 450}) == [mx, my, n]
    sizes = [("my", "table", size) for size in (100, 1000, 10_000)]
    assert expected(sql, released={"mx": 900}) == [mx, *sizes, n]


def test_a_released_count_buys_a_wish_that_nothing_else_could_price():
    question, wish = read_sql(MEAN, FREE), {"m": 1}
    few, many = (price_within(question, FREE, wish, 0.95, None, released=rows).epsilon for rows in (100, 1000))
    assert many < few / 8
    assert price_within(question, FREE, wish, 0.95, 100).epsilon == few


def test_the_error_that_a_released_count_promises_is_that_of_the_answer():
    plan = plan_for(MEAN, epsilon=1)
    (promised,) = expected_errors(plan, 0.95, None, released=900)
    (assumed,) = expected_errors(plan, 0.95, 900)
    assert promised.plus_minus == assumed.plus_minus
    assert expected_errors(plan, 0.95, None, released=450)[0].plus_minus > 1.9 * promised.plus_minus
