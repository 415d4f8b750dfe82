"""Top k in one shot: the law of k exponential mechanisms one after the other, and their price; weighted candidates too."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from tests.mechanisms.selections import law, max_divergence, moved, real, renyi

import discreet as dc
from discreet import Exponential, NoisyMax
from discreet.privacy.events import ExponentialSelection, Repeated
from discreet.privacy.prices import concentrated, pure

TINY = mpmath.mpf(10) ** -20


def by_peeling(epsilon, sensitivity, scores, count):
    """Rounds of the exponential mechanism at epsilon / count, each without those chosen before."""
    one = Exponential(epsilon=Fraction(epsilon) / count, sensitivity=sensitivity)
    found = {}
    for order in itertools.permutations(range(len(scores)), count):
        left, chance = list(range(len(scores))), mpmath.mpf(1)
        for at in order:
            chance *= law(one.pmf([scores[other] for other in left], exact=True))[left.index(at)]
            left.remove(at)
        found[order] = chance
    return found


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("epsilon", ["1/2", "6"])
@pytest.mark.parametrize("scores", [[3, 2, 1, 0], [0, 0, 0, 0, -7], [816, 109, 7, 7], [10**6, 5, 0, 3]])
def test_probabilities_of_orders_are_those_of_peeling(count, epsilon, scores):
    mechanism = NoisyMax(epsilon=epsilon, sensitivity=2, count=count)
    expected, near = by_peeling(epsilon, 2, scores, count), mechanism.pmf(scores)
    assert mpmath.fsum(expected.values()) == pytest.approx(1)
    for order, (low, high) in mechanism.pmf(scores, exact=True).items():
        assert real(low) <= expected[order] * (1 + TINY)
        assert expected[order] <= real(high) * (1 + TINY)
        assert high - low <= high / 2**90 or high < Fraction(1, 2**4000)
        assert near[order] == pytest.approx(float(expected[order]), rel=1e-12)
    assert len(near) == len(expected)


def test_one_noisy_maximum_is_the_exponential_mechanism():
    scores = [5, 3, 3, -10]
    one, many = Exponential(epsilon="2/3", sensitivity=1), NoisyMax(epsilon="2/3", sensitivity=1)
    assert list(many.pmf(scores, exact=True).items()) == [((at,), each) for at, each in enumerate(one.pmf(scores, exact=True))]


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_loss_of_an_order_is_the_epsilon_charged_and_its_rho_an_eighth_for_each_place(mp, count):
    mechanism = NoisyMax(epsilon="1/2", sensitivity=1, count=count)
    assert mechanism.cost == Repeated(ExponentialSelection(Fraction(1, 2 * count)), count)
    assert pure(mechanism.cost) == mechanism.loss == dc.Pure(epsilon="1/2")
    rho = mp(concentrated(mechanism.cost).rho)
    assert rho == mp(Fraction(1, 32 * count))
    lost, renyi_lost = mpmath.mpf(0), mpmath.mpf(0)
    for scores in ([0] * (count + 1), [0, 0, -400, -400][: count + 1], [Fraction(1, 2), Fraction(-1, 2), 0, 0][: count + 1]):
        before = law(mechanism.pmf(scores, exact=True).values())
        for after in moved(scores, 1):
            other = law(mechanism.pmf(after, exact=True).values())
            lost = max(lost, max_divergence(before, other))
            for alpha in (mpmath.mpf("1.01"), mpmath.mpf(5)):
                renyi_lost = max(renyi_lost, renyi(before, other, alpha) / alpha)
    assert lost <= mp("1/2") * (1 + TINY)
    assert renyi_lost <= rho
    if count == 1:
        assert renyi_lost > mpmath.mpf("0.97") * rho


def test_the_epsilon_of_two_places_is_approached(mp):
    # far behind, two candidates gain while the two ahead lose: each place loses almost all of its share
    mechanism, far = NoisyMax(epsilon=1, sensitivity=1, count=2), -100
    before = law(mechanism.pmf([0, 0, far, far], exact=True).values())
    after = law(mechanism.pmf([-1, -1, far + 1, far + 1], exact=True).values())
    assert mpmath.mpf("0.97") < max_divergence(before, after) <= 1 + TINY


def test_a_count_below_the_number_of_candidates_is_chosen_without_repetition():
    scores = np.arange(50)
    for count in (1, 7, 49):
        chosen = NoisyMax(epsilon=1, sensitivity=1, count=count).select(scores)
        assert len(set(chosen)) == len(chosen) == count
        assert set(chosen) <= set(range(50))
        assert all(type(at) is int for at in chosen)
    assert NoisyMax(epsilon=1000, sensitivity=1, count=3).select(50 * scores) == [49, 48, 47]


def test_gaps_distances_and_names():
    mechanism = NoisyMax(epsilon=1, sensitivity=1, count=2)
    assert mechanism.score_gap(10) == pytest.approx(4 * np.log(20 / 0.05), rel=1e-9)
    assert mechanism.loss_for(3) == dc.Pure(epsilon=3)
    assert repr(mechanism) == "NoisyMax(epsilon=1, sensitivity=1, count=2)"


# ---- weights, of the exponential mechanism


@pytest.mark.parametrize("weights", [[1, 1, 1], [1, 2, 3], ["1/3", "1/2", 5], np.array([10, 20, 30]), [10**40, 1, 10**39],
                                     [0.5, 0.25, 2]])
def test_weights_multiply_probabilities(weights):
    mechanism, scores = Exponential(epsilon=1, sensitivity=2), [0, 3, 1]
    shares = [real(Fraction(str(weight))) for weight in weights]
    plain = [share * chance for share, chance in zip(shares, law(mechanism.pmf(scores, exact=True)), strict=True)]
    for (low, high), odds in zip(mechanism.pmf(scores, weights, exact=True), plain, strict=True):
        true = odds / mpmath.fsum(plain)
        assert real(low) <= true * (1 + TINY)
        assert true <= real(high) * (1 + TINY)
    assert mechanism.pmf(scores, weights) == pytest.approx([float(odds / mpmath.fsum(plain)) for odds in plain], rel=1e-12)


def test_a_weight_of_zero_is_never_chosen_however_good_its_score():
    mechanism = Exponential(epsilon=1, sensitivity=1)
    assert mechanism.pmf([10**9, 1, 1], [0, 1, 1]) == [0, 0.5, 0.5]
    assert {mechanism.select([10**9, 1, 1], [0, 1, 1]) for _ in range(40)} == {1, 2}
    assert {mechanism.select(np.array([10**9, 1, 1]), np.array([0, 1, 10**9])) for _ in range(40)} == {2}
    assert mechanism.select([10**9, 1], [0, Fraction(10**30, 7)]) == 1


@pytest.mark.parametrize("epsilon", ["1/2", "2"])
def test_weights_change_neither_the_epsilon_nor_the_rho_of_a_selection(mp, epsilon):
    mechanism, rho = Exponential(epsilon=epsilon, sensitivity=1), mp(Fraction(epsilon) ** 2 / 8)
    for weights in ([1, 1000], [5, 1], [1, 2, 3]):
        for scores in ([0, 0, 0], [3, -3, 1], [0, 7, 7]):
            before = law(mechanism.pmf(scores[: len(weights)], weights, exact=True))
            for after in moved(scores[: len(weights)], 1):
                other = law(mechanism.pmf(after, weights, exact=True))
                assert max_divergence(before, other) <= mp(epsilon) * (1 + TINY)
                for alpha in ("1.001", "2", "40"):
                    assert renyi(before, other, mpmath.mpf(alpha)) / mpmath.mpf(alpha) <= rho


# ---- the letters of ten names


def test_the_most_frequent_letter_of_ten_names_is_one_of_five_that_tie():
    names = [f"Object {letter}" for letter in "ABCDEFGHIJ"]
    letters = "abcdefghijklmnopqrstuvwxyz"
    scores = [sum(name.count(letter) for name in names) for letter in letters]
    best = [letter for letter, score in zip(letters, scores, strict=True) if score == 10]
    assert (best, max(scores), scores.count(0)) == (["b", "c", "e", "j", "t"], 10, 21)
    for epsilon, sensitivity in ((1, 1), (1, 2), ("1/2", 1)):
        mechanism = Exponential(epsilon=epsilon, sensitivity=sensitivity)
        probabilities = dict(zip(letters, mechanism.pmf(scores), strict=True))
        each = 1 / (5 + 21 * np.exp(-10 * float(Fraction(epsilon)) / (2 * sensitivity)))
        assert [probabilities[letter] for letter in best] == pytest.approx([each] * 5, rel=1e-12)
        assert letters[mechanism.select(scores)] in letters
    # weights that are the scores themselves, without exp, give letters of score 0 no chance at all, and so are not private
    assert min(Exponential(epsilon=1, sensitivity=1).pmf(scores)) > 0
