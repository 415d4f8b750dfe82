"""A statistic of nobody is no finding: where a released count may be 0, it is not shown. Rule 28; made-up flights."""

import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import discreet as dc
from discreet.facts import parse_facts
from discreet.planning.build import make_plan
from discreet.privacy.losses import Pure
from discreet.questions.sql import read_sql
from discreet.testing import seeded
from discreet.views.few import few_in

CARRIERS = {"AA": 1500, "B6": 2000, "DL": 1700, "HA": 0, "OO": 0, "UA": 2500, "YV": 0}


@pytest.fixture(scope="module")
def flights():
    rows = [{"carrier": carrier, "delay": (place * 37 % 80) - 20.0, "air": None if place % 9 == 0 else place % 300,
             "late": None if place % 9 == 0 else place % 3 == 0}
            for carrier, many in CARRIERS.items() for place in range(many)]  # fmt: skip
    columns = {"carrier": dc.category(*CARRIERS, null="drop"), "delay": dc.number(-60, 600, null=0), "air": dc.number(0, 1000),
               "late": dc.boolean()}  # fmt: skip
    return dc.table(pd.DataFrame(rows), name="flights", columns=columns, unit="row", neighbours="add_remove", budget=1000)


@pytest.fixture(autouse=True)
def _chance():
    """Of twenty draws one shows a group of nobody, and would fail a test."""
    with seeded(3):
        yield


def few(answer, column="m"):
    return {row["carrier"] for place, row in enumerate(answer.rows) if answer.is_few(place, column)}


@pytest.mark.parametrize("order", ["m", "m DESC"])
def test_carriers_that_did_not_fly_are_last_in_both_directions_and_nowhere_a_number(flights, order):
    answer = flights.ask(f"SELECT carrier, AVG(delay) AS m FROM flights GROUP BY carrier ORDER BY {order}", epsilon=2)
    assert {row["carrier"] for row in answer.rows[:4]} == {"AA", "B6", "DL", "UA"}
    assert few(answer) == {"HA", "OO", "YV"}
    told = answer.to_dict()
    assert told["too_few"] == [[]] * 4 + [["m"]] * 3
    assert [row["m"] for row in told["rows"][4:]] == [None] * 3
    assert [row["m"] for row in told["intervals"][4:]] == [[None, None]] * 3
    assert re.search(r"^HA,,,$", answer.to_csv(), re.MULTILINE)
    assert answer.to_arrow().column("m").null_count == answer.to_arrow().column("m_high").null_count == 3
    assert repr(answer).count("too few rows") == answer._repr_html_().count("too few rows") == 3
    first = flights.ask(f"SELECT carrier, AVG(delay) AS m FROM flights GROUP BY carrier ORDER BY {order} LIMIT 4", epsilon=2)
    assert not first.too_few
    assert "too_few" not in first.to_dict()


def test_charts_name_them_and_scale_to_the_others(flights):
    from discreet.plots.text_chart import _scale, text_chart

    answer = flights.ask("SELECT carrier, AVG(delay) AS m FROM flights GROUP BY carrier", epsilon=2)
    chart = text_chart(answer)
    assert repr(chart).count("too few rows") == 3
    low, high = _scale(chart.view.panels[0], from_zero=False)
    assert 10 < low < high < 30


def test_counts_and_sums_stay_and_what_is_divided_by_them_does_not(flights):
    sql = """SELECT carrier, COUNT(*) AS n, SUM(delay) AS s, SUM(delay) / COUNT(*) AS m, COALESCE(AVG(delay), 0) AS c,
             LEAST(AVG(delay), 5) AS l, AVG(delay) - AVG(delay) FILTER (WHERE carrier <> 'AA') AS d
             FROM flights GROUP BY carrier"""
    answer = flights.ask(sql, epsilon=4)
    assert not few(answer, "n") | few(answer, "s")
    assert few(answer) == few(answer, "c") == few(answer, "l") == {"HA", "OO", "YV"}
    assert few(answer, "d") == {"HA", "OO", "YV", "AA"}
    assert all(row[name] is not None for row in answer.rows for name in ("n", "s"))


def test_values_by_rank_go_by_a_count_of_the_same_rows_and_without_one_a_note_says_so(flights):
    note = "no count of the same rows"
    sql = "SELECT carrier, MEDIAN(air) AS m, MAX(air) AS x, COUNT(air) AS n FROM flights GROUP BY carrier"
    counted = flights.ask(sql, epsilon=6)
    assert few(counted) == few(counted, "x") == {"HA", "OO", "YV"}
    assert [len(ends) for ends in counted.rank_intervals] == [0 if names else 2 for names in counted.too_few]
    assert counted.to_columns()["m_rank_low"].count(None) == 3
    assert not any(note in each for each in counted.warnings)
    sql = "SELECT carrier, MEDIAN(air) AS m FROM flights GROUP BY carrier"
    answer = flights.ask(sql, epsilon=6)
    assert not answer.too_few
    assert all(row["m"] is not None for row in answer.rows)
    for warnings in (answer.warnings, flights.quote(sql, epsilon=6).warnings):
        (said,) = (each for each in warnings if note in each)
        assert said == f"MEDIAN(air): also where there are no rows, since {note} tells; ask COUNT(air) beside it"
    mode = flights.ask("SELECT carrier, MODE(carrier) AS m, COUNT(carrier) AS n FROM flights GROUP BY carrier", epsilon=6)
    assert few(mode) == {"HA", "OO", "YV"}
    assert not flights.ask("SELECT MEDIAN(air) AS m FROM flights", epsilon=6).warnings


NOBODY = {"HA", "OO", "YV"}
STATISTICS = ("MEDIAN(air)", "MIN(air)", "MAX(air)", "QUANTILE(air, 0.9)", "MODE(late)", "MEDIAN(air) FILTER (WHERE delay > 0)")


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("beside", ["COUNT(*)", "AVG(delay)", "COUNT(*) FILTER (WHERE delay > 0)"])
def test_a_count_of_more_rows_tells_that_there_may_be_none_and_does_not_tell_that_there_are_some(flights, statistic, beside):
    order = "" if "MODE" in statistic else "ORDER BY m DESC"
    answer = flights.ask(f"SELECT carrier, {statistic} AS m, {beside} AS n FROM flights GROUP BY carrier {order}", epsilon=6)
    is_wider = "FILTER" not in beside or "FILTER" in statistic
    assert few(answer) == (NOBODY if is_wider else set())
    assert not (order and is_wider) or {row["carrier"] for row in answer.rows[4:]} == NOBODY
    (said,) = (each for each in answer.warnings if each.startswith(f"{statistic}:"))
    assert ("which counts others too; ask COUNT(" in said) == is_wider
    assert ("also where there are no rows" in said) != is_wider


def test_a_count_of_units_is_looked_at_too_and_one_of_the_same_rows_comes_first():
    rows = [{"who": f"{group}{place % many}", "g": group, "x": place % 7}
            for group, many in (("a", 400), ("b", 300)) for place in range(2 * many)]  # fmt: skip
    columns = {"g": dc.category("a", "b", "c", null="drop"), "x": dc.integer(0, 10)}
    unit = {"column": "who", "max_rows": 2, "max_groups": 1}
    with dc.table(rows, columns=columns, unit=unit, neighbours="add_remove", budget=100) as t:
        of_units = t.ask("SELECT g, MEDIAN(x) AS m, COUNT(DISTINCT who) AS n FROM t GROUP BY g", epsilon=6)
        assert of_units.too_few == ((), (), ("m",))
        assert any("too few rows by COUNT(DISTINCT who), which counts others too" in each for each in of_units.warnings)
        same = t.ask("SELECT g, MEDIAN(x) AS m, COUNT(*) AS n, COUNT(x) AS k FROM t GROUP BY g", epsilon=6)
        assert same.too_few == ((), (), ("m",))
        assert not any("counts others" in each for each in same.warnings)


@pytest.mark.parametrize("having", ["AVG(delay) < 99", "AVG(delay) IS NULL", "COALESCE(AVG(delay), 0) = 0", "NOT AVG(delay) > 9"])
def test_having_on_too_few_rows_is_not_true(flights, having):
    answer = flights.ask(f"SELECT carrier, COUNT(*) AS n FROM flights GROUP BY carrier HAVING {having}", epsilon=2)
    assert not {row["carrier"] for row in answer.rows} & {"HA", "OO", "YV"}
    either = flights.ask("SELECT carrier FROM flights GROUP BY carrier HAVING AVG(delay) > 1e9 OR COUNT(*) < 1e9", epsilon=2)
    assert len(either.rows) == 7


def test_one_cell_is_no_exception_and_a_quote_is_about_the_rows_that_it_says(flights):
    sql = "SELECT AVG(delay) AS m FROM flights WHERE carrier = 'OO'"
    answer = flights.ask(sql, epsilon=1)
    assert (answer.value, answer.interval, answer.too_few) == (None, (None, None), (("m",),))
    assert "m has too few rows" in repr(answer)
    assert flights.quote(sql, epsilon="0.5", assuming=1).columns[0].plus_minus < 1000


def test_another_confidence_marks_others_and_keeps_the_values(flights):
    sql = "SELECT carrier, AVG(air) AS m FROM flights WHERE delay > 50 GROUP BY carrier"
    usual = flights.ask(sql, epsilon="0.1")
    sure, hardly = (flights.ask(sql, epsilon="0.1", confidence=each) for each in ("0.999999999", "0.01"))
    assert sure.replayed
    assert few(hardly) <= few(usual) < few(sure)
    assert not any("differently" in each for answer in (sure, hardly) for each in answer.warnings)
    for answer in (sure, hardly):
        both = few(usual) | few(answer)
        assert [row["m"] for row in answer.rows if row["carrier"] not in both] == [
            row["m"] for row in usual.rows if row["carrier"] not in both]  # fmt: skip


@pytest.mark.slow
def test_all_empty_cells_together_are_shown_as_rarely_as_the_confidence_says():
    text = """
    [table]
    name = "t"
    source = "t.csv"
    unit = "row"
    neighbours = "add_remove"
    [budget]
    epsilon = 1
    [columns.g]
    type = "integer"
    lower = 1
    upper = 40
    [columns.x]
    type = "number"
    lower = 0
    upper = 1
    null = 0
    """
    facts = parse_facts(text, "t.toml")
    asked = "SELECT g, COUNT(*) AS n, MEDIAN(x) AS m FROM t GROUP BY g ORDER BY 1 / COUNT(*)"
    plan = make_plan(read_sql(asked, facts), facts, Pure(epsilon="0.02"))
    count, noise = plan.question.outputs[1].value, plan.vectors[0].mechanism  # scale 100: a step is one per cent
    rest = np.zeros((1, 1, 40), np.int64)
    few = [few_in(plan, (np.full((1, 1, 40), released), rest), Fraction(95, 100)) for released in range(1200)]
    least = next(released for released, each in enumerate(few) if not each.divisors)  # of nobody, with noise, shown as somebody
    chance = 1 - noise.cdf(least - 1)  # of one empty cell to be shown
    assert set(few[0].cells) == {plan.question.outputs[2].value}
    assert set(few[0].divisors) == {count}
    assert 1 - (1 - 2 * chance) ** 40 < 0.05  # twice: intervals have two ends
    assert 1 - (1 - 2 * chance * 1.03) ** 40 > 0.05


def test_another_confidence_may_show_other_groups_and_blames_no_version():
    rows = [{"g": group, "x": 5} for group, size in (("a", 4), ("b", 6), ("c", 300), ("d", 9)) for _ in range(size)]
    columns = {"g": dc.category("a", "b", "c", "d", null="drop"), "x": dc.integer(0, 10)}
    sql = "SELECT g, AVG(x) AS m, COUNT(*) AS n FROM t GROUP BY g HAVING AVG(x) > 0"
    with seeded(3), dc.table(rows, columns=columns, unit="row", neighbours="add_remove", budget=10) as t:
        sure, unsure = t.ask(sql, epsilon=1), t.ask(sql, epsilon=1, confidence=0.5)
    assert unsure.replayed
    assert unsure.confidence == Fraction(1, 2)
    assert len(unsure.rows) > len(sure.rows)
    assert [row for row in unsure.rows if row["g"] == "c"] == list(sure.rows)
    assert not any("version" in each for each in unsure.warnings)


def test_a_statistic_of_too_few_rows_beside_a_count_that_is_not_small_says_whose_count_it_is(flights):
    sql = "SELECT carrier, COUNT(*) AS n, AVG(air) AS m FROM flights GROUP BY carrier"
    coarse = flights.ask(sql, epsilon="0.1", weights={"n": 99, "m": 1})  # many flights, and means that tell nothing
    assert len(few(coarse)) == 7
    (told,) = coarse.warnings
    assert told == "m: too few rows though a count beside it is not small: its rows are counted with noise of its own"
    fine = flights.ask(sql, epsilon=3)
    assert few(fine) == {"HA", "OO", "YV"}
    assert not fine.warnings
