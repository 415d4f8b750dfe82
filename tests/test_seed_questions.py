"""The worked examples of the texts, asked in SQL: E4–E6, E8, E14–E16.

Each table is the made-up sample and, where $DISCREET_DATA has it, the file that the text itself used.
"""

import re
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.lessons.samples import sample, write_sample
from discreet.testing import recorded

FILES = {"ce_book": "CEdata_994_book.csv", "ce_slides": "CEdata_5133_slides.csv", "fulton": "pums/FultonPUMS5full.csv"}


@pytest.fixture(params=["made up", "real"])
def open_sample(request, tmp_path, real_data):
    """``open_sample("ce_book", epsilon=…, **other lines)`` opens a table with a budget of its own."""

    def find(name, epsilon=100, **changed):
        text = sample(name).facts_toml
        if request.param == "real":
            text = re.sub(r'source = ".*"', f'source = "{real_data(FILES[name])}"', text)
        else:
            write_sample(name, tmp_path)
        text = re.sub(r"epsilon = .*", f"epsilon = {epsilon}", text)
        for key, line in changed.items():
            text = re.sub(rf"(?m)^{key} = .*$", line, text)
        (tmp_path / "facts.toml").write_text(text)
        return dc.testing.open_unregistered(tmp_path / "facts.toml")

    return find


FOUR = "SELECT AVG(Income) AS mi, VAR_POP(Income) AS vi, AVG(Expenditure) AS me, VAR_POP(Expenditure) AS ve FROM ce_slides"


def test_e4_four_statistics_cost_one_epsilon_in_all_and_the_quote_prints_the_shares(open_sample):
    ce = open_sample("ce_slides")
    quote = ce.quote(FOUR, epsilon="0.1")
    assert quote.cost == dc.Pure(epsilon="0.1")
    assert sum(share.epsilon for _, share in quote.split) == Fraction(1, 10)
    assert len(quote.split) == 2                                     # mean and variance of one column come from one vector
    answer = ce.ask(FOUR, epsilon="0.1")
    assert ce.budget.spent == dc.Pure(epsilon="0.1")
    assert set(answer.rows[0]) == {"mi", "vi", "me", "ve"}


def test_e4_a_quarter_of_epsilon_means_four_times_the_noise(open_sample):
    ce = open_sample("ce_slides")
    whole = ce.quote("SELECT AVG(Income) AS m FROM ce_slides", epsilon="0.1").columns[0].plus_minus
    quarter = ce.quote("SELECT AVG(Income) AS m FROM ce_slides", epsilon="0.025").columns[0].plus_minus
    assert quarter == pytest.approx(4 * whole, rel=0.01)


BY_PLACE = "SELECT UrbanRural, AVG(Income) AS m FROM ce_slides GROUP BY UrbanRural"


def test_e5_means_of_rural_and_urban_are_parallel_under_add_remove_and_twice_as_noisy_under_change_one(open_sample):
    ce = open_sample("ce_slides")
    with recorded() as calls:
        answer = ce.ask(BY_PLACE, epsilon="0.1")
    assert ce.budget.spent == dc.Pure(epsilon="0.1")
    assert [row["UrbanRural"] for row in answer.rows] == [1, 2]
    moved = open_sample("ce_slides", neighbours='neighbours = "change_one"', rows_about="rows = 5133")
    with recorded() as moved_calls:
        moved.ask(BY_PLACE, epsilon="0.1")
    # a row that moves from rural to urban changes both cells, so the same epsilon takes noise twice as wide
    assert moved_calls[0].mechanism.scale == 2 * calls[0].mechanism.scale


RACES = "SELECT Race, COUNT(*) AS n FROM ce_slides GROUP BY Race"


def test_e6_the_race_table_takes_noise_of_scale_two_over_epsilon_where_the_slide_takes_five(open_sample):
    ce = open_sample("ce_slides", neighbours='neighbours = "change_one"', rows_about="rows = 5133")
    with recorded() as calls:
        answer = ce.ask(RACES, epsilon="0.1")
    assert calls[0].mechanism.scale == 20                            # the slide: epsilon / 5 per cell, scale 50
    assert list(np.ravel(calls[0].exact)) == [4201, 553, 28, 239, 24, 88]
    assert len(answer.rows) == 6
    made_consistent = answer.consistent(total=5133)
    assert sum(row["n"] for row in made_consistent.rows) == made_consistent.total == 5133
    assert all(row["n"] >= 0 for row in made_consistent.rows)


def test_e6_our_cells_err_less_than_the_slides_at_the_same_epsilon():
    ours = np.abs(dc.noise.discrete_laplace(20, (4000, 6))).mean()
    slide = np.abs(dc.noise.discrete_laplace(50, (4000, 5)))
    sixth = np.abs(dc.noise.discrete_laplace(50, (4000, 5)).sum(axis=1)).mean()        # by subtraction from the total
    assert ours < 0.45 * (slide.mean() * 5 + sixth) / 6


def test_e8_the_private_mean_of_fulton_has_the_sensitivity_of_the_notebook(open_sample):
    fulton = open_sample("fulton")
    with recorded() as calls:
        answer = fulton.ask("SELECT AVG(educ) AS m FROM fulton", epsilon=1)
    assert int(np.ravel(calls[0].exact)[0]) == 273_340
    assert Fraction(273_340, 25_766) == pytest.approx(10.608553908251183, abs=1e-12)
    assert calls[0].mechanism.scale == 15                            # the sum; over 25 766 rows that is the notebook's 15/25766
    low, high = answer.interval
    assert high - low == pytest.approx(2 * 15 * np.log(20) / 25_766, rel=0.03)


def test_e14_a_question_of_two_dimensions_is_one_price(open_sample):
    ce = open_sample("ce_book")
    answer = ce.ask("SELECT AVG(Income) AS income, AVG(Expenditure) AS expenditure FROM ce_book", epsilon=1)
    assert answer.cost == dc.Pure(epsilon=1)
    assert [loss for _, loss in answer.split] == [dc.Pure(epsilon="0.5")] * 2


def test_e15_a_larger_range_means_larger_noise_at_the_same_epsilon(open_sample):
    ce = open_sample("ce_book")
    wide = ce.quote("SELECT AVG(Income) AS m FROM ce_book", epsilon="0.1").columns[0].plus_minus
    narrow = ce.quote("SELECT AVG(Expenditure) AS m FROM ce_book", epsilon="0.1").columns[0].plus_minus
    assert wide == pytest.approx(2 * narrow, rel=0.001)              # 1 000 000 against 500 000
    assert wide == pytest.approx(1_000_000 * np.log(20) / (994 * 0.1), rel=0.01)


def test_e16_an_epsilon_above_ten_is_answered_with_a_warning(open_sample):
    ce = open_sample("ce_book")
    assert not ce.quote("SELECT COUNT(*) AS n FROM ce_book WHERE UrbanRural = 2", epsilon=1).warnings
    assert "hardly protects" in ce.quote("SELECT COUNT(*) AS n FROM ce_book WHERE UrbanRural = 2", epsilon=11).warnings[0]


def test_e16_the_mean_moves_by_at_most_its_sensitivity_as_one_record_leaves_its_place():
    incomes = [50_000.0] * 99
    means = [np.mean([*incomes, last]) for last in (0, 50_000, 1_000_000)]
    sensitivity = dc.sensitivity("mean", neighbours="change_one", lower=0, upper=1_000_000, rows=100)
    assert max(means) - min(means) == pytest.approx(float(sensitivity))
