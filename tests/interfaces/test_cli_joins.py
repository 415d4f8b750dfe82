"""Lookups on the command line: check explains them, quote says what they cost, and a bad one is named with its line."""

import json

import pytest
from tests.interfaces.people import CANARY, FACTS

JOIN = """
[join.sexes]
source = "sexes.csv"
key = { Sex = "code" }
[join.sexes.columns.title]
type = "category"
values = ["Ms", "Mr"]
"""
SQL = "SELECT title, COUNT(*) AS n FROM people JOIN sexes ON Sex = code GROUP BY title"


@pytest.fixture
def lookup(folder):
    (folder / "people.toml").write_text(FACTS + JOIN, encoding="utf-8")
    file = folder / "sexes.csv"
    file.write_text("code,title\n1,Ms\n2,Mr\n", encoding="utf-8")
    return file


def test_check_explains_joins(discreet, lookup):
    told = discreet("check", "people.toml").out
    assert told.startswith("sound  people.toml\n       join people.Sex = sexes.code, at most 1 row of sexes for each: title\n")


def test_check_names_a_lookup_that_is_not_as_declared(discreet, lookup):
    lookup.write_text("code,title\n1,Ms\n2,Mr\n1.0,Mr\n", encoding="utf-8")
    (problem,) = json.loads(discreet("check", "people.toml", "--json").out)["problems"]
    assert problem["key"] == "join.sexes.max_matches"
    assert "2 rows with code = 1" in problem["message"]
    assert problem["line"] == (FACTS + JOIN).splitlines().index("[join.sexes]") + 1
    lookup.unlink()
    (problem,) = json.loads(discreet("check", "people.toml", "--json").out)["problems"]
    assert problem["key"] == "join.sexes.source"


def test_a_join_is_quoted_asked_and_rehearsed(discreet, lookup):
    assert discreet("register", "people.toml").code == 0
    assert "a row meets at most 1" in discreet("quote", "people.toml", SQL, "-e", "1").out
    assert len(json.loads(discreet("ask", "people.toml", SQL, "-e", "1", "--json").out)["rows"]) == 3
    assert discreet("ask", "people.toml", SQL, "-e", "1", "--rehearse").code == 0
    lookup.write_text("code,title\n1,Mr\n2,Ms\n", encoding="utf-8")
    shown = discreet("ask", "people.toml", SQL.replace("COUNT(*)", "AVG(Age)"), "-e", "1")
    assert shown.code == 5
    assert CANARY not in shown.out + shown.err


def test_check_explains_a_join_with_another_confidential_table(discreet, folder):
    text = FACTS.replace('unit = "row"', 'unit = { column = "Note", max_rows = 2 }\npeople = "all"')
    (folder / "people.toml").write_text(text + '[join.others]\nfacts = "others.toml"\n', encoding="utf-8")
    (folder / "others.toml").write_text(text.replace('name = "people"', 'name = "others"'), encoding="utf-8")
    told = " ".join(discreet("check", "people.toml").out.split())
    expected = "join people.Note = others.Note, at most 2 rows of others for each: Age, Sex, Note; confidential, with one budget"
    assert expected in told
