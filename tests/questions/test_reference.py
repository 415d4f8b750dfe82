"""The reference page names every function of the language, and every example on it can be asked."""

import re
from datetime import date, datetime
from pathlib import Path

import pytest

import discreet as dc
from discreet.facts.make import facts_for_table
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.aggregates import FORMS
from discreet.questions.grammar import KNOWN
from discreet.questions.per_unit import VALUES
from discreet.questions.sql import read_sql

PAGE = (Path(__file__).resolve().parents[2] / "docs/reference/sql.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^\|.*\| `([^`]+)` \|$", PAGE, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def facts():
    columns = {
        "carrier": dc.category("AA", "DL", "UA"), "origin": dc.category("EWR", "JFK", "LGA"), "delay": dc.number(-60, 600),
        "distance": dc.number(50, 5000), "seats": dc.integer(0, 400), "day": dc.date(date(2013, 1, 1), date(2013, 12, 31)),
        "at": dc.timestamp(datetime(2013, 1, 1), datetime(2013, 12, 31, 23, 59)), "tail": dc.text(max_length=10),  # noqa: DTZ001
        "cancelled": dc.boolean(),
    }  # fmt: skip
    return facts_for_table("flights", columns, unit="row", neighbours="add_remove", budget=1)


@pytest.fixture(scope="module")
def visits():
    columns = {"ward": dc.integer(1, 5), "region": dc.category("north", "south", per_unit=True), "cost": dc.number(0, 1000)}
    unit = {"column": "patient", "max_rows": 30}
    return facts_for_table("visits", columns, unit=unit, neighbours="add_remove", budget=1)


def test_every_form_of_totals_per_unit_is_on_the_page():
    section = PAGE.split("## Totals per person")[1].split("\n## ")[0]
    inside = " ".join(re.findall(r"FROM \((.*?)\)(?: |`|$)|AS \((.*?)\) SELECT", section)[0]) + section
    for kind in VALUES:
        assert f"{FORMS[kind].sql}({'*' if kind == 'count_rows' else ''}" in inside, kind
    clauses = ("WITH", "FILTER", "WHERE", "PER UNIT BETWEEN", "GROUPS", "ROWS PER GROUP", "BOUNDS SHARE", "CLAMP", "LEAST")
    assert [clause for clause in clauses if f"{clause}" not in section] == []
    assert len(re.findall(r"^\|.*visits.*\|$", section, flags=re.MULTILINE)) >= 11


def test_every_function_is_on_the_page():
    missing = [name for name in KNOWN if not re.search(rf"`[^`]*\b{name}\b", PAGE)]
    assert not missing, f"docs/reference/sql.md does not mention {missing}"


def test_every_example_on_the_page_can_be_asked(facts, visits):
    assert len(EXAMPLES) > 50
    for example in EXAMPLES:
        sql = example if example.startswith(("SELECT", "WITH")) else f"SELECT {example} AS v FROM flights"
        about = visits if "FROM visits" in sql else facts
        assert make_plan(read_sql(sql, about), about, read_price(epsilon=1)).vectors, example
