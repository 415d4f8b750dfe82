"""Every statistic has an interval at every accepted confidence, next to both ends too; what is further out is refused."""

import json
from fractions import Fraction

import pandas as pd
import pytest

import discreet as dc

TINY = Fraction(1, 10**9)
CONFIDENCES = [(TINY, False), (TINY, True), (Fraction(19, 20), True), (1 - TINY, True)]  # and whether they hold all at once
BEYOND = ["0.999999999999999999999", 1 - TINY / 2, "0.9999999991", TINY / 2, "1e-300", 0, 1, 95]
COUNTED = ["COUNT(*)", "COUNT(x)", "COUNT(DISTINCT s)"]
SUMMED = ["SUM(x)", "SUM(i)", "AVG(x)", "AVG(i) / 2", "AT_BOUNDS(x)", "VAR_POP(x)", "VARIANCE(x)", "STDDEV(i)"]
RELATED = ["COVAR(x, i)", "COVAR_SAMP(x, i)", "CORR(x, i)", "REGR_R2(x, i)"]
CHOSEN = ["MEDIAN(x)", "QUANTILE(i, 0.9)", "MIN(x)", "MAX(i)", "MEDIAN(x, INTERVAL)"]
NOISY = [*COUNTED, *SUMMED, *RELATED]
GROUPED = [f"SELECT s, {each} AS v FROM t GROUP BY s" for each in ("COUNT(*)", "AVG(x)", "VARIANCE(x)", "MEDIAN(i)")]
RUNNING = "SELECT BIN(x, 10) AS b, RUNNING_COUNT(*) AS v FROM t GROUP BY b"
ALWAYS, BY_TURNS = [-300, 0, 298], [-24, -12, -9, 6]  # powers of ten
ROWS = [{"x": 7.5 * i % 100, "i": i * i % 51, "s": "ab"[i % 2]} for i in range(40)]


def table(neighbours="add_remove", **budget):
    columns = {"x": dc.number(0, 100, null=0), "i": dc.integer(0, 50, null=0), "s": dc.category("a", "b")}
    facts = {"rows": len(ROWS)} if neighbours == "change_one" else {}
    return dc.table(pd.DataFrame(ROWS), name="t", unit="row", neighbours=neighbours, columns=columns, budget=budget, **facts)


def with_powers(questions):
    """Every question with the powers of its prices."""
    return [(sql, power) for place, sql in enumerate(questions) for power in [*ALWAYS, BY_TURNS[place % 4]]]


def asked_at_every_confidence(people, sql, price):
    """How often it was answered: paid once, read at all confidences; refused at all of them, or answered at all."""
    answered = 0
    for confidence, together in CONFIDENCES:
        try:
            answer = people.ask(sql, **price, confidence=confidence, simultaneous=together)
        except dc.Refused:
            assert not answered, "refused before the charge, whatever the confidence"
            continue
        answered += 1
        assert answer.rows
        assert json.loads(json.dumps(answer.to_dict(), allow_nan=False, default=str))["rows"]
        assert repr(answer)
        assert answer._repr_html_()
        for place, (row, ends) in enumerate(zip(answer.rows, answer.intervals, strict=True)):
            is_line = "REGR_" in sql  # through points that may lie above each other
            assert row["v"] is not None or answer.is_few(place, "v") or is_line
            low, high = ends["v"]
            assert None in (low, high, row["v"]) or low <= row["v"] <= high
    for confidence in (TINY, 1 - TINY) if answered else ():
        people.quote(sql, **price, confidence=confidence)
    return answered


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", ["add_remove", "change_one"])
def test_every_statistic_is_answered_at_every_confidence_at_pure_prices(neighbours):
    people, answered = table(neighbours, epsilon="1e300"), 0
    for sql, power in with_powers([*(f"SELECT {each} AS v FROM t" for each in [*NOISY, *CHOSEN]), *GROUPED, RUNNING]):
        answered += asked_at_every_confidence(people, sql, {"epsilon": Fraction(10) ** power}) > 0
    assert answered > 60


@pytest.mark.slow
def test_every_statistic_is_answered_at_every_confidence_at_prices_with_a_delta():
    people, answered = table(epsilon="1e300", delta="0.1"), 0
    for sql, power in with_powers([f"SELECT {each} AS v FROM t" for each in NOISY] + GROUPED[:3] + [RUNNING]):
        answered += asked_at_every_confidence(people, sql, {"epsilon": Fraction(10) ** power, "delta": "1e-9"}) > 0
    assert answered > 30


@pytest.mark.slow
def test_every_statistic_is_answered_at_every_confidence_on_a_ledger_of_rho():
    people, answered = table(epsilon="1e300", delta="1e-6", accounting="concentrated"), 0
    for sql, power in with_powers([*(f"SELECT {each} AS v FROM t" for each in [*NOISY, *CHOSEN]), *GROUPED, RUNNING]):
        answered += asked_at_every_confidence(people, sql, {"rho": Fraction(10) ** power}) > 0
    assert answered > 60


@pytest.mark.parametrize("statistic", ["COUNT(*)", "AVG(x)", "VARIANCE(x)", "MEDIAN(i)"])
def test_a_question_is_answered_at_the_confidences_next_to_both_ends(statistic):
    people = table(epsilon=10, delta="0.1")
    assert asked_at_every_confidence(people, f"SELECT {statistic} AS v FROM t", {"epsilon": 1}) == len(CONFIDENCES)
    if statistic != "MEDIAN(i)":
        price = {"epsilon": 1, "delta": "1e-6"}
        assert asked_at_every_confidence(people, f"SELECT {statistic} AS v FROM t", price) == len(CONFIDENCES)


@pytest.mark.parametrize("confidence", BEYOND)
def test_a_confidence_that_nothing_can_be_said_with_is_refused_before_anything_is_spent(confidence):
    people = table(epsilon=10)
    for act in (people.ask, people.quote):
        with pytest.raises(dc.ParameterError, match=r"confidence is .*; write"):
            act("SELECT COUNT(*) AS n FROM t", epsilon=1, confidence=confidence)
    assert people.budget.spent.epsilon == 0
