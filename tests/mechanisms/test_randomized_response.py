"""Randomized response: its probabilities, its price, and what can be learnt from many answers."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats
from tests.mechanisms.selections import law, max_divergence, real, renyi

import discreet as dc
from discreet import RandomizedResponse
from discreet.mechanisms.binomial import binomial, upper_tail
from discreet.privacy.prices import concentrated, pure

TINY = mpmath.mpf(10) ** -20


def told(mechanism, answer):
    return [mechanism.pmf(answer, each, exact=True) for each in range(mechanism.categories)]


@pytest.mark.parametrize("epsilon", ["1/100", "1", "30"])
@pytest.mark.parametrize("categories", [2, 3, 26])
def test_the_truth_is_told_e_to_the_epsilon_times_as_often_as_each_other_category(mp, epsilon, categories):
    mechanism = RandomizedResponse(epsilon=epsilon, categories=categories)
    growth = mpmath.exp(mp(epsilon))
    expected = [growth / (growth + categories - 1)] + [1 / (growth + categories - 1)] * (categories - 1)
    for (low, high), true in zip(told(mechanism, 0), expected, strict=True):
        assert real(low) <= true * (1 + TINY)
        assert true <= real(high) * (1 + TINY)
        assert high - low < high / 2**60
    laws = [law(told(mechanism, answer)) for answer in range(categories)]
    lost = max(max_divergence(p, q) for p, q in itertools.combinations(laws, 2))
    assert abs(lost - mp(mechanism.loss.epsilon)) < mpmath.mpf(10) ** -15
    assert pure(mechanism.cost) == mechanism.loss


@pytest.mark.parametrize("epsilon", ["1/10", "1", "3"])
def test_the_renyi_divergence_of_an_answer_is_within_the_rho_charged(mp, epsilon):
    mechanism = RandomizedResponse(epsilon=epsilon)
    yes, no = law(told(mechanism, 1)), law(told(mechanism, 0))
    rho = mp(concentrated(mechanism.cost).rho)
    lost = max(renyi(yes, no, mpmath.mpf(alpha)) / mpmath.mpf(alpha) for alpha in ("1.001", "2", "40"))
    assert lost <= rho
    if epsilon == "1/10":
        assert lost > mpmath.mpf("0.97") * rho


def every_outcome(mechanism, answers):
    """What may be told for these answers, with its probability."""
    for outcome in itertools.product(range(mechanism.categories), repeat=len(answers)):
        yield outcome, np.prod([mechanism.pmf(answer, told) for answer, told in zip(answers, outcome, strict=True)])


@pytest.mark.parametrize(("categories", "answers"), [(2, [0, 1, 1]), (2, [1, 1, 1, 1]), (3, [0, 2, 2, 1])])
def test_the_estimate_is_unbiased_and_has_the_variance_that_is_said(categories, answers):
    mechanism = RandomizedResponse(epsilon="3/2", categories=categories)
    estimates = [(chance, mechanism.frequencies(outcome)) for outcome, chance in every_outcome(mechanism, answers)]
    mean = sum(chance * estimate for chance, estimate in estimates)
    shares = np.bincount(answers, minlength=categories) / len(answers)
    assert mean == pytest.approx(shares, abs=1e-12)
    spread = sum(chance * (estimate - shares) ** 2 for chance, estimate in estimates)
    assert spread == pytest.approx([mechanism.variance(len(answers), share) for share in shares], rel=1e-10)


@pytest.mark.parametrize(("size", "epsilon"), [(1, "1"), (12, "1"), (60, "1/2"), (60, "4")])
def test_an_interval_covers_the_true_share_whatever_it_is(size, epsilon):
    mechanism = RandomizedResponse(epsilon=epsilon)
    ends = [mechanism.intervals([1] * count + [0] * (size - count), "0.9")[1] for count in range(size + 1)]
    true, false = mechanism.pmf(1, 1), mechanism.pmf(0, 1)
    covered = []
    for members in range(size + 1):
        others, binom = size - members, stats.binom.pmf
        counts = np.convolve(binom(range(members + 1), members, true), binom(range(others + 1), others, false))
        covered.append(sum(chance for chance, (low, high) in zip(counts, ends, strict=True) if low <= members / size <= high))
    assert min(covered) >= 0.9 - 1e-9
    if size == 60:
        assert np.mean(covered) < 0.97  # not far too careful: counts are whole numbers


def test_intervals_of_many_answers_are_as_wide_as_their_deviation_says_and_hold_the_estimate():
    mechanism, size = RandomizedResponse(epsilon=1, categories=4), 400_000
    answers = np.repeat([0, 1, 2, 3], [200_000, 100_000, 80_000, 20_000])
    reported = mechanism.release(answers)
    shares, estimates, ends = [0.5, 0.25, 0.2, 0.05], mechanism.frequencies(reported), mechanism.intervals(reported)
    for share, estimate, (low, high) in zip(shares, estimates, ends, strict=True):
        assert low < estimate < high
        assert high - low == pytest.approx(2 * 1.96 * mechanism.variance(size, share) ** 0.5, rel=0.02)


@pytest.mark.parametrize(("trials", "chance"), [(0, 0.5), (1, 0.3), (7, 0.0), (7, 1.0), (40, 0.5), (1000, 0.001), (10**6, 0.73)])
def test_binomial_probabilities_are_those_of_scipy(trials, chance):
    first, masses = binomial(trials, chance)
    assert masses == pytest.approx(stats.binom.pmf(np.arange(first, first + masses.size), trials, chance), rel=1e-8, abs=1e-25)
    assert masses.sum() == pytest.approx(1, abs=1e-12)


def test_tails_of_two_binomials_are_summed_rightly():
    for least in range(-2, 16):
        expected = sum(stats.binom.pmf(a, 9, 0.4) * stats.binom.sf(least - 1 - a, 4, 0.1) for a in range(10))
        assert upper_tail(least, (9, 0.4), (4, 0.1)) == pytest.approx(expected, abs=1e-12)


def test_answers_keep_their_shape_and_kind():
    mechanism = RandomizedResponse(epsilon=1, categories=3)
    assert type(mechanism.release(2)) is int
    assert mechanism.release([]).size == 0
    assert mechanism.release(np.zeros((2, 3), np.int8)).shape == (2, 3)
    assert RandomizedResponse(epsilon=30).release([True, False, True]).tolist() == [1, 0, 1]
    assert {RandomizedResponse(epsilon="1e-9", categories=3).release(0) for _ in range(100)} == {0, 1, 2}
    assert repr(mechanism) == "RandomizedResponse(epsilon=1, categories=3)"
    assert mechanism.loss == dc.Pure(epsilon=1)
    assert concentrated(mechanism.cost) == dc.Concentrated(rho=Fraction(1, 2))
