"""What the exponential mechanism charges is what it loses, from its exact probabilities."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import discreet as dc
from discreet import Exponential
from discreet.privacy.prices import concentrated

TINY = mpmath.mpf(10) ** -20


def weights_by_mpmath(epsilon, sensitivity, scores):
    factor = mpmath.mpf(Fraction(epsilon).numerator) / Fraction(epsilon).denominator / (2 * mpmath.mpf(str(sensitivity)))
    weights = [mpmath.exp(factor * mpmath.mpf(str(score))) for score in scores]
    return [weight / mpmath.fsum(weights) for weight in weights]


def exact_law(mechanism, scores):
    return [mpmath.mpf(low.numerator) / low.denominator for low, _ in mechanism.pmf(scores, exact=True)]


def renyi(p, q, alpha):
    return mpmath.log(mpmath.fsum(a**alpha * b ** (1 - alpha) for a, b in zip(p, q, strict=True))) / (alpha - 1)


def moved(scores, sensitivity):
    """Every neighbour whose scores move by the whole sensitivity, up or down, or stay."""
    for signs in itertools.product((-1, 0, 1), repeat=len(scores)):
        yield [score + sign * sensitivity for score, sign in zip(scores, signs, strict=True)]


@pytest.mark.parametrize("epsilon", ["1/10", "1", "20"])
@pytest.mark.parametrize("scores", [[816, 109, 7], [0, 0], [5], [0.25, -3.5, 2.0, 2.0], [-400, 0, 35]])
def test_probabilities_are_proportional_to_exp_of_the_scores(epsilon, scores):
    mechanism = Exponential(epsilon=epsilon, sensitivity=2)
    expected = weights_by_mpmath(epsilon, 2, scores)
    assert mpmath.fsum(expected) == pytest.approx(1)
    for (low, high), near, true in zip(mechanism.pmf(scores, exact=True), mechanism.pmf(scores), expected, strict=True):
        assert mpmath.mpf(low.numerator) / low.denominator <= true * (1 + TINY)
        assert mpmath.mpf(high.numerator) / high.denominator >= true * (1 - TINY)
        assert (high - low) <= Fraction(1, 2**90) * high or high < Fraction(1, 2**4000)
        if true > mpmath.mpf("1e-300"):
            assert abs(near - true) <= mpmath.mpf("1e-12") * true


def test_a_float_score_is_the_number_it_holds():
    mechanism = Exponential(epsilon=1, sensitivity=8)
    held = [123456784, 123456792]                             # 8 apart; the shortest decimals of such short floats are 10 apart
    for scores in (np.array(held, np.float32), [np.float32(score) for score in held], np.array(held, float)):
        assert mechanism.pmf(scores, exact=True) == mechanism.pmf(held, exact=True)


@pytest.mark.parametrize("epsilon", ["1/10", "1", "5"])
@pytest.mark.parametrize("sensitivity", [1, 3])
def test_the_max_divergence_of_a_selection_is_the_epsilon_charged(mp, epsilon, sensitivity):
    mechanism = Exponential(epsilon=epsilon, sensitivity=sensitivity)
    lost = mpmath.mpf(0)
    for scores in ([0, 0], [0, -60 * sensitivity], [0, 1, 2], [-400 * sensitivity, 0, 0]):
        before = exact_law(mechanism, scores)
        for after in moved(scores, sensitivity):
            pairs = zip(before, exact_law(mechanism, after), strict=True)
            lost = max(lost, *(abs(mpmath.log(p / q)) for p, q in pairs))
    charged = mp(mechanism.loss.epsilon)
    assert charged == mp(epsilon)
    assert mpmath.mpf("0.97") * charged < lost <= charged * (1 + TINY)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["1/2", "1", "4"])
def test_the_renyi_divergence_of_a_selection_is_within_an_eighth_of_epsilon_squared(mp, epsilon):
    mechanism = Exponential(epsilon=epsilon, sensitivity=1)
    rho = mp(concentrated(mechanism.cost).rho)
    assert rho == mp(epsilon) ** 2 / 8
    lost = mpmath.mpf(0)
    half = Fraction(1, 2)
    for scores in ([half, -half], [0, 0], [0, 3], [0, 1, -1], [half, -half, -half], [2, 0, 0]):
        before = exact_law(mechanism, scores)
        for after in moved(scores, 1):
            for alpha in ("1.001", "2", "5", "40"):
                lost = max(lost, renyi(before, exact_law(mechanism, after), mpmath.mpf(alpha)) / mpmath.mpf(alpha))
    assert lost <= rho
    if epsilon != "4":                                        # for a large epsilon an eighth is no longer tight
        assert lost > mpmath.mpf("0.97") * rho
        assert lost > mp(epsilon) ** 2 / 10


def test_loss_for_is_the_loss_at_any_other_distance(mp):
    mechanism = Exponential(epsilon="1/2", sensitivity=2)
    assert mechanism.loss_for(2) == mechanism.loss
    assert mechanism.loss_for(0) == dc.Pure(epsilon=0)
    twice = Exponential(epsilon=1, sensitivity=4)          # the same probabilities, charged for moves of 4
    assert mechanism.pmf([1, 2], exact=True) == twice.pmf([1, 2], exact=True)
    assert mechanism.loss_for(4) == twice.loss


@pytest.mark.slow
@pytest.mark.parametrize("confidence", ["0.5", "0.95", "0.999"])
@pytest.mark.parametrize("candidates", [2, 10, 1000])
def test_the_chosen_score_is_rarely_further_behind_than_score_gap_says(candidates, confidence):
    mechanism = Exponential(epsilon="1/2", sensitivity=1)
    gap = mechanism.score_gap(candidates, confidence)
    assert gap == pytest.approx(4 * np.log(candidates / (1 - float(confidence))), rel=1e-9)
    for behind in (gap * 1.0001, gap / 2, 2 * gap):           # all but one candidate at the same distance: the worst case
        law = mechanism.pmf([0.0, *[-behind] * (candidates - 1)])
        assert behind <= gap or sum(law[1:]) <= 1 - float(confidence)
    worst = mechanism.pmf([0.0, *[-gap * 0.8] * (candidates - 1)])
    if candidates == 1000:                                    # and the bound is not far too careful
        assert sum(worst[1:]) > 1 - float(confidence)


# ---- candidates with names

VOTES = {"b": 10, "c": 10, "x": 0}


@pytest.mark.parametrize("mechanism", [dc.Exponential(epsilon=1, sensitivity=1), dc.PermuteAndFlip(epsilon=1, sensitivity=1)])
def test_candidates_with_names_are_told_by_them(mechanism):
    assert mechanism.select({"only": 3}) == "only"
    assert mechanism.select(VOTES) in VOTES
    assert list(mechanism.pmf(VOTES).values()) == mechanism.pmf(list(VOTES.values()))
    assert list(mechanism.pmf(VOTES)) == ["b", "c", "x"]


def test_weights_have_the_names_of_their_candidates():
    chooses = dc.Exponential(epsilon=1, sensitivity=1)
    weights = {"x": 1, "c": 0, "b": 0}
    assert chooses.select(VOTES, weights) == "x"
    assert chooses.pmf(VOTES, weights) == {"b": 0, "c": 0, "x": 1}
    with pytest.raises(dc.ParameterError, match="not those of the candidates"):
        chooses.select(VOTES, {"x": 1})


def test_an_order_of_names():
    best = dc.NoisyMax(epsilon=1, sensitivity=1, count=2)
    assert set(best.select(VOTES)) < set(VOTES)
    by_place = best.pmf(list(VOTES.values()))
    assert best.pmf(VOTES) == {tuple("bcx"[place] for place in order): chance for order, chance in by_place.items()}
