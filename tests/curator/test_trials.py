"""What comes after a release is tried on made-up ones before the charge: a mistake there costs nothing."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import discreet as dc
from discreet.answers import answer, pages, words
from discreet.ledger.entries import documents
from discreet.mechanisms.tape import recorded
from discreet.planning.build import make_plan
from discreet.planning.extremes import extreme_releases
from discreet.planning.price import read_price
from discreet.planning.purchase import bought_whole
from discreet.questions.sql import read_sql
from discreet.statistics.keys import keys_told
from discreet.views import arithmetic

COLUMNS = {"x": dc.number(0, 100), "i": dc.integer(0, 50), "s": dc.category("a", "b"), "z": dc.integer(0, 9998), "k": dc.text(),
           "w": dc.number()}
ROWS = pd.DataFrame([{"x": float(i), "i": i, "s": "ab"[i % 2], "z": i, "k": "key", "w": i / 7} for i in range(40)])
EVERY = [
    "SELECT COUNT(*) AS n FROM t",
    "SELECT s, COUNT(*) AS n, SUM(x) AS v, AVG(x) AS m FROM t GROUP BY s HAVING n > 3 ORDER BY v DESC LIMIT 1",
    "SELECT VARIANCE(x) AS v, STDDEV(i) AS d, COVAR(x, i) AS c, CORR(x, i) AS r FROM t",
    "SELECT REGR_INTERCEPT(x, i) AS a, REGR_SLOPE(i, x) AS b, REGR_R2(i, x) AS f FROM t",
    "SELECT SUM(x) / COUNT(*) AS q, SUM(x) % 7 AS r, ABS(SUM(i) - 3) AS a FROM t",
    "SELECT s, MEDIAN(x, INTERVAL) AS m, MIN(x) AS low FROM t GROUP BY s",
    "SELECT BIN(x, 10) AS b, RUNNING_COUNT(*) AS upto FROM t GROUP BY b",
    "SELECT z, COUNT(*) AS n, MEDIAN(x) AS m FROM t GROUP BY z",
    "SELECT z, BIN(x, 5) AS b, RUNNING_COUNT(*) AS upto FROM t WHERE i > 3 GROUP BY z, b",
    "SELECT AVG(w) AS m, SUM(w) AS v FROM t BOUNDS SHARE 0.2",
    "SELECT MEDIAN(w) AS m FROM t BOUNDS SHARE 0.2",
]
KEYED = ["SELECT k, COUNT(*) AS n FROM t GROUP BY k", "SELECT k, s, AVG(x) AS m FROM t GROUP BY k, s ORDER BY m"]
PRICES = [{"epsilon": 1}, {"epsilon": "1e-9"}, {"epsilon": 10**20}]


def table():
    budget = {"epsilon": "1e100", "delta": "0.1"}
    return dc.table(ROWS, name="t", unit="row", neighbours="add_remove", columns=COLUMNS, budget=budget)


def plan_of(people, sql, **price):
    return make_plan(read_sql(sql, people.facts), people.facts, read_price(**price))


@pytest.mark.slow
@pytest.mark.parametrize("sql", EVERY)
@pytest.mark.parametrize("price", PRICES, ids=str)
def test_what_follows_a_release_holds_at_the_extremes_for_every_kind_of_question(sql, price):
    people = table()
    plan = plan_of(people, sql, **price)
    people.desk.trials.try_out(bought_whole(plan), people.desk.request(plan, None, None), Fraction(19, 20), True)
    assert len(people.desk.trials.passed) == 1


@pytest.mark.parametrize("sql", KEYED)
def test_keys_that_are_found_are_tried_with_none_and_with_hostile_ones(sql):
    people = table()
    plan = plan_of(people, sql, epsilon=1, delta="1e-6")
    found = [released[0] for _, released in extreme_releases(plan)]
    assert () in [keys_told(each) for each in found]
    hostile = max(found, key=len).tolist()
    assert 0x202E in hostile
    assert 0x1B in hostile
    assert people.ask(sql, epsilon=1, delta="1e-6").rows is not None


def test_made_up_releases_have_zero_and_the_largest_sums_in_every_cell():
    people = table()
    plan = plan_of(people, "SELECT COUNT(*) AS n FROM t", epsilon=1)
    first, last = extreme_releases(plan)
    assert first[0] == plan
    assert first[1][0].shape == (1, 1, 1)
    assert {0, 1 << 61, -(1 << 61)} <= set(last[1][0].ravel().tolist())
    many = plan_of(people, "SELECT z, COUNT(*) AS n FROM t GROUP BY z", epsilon=1)
    few, released = next(extreme_releases(many))
    assert few.wanted.cells < 100 < many.wanted.cells == 10_000
    assert {0, 1 << 61, -(1 << 61)} <= set(released[0].ravel().tolist())


@pytest.mark.parametrize("sql", ["SELECT ROUND(SUM(x)) AS v FROM t", "SELECT s, ROUND(SUM(x)) AS v FROM t GROUP BY s"])
def test_a_mistake_that_only_extreme_numbers_show_is_found_before_the_charge(sql, monkeypatch):
    people = table()
    monkeypatch.setattr(arithmetic, "_stepped", lambda operation, x: 1 / 0 if (np.abs(x) > 2.0**60).any() else x)  # planted
    with pytest.raises(dc.TrialFault, match=r"nothing was charged.*reference"):
        people.ask(sql, epsilon=1)
    assert people.budget.spent.epsilon == 0


@pytest.mark.parametrize(("place", "name"), [(words, "answer_in_words"), (pages, "answer_as_html"), (answer.Answer, "to_csv"),
                                             (answer.Answer, "to_dict")])
def test_a_mistake_in_how_answers_are_printed_is_found_before_the_charge(place, name, monkeypatch):
    people = table()
    monkeypatch.setattr(place, name, lambda *_: 1 / 0)
    with pytest.raises(dc.TrialFault):
        people.ask("SELECT COUNT(*) AS n FROM t", epsilon=1)
    assert people.budget.spent.epsilon == 0


def test_a_mistake_that_only_a_kept_answer_has_is_found_before_the_charge(monkeypatch):
    people, real = table(), documents._column_from

    def without_its_last_row(*told):
        column = real(*told)
        return replace(column, values=column.values[:-1])

    monkeypatch.setattr(documents, "_column_from", without_its_last_row)
    with pytest.raises(dc.TrialFault):
        people.ask("SELECT s, COUNT(*) AS n FROM t GROUP BY s", epsilon=1)
    assert people.budget.spent.epsilon == 0


def test_a_trial_draws_no_noise_and_reads_no_row():
    people = table()
    plan = plan_of(people, EVERY[1], epsilon=1)
    with recorded() as calls:
        people.desk.trials.try_out(bought_whole(plan), people.desk.request(plan, None, None), Fraction(1, 2), False)
    assert calls == []


def test_a_plan_that_differs_in_where_alone_is_not_tried_again():
    people = table()
    people.ask("SELECT s, AVG(x) AS m FROM t WHERE x > 1 GROUP BY s", epsilon=1)
    people.ask("SELECT s, AVG(x) AS m FROM t WHERE x > 2 GROUP BY s", epsilon=1)
    assert len(people.desk.trials.passed) == 1
    people.ask("SELECT s, AVG(x) AS m FROM t WHERE x > 2 GROUP BY s", epsilon=2)
    assert len(people.desk.trials.passed) == 2


def test_a_plan_whose_noise_is_of_about_the_same_size_is_not_tried_again():
    people = table()
    for number, (epsilon, tried) in enumerate([("1.01", 1), ("1.03", 1), ("1.09", 1), ("8.01", 2), ("1.0000001", 3)]):
        people.ask(f"SELECT s, AVG(x) AS m FROM t WHERE x > {number} GROUP BY s", epsilon=epsilon)
        assert len(people.desk.trials.passed) == tried


def test_the_data_holder_finds_the_mistake_in_the_log_by_its_reference(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text("x\n1\n2\n", encoding="utf-8")
    (tmp_path / "t.toml").write_text(
        '[table]\nname = "t"\nsource = "t.csv"\nunit = "row"\nneighbours = "add_remove"\n'
        '[columns.x]\ntype = "number"\nlower = 0\nupper = 10\n[budget]\nepsilon = 1\n', encoding="utf-8")
    dc.register(tmp_path / "t.toml")
    monkeypatch.setattr(answer.Answer, "to_csv", lambda _: {}["planted"])
    people = dc.open(tmp_path / "t.toml")
    with pytest.raises(dc.TrialFault) as told:
        people.ask("SELECT COUNT(*) AS n FROM t", epsilon="0.1")
    people.close()
    (log,) = (tmp_path / ".discreet").glob("*.log")
    line = json.loads(log.read_text(encoding="utf-8").splitlines()[-1])
    assert line["reference"] == told.value.reference
    assert "KeyError" in line["cause"]
    assert "planted" not in str(told.value)



def test_public_is_said_only_of_numbers_for_which_nothing_was_drawn():
    """At a price beyond all reason the interval of a noisy count has no width: it is no public number for that. Rule 28."""
    people = table()
    noisy = people.ask("SELECT COUNT(*) AS n FROM t", epsilon=10**9)
    assert noisy.interval == (40, 40)
    assert "(public)" not in repr(noisy)
    assert "40 ± < 1 (95 %)" in repr(noisy)
    again = people.ask("SELECT COUNT(*) AS n FROM t", epsilon=10**9)
    assert again.replayed
    assert "(public)" not in repr(again)
    columns = {"x": dc.number(0, 100, null=0)}
    known = dc.table(ROWS[["x"]], name="t", unit="row", neighbours="change_one", rows=40, columns=columns, budget=1)
    assert "(public)" in repr(known.ask("SELECT COUNT(*) AS n FROM t", epsilon="0.1"))
