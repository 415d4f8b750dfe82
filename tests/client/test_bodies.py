"""What travels between service and client is the same on both sides."""

import json
from dataclasses import replace

import pandas as pd
import pytest

import discreet as dc
from discreet.answers.bodies import answer_body, quote_body, read_answer, read_quote
from discreet.answers.table_json import read_table, table_as_dict
from discreet.facts.file import parse_facts
from discreet.service.writing import json_bytes

ROWS = [{"x": i % 50 / 3, "day": f"2020-0{1 + i % 3}-11", "race": 1 + i % 2, "town": "ab"[i % 2], "yes": bool(i % 2)}
        for i in range(99)]  # fmt: skip
COLUMNS = {
    "x": dc.number(0, 50), "day": dc.date("2020-01-01", "2020-04-30"), "race": dc.category(1, 2, 3, labels=["a", "b", "c"]),
    "town": dc.category("a", "b", other=True), "yes": dc.boolean(),
}  # fmt: skip
QUESTIONS = [
    "SELECT COUNT(*) AS n FROM t", "SELECT race, town, AVG(x) AS m, COUNT(*) AS n FROM t GROUP BY race, town",
    "SELECT MEDIAN(x) AS v FROM t", "SELECT DATE_TRUNC('month', day) AS d, COUNT(*) AS n FROM t GROUP BY d",
    "SELECT yes, BIN(x, 10) AS b, RUNNING_COUNT(*) AS c FROM t GROUP BY yes, b", "SELECT MODE(race) AS d FROM t",
    "SELECT town, AVG(x) AS m, COUNT(*) AS n FROM t WHERE x > 49 GROUP BY town",
    "SELECT race, COUNT(*) AS n FROM t GROUP BY race LIMIT 1",
]  # fmt: skip


@pytest.fixture(params=[100, {"rho": 100}], ids=["epsilon", "rho"])
def table(request):
    with dc.table(pd.DataFrame(ROWS), columns=COLUMNS, unit="row", neighbours="add_remove", budget=request.param) as table:
        yield table


def over(body):
    return json.loads(json_bytes(body))


def price(table):
    return {"rho": 1} if "rho" in table.budget.to_dict()["cap"] else {"epsilon": 1}


@pytest.mark.parametrize("sql", QUESTIONS)
def test_answers_and_quotes_arrive_as_they_were_sent(table, sql):
    quote, answer = table.quote(sql, **price(table)), table.ask(sql, **price(table))
    there = read_quote(over(quote_body(quote)))
    assert there == quote
    assert (repr(there), there._repr_html_(), there.to_dict()) == (repr(quote), quote._repr_html_(), quote.to_dict())
    found = read_answer(over(answer_body(answer)))
    assert replace(found, ranges=()) == replace(answer, ranges=())
    assert (repr(found), found._repr_html_(), found.to_csv()) == (repr(answer), answer._repr_html_(), answer.to_csv())
    assert answer_body(found) == answer_body(answer)


def test_totals_over_ranges_are_free_on_the_other_side(table):
    sent = table.ask(QUESTIONS[4], **price(table))
    found = read_answer(over(answer_body(sent)))
    assert found.total(0, 20, yes=True) == sent.total(0, 20, yes=True)


FACTS = """
[table]
name = "people"
source = "people.csv"
unit = { column = "person", max_rows = 4, max_groups = 2 }
neighbours = "change_one"
units = 900
description = "who they are"
[budget]
epsilon = 3
delta = "1e-6"
partition = "town"
per_analyst = { epsilon = 1, delta = "1e-7" }
max_epsilon_per_question = "0.3"
expires = 2030-01-01
[columns.x]
type = "number"
lower = "0.1"
upper = "1/3"
null = "0.2"
[columns.k]
type = "integer"
lower = -3
upper = 9
[columns.town]
type = "category"
values = ["a", "b"]
labels = ["A", "B"]
per_unit = true
null_label = "none"
[columns.zip]
type = "integer"
lower = 0
upper = 99999
[columns.yes]
type = "boolean"
null = false
true = ["ja"]
false = ["nein"]
[columns.day]
type = "date"
lower = 2020-01-01
upper = 2020-12-31
[columns.at]
type = "timestamp"
lower = 2020-01-01T00:00:00
upper = 2020-12-31T23:59:59
zone = "Europe/Berlin"
[columns.note]
type = "text"
max_length = 9
[join.zips]
source = "zips.csv"
key = "zip"
max_matches = 2
[join.zips.columns.county]
type = "category"
values = ["n", "s"]
"""


def test_facts_arrive_as_they_are_but_for_the_place_of_the_rows():
    facts = parse_facts(FACTS, "people.toml")
    body = over(table_as_dict(facts, facts.budget.cap) | {"budget": {"cap": {"epsilon": "3", "delta": "0.000001"}}})
    found = read_table(body, "https://h/people")
    hidden = {"source": "", "located": None}
    joins = tuple(replace(each, **hidden) for each in facts.joins)
    there = tuple(replace(each, **hidden) for each in found.joins)
    assert replace(found, **hidden, joins=there) == replace(facts, **hidden, joins=joins)
    assert "people.csv" not in repr(found)
