"""The curator: charged first, never refunded, replays free, refusals before any charge."""

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

import discreet as dc
from discreet.curator import curator_in_memory
from discreet.facts import parse_facts
from discreet.lessons.samples import sample, write_sample
from discreet.testing import open_unregistered, seeded

RURAL = "SELECT COUNT(*) AS n FROM ce_slides WHERE UrbanRural = 2"


@pytest.fixture
def folder(tmp_path):
    write_sample("ce_slides", tmp_path)
    return tmp_path


@pytest.fixture
def ce(folder):
    return open_unregistered(folder / "ce_slides.toml")


def spent(curator):
    return curator.budget.spent.epsilon


class Broken:
    """An engine that fails once it is asked."""

    def at_once(self):
        return nullcontext(self)

    def check(self):
        pass

    def run(self, wanted):
        raise dc.EngineFault("the engine failed")

    def close(self):
        pass


def test_a_charge_is_kept_when_the_engine_fails_after_it():
    facts = replace(parse_facts(sample("ce_slides").facts_toml, "ce_slides.toml"), located=None)
    curator = curator_in_memory(facts, Broken())
    with pytest.raises(dc.EngineFault):
        curator.ask(RURAL, epsilon="0.1")
    assert spent(curator) == Fraction(1, 10)


def test_the_same_question_at_the_same_or_a_lower_price_is_a_free_replay_of_the_same_numbers(ce):
    first = ce.ask(RURAL, epsilon="0.2")
    in_capitals = "select count(*) as k from CE_slides where 1 = 1 and UrbanRural = 2"
    for again in (in_capitals, "SELECT COUNT(*) FROM ce_slides WHERE UrbanRural IN (2)"):
        replay = ce.ask(again, epsilon="0.1")
        assert replay.replayed
        assert replay.value == first.value
    assert spent(ce) == Fraction(1, 5)


def test_a_higher_price_is_a_new_charge(ce):
    ce.ask(RURAL, epsilon="0.1")
    assert not ce.ask(RURAL, epsilon="0.2").replayed
    assert spent(ce) == Fraction(3, 10)


def test_a_quote_spends_nothing_and_says_when_a_replay_is_free(ce):
    assert not ce.quote(RURAL, epsilon="0.1").replay
    ce.ask(RURAL, epsilon="0.1")
    assert ce.quote(RURAL, epsilon="0.1").replay
    assert spent(ce) == Fraction(1, 10)


def test_the_budget_can_be_spent_to_exactly_zero_and_not_beyond(ce):
    for income in range(14):
        ce.ask(f"SELECT COUNT(*) AS n FROM ce_slides WHERE Income > {income}", epsilon="0.1")
    assert ce.budget.remaining == dc.Pure(epsilon=0)
    with pytest.raises(dc.BudgetError, match="epsilon 0 is left"):
        ce.ask("SELECT COUNT(*) AS n FROM ce_slides WHERE Income > 99", epsilon="1e-9")
    assert ce.ask("SELECT COUNT(*) AS n FROM ce_slides WHERE Income > 3", epsilon="0.1").replayed


def test_threads_competing_for_the_last_epsilon_never_overspend(ce):
    def ask(place):
        try:
            ce.ask(f"SELECT COUNT(*) AS n FROM ce_slides WHERE Income > {place}", epsilon="0.1")
        except dc.BudgetError:
            return 0
        return 1

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(ask, range(40))) == 14
    assert spent(ce) == Fraction(14, 10)


@pytest.mark.parametrize(
    "price",
    [
        {},
        {"epsilon": 0},
        {"epsilon": -1},
        {"epsilon": float("nan")},
        {"epsilon": "x"},
        {"epsilon": 1, "within": 5},
        {"rho": 0},
        {"epsilon": 1, "rho": 1},
    ],
)
def test_a_price_that_means_nothing_is_refused_before_any_charge(ce, price):
    with pytest.raises(dc.Refused):
        ce.ask(RURAL, **price)
    assert spent(ce) == 0


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT VAR_POP(Income * 1e300) AS v FROM ce_slides",
        "SELECT AVG(Income * 1e-305) AS v FROM ce_slides",
    ],
)
def test_ranges_that_no_float_holds_are_refused_before_any_charge(ce, sql):
    with pytest.raises(dc.QuestionError):
        ce.ask(sql, epsilon=1)
    assert spent(ce) == 0


def test_prices_that_buy_nothing_are_refused_before_any_charge(ce):
    for price in ({"epsilon": "1e-320"}, {"epsilon": "1e-13"}, {"rho": "1e-40"}):
        with pytest.raises(dc.ParameterError):
            ce.ask(RURAL, **price)
    assert spent(ce) == 0


def test_having_on_a_key_of_texts_is_refused_before_any_charge(tmp_path):
    write_sample("adult", tmp_path)
    adult = open_unregistered(tmp_path / "adult.toml")
    for having in ("Sex = 'Male'", "Sex IN ('Male')", "Sex LIKE 'M%'"):
        with pytest.raises(dc.QuestionError, match="WHERE"):
            adult.ask(f"SELECT Sex, COUNT(*) AS n FROM adult GROUP BY Sex HAVING {having}", epsilon="0.1")
    assert spent(adult) == 0


def test_a_limit_in_epsilon_is_not_gone_around_by_rho(folder):
    text = (folder / "ce_slides.toml").read_text()
    limited = text.replace("epsilon = 1.4", "rho = 1\nmax_epsilon_per_question = 0.1").replace('partition = "UrbanRural"', "")
    (folder / "rho.toml").write_text(limited)
    with pytest.raises(dc.BudgetError, match="priced by epsilon"):
        open_unregistered(folder / "rho.toml").ask(RURAL, rho="0.5")


def test_half_characters_in_a_question_made_by_hand_are_refused(tmp_path):
    write_sample("adult", tmp_path)
    adult = open_unregistered(tmp_path / "adult.toml")
    one = adult.where("Name = 'a?'").count().question
    broken = replace(one, where=replace(one.where, of=(one.where.of[0], replace(one.where.of[1], value="a\ud800"))))
    with pytest.raises(dc.QuestionError, match="Unicode"):
        adult.ask(broken, epsilon="0.1")


def test_prices_that_the_budget_has_no_unit_for_are_refused_before_any_charge(ce):
    for price in ({"rho": "0.1"}, {"epsilon": "0.1", "delta": "1e-6"}):
        with pytest.raises(dc.Refused):
            ce.ask(RURAL, **price)
    assert spent(ce) == 0


def test_a_source_that_vanished_or_changed_is_a_fault_before_any_charge(folder, ce):
    (folder / "ce_slides.csv").unlink()
    with pytest.raises(dc.EngineFault):
        ce.ask(RURAL, epsilon="0.1")
    assert spent(ce) == 0
    with pytest.raises(dc.DiscreetError):
        open_unregistered(folder / "ce_slides.toml")


def test_limits_of_the_facts_hold_whatever_is_left(folder):
    text = (folder / "ce_slides.toml").read_text()
    (folder / "small.toml").write_text(text.replace("epsilon = 1.4", "epsilon = 1.4\nmax_epsilon_per_question = 0.5"))
    with pytest.raises(dc.BudgetError, match=r"at most 0\.5"):
        open_unregistered(folder / "small.toml").ask(RURAL, epsilon=1)
    with open_unregistered(folder / "small.toml") as table:
        quote = table.quote(RURAL, epsilon=1)
        assert not quote.affordable
        assert "one question may cost at most 0.5" in quote.warnings[0]
        assert "more than one question may cost" in str(quote)
        assert table.quote(RURAL, epsilon="0.5").affordable
    with pytest.raises(dc.Fault):
        table.ask(RURAL, epsilon="0.5")
    (folder / "old.toml").write_text(text.replace("epsilon = 1.4", "epsilon = 1.4\nexpires = 2020-01-01"))
    with pytest.raises(dc.AccessError, match="2020-01-01"):
        open_unregistered(folder / "old.toml").ask(RURAL, epsilon="0.1")


def test_a_canary_in_the_data_shows_in_no_error_and_no_repr(tmp_path, caplog):
    canary = "zyxwv-9871"
    frame = pd.DataFrame({"name": [canary, "b"], "x": ["1", canary]})
    columns = {"name": dc.text(), "x": dc.number(0, 10)}
    t = dc.table(frame, columns=columns, unit="row", neighbours="add_remove", budget=10)
    seen = [repr(t), repr(t.count().ask(epsilon=1))]
    for select in ("SUM(x) AS v", "AVG(x / 0) AS v", "nothing", "name", "SUM(name)"):
        try:
            seen.append(repr(t.ask(f"SELECT {select} FROM t", epsilon="0.1")))
        except dc.DiscreetError as error:
            seen += [str(error), repr(error.__cause__)]
    assert not any(canary in text for text in [*seen, caplog.text])


@pytest.mark.parametrize("table", [[], [{"x": None}], [{"x": "?"}] * 3])
def test_an_empty_table_is_answered_like_any_other(table):
    frame = pd.DataFrame({"x": [row["x"] for row in table]}, dtype=object)
    t = dc.table(frame, columns={"x": dc.number(0, 10)}, unit="row", neighbours="add_remove", budget=10)
    with seeded(1):  # of twenty draws one looks like some rows
        answer = t.ask("SELECT COUNT(*) AS n, AVG(x) AS m, STDDEV(x) AS s FROM t", epsilon=1)
    assert answer.rows[0] | {"n": 0} == {"n": 0, "m": None, "s": None}
    assert answer.too_few == (("m", "s"),)


def test_gaussian_prices_are_charged_in_their_own_units():
    frame = pd.DataFrame({"x": [1.0] * 100})
    columns = {"x": dc.number(0, 10)}
    rho = dc.table(frame, columns=columns, unit="row", neighbours="add_remove", budget={"rho": "0.5"})
    assert rho.ask("SELECT COUNT(*) AS n, AVG(x) AS m FROM t", rho="0.1").cost == dc.Concentrated(rho="0.1")
    assert rho.ask("SELECT COUNT(*) AS n FROM t WHERE x > 1", epsilon="0.2").cost == dc.Concentrated(rho="0.02")  # epsilon^2 / 2
    both = dc.table(frame, columns=columns, unit="row", neighbours="add_remove", budget={"epsilon": 2, "delta": "1e-5"})
    price = dc.Approximate(epsilon=1, delta="1e-6")
    assert both.ask("SELECT COUNT(*) AS n FROM t WHERE x > 1", epsilon=1, delta="1e-6").cost == price
    assert both.budget.spent == price


def test_within_buys_the_least_epsilon_of_three_digits(ce):
    quote = ce.quote("SELECT AVG(Income) AS m FROM ce_slides", within=5000)
    assert quote.columns[0].plus_minus <= 5000
    one_less = quote.cost.epsilon - Fraction(1, 1000)
    assert ce.quote("SELECT AVG(Income) AS m FROM ce_slides", epsilon=one_less).columns[0].plus_minus > 5000
    with pytest.raises(dc.QuestionError, match="no number 'z'"):
        ce.quote("SELECT AVG(Income) AS m FROM ce_slides", within={"z": 5})


def test_within_without_a_public_size_is_refused_with_the_hint_to_assume_one(folder):
    text = re.sub(r"rows_about = .*\n", "", (folder / "ce_slides.toml").read_text())
    (folder / "unsized.toml").write_text(text)
    ce = open_unregistered(folder / "unsized.toml")
    assert [column.rows for column in ce.quote("SELECT AVG(Income) AS m FROM ce_slides", epsilon=1).columns] == [100, 1000, 10000]
    with pytest.raises(dc.QuestionError, match="assuming=1000"):
        ce.ask("SELECT AVG(Income) AS m FROM ce_slides", within=5000)
    assert ce.quote("SELECT AVG(Income) AS m FROM ce_slides", within=5000, assuming=1000).cost.epsilon > 0


def test_python_and_sql_ask_the_same_question(ce):
    first = ce.where("Income > 1000").group_by("Race").select(n=dc.count(), m=dc.mean("KidsCount")).ask(epsilon="0.3")
    sql = "SELECT Race, COUNT(*) AS n, AVG(KidsCount) AS m FROM ce_slides WHERE Income > 1000 GROUP BY Race"
    again = ce.ask(sql, epsilon="0.3")
    assert again.replayed
    assert again.rows == first.rows


def test_expected_errors_of_a_quote_are_close_to_those_of_the_answer(ce):
    for sql in (RURAL, "SELECT SUM(KidsCount) AS k FROM ce_slides", "SELECT AVG(Expenditure) AS m FROM ce_slides"):
        quoted = ce.quote(sql, epsilon="0.3").columns[0].plus_minus
        low, high = ce.ask(sql, epsilon="0.3").interval
        assert (high - low) / 2 == pytest.approx(quoted, rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ce_book", "ce_slides", "fulton", "adult", "devices"])
def test_every_sample_opens_and_counts(tmp_path, name):
    write_sample(name, tmp_path)
    curator = open_unregistered(tmp_path / f"{name}.toml")
    rows = len(Path(tmp_path / f"{name}.csv").read_text().splitlines()) - 1
    low, high = curator.count().ask(epsilon="0.1", confidence="0.999999").interval
    assert low <= rows <= high
