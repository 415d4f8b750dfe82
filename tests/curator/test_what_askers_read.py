"""What those who ask get to read about their answers, from question to text."""

import re

import pandas as pd
import pytest

import discreet as dc

FRAME = pd.DataFrame({"ward": ["A", "B"] * 200, "nights": [1, 2, 3, 4] * 100, "pay": [10.5, 20.25] * 200})
COLUMNS = {"ward": dc.category("A", "B"), "nights": dc.integer(0, 30), "pay": dc.number(0, 100)}


def stays(budget=1000, **facts):
    given = {"name": "stays", "unit": "row", "neighbours": "add_remove", "columns": COLUMNS} | facts
    return dc.table(FRAME, budget=budget, **given)


BY_WARD = "SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward"


def test_intervals_that_hold_all_at_once_say_so():
    curator = stays()
    each, whole = curator.ask(BY_WARD, epsilon=1), curator.ask(BY_WARD, epsilon=1, simultaneous=True)
    for said in (repr(each), each._repr_html_()):
        assert "noise only, each by itself" in said
        assert "all at once" not in said
    for said in (repr(whole), whole._repr_html_()):
        assert "noise only, all at once" in said
        assert "each by itself" not in said
    assert whole.to_dict()["simultaneous"] is True
    assert "simultaneous" not in each.to_dict()


def test_a_rehearsal_says_that_it_is_free():
    curator = stays()
    for sql in (BY_WARD, "SELECT COUNT(*) AS n FROM stays", "SELECT COUNT(*) AS n, SUM(pay) AS s FROM stays"):
        made = curator.ask(sql, epsilon=1, rehearse=True)
        for said in (repr(made), made._repr_html_()):
            assert "a rehearsal, free" in said
            assert " left<" not in said.replace("\n", "<")  # nothing of the budget
            assert "ε 1" not in said
    assert curator.budget.spent == dc.Pure(epsilon=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("budget", "price", "said"),
    [
        (10, {"epsilon": 1, "delta": "1e-6"}, "counts epsilon only, not delta; write epsilon=1 and leave delta out"),
        (10, {"rho": "0.1"}, "counts epsilon only, not rho; write epsilon="),
        ({"epsilon": 10, "delta": "1e-5"}, {"rho": "0.1"}, "counts epsilon and delta, not rho; write epsilon=1 and delta="),
    ],
)
@pytest.mark.parametrize("more", [{}, {"rehearse": True}, None])
def test_a_price_that_the_budget_does_not_count_in_is_refused_by_the_part_that_is_wrong(budget, price, said, more):
    curator = stays(budget)
    with pytest.raises(dc.ParameterError, match=re.escape(said)):
        curator.quote(BY_WARD, **price) if more is None else curator.ask(BY_WARD, **price, **more)
    assert getattr(curator.budget.spent, "epsilon", 0) == 0


@pytest.mark.parametrize(
    ("price", "which"),
    [
        ({"epsilon": 1, "delta": "0.001"}, "delta is too much"),
        ({"epsilon": 200, "delta": "1e-5"}, "epsilon is too much"),
        ({"epsilon": 200, "delta": "0.001"}, "epsilon and delta are too much"),
    ],
)
def test_a_question_that_is_too_dear_says_which_part_of_its_price_is(price, which):
    curator = stays({"epsilon": "180.95", "delta": "0.0001"})
    cost = f"epsilon {price['epsilon']} and delta {price['delta']}"
    costs = f"the question costs {cost} and epsilon 180.95 and delta 0.0001 is left: {which};"
    with pytest.raises(dc.BudgetError, match=re.escape(costs)):
        curator.ask(BY_WARD, **price)
    with pytest.raises(dc.BudgetError, match="costs epsilon 11 and epsilon 10 is left"):
        stays(10).ask(BY_WARD, epsilon=11)
    limited = stays({"epsilon": 10, "delta": "1e-5", "per_analyst": {"epsilon": 1, "delta": "9.7e-6"}})
    told = "costs epsilon 2 and epsilon 1 and delta 9.7e-6 is left for alice: epsilon is too much"
    with pytest.raises(dc.BudgetError, match=re.escape(told)):
        limited.ask(BY_WARD, epsilon=2, analyst="alice")


def test_what_is_no_question_is_refused_before_anything_is_charged():
    curator = stays()
    for given in (lambda row: row, curator.count(), None):
        with pytest.raises(dc.QuestionError, match="a question is text in SQL, not a"):
            curator.ask(given, epsilon=1)
    with pytest.raises(dc.QuestionError, match="a condition is text in SQL, not a function"):
        curator.where(lambda row: row.nights > 3)
    assert curator.budget.spent == dc.Pure(epsilon=0)


def visits():
    """Ten rows of each of forty people."""
    frame = pd.DataFrame({"who": [str(row // 10) for row in range(400)], "pay": [1.5, 2.5] * 200})
    unit, columns = {"column": "who", "max_rows": 4}, {"pay": dc.number(0, 10)}
    return dc.table(frame, name="visits", unit=unit, neighbours="add_remove", budget=1000, columns=columns)


def test_quotes_about_units_speak_of_units():
    curator = visits()
    sizes = repr(curator.quote("SELECT ROWS_PER_UNIT(0.9) AS r FROM visits", epsilon=1))
    assert re.search(r"± \d+ +units in rank, whatever the data", sizes), sizes
    assert "rows in rank" in repr(curator.quote("SELECT MEDIAN(pay) AS m FROM visits", epsilon=1))
    units = repr(curator.quote("SELECT COUNT(DISTINCT who) AS n FROM visits", epsilon=1))
    assert re.search(r"reliable above about \d+ units", units), units
    assert re.search(r"above about \d+ rows", repr(curator.quote("SELECT COUNT(*) AS n FROM visits", epsilon=1)))
    assert re.search(r"above about \d+ values", repr(stays().quote("SELECT COUNT(DISTINCT nights) AS n FROM stays", epsilon=1)))
    with pytest.raises(dc.QuestionError, match="its rank is what a price buys"):
        curator.quote("SELECT ROWS_PER_UNIT(0.9) AS r FROM visits", within=1)


@pytest.mark.slow
@pytest.mark.parametrize(("about", "is_few"), [({}, True), ({"rows_about": 20}, True), ({"rows_about": 400}, False)])
def test_an_answer_repeats_that_bounds_from_few_rows_mean_little(about, is_few):
    curator = stays(columns={"ward": dc.category("A", "B"), "pay": dc.number()}, **about)
    sql = "SELECT AVG(pay) AS m FROM stays BOUNDS SHARE 1/2"
    least = re.search(r"with fewer than (\d+) rows they are unreliable", repr(curator.quote(sql, epsilon=4))).group(1)
    answer = curator.ask(sql, epsilon=4)
    told = [warning for warning in answer.warnings if "are unreliable" in warning]
    assert told == ([f"bounds found for pay are unreliable with fewer than {least} rows"] if is_few else [])
    assert 20 < int(least) < 400
