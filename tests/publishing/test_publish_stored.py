"""Releases of questions that are views of what was bought before, whole or in part: only the rest is charged, and they say so."""

import csv
import json

import pytest
from tests.publishing.releases import contents, homes

import discreet as dc
from discreet.curator import office

pytestmark = pytest.mark.slow  # tables are registered and published for every test

RELEASE = """\
[release]
title = "Homes"
table = "homes.toml"
[[question]]
name = "totals"
sql = "SELECT region, SUM(rent) AS total{more} FROM homes GROUP BY region"
epsilon = 0.5
"""
MEANS = "SELECT region, AVG(rent) AS m FROM homes GROUP BY region"


def asked_before(folder, more=""):
    """A release file about homes whose means were asked before."""
    file = homes(folder, epsilon="2", release=RELEASE.format(more=more))
    spent_after(folder, MEANS)
    return file


def spent_after(folder, *questions):
    curator = dc.open(folder / "homes.toml")
    try:
        for sql in questions:
            curator.ask(sql, epsilon="0.5")
        return curator.budget.spent
    finally:
        curator.close()


def dictionary(folder):
    lines = (folder / "out" / "data-dictionary.csv").read_text(encoding="utf-8").splitlines()
    return {row["column"]: row for row in csv.DictReader(lines)}


def receipt(folder):
    return json.loads((folder / "out" / "receipts" / "totals.json").read_text(encoding="utf-8"))


def test_a_release_of_what_was_bought_before_costs_nothing_and_names_the_noise_of_then(tmp_path):
    file = asked_before(tmp_path)
    made = dc.publish(file, tmp_path / "out")
    assert made.is_free
    assert spent_after(tmp_path) == dc.Pure(epsilon="0.5")
    assert receipt(tmp_path)["mechanisms"] == []
    assert dictionary(tmp_path)["total"]["noise"] == "discrete Laplace"
    assert dictionary(tmp_path)["total"]["cost"] == "epsilon 0"
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "nothing: all was released before" in page
    assert "none: public numbers only" not in page
    assert office.verify_release(tmp_path / "out").ok


def test_of_a_release_that_is_half_there_only_the_rest_is_charged(tmp_path):
    file = asked_before(tmp_path, ", COUNT(*) AS n")
    quote = dc.publish(file, tmp_path / "out", dry_run=True)
    (asked,) = quote.questions
    assert (asked.cost, asked.is_free) == (dc.Pure(epsilon="0.25"), False)
    assert quote.budgets[0].after == dc.Pure(epsilon="0.75")
    dc.publish(file, tmp_path / "out")
    assert spent_after(tmp_path) == dc.Pure(epsilon="0.75")
    assert [each["what"] for each in receipt(tmp_path)["mechanisms"]] == ["COUNT(*)"]
    lines = dictionary(tmp_path)
    assert (lines["n"]["scale"], lines["n"]["cost"]) == ("4", "epsilon 0.25")
    assert lines["total"]["noise"] == "discrete Laplace"
    assert lines["total"]["scale"] != lines["n"]["scale"]
    assert "ε 0.25, the rest was released before" in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert office.verify_release(tmp_path / "out").ok


def test_the_quote_of_a_release_expects_what_its_answers_will_have(tmp_path):
    file = asked_before(tmp_path, ", COUNT(*) AS n")
    (asked,) = dc.publish(file, tmp_path / "out", dry_run=True).questions
    expected = {each.name: each.plus_minus for each in asked.columns}
    dc.publish(file, tmp_path / "out")
    lines = (tmp_path / "out" / "totals.csv").read_text(encoding="utf-8").splitlines()
    for row in csv.DictReader(lines):
        for name, plus_minus in expected.items():
            assert float(row[f"{name}_high"]) - float(row[f"{name}_low"]) == pytest.approx(2 * plus_minus, rel=0.02)


@pytest.mark.parametrize("more", ["", ", COUNT(*) AS n"])
def test_a_release_of_stored_numbers_is_the_same_to_the_letter_on_every_run(tmp_path, more):
    file = asked_before(tmp_path, more)
    dc.publish(file, tmp_path / "out")
    before, spent = contents(tmp_path / "out"), spent_after(tmp_path, "SELECT COUNT(*) AS k FROM homes WHERE rent > 7")
    again = dc.publish(file, tmp_path / "out")
    assert (again.is_free, again.is_new) == (True, False)
    assert contents(tmp_path / "out") == before
    assert spent_after(tmp_path) == spent


def test_progress_names_what_is_asked_and_not_what_is_there(tmp_path):
    more = RELEASE.format(more="") + '''[[question]]\nname = "all"\nsql = "SELECT COUNT(*) AS n FROM homes"\nepsilon = 0.1\n'''
    file = homes(tmp_path, release=more)
    spent_after(tmp_path, MEANS)
    told = []
    dc.publish(file, tmp_path / "out", progress=lambda *what: told.append(what))
    assert [what for what in told if what[0].startswith("asking")] == [("asking all", 1, 2)]


def test_questions_of_one_release_that_could_stand_for_each_other_are_bought_once_and_stay_what_they_were(tmp_path):
    first = f'''[[question]]\nname = "means"\nsql = "{MEANS}"\nepsilon = 0.5\n[[question]]'''
    file = homes(tmp_path, epsilon="2", release=RELEASE.format(more="").replace("[[question]]", first))
    quote = dc.publish(file, tmp_path / "out", dry_run=True)
    assert [(each.cost, each.is_free, each.is_shared) for each in quote.questions] == [
        (dc.Pure(epsilon="0.5"), False, False), (dc.Pure(epsilon=0), False, True)
    ]  # fmt: skip
    assert "nothing: bought with others" in str(quote)
    made = dc.publish(file, tmp_path / "out")
    assert made.cost[0].loss == quote.budgets[0].takes == spent_after(tmp_path) == dc.Pure(epsilon="0.5")  # of 0.5 and 0.5
    before = contents(tmp_path / "out")
    again = dc.publish(file, tmp_path / "out")
    assert (again.is_free, again.is_new) == (True, False)
    assert contents(tmp_path / "out") == before


def test_the_quote_of_a_release_says_what_a_dearer_answer_of_before_will_give(tmp_path):
    """A new user read ± 6 where the release then said ± 3, and a price where it cost nothing."""
    text = RELEASE.format(more="").replace("SUM(rent) AS total", "COUNT(*) AS n")
    file = homes(tmp_path, epsilon="2", release=text)
    curator = dc.open(tmp_path / "homes.toml")
    curator.ask("SELECT region, COUNT(*) AS n FROM homes GROUP BY region", epsilon=1, analyst="alice")
    curator.close()
    quote = dc.publish(file, tmp_path / "out", dry_run=True)
    (asked,) = quote.questions
    assert (asked.cost, quote.budgets[0].takes) == (dc.Pure(epsilon=0), dc.Pure(epsilon=0))
    assert (asked.is_free, [each.plus_minus for each in asked.columns]) == (True, [3.0])         # and ± 6 at 0.5
    assert "nothing: bought before" in str(quote)
    dc.publish(file, tmp_path / "out")
    rows = list(csv.DictReader((tmp_path / "out" / "totals.csv").read_text(encoding="utf-8").splitlines()))
    assert {int(row["n_high"]) - int(row["n_low"]) for row in rows} == {6}


def test_that_every_number_has_its_error_is_said_where_it_is_so(tmp_path):
    said = "every number with its error"
    derived = '[[derived]]\nname = "d"\nsql = "SELECT region, total / 2 AS half FROM totals"\n'
    dc.publish(asked_before(tmp_path), tmp_path / "whole")
    assert said in (tmp_path / "whole" / "index.html").read_text(encoding="utf-8")
    (tmp_path / "release.toml").write_text(RELEASE.format(more="") + derived, encoding="utf-8")
    dc.publish(tmp_path / "release.toml", tmp_path / "half")
    page = (tmp_path / "half" / "index.html").read_text(encoding="utf-8")
    assert (said in page, "without its error: half" in page) == (False, True)
