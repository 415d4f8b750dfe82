"""Clopper–Pearson bounds against SciPy's beta quantiles, and that they are on the safe side."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from discreet.audit.bounds import lower_bound, upper_bound
from discreet.audit.claims import Mu, strength
from discreet.audit.one_run import one_run, one_run_from_scores, p_value
from discreet.errors import ParameterError
from discreet.privacy.losses import Approximate, Concentrated, Pure


@pytest.mark.parametrize("trials", [1, 7, 100, 10_000, 1_000_000])
@pytest.mark.parametrize("alpha", [0.25, 0.0125, 2.5e-5, 1e-12])
def test_bounds_are_those_of_the_beta_distribution_and_a_hair_outside(trials, alpha):
    for count in {round(share * trials) for share in (0, 1e-6, 0.01, 0.3, 0.5, 0.97, 1)}:
        low = stats.beta.ppf(alpha, count, trials - count + 1) if count else 0.0
        high = stats.beta.isf(alpha, count + 1, trials - count) if count < trials else 1.0
        assert low * (1 - 1e-6) <= lower_bound(count, trials, alpha) <= low
        assert (1 - high) * (1 - 1e-6) <= 1 - upper_bound(count, trials, alpha) <= (1 - high) * (1 + 1e-7) + 1e-15


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(1, 40), st.floats(0.01, 0.99), st.sampled_from([0.2, 0.05, 0.001]))
def test_a_bound_misses_with_at_most_the_stated_probability_whatever_the_truth(trials, truth, alpha):
    chances = stats.binom.pmf(np.arange(trials + 1), trials, truth)
    missed = sum(chance for count, chance in enumerate(chances) if lower_bound(count, trials, alpha) > truth)
    missed_above = sum(chance for count, chance in enumerate(chances) if upper_bound(count, trials, alpha) < truth)
    assert missed <= alpha * (1 + 1e-9)
    assert missed_above <= alpha * (1 + 1e-9)


def test_bounds_at_97_percent_of_their_distance_would_miss_more_often_than_stated():
    trials, alpha = 2000, 0.01
    truth = stats.beta.ppf(alpha, 1000, 1001)  # at this truth, 1000 successes are the first to be a miss
    def nearer(count):
        return count / trials - 0.97 * (count / trials - lower_bound(count, trials, alpha))

    too_close = [count for count in range(980, 1020) if nearer(count) > truth]
    assert stats.binom.sf(min(too_close) - 1, trials, truth) > alpha * 1.03


@pytest.mark.parametrize("claim", [Pure(epsilon=1), Approximate(epsilon=1, delta="0.01"), Concentrated(rho=1), Mu(mu=1)])
def test_an_event_shows_less_when_its_probabilities_come_closer_and_nothing_when_they_cross(claim):
    apart = [strength(claim, p, 0.2) for p in (0.9, 0.6, 0.3, 0.2, 0.1)]
    assert apart == sorted(apart, reverse=True)
    assert apart[3:] == [0, 0]
    assert strength(claim, 0.5, 0.1) > strength(claim, 0.5, 0.2)


def test_strengths_are_tight_for_the_mechanisms_that_attain_them():
    assert strength(Pure(epsilon=1), np.e / (1 + np.e), 1 / (1 + np.e)) == pytest.approx(1)
    assert strength(Approximate(epsilon=1, delta="0.1"), 0.1 + 0.2 * np.e, 0.2) == pytest.approx(1)
    assert strength(Mu(mu=1), stats.norm.cdf(0.7), stats.norm.cdf(-0.3)) == pytest.approx(1)
    orders = 1 + np.geomspace(1e-4, 200, 20_000)
    p, q = 0.6, 0.3
    exact = np.log(p**orders * q ** (1 - orders) + (1 - p) ** orders * (1 - q) ** (1 - orders)) / (orders - 1) / orders
    assert strength(Concentrated(rho=1), p, q) == pytest.approx(exact.max(), rel=0.01)
    assert strength(Concentrated(rho=1), p, q) <= exact.max() * (1 + 1e-9)


@pytest.mark.parametrize(("canaries", "right", "least"), [(1000, 731, 0.881), (10_000, 7311, 0.963), (1000, 1000, 5.81)])
def test_guesses_about_canaries_show_what_is_published(canaries, right, least):
    assert one_run(canaries=canaries, right=right, epsilon=1).at_least == pytest.approx(least, abs=0.005)


def test_guesses_show_less_with_a_delta_and_nothing_by_chance():
    alone = one_run(canaries=1000, right=731, epsilon=1).at_least
    assert one_run(canaries=1000, right=731, epsilon=1, delta="1e-4").at_least < alone
    assert one_run(canaries=1000, right=505, epsilon=1).at_least == 0
    assert one_run(canaries=1000, right=500, epsilon=1).verdict == "no violation found"


@pytest.mark.parametrize(("guesses", "right", "epsilon", "delta"), [(40, 33, 0.5, 1e-3), (40, 40, 2, 0.01), (99, 70, 0.3, 1e-4)])
def test_the_probability_of_guesses_is_the_published_formula(guesses, right, epsilon, delta):
    q, canaries = 1 / (1 + np.exp(-epsilon)), 2 * guesses
    beta = stats.binom.sf(right - 1, guesses, q)
    below = stats.binom.cdf(right - 1, guesses, q)
    worst = max((below - stats.binom.cdf(right - i - 1, guesses, q)) / i for i in range(1, right + 1))
    assert p_value(canaries, guesses, right, epsilon, delta) == pytest.approx(beta + 2 * canaries * delta * worst, rel=1e-9)


def test_guesses_from_scores_take_the_ends_and_leave_the_middle_out():
    included = np.array([True] * 50 + [False] * 50)
    scores = np.concatenate([np.linspace(1, 2, 50), np.linspace(-2, 1, 50)])
    found = one_run_from_scores(included, scores, guesses=40, epsilon="0.1")
    assert (found.guesses, found.right, found.canaries) == (40, 40, 100)
    assert found.verdict == "violation"
    with pytest.raises(ParameterError, match="do not go together"):
        one_run_from_scores(included, scores[1:], epsilon=1)
    with pytest.raises(ParameterError, match="does not add up"):
        one_run(canaries=10, right=11, epsilon=1)
