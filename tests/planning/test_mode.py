"""MODE: a declared value, chosen by how many rows have it; its price, its reach, and where it cannot stand."""

from fractions import Fraction

import pandas as pd
import pytest

import discreet as dc
from discreet.curator import curator_in_memory
from discreet.engines import open_engine
from discreet.engines.reference.engine import Reference
from discreet.facts import parse_facts
from discreet.mechanisms import Exponential, PermuteAndFlip
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.privacy.prices import concentrated, pure
from discreet.questions.sql import read_sql
from discreet.releasing.stages import released_from
from discreet.testing import seeded

FACTS = """
[table]
name = "t"
source = "t.csv"
unit = {unit}
neighbours = "{neighbours}"
[budget]
epsilon = 1000
[columns.s]
type = "category"
values = ["a", "b", "c", "d"]
other = true
[columns.c]
type = "category"
null = "drop"
values = [1, 2, 3]
labels = ["one", "two", "three"]
[columns.b]
type = "boolean"
null = "drop"
[columns.v]
type = "integer"
null = "drop"
lower = 0
upper = 9
[columns.who]
type = "text"
"""
ROWS = [{"s": "abbbczzzzz"[i % 10], "c": [1, 2, 2, None][i % 4], "b": i % 3 == 0, "v": i % 10, "who": f"u{i % 50}"}
        for i in range(400)]  # fmt: skip


def facts(neighbours="add_remove", unit="'row'"):
    return parse_facts(FACTS.format(neighbours=neighbours, unit=unit), "t.toml")


def planned(sql, about, **price):
    return make_plan(read_sql(sql, about), about, read_price(**price))


@pytest.mark.parametrize("engine", ["reference", "duckdb"])
@pytest.mark.parametrize("price", [{"epsilon": 100}, {"rho": 1000}])
def test_the_declared_value_that_most_rows_have_is_chosen_in_every_group(engine, price):
    about = facts()
    table = Reference(about, ROWS) if engine == "reference" else open_engine(about, pd.DataFrame(ROWS))
    plan = planned("SELECT b, MODE(s) AS m, MODE(c) AS k, MODE(b) FILTER (WHERE v < 3) AS w FROM t GROUP BY b", about, **price)
    released = released_from(plan, table)
    found = [part.values[place] for part, places in zip(plan.vectors, released, strict=True) for place in places.ravel()]
    assert found == ["b", "b", 2, 2, False, True]  # z is no declared value, and neither is NULL


PRICED = [("add_remove", "'row'", "", 1, 1), ("change_one", "'row'", "", 1, 1), ("add_remove", "'row'", "c", 1, 1),
          ("change_one", "'row'", "c", 1, 2), ("add_remove", "{ column = 'who' }", "c", 3, 1)]  # fmt: skip


@pytest.mark.parametrize(("neighbours", "unit", "key", "moves", "touched"), PRICED)
def test_a_price_buys_a_choice_of_the_sensitivity_of_its_units(neighbours, unit, key, moves, touched):
    about = facts(neighbours, unit)
    caps = " PER UNIT 3 ROWS" if "who" in unit else ""
    sql = f"SELECT {key}, MODE(s) AS m FROM t GROUP BY {key}{caps}" if key else f"SELECT MODE(s) AS m FROM t{caps}"
    (part,) = (plan := planned(sql, about, epsilon=2)).vectors
    assert part.mechanism == PermuteAndFlip(epsilon=Fraction(2, touched), sensitivity=moves)
    assert pure(plan.event).epsilon == 2
    (part,) = (plan := planned(sql, about, rho="1/2")).vectors
    assert part.mechanism == Exponential(epsilon=Fraction(2, touched), sensitivity=moves)
    assert concentrated(plan.event).rho == Fraction(1, 2)


@pytest.mark.slow
@pytest.mark.parametrize("price", [{"epsilon": "0.5"}, {"rho": "0.03125"}])
def test_a_mode_is_off_by_no_more_than_it_says_as_often_as_it_says(price):
    about, runs = facts(), 3000
    (part,) = planned("SELECT MODE(s) AS m FROM t", about, **price).vectors
    far = part.off(0, 0.2)[0]
    scores = [100, 100 - far - 1, 100 - far - 1, 100 - far - 1]  # the worst that can be
    with seeded(5):
        missed = sum(part.mechanism.select(scores) != 0 for _ in range(runs)) / runs
    assert missed <= 0.2
    assert missed > 0.04  # and it is not twice as far
    assert part.off(0, 0.2)[0] < part.off(0, 0.01)[0]


def people():
    about = facts()
    return curator_in_memory(about, Reference(about, ROWS))


def test_an_answer_says_how_many_rows_fewer_a_mode_may_have_and_asking_again_is_free():
    curator = people()
    answer = curator.ask("SELECT MODE(c) AS m FROM t", epsilon=1)
    far = -answer.rank_intervals[0]["m"][0]
    assert str(answer).startswith(f"m {answer.value} ")
    assert f"at most {far} rows fewer than any other" in str(answer)
    again = curator.ask("SELECT MODE(c) AS k FROM t", epsilon=1)
    assert (again.value, curator.budget.spent.epsilon) == (answer.value, 1)
    assert answer.receipt["mechanisms"][0]["statistic"] == "mode"
    assert curator.select(m=dc.mode("c")).ask(epsilon=1).value == answer.value


@pytest.mark.parametrize(("sql", "says"), [
    ("SELECT MODE(v) AS m FROM t", "MODE chooses among declared values"),
    ("SELECT MODE(who) AS m FROM t", "MODE chooses among declared values"),
    ("SELECT MODE(c) + 1 AS m FROM t", "MODE is a value and no number"),
    ("SELECT b, COUNT(*) AS n FROM t GROUP BY b ORDER BY MODE(c)", "MODE is a value and no number"),
    ("SELECT b, COUNT(*) AS n FROM t GROUP BY b HAVING MODE(c) > 1", "MODE is a value and no number"),
])  # fmt: skip
def test_a_mode_stands_by_itself_and_is_of_a_list(sql, says):
    with pytest.raises(dc.QuestionError, match=says):
        people().quote(sql, epsilon=1)
