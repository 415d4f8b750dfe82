"""The public limit on what a plan may take: far above normal, refused before anything is spent, with what would do."""

import re
from dataclasses import replace

import pandas as pd
import pytest

import discreet as dc
from discreet.facts.make import facts_for_table
from discreet.planning.build import make_plan
from discreet.planning.cells import MOST_CELLS
from discreet.planning.price import read_price
from discreet.planning.work import MOST_STEPS, work_of
from discreet.questions.sql import read_sql

COLUMNS = {"g": dc.integer(0, 999_999, null="drop"), "h": dc.integer(0, 99_999), "x": dc.number(0, 100),
           "s": dc.category("a", "b")}
FACTS = facts_for_table(name="t", columns=COLUMNS, unit="row", neighbours="add_remove", budget=100)
NORMAL = [
    "SELECT COUNT(*) AS n FROM t",
    "SELECT s, COUNT(*) AS n, SUM(x) AS v, AVG(x) AS m, VARIANCE(x) AS w FROM t WHERE x > 3 AND h IN (1, 2, 3) GROUP BY s",
    "SELECT s, QUANTILE(x, 0.1) AS a, MEDIAN(x) AS b, QUANTILE(x, 0.9) AS c FROM t GROUP BY s",
]
MEDIANS = "SELECT g, MEDIAN(x) AS m FROM t GROUP BY g"
MANY_TERMS = " OR ".join(f"(x > {i}.5 AND h < {3 * i})" for i in range(900))


def plan_of(sql, facts=FACTS):
    return make_plan(read_sql(sql, facts), facts, read_price(epsilon=1))


def table():
    frame = pd.DataFrame({"g": [1, 2], "h": [1, 2], "x": [1.0, 2.0], "s": ["a", "b"]})
    return dc.table(frame, name="t", unit="row", neighbours="add_remove", columns=COLUMNS, budget=100)


@pytest.mark.parametrize("sql", NORMAL)
def test_usual_questions_are_thousands_of_times_below_the_limit(sql):
    assert work_of(plan_of(sql)).steps * 1000 < MOST_STEPS


def test_a_count_in_a_million_cells_is_below_it():
    assert plan_of("SELECT g, COUNT(*) AS n FROM t GROUP BY g").wanted.cells == MOST_CELLS


@pytest.mark.slow
def test_work_grows_with_cells_numbers_choices_and_terms():
    by_h = work_of(plan_of("SELECT h, COUNT(*) AS n FROM t GROUP BY h"))
    assert work_of(plan_of("SELECT s, COUNT(*) AS n FROM t GROUP BY s")).numbers * 1000 < by_h.numbers
    assert by_h.numbers < work_of(plan_of("SELECT h, COUNT(*) AS n, VARIANCE(x) AS v FROM t GROUP BY h")).numbers
    assert by_h.choices == 0 < work_of(plan_of("SELECT h, MEDIAN(x) AS m FROM t GROUP BY h")).choices
    one, many = (work_of(plan_of(f"SELECT COUNT(*) AS n FROM t WHERE {each}")) for each in ("x > 3", MANY_TERMS))
    assert one.terms * 1000 < many.terms


def test_what_is_too_much_says_by_how_much_and_what_would_do():
    with pytest.raises(dc.QuestionError) as told:
        plan_of(MEDIANS)
    assert re.match(r"this takes [\d,]+ steps, and 6,000,000 are the most", told.value.message)
    most = int(re.search(r"([\d,]+) cells instead of 1,000,000", told.value.hint)[1].replace(",", ""))
    fewer = replace(FACTS, columns=tuple(replace(c, upper=most - 1) if c.name == "g" else c for c in FACTS.columns))
    assert plan_of(MEDIANS, fewer).wanted.cells == most
    more = replace(FACTS, columns=tuple(replace(c, upper=most + 10) if c.name == "g" else c for c in FACTS.columns))
    with pytest.raises(dc.QuestionError):
        plan_of(MEDIANS, more)


@pytest.mark.slow
def test_long_conditions_are_counted_for_every_reading_of_the_rows():
    assert plan_of(f"SELECT COUNT(*) AS n FROM t WHERE {MANY_TERMS}")
    many = ", ".join(f"MEDIAN(x + {i}) AS m{i}" for i in range(60))
    with pytest.raises(dc.QuestionError, match=r"steps.*fewer conditions"):
        plan_of(f"SELECT {many} FROM t WHERE {MANY_TERMS}")


@pytest.mark.slow
def test_nothing_is_spent_and_quotes_refuse_it_too():
    people = table()
    for act in (people.quote, people.ask):
        with pytest.raises(dc.QuestionError, match="are the most"):
            act(MEDIANS, epsilon=1)
    assert people.budget.spent.epsilon == 0


@pytest.mark.slow
def test_questions_asked_together_are_counted_together():
    people = table()
    heavy = [f"SELECT g, COUNT(*) AS n FROM t WHERE h > {i} GROUP BY g" for i in range(3)]
    with pytest.raises(dc.QuestionError, match="in several turns"):
        people.ask_all(heavy, epsilon=3)
    assert people.budget.spent.epsilon == 0
