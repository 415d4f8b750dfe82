"""The share of values at their declared bounds: what clamping touches, as a statistic that is paid for like any other."""

import numpy as np
import pandas as pd
import pytest

import discreet as dc

ROWS = [-5.0, 0.0, 1.0, 50.0, 99.0, 100.0, 250.0, None, 1e400, 30.0]


def table(values=ROWS, **column):
    frame = pd.DataFrame({"x": pd.Series(values, dtype="float64"), "name": ["n"] * len(values)})
    columns = {"x": dc.number(0, 100, **column), "name": dc.text()}
    return dc.table(frame, columns=columns, unit="row", neighbours="add_remove", budget=dc.Pure(epsilon=10**9))


@pytest.mark.slow
@pytest.mark.parametrize(("statistic", "share"), [("AT_BOUNDS(x)", 5 / 9), ("AT_LOWER(x)", 2 / 9), ("AT_UPPER(x)", 3 / 9)])
@pytest.mark.parametrize("null", [{}, {"null": 0}])
def test_shares_are_of_the_values_that_there_are(statistic, share, null):
    assert table(**null).ask(f"SELECT {statistic} AS s FROM t", epsilon=10**6).value == pytest.approx(share, abs=1e-3)


def test_the_share_is_charged_and_has_an_interval():
    rng = np.random.default_rng(2)
    curator = table(rng.normal(60, 30, 4000).tolist())
    answer = curator.ask("SELECT AT_UPPER(x) AS s FROM t", epsilon=1)
    assert curator.budget.spent == dc.Pure(epsilon=1)
    low, high = answer.interval
    assert low < answer.value < high < low + 0.01


def test_a_mean_and_its_share_at_the_bounds_pay_separately_and_a_quote_of_a_mean_offers_it():
    curator = table()
    assert any("AT_BOUNDS(x)" in warning for warning in curator.quote("SELECT AVG(x) AS m FROM t", epsilon=1).warnings)
    both = curator.quote("SELECT AVG(x) AS m, AT_BOUNDS(x) AS s FROM t", epsilon=1)
    assert len(both.split) == 2
    assert not any("AT_BOUNDS" in warning for warning in both.warnings)
    assert not any("AT_BOUNDS" in warning for warning in curator.quote("SELECT COUNT(x) AS n FROM t", epsilon=1).warnings)


@pytest.mark.parametrize("statistic", ["AT_BOUNDS(name)", "AT_BOUNDS(x + 1)", "AT_UPPER(2)"])
def test_only_columns_with_bounds_have_them(statistic):
    with pytest.raises(dc.QuestionError):
        table().ask(f"SELECT {statistic} AS s FROM t", epsilon=1)


def test_a_column_without_that_bound_is_refused():
    frame = pd.DataFrame({"x": [1.0]})
    curator = dc.table(frame, columns={"x": dc.number(lower=0)}, unit="row", neighbours="add_remove", budget=dc.Pure(epsilon=1))
    with pytest.raises(dc.QuestionError, match="no such bound"):
        curator.ask("SELECT AT_UPPER(x) AS s FROM t", epsilon="0.1")
