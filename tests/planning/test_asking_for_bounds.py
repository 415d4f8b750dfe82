"""Questions that find bounds, from the asking to the answer: every table has one, and it tells what was found."""

import re
from dataclasses import replace
from fractions import Fraction
from math import inf

import numpy as np
import pandas as pd
import pytest
from tests.planning.loose import PRICES, facts, planned
from tests.repeated import answers

import discreet as dc
from discreet.curator import curator_in_memory
from discreet.engines import open_engine
from discreet.engines.reference.engine import Reference
from discreet.facts import parse_facts
from discreet.facts.model import Budget, Number
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.planning.staged import opened
from discreet.questions.sql import read_sql
from discreet.statistics.bounds import bounds_as_integers, bounds_at
from discreet.testing import seeded

TABLES = {
    "empty": [],
    "all NULL": [{"c": 1}] * 500,
    "equal": [{"x": 5.0, "k": 5, "c": 1}] * 3000,
    "zeros": [{"x": 0.0, "k": 0, "c": 1}] * 1000,
    "infinite": [{"x": inf if i % 2 else -inf, "k": 10**300, "c": 2} for i in range(1000)],
    "huge": [{"x": 1e308, "k": -(2**62), "c": 2}] * 1000,
    "tiny": [{"x": 1e-300, "k": 1, "c": 2}] * 1000,
    "one row": [{"x": 1.5, "k": 7, "c": 1}],
}


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("price", PRICES)
def test_every_table_has_an_answer_at_the_same_charge(table, price):
    accounting = "concentrated" if "rho" in price else "basic"
    about = replace(facts(), budget=Budget(dc.Approximate(epsilon=1000, delta="0.1"), accounting=accounting))
    curator = curator_in_memory(about, Reference(about, TABLES[table]))
    with seeded(3):
        answer = curator.ask("SELECT c, SUM(k) AS s, AVG(x) AS m, STDDEV(x) AS d FROM t GROUP BY c", bounds_share="0.3", **price)
    assert [row["c"] for row in answer.rows] == [1, 2]
    assert all(isinstance(row["s"], int | float) for row in answer.rows)
    (clamped,) = [sentence for sentence in answer.left_out if "nearest bound" in sentence]
    assert re.fullmatch(r".*: k outside .* \(bounds found\), x outside .* \(bounds found\)", clamped)
    assert [what for what, _ in answer.split][:2] == ["bounds of k", "bounds of x"]
    if table == "equal":
        assert "k outside 0 … 16 (bounds found)" in clamped


def people(count=4000):
    return [{"x": 100.0 + i % 200, "k": i % 50, "c": 1 + i % 2, "y": i % 10, "word": "a"} for i in range(count)]


@pytest.mark.slow
def test_an_answer_tells_its_bounds_and_is_the_statistic_of_clamped_values():
    about = facts()
    curator = curator_in_memory(about, Reference(about, people()))
    with seeded(1):
        answer = curator.ask("SELECT c, AVG(x) AS m, SUM(k) AS s FROM t GROUP BY c ORDER BY c BOUNDS SHARE 1/2", epsilon=40)
    told = "values count as the nearest bound: x outside 0 … 1 024 (bounds found), k outside 0 … 128 (bounds found)"
    assert answer.left_out[0] == told
    assert not any("clamped" in warning for warning in answer.warnings)
    assert [row["m"] for row in answer.rows] == pytest.approx([199, 200], abs=3)
    assert [row["s"] for row in answer.rows] == pytest.approx([48000, 50000], abs=600)
    for row, ends in zip(answer.rows, answer.intervals, strict=True):
        assert all(low <= row[name] <= high for name, (low, high) in ends.items())
    receipt = answer.receipt
    assert [each["what"] for each in receipt["mechanisms"]] == ["bounds of x"] * 2 + ["bounds of k"] * 2 + ["AVG(x)", "SUM(k)"]
    assert [each["statistic"] for each in receipt["mechanisms"]][:2] == ["lower", "upper"]
    assert receipt["question"].endswith("BOUNDS SHARE 0.5")


@pytest.mark.slow
@pytest.mark.parametrize("how", ["keyword", "clause", "builder", "batch"])
def test_the_share_is_said_in_python_in_sql_and_in_a_batch_and_the_same_question_is_a_replay(how):
    about = facts()
    curator = curator_in_memory(about, Reference(about, people()))
    sql = "SELECT AVG(x) AS mean_x FROM t"
    asks = {
        "keyword": lambda: curator.ask(sql, epsilon=2, bounds_share=0.25),
        "clause": lambda: curator.ask(f"{sql} BOUNDS SHARE 0.25", epsilon=2),
        "builder": lambda: curator.mean("x").ask(epsilon=2, bounds_share="1/4"),
        "batch": lambda: curator.ask_all([f"{sql} BOUNDS SHARE 0.25"], epsilon=2)[0],
    }
    first = asks[how]()
    spent = curator.budget.spent
    for ask in asks.values():
        again = ask()
        assert again.rows == first.rows
        assert again.warnings == first.warnings
        assert again.intervals == first.intervals
    assert curator.budget.spent == spent == dc.Approximate(epsilon=2, delta=0)
    assert curator.ask(sql, epsilon=1, bounds_share="0.25").rows == first.rows
    assert curator.ask(sql, epsilon=2, bounds_share="0.3").rows != first.rows  # another split is another question


@pytest.mark.slow
def test_weights_share_the_rest_and_a_stored_request_is_planned_again_as_it_was():
    about = facts()
    curator = curator_in_memory(about, Reference(about, people()))
    sql, weights = "SELECT AVG(x) AS m, SUM(k) AS s, COUNT(*) AS n FROM t BOUNDS SHARE 0.25", {"m": 3}
    plan = make_plan(read_sql(sql, about), about, read_price(epsilon=2), weights)
    assert [each.share for each in plan.vectors] == [Fraction(1, 8)] * 2 + [Fraction(9, 20), Fraction(3, 20), Fraction(3, 20)]
    again = curator.desk.stock.purchase_of(curator.desk.request(plan, None, None)).plan
    assert again == plan
    told = tuple(bounds_as_integers(bounds_at(about.column(each.column), 70, 80)) for each in plan.vectors[:2])
    assert [each.share for each in opened(again, told).vectors] == [each.share for each in plan.vectors]
    answer = curator.ask(sql, epsilon=2, weights=weights)
    assert curator.ask(sql, epsilon=2, weights=weights).rows == answer.rows


@pytest.mark.slow
def test_one_public_bound_is_kept_and_the_whole_share_finds_the_other():
    about = facts()
    plan = planned("SELECT AVG(up) AS m, SUM(down) AS s FROM t BOUNDS SHARE 0.5", about, epsilon=4)
    assert [[(end.kind, end.mechanism.mechanisms[0].epsilon) for end in each.ends] for each in plan.vectors[:2]] == [
        [("max", 1)], [("min", 1)],
    ]  # fmt: skip
    rows = [{"up": 100.0 + i % 100, "down": -10 - i % 20} for i in range(3000)]
    curator = curator_in_memory(about, Reference(about, rows))
    with seeded(1):
        answer = curator.ask("SELECT AVG(up) AS m, SUM(down) AS s FROM t BOUNDS SHARE 0.5", epsilon=40)
    assert "up outside 0 … 512 (bounds found), down outside -64 … -3 (bounds found)" in answer.left_out[0]
    assert answer.rows[0]["s"] == pytest.approx(-58500, abs=700)


def test_a_replaced_null_keeps_its_value_and_does_not_move_the_bounds():
    about = facts()
    rows = [{"score": 1000.0} if i % 2 else {} for i in range(4000)]
    curator = curator_in_memory(about, Reference(about, rows))
    with seeded(1):
        answer = curator.ask("SELECT AVG(score) AS m FROM t BOUNDS SHARE 0.5", epsilon=40)
    assert "score outside 0 … 2 048 (bounds found) counts as the nearest bound" in answer.left_out
    assert answer.rows[0]["m"] == pytest.approx(503.5, abs=5)


@pytest.mark.slow
def test_units_with_many_rows_are_bounded_before_their_values_are_ranked():
    about = facts(unit='{ column = "who", max_rows = 2 }')
    rows = [{"who": f"p{i}", "x": 10.0, "k": 3} for i in range(3000)] + [{"who": "greedy", "x": 1e12, "k": 10**12}] * 30000
    curator = curator_in_memory(about, Reference(about, rows))
    with seeded(1):
        answer = curator.ask("SELECT AVG(x) AS m, SUM(k) AS s FROM t", epsilon=40, bounds_share="0.5")
    assert "x outside 0 … 32 (bounds found), k outside 0 … 8 (bounds found)" in answer.left_out[1]
    assert answer.rows[0]["m"] == pytest.approx(10, abs=1)


FACTS_OF_INCOMES = """
[table]
name = "t"
source = "t.csv"
unit = "row"
neighbours = "add_remove"
[budget]
epsilon = 100
[columns.x]
type = "number"
null = "drop"
"""


@pytest.mark.slow
@pytest.mark.parametrize("price", [{"epsilon": "0.5"}, {"epsilon": 1}])
def test_the_mean_of_long_tailed_incomes_is_nearly_as_good_as_with_bounds_that_are_known(price):
    """Made-up incomes like those of the consumer survey: within 3 % at the median of 25 answers, of which 1 % may be far off."""
    incomes = np.exp(np.random.default_rng(7).normal(10.8, 0.95, 5000)).round()
    frame = pd.DataFrame({"x": incomes})
    about = parse_facts(FACTS_OF_INCOMES, "t.toml")
    curator = curator_in_memory(about, open_engine(about, frame))
    asked = answers(curator, "SELECT AVG(x) AS m FROM t", 25, bounds_share="0.2", **price)
    errors = [abs(answer.rows[0]["m"] / incomes.mean() - 1) for answer in asked]
    curator.close()
    assert np.median(errors) < 0.03


def test_the_mean_of_real_incomes_is_nearly_as_good_as_with_bounds_that_are_known(real_data):
    incomes = pd.read_csv(real_data("CEdata_5133_slides.csv"))["Income"].to_numpy(float)
    errors = {}
    for name, bounds in {"found": "", "known": "lower = 0\nupper = 500000\n"}.items():
        about = parse_facts(FACTS_OF_INCOMES + bounds, "t.toml")
        curator = curator_in_memory(about, open_engine(about, pd.DataFrame({"x": incomes})))
        share = {} if bounds else {"bounds_share": "0.2"}
        asked = [curator.ask(f"SELECT AVG(x) AS m FROM t WHERE x < 1e12 + {i}", epsilon=1, **share) for i in range(25)]
        errors[name] = np.median([abs(answer.rows[0]["m"] - incomes.mean()) for answer in asked])
        curator.close()
    assert errors["found"] < 0.02 * incomes.mean()
    assert errors["found"] < 2 * errors["known"] + 0.005 * incomes.mean()


# ---- quotes and refusals


def test_a_quote_shows_the_share_and_what_it_buys_beside_the_range_that_will_be_found():
    about = facts()
    curator = curator_in_memory(about, Reference(about, []))
    sql = "SELECT AVG(x) AS m, SUM(k) AS s, COUNT(*) AS n, MEDIAN(x) AS q, VARIANCE(x) AS v, AVG(y) AS z FROM t"
    quote = curator.quote(sql, epsilon=6, bounds_share="0.5", assuming=1000)
    assert dict(quote.split)["bounds of x"] == dc.Pure(epsilon="1.5")
    assert sum(loss.epsilon for _, loss in quote.split) == 6
    columns = {column.name: column for column in quote.columns}
    assert {name: column.basis for name, column in columns.items()} == {
        "m": "range", "s": "range", "n": "none", "q": "rank", "v": "range", "z": "assuming",
    }  # fmt: skip
    assert 0.001 < columns["m"].plus_minus < 0.1
    assert columns["m"].rows == 1000
    assert columns["s"].rows is None
    assert columns["v"].plus_minus == inf
    assert {each["name"]: each["plus_minus"] for each in quote.to_dict()["columns"]}["v"] is None
    assert "of the range found" in repr(quote)
    assert "depends on the bounds found" in repr(quote)
    assert any(warning.startswith("bounds of x are found among powers of two, where about ") for warning in quote.warnings)
    assert curator.budget.spent == dc.Approximate(epsilon=0, delta=0)


@pytest.mark.parametrize(
    ("sql", "price", "says", "hint"),
    [
        ("SELECT AVG(x) AS m FROM t", {}, "without public bounds", "bounds_share"),
        ("SELECT MEDIAN(x) AS m FROM t", {}, "without public bounds", "bounds_share"),
        ("SELECT AVG(x * 2) AS m FROM t", {"bounds_share": "0.2"}, "computed with", "clamp"),
        ("SELECT AVG(x) AS m, MAX(LEAST(x, 3)) AS s FROM t", {"bounds_share": "0.2"}, "without public bounds", "clamp"),
        ("SELECT AVG(x) AS m, SUM(GREATEST(LEAST(x, 4), 0)) AS s FROM t", {"bounds_share": "0.2"}, "stands alone", "their own"),
        ("SELECT BIN(GREATEST(LEAST(x, 4), 0), 1) AS b, AVG(x) AS m FROM t GROUP BY b", {"bounds_share": "0.2"}, "stands alone",
         "of their own"),
        ("SELECT word, AVG(x) AS m FROM t GROUP BY word", {"bounds_share": "0.2", "delta": "1e-6"}, "keys and bounds", "declare"),
        ("SELECT MEDIAN(x) AS m FROM t", {"bounds_share": "0.2", "delta": "1e-6"}, "without a delta", "leave delta out"),
        ("SELECT AVG(x) AS m FROM t", {"bounds_share": 1}, "between 0.001 and 0.999", "BOUNDS SHARE 0.2"),
        ("SELECT AVG(x) AS m FROM t", {"bounds_share": "1/1000001"}, "between 0.001 and 0.999", "BOUNDS SHARE 0.2"),
        ("SELECT AVG(x) AS m FROM t", {"bounds_share": "0.1234567"}, "too many digits", "six"),
        ("SELECT AVG(x) AS m FROM t BOUNDS SHARE x", {}, "expected a part", "BOUNDS SHARE 0.2"),
        ("SELECT AVG(x) AS m FROM t BOUNDS SHARE 0.2 LIMIT 1", {}, "LIMIT comes too late", "order"),
    ],
)  # fmt: skip
def test_what_cannot_be_found_is_refused_with_what_to_write_instead(sql, price, says, hint):
    about = facts()
    curator = curator_in_memory(about, Reference(about, []))
    with pytest.raises(dc.Refused, match=says) as refused:
        curator.ask(sql, epsilon=1, **price)
    assert hint in refused.value.hint
    assert curator.budget.spent == dc.Approximate(epsilon=0, delta=0)


def test_a_wish_in_absolute_terms_is_refused_and_a_share_that_finds_nothing_is_left_out():
    about = facts()
    curator = curator_in_memory(about, Reference(about, people()))
    with pytest.raises(dc.QuestionError, match="depends on the bounds that will be found"):
        curator.ask("SELECT AVG(x) AS m FROM t", within=3, bounds_share="0.2", assuming=100)
    plain, shared = (curator.quote("SELECT AVG(y) AS m FROM t", epsilon=1, **more) for more in ({}, {"bounds_share": "0.2"}))
    assert plain.split == shared.split
    assert plain.question == shared.question


def test_a_far_bound_leaves_nothing_to_find():
    about = replace(facts(), columns=(Number("x", lower=Fraction(10) ** 30),))
    with pytest.raises(dc.QuestionError, match="too far from 0"):
        planned("SELECT AVG(x) AS m FROM t BOUNDS SHARE 0.2", about)


def test_a_rehearsal_finds_bounds_of_made_up_rows():
    about = facts()
    curator = curator_in_memory(about, Reference(about, []))
    answer = curator.ask("SELECT AVG(x) AS m FROM t", epsilon=4, bounds_share="0.5", rehearse=True)
    assert answer.left_out[0].startswith("x outside ")
    assert answer.left_out[0].endswith("(bounds found) counts as the nearest bound")
    assert curator.budget.spent == dc.Approximate(epsilon=0, delta=0)


@pytest.mark.slow
def test_bounds_that_were_found_next_to_zero_come_with_a_warning():
    """Vouchers that 94 of 100 rows do not have: their mean of 0.17 came out as 1e-17 ± 4e-19, without a word."""
    vouchers = pd.DataFrame({"x": [0.0] * 2820 + [3.0] * 60})
    for rows, is_warned in ((vouchers, True), (vouchers + 3, False)):
        table = dc.table(rows, columns={"x": dc.number()}, unit="row", neighbours="add_remove", budget=10)
        with seeded(1):
            answer = table.ask("SELECT AVG(x) AS m FROM t", epsilon=2, bounds_share="0.2")
        assert any("are next to 0: nearly all of its values seem to be 0" in text for text in answer.warnings) is is_warned
