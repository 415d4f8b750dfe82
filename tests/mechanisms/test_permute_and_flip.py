"""Permute-and-flip: its probabilities are those of the procedure, and what it charges is what it loses."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from tests.mechanisms.selections import delta, law, max_divergence, moved, real, renyi

import discreet as dc
from discreet import Exponential, PermuteAndFlip
from discreet.mechanisms.scores import read_scores
from discreet.privacy.conversion import delta_of
from discreet.privacy.prices import concentrated

TINY = mpmath.mpf(10) ** -20


def by_brute_force(epsilon, sensitivity, scores):
    """Go through all orders; take the first whose coin comes up."""
    factor = real(Fraction(epsilon)) / (2 * sensitivity)
    chances = [mpmath.exp(factor * (score - max(scores))) for score in scores]
    found = [mpmath.mpf(0)] * len(scores)
    for order in itertools.permutations(range(len(scores))):
        reached = mpmath.mpf(1) / math.factorial(len(scores))
        for at in order:
            found[at] += reached * chances[at]
            reached *= 1 - chances[at]
    return found


@pytest.mark.parametrize("epsilon", ["1/10", "1", "20"])
@pytest.mark.parametrize("scores", [[816, 109, 7], [0, 0], [5], [3, 2, 1, 0], [0, 0, 0, -1, -1, -40], [-400, 0, 35]])
def test_probabilities_are_those_of_going_through_all_orders(epsilon, scores):
    mechanism = PermuteAndFlip(epsilon=epsilon, sensitivity=2)
    expected = by_brute_force(epsilon, 2, scores)
    assert mpmath.fsum(expected) == pytest.approx(1)
    for (low, high), near, true in zip(mechanism.pmf(scores, exact=True), mechanism.pmf(scores), expected, strict=True):
        assert real(low) <= true * (1 + TINY)
        assert true <= real(high) * (1 + TINY)
        assert high - low <= high / 2**90 or high < Fraction(1, 2**4000)
        assert near == pytest.approx(float(true), rel=1e-12)


@pytest.mark.slow
def test_probabilities_of_many_candidates_sum_to_1_and_stay_narrow():
    scores = [score % 17 for score in range(200)]
    between = PermuteAndFlip(epsilon="1/3", sensitivity=1).pmf(scores, exact=True)
    assert sum(low for low, _ in between) <= 1 <= sum(high for _, high in between)
    assert max((high - low) / high for low, high in between) < Fraction(1, 2**80)
    best = [each for each, score in zip(between, scores, strict=True) if score == 16]
    assert max(low for low, _ in best) <= min(high for _, high in best)  # ties are ties


@pytest.mark.parametrize("epsilon", ["1/10", "1", "5"])
@pytest.mark.parametrize("sensitivity", [1, 3])
def test_the_max_divergence_of_permute_and_flip_is_the_epsilon_charged(mp, epsilon, sensitivity):
    mechanism = PermuteAndFlip(epsilon=epsilon, sensitivity=sensitivity)
    lost = mpmath.mpf(0)
    for scores in ([0, 0], [0, -60 * sensitivity], [0, 1, 2], [-40 * sensitivity, 0, 0]):
        before = law(mechanism.pmf(scores, exact=True))
        for after in moved(scores, sensitivity):
            lost = max(lost, max_divergence(before, law(mechanism.pmf(after, exact=True))))
    charged = mp(mechanism.loss.epsilon)
    assert charged == mp(epsilon)
    assert mpmath.mpf("0.97") * charged < lost <= charged * (1 + TINY)


@pytest.mark.parametrize("epsilon", ["1/100", "1/10", "1", "4"])
def test_the_rho_of_permute_and_flip_is_half_of_epsilon_squared_and_an_eighth_is_violated(mp, epsilon):
    mechanism = PermuteAndFlip(epsilon=epsilon, sensitivity=1)
    rho = mp(concentrated(mechanism.cost).rho)
    assert rho == mp(epsilon) ** 2 / 2
    lost = mpmath.mpf(0)
    for scores in ([0, 0], [1, 1], [0, 3], [0, 1, -1], [2, 0, 0]):
        before = law(mechanism.pmf(scores, exact=True))
        for after in moved(scores, 1):
            other = law(mechanism.pmf(after, exact=True))
            for alpha in ("1.001", "2", "5", "40"):
                lost = max(lost, renyi(before, other, mpmath.mpf(alpha)) / mpmath.mpf(alpha))
    assert lost <= rho
    assert lost > mp(epsilon) ** 2 / 8 * mpmath.mpf("1.1")  # what the exponential mechanism has, this has not
    if epsilon == "1/100":
        assert lost > mpmath.mpf("0.97") * rho  # and nothing below a half would do


def test_one_pair_of_tables_tells_permute_and_flip_from_the_exponential_mechanism(mp):
    # two candidates that tie; one unit lifts the first and lowers the second
    epsilon, before, after = mp("1/10"), [0, 0], [1, -1]
    flip, exponential = PermuteAndFlip(epsilon="1/10", sensitivity=1), Exponential(epsilon="1/10", sensitivity=1)
    lost = renyi(law(flip.pmf(before, exact=True)), law(flip.pmf(after, exact=True)), mpmath.mpf("1.0001"))
    assert mpmath.mpf("0.45") < lost / epsilon**2 < mpmath.mpf("0.5")
    lost = renyi(law(exponential.pmf(before, exact=True)), law(exponential.pmf(after, exact=True)), mpmath.mpf("1.0001"))
    assert mpmath.mpf("0.12") < lost / epsilon**2 <= mpmath.mpf("0.125") * mpmath.mpf("1.0001")


@pytest.mark.slow
@pytest.mark.parametrize("make", [PermuteAndFlip, Exponential])
@pytest.mark.parametrize("epsilon", ["1/2", "2"])
def test_delta_of_a_selection_is_within_what_its_price_implies(mp, make, epsilon):
    mechanism = make(epsilon=epsilon, sensitivity=1)
    rho, most = concentrated(mechanism.cost).rho, mpmath.mpf(0)
    for scores in ([0, 0], [0, 1, -1], [2, 0, 0], [Fraction(1, 2), Fraction(-1, 2)]):
        before = law(mechanism.pmf(scores, exact=True))
        for after in moved(scores, 1):
            other = law(mechanism.pmf(after, exact=True))
            assert delta(before, other, mp(epsilon)) <= mpmath.mpf(10) ** -25  # none at the epsilon charged
            for share in (Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)):
                level = share * Fraction(epsilon)
                found = delta(before, other, mp(level))
                assert found <= mp(delta_of(rho, level))
                most = max(most, found)
    assert most > 0


def test_no_candidate_set_is_served_worse_than_by_the_exponential_mechanism():
    for scores in ([0, -6], [0] + [-6] * 9, [0, -1, -2, -3], [4, 4, 0]):
        behind = np.max(scores) - np.array(scores)
        shortfall = [np.dot(behind, make(epsilon=1, sensitivity=1).pmf(scores)) for make in (PermuteAndFlip, Exponential)]
        assert shortfall[0] < shortfall[1]
    two = PermuteAndFlip(epsilon=1, sensitivity=1).pmf([0, -6])
    assert 6 * two[1] == pytest.approx(0.149, abs=5e-4)


@pytest.mark.slow
def test_distances_names_and_gaps():
    mechanism = PermuteAndFlip(epsilon="1/2", sensitivity=2)
    assert mechanism.loss_for(4) == dc.Pure(epsilon=1)
    assert mechanism.loss_for(0) == dc.Pure(epsilon=0)
    twice = PermuteAndFlip(epsilon=1, sensitivity=4)
    assert mechanism.pmf([1, 2], exact=True) == twice.pmf([1, 2], exact=True)
    assert repr(mechanism) == "PermuteAndFlip(epsilon=0.5, sensitivity=2)"
    for confidence in (0.5, 0.95):
        gap = mechanism.score_gap(100, confidence)
        assert gap == pytest.approx(8 * np.log(100 / (1 - confidence)), rel=1e-9)
        assert sum(mechanism.pmf([0.0] + [-gap * 1.001] * 99)[1:]) <= 1 - confidence


def test_scores_of_every_kind_mean_the_same():
    mechanism = PermuteAndFlip(epsilon=1, sensitivity=1)
    expected = mechanism.pmf([3, 1, 2], exact=True)
    for scores in ((3, 1, 2), [3.0, 1, 2], ["3", "1", Fraction(2)], np.array([3, 1, 2]), np.array([3, 1, 2], np.uint64),
                   np.array([3, 1, 2], np.float32), np.array([3.0, 1.0, 2.0])):
        assert mechanism.pmf(scores, exact=True) == expected
    halves, expected = np.array([1.5, 0.5, 1.0]), mechanism.pmf([Fraction(3, 2), Fraction(1, 2), 1], exact=True)
    assert mechanism.pmf(halves, exact=True) == mechanism.pmf(halves - 2**40, exact=True) == expected
    tiny, huge = np.array([5e-324, 1.0]), np.array([1e-300, 1e300])
    assert mechanism.pmf(tiny, exact=True) == mechanism.pmf([Fraction(5e-324), 1], exact=True)
    assert mechanism.pmf(huge, exact=True) == mechanism.pmf([Fraction(1e-300), Fraction(1e300)], exact=True)
    assert mechanism.pmf(np.array([2**64 - 1, 2**64 - 3], np.uint64)) == mechanism.pmf([2, 0])


@pytest.mark.parametrize("scores", [
    np.array([1e-300, 1e300, -1e300]), np.array([5e-324, 1.0]), np.array([5e-324, -5e-324]), np.array([1.7e308, -1.7e308]),
    np.zeros(3), np.array([0.1, 1e18]), np.array([2.0**62, -(2.0**62)]), np.array([0.1, 0.2], np.float16),
    np.array([2**63, 1], np.uint64), np.array([-128, 127], np.int8), np.array([-(2**63), 2**63 - 1]),
    [2**62, -(2**62)], [10**30, 1], [Fraction(1, 3), 0.1, "1/7"]])
def test_scores_are_read_without_any_loss(scores):
    whole, unit = read_scores(scores)
    expected = scores.tolist() if isinstance(scores, np.ndarray) else scores
    assert [int(number) * unit for number in whole] == list(map(Fraction, expected))
