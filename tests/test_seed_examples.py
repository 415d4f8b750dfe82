"""The worked examples of the texts, figure by figure: E1–E3, E9–E11 and E13.

Each table is the made-up sample and, where $DISCREET_DATA has it, the file that the text itself used.
"""

import csv
import math
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.lessons import auction
from discreet.lessons.r import R
from discreet.lessons.samples import sample

FILES = {
    "ce_book": "CEdata_994_book.csv",
    "ce_slides": "CEdata_5133_slides.csv",
    "adult": "adult_with_pii_rejoined.csv",
}


@pytest.fixture(params=["made up", "real"])
def rows_of(request, real_data):
    """``rows_of("ce_book")`` is a table as a list of dicts of text."""

    def made_up(name):
        return list(csv.DictReader(sample(name).csv().splitlines()))

    def real(name):
        with real_data(FILES[name]).open(encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file))

    return made_up if request.param == "made up" else real


def rural(rows):
    return sum(row["UrbanRural"] == "2" for row in rows)


def mean_income(rows):
    return Fraction(sum(int(row["Income"]) for row in rows), len(rows))


def as_r_prints_it(value, scale):
    """One draw after ``set.seed(123)``."""
    return R(123).rlaplace(1, float(value), float(scale))[0]


@pytest.mark.parametrize(("epsilon", "printed"), [("0.1", 45), ("1", 50)])
def test_e1_the_rural_count_of_the_book_is_51_and_r_releases_45_and_50(rows_of, epsilon, printed):
    count = rural(rows_of("ce_book"))
    assert count == 51
    sensitivity = dc.sensitivity("count", neighbours="change_one")
    assert round(as_r_prints_it(count, sensitivity / Fraction(epsilon))) == printed


@pytest.mark.parametrize(("epsilon", "printed"), [("0.1", 62028.67), ("1", 67036.76)])
def test_e2_the_mean_income_is_67593_and_r_releases_62028_and_67036(rows_of, epsilon, printed):
    rows = rows_of("ce_book")
    mean = mean_income(rows)
    assert round(float(mean), 4) == 67593.2163
    sensitivity = dc.sensitivity("mean", neighbours="change_one", lower=0, upper=1_000_000, rows=len(rows))
    assert sensitivity == Fraction(1_000_000, 994)
    assert round(as_r_prints_it(mean, sensitivity / Fraction(epsilon)), 2) == printed


@pytest.mark.parametrize(("epsilon", "printed"), [("0.1", 331), ("1", 336)])
def test_e3_the_rural_count_of_the_slides_is_337_and_r_releases_331_and_336(rows_of, epsilon, printed):
    rows = rows_of("ce_slides")
    assert (len(rows), rural(rows)) == (5133, 337)
    assert round(float(mean_income(rows)), 4) == 77075.7689
    assert round(as_r_prints_it(rural(rows), 1 / Fraction(epsilon))) == printed


@pytest.mark.parametrize("epsilon", ["0.1", "1"])
def test_e1_to_e3_exact_noise_keeps_to_its_interval_and_to_whole_numbers(epsilon):
    count = dc.Laplace(epsilon=epsilon, sensitivity=1)
    low, high = count.interval(0.95)
    answers = [count.release(51) for _ in range(400)]
    assert all(type(answer) is int for answer in answers)
    assert sum(low <= answer - 51 <= high for answer in answers) >= 300  # 380 expected; fewer than 300 once in 10^25

    mean = dc.Laplace(epsilon=epsilon, sensitivity=Fraction(1_000_000, 994))
    low, high = mean.interval(0.95)
    answers = [mean.release(67593.2163) for _ in range(400)]
    assert all(type(answer) is float for answer in answers)
    assert sum(low <= answer - 67593.2163 <= high for answer in answers) >= 300
    assert high == pytest.approx(-math.log(0.05) * 1e6 / 994 / float(epsilon), rel=1e-4)


def test_e9_14237_people_are_40_or_older(rows_of):
    assert sum(int(row["Age"]) >= 40 for row in rows_of("adult")) == 14_237


def test_e9_one_row_is_karrie_trussloves_and_its_count_tells_her_income(rows_of):
    hers = [row for row in rows_of("adult") if row["Name"] == "Karrie Trusslove"]
    assert sum(row["Target"] == "<=50K" for row in hers) == len(hers) == 1


def test_e9_at_epsilon_one_tenth_the_malicious_answer_hardly_moves_a_belief():
    mechanism = dc.Laplace(epsilon="0.1", sensitivity=1)
    low, high = mechanism.interval(0.95)
    assert low < -1 < 0 < 1 < high  # 0 and 1 are both within reach of every answer
    assert low <= 2.198682025336349 - 1 <= high  # so is the one that the text prints
    for answer in range(-300, 301):
        if_one, if_zero = mechanism.pmf(answer - 1), mechanism.pmf(answer)
        assert math.exp(-0.1) * (1 - 1e-9) <= if_one / if_zero <= math.exp(0.1) * (1 + 1e-9)
        assert if_one / (if_one + if_zero) < 0.525


def test_e10_the_auction_earns_what_the_text_says_at_each_price():
    assert auction.BIDS == (100, 100, 301)
    assert {price: auction.revenue(price) for price in auction.PRICES} == {100: 300, 101: 101, 301: 301, 302: 0}
    assert auction.score_sensitivity() == 302


def test_e10_no_bidder_moves_a_revenue_by_more_than_the_sensitivity_and_one_does_by_all_of_it():
    moved = [
        abs(auction.revenue(price, bids) - auction.revenue(price, (*bids, bid)))
        for price in auction.PRICES
        for bids in [(), (100,), (100, 301), (302, 302)]
        for bid in range(310)
    ]
    assert max(moved) == auction.score_sensitivity()


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1, 10])
def test_e10_the_exponential_mechanism_weighs_each_price_by_its_revenue(epsilon):
    scores = [auction.revenue(price) for price in auction.PRICES]
    mechanism = dc.Exponential(epsilon=epsilon, sensitivity=302)
    weights = [math.exp(epsilon * score / 604) for score in scores]
    assert list(mechanism.pmf(scores)) == pytest.approx([weight / sum(weights) for weight in weights], rel=1e-12)
    chosen = np.bincount([mechanism.select(scores) for _ in range(2000)], minlength=4)
    np.testing.assert_allclose(chosen / 2000, mechanism.pmf(scores), atol=0.08)  # seven standard deviations


def test_e11_the_mean_of_150_numbers_between_0_and_1_has_noise_of_scale_1_over_150():
    values = R(150).runif(150)
    mechanism = dc.Laplace(epsilon=1, sensitivity="1/150")
    assert mechanism.scale == Fraction(1, 150)
    mean = float(values.mean())
    assert abs(mechanism.release(mean) - mean) < 40 / 150  # further away once in e^40


def test_e11_the_release_that_the_text_prints_is_within_the_interval():
    low, high = dc.Laplace(epsilon=1, sensitivity="1/150").interval(0.95)
    assert low <= 0.4688349 - 0.4733297 <= high
    assert high == pytest.approx(-math.log(0.05) / 150, rel=1e-4)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_e13_the_ratio_is_e_to_the_epsilon_outside_the_two_answers_and_less_between(epsilon):
    first, second = (dc.distributions.Laplace(answer, 10 / epsilon) for answer in (10, 20))
    outside = np.concatenate([np.linspace(-40, 10, 101), np.linspace(20, 70, 101)])
    np.testing.assert_allclose(np.abs(np.log(first.pdf(outside) / second.pdf(outside))), epsilon, rtol=1e-12)
    inside = np.linspace(10, 20, 101)[1:-1]
    assert np.all(np.abs(np.log(first.pdf(inside) / second.pdf(inside))) < epsilon)


def test_e13_exact_noise_has_the_same_ratio_on_every_integer():
    mechanism = dc.Laplace(epsilon=1, sensitivity=10)
    for answer in range(-40, 71):
        ratio = abs(math.log(mechanism.pmf(answer - 10) / mechanism.pmf(answer - 20)))
        if 10 < answer < 20:
            assert ratio < 1
        else:
            assert ratio == pytest.approx(1, rel=1e-9)
