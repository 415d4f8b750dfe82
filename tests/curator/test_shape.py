"""The groups of an answer are public, and told before anything is paid; what a budget buys is told on facts alone."""

import pytest

import discreet as dc
from discreet.curator.buying import bought_by

TOWNS = dc.category("n", "s", labels=["North", "South"])
COLUMNS = {"age": dc.integer(0, 40), "town": TOWNS, "gone": dc.boolean(), "name": dc.text()}


@pytest.fixture(scope="module")
def table():
    rows = {"age": [1, 2, 3], "town": ["n", "s", "n"], "gone": [True, False, None], "name": ["x", "y", "z"]}
    budget = {"epsilon": 5, "delta": "1e-6"}
    return dc.table(rows, name="t", columns=COLUMNS, unit="row", neighbours="add_remove", budget=budget, rows_about=100)


@pytest.mark.parametrize(
    ("by", "groups"),
    [
        ("town", (("North",), ("South",), ("none",))),
        ("gone", (("false",), ("true",), ("none",))),
        ("BIN(age, 20)", (("0 to 20",), ("20 to 40",), ("40 to 60",), ("none",))),
        ("BIN(age, 0.5)", ()),                                            # too many to look at one by one
        ("name", ()),                                                     # nobody listed them
    ],
)
def test_the_groups_of_a_quote_are_those_of_its_answer(table, by, groups):
    sql, price = f"SELECT {by} AS k, COUNT(*) AS n FROM t GROUP BY k", {"epsilon": 1, "delta": "1e-7"}
    assert table.quote(sql, **price).groups == groups
    if groups:
        assert len(table.ask(sql, **price).rows) == len(groups)


def test_two_keys_make_every_pair_and_none_make_none(table):
    found = table.quote("SELECT town, gone, COUNT(*) AS n FROM t GROUP BY town, gone", epsilon=1).groups
    assert len(found) == 9
    assert found[0] == ("North", "false")
    assert table.quote("SELECT COUNT(*) AS n FROM t", epsilon=1).groups == ()


def test_what_a_budget_buys_is_what_quotes_of_the_table_say(table):
    before = table.budget.spent
    bought = {each["what"]: each["plus_minus"] for each in bought_by(table.facts)}
    assert bought["one count"] == table.quote("SELECT COUNT(*) AS n FROM t", epsilon=5).columns[0].plus_minus
    assert bought["the average of age"] == table.quote("SELECT AVG(age) AS n FROM t", epsilon=5).columns[0].plus_minus
    assert bought["20 different counts, each"] == table.quote("SELECT COUNT(*) AS n FROM t", epsilon="0.25").columns[0].plus_minus
    assert table.budget.spent == before
