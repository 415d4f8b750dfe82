"""Groups that WHERE leaves no row in are not shown: told from the text and the facts, to the last float64."""

from dataclasses import replace

import pandas as pd
import pytest
from tests.questions.conftest import people

import discreet as dc
from discreet.facts.model import Integer
from discreet.planning.build import make_plan
from discreet.privacy.losses import Pure
from discreet.questions.sql import read_sql
from discreet.views.rows import cells_shown

PEOPLE = people._get_wrapped_function()()


def shown(facts, sql):
    plan = make_plan(read_sql(sql, facts), facts, Pure(epsilon=1))
    assert plan.groups == len(cells_shown(plan))
    return [plan.axes[0].values[place] for place in range(len(plan.axes[0].values)) if place not in plan.axes[0].excluded]


@pytest.mark.parametrize(
    ("key", "where", "left"),
    [
        ("Age", "Age <= 3", [0, 1, 2, 3]),
        ("Age", "Age < 2.5 AND Income > 7", [0, 1, 2]),
        ("Age", "NOT (Age >= 2)", [0, 1]),
        ("Age", "Age IN (5, 119, 500) OR Age = 7", [5, 7, 119]),
        ("Age", "Age % 50 = 3", [3, 53, 103]),
        ("Age", "Age > 120", []),
        ("Race", "Race <> 2 AND Race < 5", [1, 3, 4]),
        ("Sex", "Sex = 'male'", ["male"]),
        ("Sex", "Sex <> 'male'", ["female"]),  # other values are read as NULL, which differs from nothing
        ("Sex", "Sex IS NULL", ["other"]),
        ("Sex", "Sex LIKE '%male'", ["male", "female"]),
        ("Married", "Married", [True]),
        ("EXTRACT(MONTH FROM Born)", "EXTRACT(MONTH FROM Born) BETWEEN 6 AND 7", [6, 7]),
        ("BIN(Age, 50)", "Age >= 50", [50, 100]),
        ("BIN(Age, 50)", "Age > 49", [0, 50, 100]),  # 49.5 is in the first bin: that Age is whole is not looked at
        ("BIN(Age, 50)", "BIN(Age, 50) <> 50", [0, 100]),
        ("FLOOR(Age / 50) * 50", "Age < 50", [0]),
        ("BIN(Rate, 0.1)", "Rate < 0.3", [0.1, 0.2]),
        ("BIN(Rate, 0.1)", "Rate <= 0.3", [0.1, 0.2]),  # 0.3 / 0.1 is 2.999... in float64, on every engine
        ("BIN(Rate, 0.1)", "Rate >= 0.8", [0.8, 0.9]),
    ],
)
def test_a_group_is_left_out_where_the_condition_on_its_key_can_not_hold(key, where, left):
    assert shown(PEOPLE, f"SELECT {key} AS k, COUNT(*) AS n FROM people WHERE {where} GROUP BY {key}") == left


@pytest.mark.parametrize(
    "where",
    ["Income < 5", "Age <= 3 OR Income < 5", "Age + Income < 2", "CASE WHEN Income > 2 THEN Age ELSE 0 END > 3", "1 = 0"],
)
def test_a_group_is_kept_where_something_else_than_its_key_decides(where):
    assert len(shown(PEOPLE, f"SELECT Age, COUNT(*) AS n FROM people WHERE {where} GROUP BY Age")) == 121


def test_visits_up_to_ten_have_eleven_groups_in_quote_answer_and_all_at_once():
    rows = pd.DataFrame({"mdvis": [place % 40 for place in range(4000)]})
    visits = dc.table(rows, columns={"mdvis": dc.integer(0, 80)}, unit="row", neighbours="add_remove", budget=10)
    sql = "SELECT mdvis, COUNT(*) AS n FROM t WHERE mdvis <= 10 GROUP BY mdvis"
    assert visits.quote(sql, epsilon=1).cells == 11
    answer = visits.ask(sql, epsilon=1, simultaneous=True)
    assert [row["mdvis"] for row in answer.rows] == list(range(11))
    everyone = visits.ask("SELECT mdvis, COUNT(*) AS n FROM t GROUP BY mdvis HAVING mdvis <= 10", epsilon=1, simultaneous=True)
    width, wider = (each.intervals[0]["n"][1] - each.intervals[0]["n"][0] for each in (answer, everyone))
    assert width < wider  # eleven intervals hold at once, not eighty-one


def test_bins_of_a_million_are_told_by_their_ends_alone():
    facts = replace(PEOPLE, columns=(Integer("i", 0, 10**5),))
    plan = make_plan(read_sql("SELECT i, COUNT(*) AS n FROM people WHERE i < 7 GROUP BY i", facts), facts, Pure(epsilon=1))
    assert plan.groups == 7
    tried = make_plan(read_sql("SELECT i, COUNT(*) AS n FROM people WHERE i % 2 = 0 GROUP BY i", facts), facts, Pure(epsilon=1))
    assert tried.groups == 10**5 + 1  # too many to try one by one
