"""What any table does for whoever asks it, wherever it is: nothing here knows more than the public verbs."""

import json
from fractions import Fraction

import pytest

import discreet as dc

COUNT = "SELECT COUNT(*) AS n FROM people WHERE age >= 40"
BY_RACE = "SELECT race, AVG(income) AS m, COUNT(*) AS n FROM people GROUP BY race"
ABOUT = sum(20 + i * 7 % 60 >= 40 for i in range(600))


def spent(table):
    return table.budget.spent.epsilon


# ---- asking


def test_a_question_is_answered_with_an_interval_and_charged(table):
    answer = table.ask(COUNT, epsilon=1)
    low, high = answer.interval
    assert low <= answer.value <= high
    assert abs(answer.value - ABOUT) < 40
    assert (answer.cost.epsilon, spent(table), table.budget.remaining.epsilon, answer.replayed) == (1, 1, 9, False)


def test_the_same_question_again_is_the_same_answer_for_nothing(table):
    first = table.ask(COUNT, epsilon="0.5")
    again = table.ask("select count(*) as people_of_forty from people where not (age < 40)", epsilon="0.5")
    assert (again.rows[0]["people_of_forty"], again.replayed, spent(table)) == (first.value, True, Fraction(1, 2))
    assert table.ask(COUNT, epsilon="0.25").value == first.value


def test_views_of_what_was_bought_are_free(table):
    first = table.ask("SELECT race, AVG(income) AS m FROM people GROUP BY race", epsilon=1)
    views = [
        "SELECT race, AVG(income) AS m FROM people GROUP BY race ORDER BY m DESC LIMIT 2",
        "SELECT AVG(income) / 1000 AS thousands, race FROM people GROUP BY race",
        "SELECT race, AVG(income) AS m FROM people GROUP BY race HAVING AVG(income) > 0",
        "SELECT race, SUM(income) AS s FROM people GROUP BY race",
    ]
    for sql in views:
        quote, answer = table.quote(sql, epsilon=1), table.ask(sql, epsilon=1)
        assert (quote.replay, answer.replayed, quote.cost.epsilon) == (True, True, 0)
    assert spent(table) == 1
    assert {row["race"] for row in first.rows} == {1, 2, 3}


def test_only_what_is_new_in_a_question_is_paid(table):
    table.ask("SELECT race, AVG(income) AS m FROM people GROUP BY race", epsilon=1)
    quote = table.quote(BY_RACE, epsilon=1)
    assert (quote.free, [what for what, _ in quote.split], quote.cost.epsilon) == (("AVG(income)",), ["COUNT(*)"], Fraction(1, 2))
    answer = table.ask(BY_RACE, epsilon=1)
    assert (answer.free, answer.cost.epsilon, spent(table)) == (("AVG(income)",), Fraction(1, 2), Fraction(3, 2))


def test_a_quote_spends_nothing_and_tells_what_the_answer_will_have(table):
    quote = table.quote(COUNT, epsilon="0.1")
    assert (quote.cost.epsilon, spent(table), quote.cells) == (Fraction(1, 10), 0, 1)
    low, high = table.ask(COUNT, epsilon="0.1").interval
    assert (high - low) / 2 == pytest.approx(quote.columns[0].plus_minus, abs=1)


def test_several_questions_for_one_price_are_charged_together(table):
    answers = table.ask_all([COUNT, "SELECT AVG(age) AS m FROM people", COUNT], epsilon=1)
    assert [len(answer.rows) for answer in answers] == [1, 1, 1]
    assert answers[0].value == answers[2].value
    assert spent(table) == 1


def test_a_wish_is_turned_into_a_price(table):
    answer = table.ask(COUNT, within=30)
    low, high = answer.interval
    assert (high - low) / 2 <= 30
    assert 0 < spent(table) < Fraction(1, 5)


def test_questions_in_python_are_those_in_sql(table):
    in_sql = table.ask(BY_RACE, epsilon=1)
    in_python = table.group_by("race").select(m=dc.mean("income"), n=dc.count()).ask(epsilon=1)
    assert [dict(row) for row in in_python.rows] == [dict(row) for row in in_sql.rows]
    assert spent(table) == 1
    assert table.where("age >= 40").count().quote(epsilon=1).cost.epsilon == 1


@pytest.mark.slow
@pytest.mark.parametrize("sql", [
    "SELECT MEDIAN(income) AS v FROM people", "SELECT race, MAX(age) AS v FROM people GROUP BY race",
    "SELECT STDDEV(age) AS v FROM people", "SELECT CORR(age, income) AS v FROM people",
    "SELECT BIN(age, 10) AS b, RUNNING_COUNT(*) AS v FROM people GROUP BY b", "SELECT COUNT(DISTINCT race) AS v FROM people",
])  # fmt: skip
def test_every_kind_of_statistic_is_quoted_answered_and_free_again(table, sql):
    quote, answer = table.quote(sql, epsilon=1), table.ask(sql, epsilon=1)
    assert quote.cost == answer.cost
    again = table.ask(sql, epsilon=1)
    assert (again.rows, again.intervals, again.replayed) == (answer.rows, answer.intervals, True)
    assert spent(table) == 1


def test_keys_that_no_list_names_take_a_delta_once(table):
    price = {"epsilon": 3, "delta": "1e-4"}
    first = table.ask("SELECT city, COUNT(*) AS n FROM people GROUP BY city", **price)
    assert {row["city"] for row in first.rows} <= {"c0", "c1", "c2", "c3"}
    table.ask("SELECT city, AVG(age) AS m FROM people GROUP BY city", epsilon=2, delta="1e-4")
    assert table.budget.spent.delta == Fraction(1, 10_000)


def test_a_rehearsal_is_about_nobody_and_free(table):
    answer = table.ask(BY_RACE, epsilon=1, rehearse=True)
    assert (answer.rehearsed, answer.receipt, spent(table)) == (True, None, 0)


# ---- who asks


def test_with_the_same_key_a_request_is_one(place, table):
    ask = place.asking_as("alice")
    first = ask(COUNT, epsilon="0.2", key="k1")
    assert ask(COUNT, epsilon="0.2", key="k1").value == first.value
    with pytest.raises(dc.Refused, match=r"another (question|request)"):
        ask("SELECT AVG(age) AS m FROM people", epsilon="0.2", key="k1")
    assert spent(table) == Fraction(1, 5)


def test_receipts_are_each_asker_s_own_and_name_nobody_else(place):
    place.asking_as("alice")(COUNT, epsilon="0.2")
    theirs = place.asking_as("bob")(COUNT, epsilon="0.2")
    assert theirs.receipt["analyst"] == "bob"
    assert "alice" not in json.dumps(dict(theirs.receipt))
    assert theirs.replayed


def test_anew_buys_other_noise(table):
    found = {table.ask(COUNT, epsilon="0.1", anew=True).value for _ in range(8)}
    assert len(found) > 1
    assert spent(table) == Fraction(8, 10)


# ---- what is refused


@pytest.mark.parametrize(("sql", "said"), [
    ("SELECT income FROM people", "rows are never shown|aggregate"),
    ("SELECT COUNT(*) FROM others", "no table others|people"),
    ("SELECT AVG(salary) FROM people", "salary"),
    ("SELEC COUNT(*) FROM people", "SELECT"),
])  # fmt: skip
def test_what_is_refused_costs_nothing_and_says_why(table, sql, said):
    with pytest.raises(dc.QuestionError, match=said):
        table.ask(sql, epsilon=1)
    assert spent(table) == 0


def test_what_is_too_dear_is_refused_whole(table):
    table.ask(COUNT, epsilon=9)
    with pytest.raises(dc.BudgetError, match=r"1 is left|1 left|is left"):
        table.ask("SELECT AVG(age) AS m FROM people", epsilon="1.5")
    with pytest.raises(dc.BudgetError):
        table.ask_all(["SELECT AVG(age) AS m FROM people", "SELECT AVG(income) AS m FROM people"], epsilon="1.5")
    assert spent(table) == 9
    assert table.ask(COUNT, epsilon=9).replayed


def test_prices_are_exact_and_confidences_are_parts_of_one(table):
    for _ in range(3):
        table.ask(COUNT, epsilon="0.1", anew=True)
    assert spent(table) == Fraction(3, 10)
    with pytest.raises(dc.Refused, match=r"0\.95"):
        table.ask(COUNT, epsilon=1, confidence=95)


# ---- how it is shown


def test_answers_quotes_and_budgets_have_one_shape_in_json(table):
    answer, quote = table.ask(BY_RACE, epsilon=1), table.quote(COUNT, epsilon=1)
    shown = json.loads(json.dumps(answer.to_dict(), default=str))
    assert {"id", "columns", "rows", "intervals", "confidence", "cost", "budget", "replayed", "warnings"} <= set(shown)
    assert [column["kind"] for column in shown["columns"]] == ["key", "mean", "count"]
    assert shown["columns"][0]["labels"] == {"1": "a", "2": "b", "3": "c"}
    assert {"cost", "split", "columns", "confidence", "cells", "budget", "replay", "free", "warnings"} <= set(quote.to_dict())
    assert {"cap", "spent", "remaining"} <= set(table.budget.to_dict())


def test_answers_become_tables_and_text(table):
    answer = table.ask(BY_RACE, epsilon=1)
    assert list(answer.to_pandas().columns) == ["race", "m", "m_low", "m_high", "n", "n_low", "n_high"]
    assert answer.to_csv().splitlines()[0] == "race,m,m_low,m_high,n,n_low,n_high"
    assert "±" in repr(answer)
    assert "people" in repr(table)
