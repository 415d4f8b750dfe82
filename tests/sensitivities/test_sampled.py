"""Sampled sensitivity: how many samples, which of them, and that its label never comes off."""

from collections import Counter
from fractions import Fraction
from itertools import cycle
from math import comb, log, sqrt

import numpy as np
import pytest

import discreet as dc
from discreet import testing
from discreet.noise.keystream import bits, fresh
from discreet.sensitivities import sampling_plan
from discreet.sensitivities.sampled import Labelled, RandomLoss


@pytest.mark.parametrize(("gamma", "samples", "rho"), [
    (".5", 8, .083968), (".33", 20, .046140), (".2", 61, .023533), (".1", 285, .0097446), (".05", 1305, .0041829),
    (".02", 9498, .0014165), (".01", 41971, .00063612)])
def test_published_numbers_of_samples_for_a_gamma(gamma, samples, rho):
    plan = sampling_plan(gamma=gamma)
    assert (plan.samples, plan.order, plan.gamma) == (samples, samples, Fraction(gamma))
    assert float(plan.rho) == pytest.approx(rho, rel=1e-4)


@pytest.mark.parametrize(("samples", "gamma", "rho"), [
    (50, .217040, .026200), (100, .159724, .017589), (285, .099881, .009730), (500, .077440, .007109), (1000, .056468, .004843),
    (10000, .019526, .001378)])
def test_published_gammas_for_a_number_of_samples(samples, gamma, rho):
    plan = sampling_plan(samples=samples)
    assert plan.order == samples
    assert float(plan.gamma) == pytest.approx(gamma, abs=1e-6)
    assert float(plan.rho) == pytest.approx(rho, abs=1e-6)


@pytest.mark.parametrize(("samples", "gamma", "order"), [(500, ".2", 439), (50, ".33", 45)])
def test_published_orders_for_both(samples, gamma, order):
    assert sampling_plan(samples=samples, gamma=gamma).order == order


@pytest.mark.parametrize("given", [{"gamma": ".1"}, {"gamma": ".013"}, {"samples": 40}, {"samples": 500, "gamma": ".2"}], ids=str)
def test_every_plan_meets_the_condition_that_makes_it_valid(given):
    plan = sampling_plan(**given)
    margin = float(plan.rho) + sqrt(log(1 / plan.rho) / (2 * plan.samples))
    assert 0 < plan.rho < Fraction(1, 2)
    assert plan.order <= plan.samples
    assert plan.order / plan.samples >= 1 - float(plan.gamma) + margin - 1e-12
    assert (plan.order - 1) / plan.samples < 1 - float(plan.gamma) + margin or plan.order == plan.samples


@pytest.mark.parametrize(("samples", "gamma"), [(50, ".33"), (500, ".2"), (285, ".1"), (60, ".25")])
def test_the_share_of_pairs_beyond_the_estimate_is_within_gamma_whatever_they_are(samples, gamma):
    """Of continuous distances, the share beyond the k-th of m is beta distributed; together with rho it stays within gamma."""
    plan = sampling_plan(samples=samples, gamma=gamma)
    share = float(plan.gamma - plan.rho)                      # more than this, and the sampling itself was unlucky
    m, k = plan.samples, plan.order                           # P(share beyond > s) = P(Bin(m, 1 - s) >= k)
    unlucky = sum(comb(m, i) * (1 - share) ** i * share ** (m - i) for i in range(k, m + 1))
    assert unlucky <= plan.rho


def test_the_estimate_is_the_planned_order_statistic_in_the_planned_norm():
    gaps = [Fraction(n) for n in (5, 1, 4, 2, 3, 9, 7, 8, 6, 10) for _ in range(6)]
    records = iter([record for gap in gaps for record in (Fraction(0), Fraction(0), gap)])   # one in common, one each

    found = dc.sampled_sensitivity(sum, lambda: next(records), rows=2, gamma=".25", samples=60)
    plan = sampling_plan(samples=60, gamma=".25")
    assert plan.order < 60
    assert found.estimate == sorted(gaps)[plan.order - 1]
    turn = cycle([0, 3])

    def twice(rows):
        return [rows[0], rows[0] * Fraction(4, 3)]

    for norm, expected in (("l1", 7), ("l2", 5), ("linf", 4)):
        found = dc.sampled_sensitivity(twice, lambda: next(turn), rows=1, samples=9, norm=norm)
        assert found.estimate == expected


def test_floats_are_compared_as_the_numbers_they_hold():
    values = cycle([0.1, 0.3])
    found = dc.sampled_sensitivity(np.array, lambda: next(values), rows=1, samples=9)
    assert found.estimate == Fraction(0.3) - Fraction(0.1)


# ---- the letter that occurs most, E12

OBJECTS = [f"Object {letter}" for letter in "ABCDEFGHIJ"]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SYLLABLES = ["an", "be", "ca", "da", "el", "fi", "ga", "ho", "is", "jo", "ka", "li", "ma", "no", "ol", "pe"]


def counts(names):
    seen = Counter("".join(names))
    return [seen[letter] for letter in LETTERS]


def made_up_name():
    """Two to four syllables: the oracle has never seen the objects."""
    word = bits(fresh(), 32)
    return "".join(SYLLABLES[(word >> (4 * place + 2)) % 16] for place in range(2 + word % 3)).capitalize()


def test_the_most_frequent_letter_by_the_exponential_mechanism_with_sampled_sensitivity():
    scores = counts(OBJECTS)
    assert {letter for letter, count in zip(LETTERS, scores, strict=True) if count == max(scores)} == set("bcejt")
    assert max(scores) == 10
    with testing.seeded(12):
        found = dc.sampled_sensitivity(counts, made_up_name, rows=10, gamma="0.1", norm="linf")
        mechanism = found.mechanism(dc.Exponential, epsilon=5)
        chosen = [mechanism.select(scores) for _ in range(200)]
    assert (found.plan.samples, found.plan.order) == (285, 285)
    assert 1 <= found.estimate <= 4
    assert mechanism.pmf(scores) == dc.Exponential(epsilon=5, sensitivity=found.estimate).pmf(scores)
    best = sum(mechanism.pmf(scores)[LETTERS.index(letter)] for letter in "bcejt")
    hits = sum(LETTERS[each.value] in "bcejt" for each in chosen)
    assert abs(hits - 200 * best) < 6 * sqrt(200 * best * (1 - best)) + 1
    assert {LETTERS[each.value] for each in chosen} >= set("bcejt")


# ---- the label


def labelled():
    turn = cycle([0, 1])
    return dc.sampled_sensitivity(sum, lambda: next(turn), rows=1, gamma="0.2")


def test_it_is_labelled_wherever_it_goes():
    found = labelled()
    mechanism = found.mechanism(dc.Laplace, epsilon=1)
    answer = mechanism.release(51)
    assert isinstance(answer, Labelled)
    assert isinstance(answer.value, int)
    assert answer.loss == mechanism.loss == RandomLoss(dc.Pure(epsilon=1), Fraction(1, 5))
    for shown in (found, mechanism, answer, mechanism.loss):
        assert "random DP" in repr(shown)
        assert "0.2" in repr(shown)


@pytest.mark.parametrize("charge", [
    lambda found, made: dc.sequential(made.loss), lambda found, made: dc.parallel(made.loss, neighbours="change_one"),
    lambda found, made: dc.group(made.loss, 2), lambda found, made: made.cost, lambda found, made: dc.loss_distribution(made),
    lambda found, made: dc.loss_distribution(made.loss), lambda found, made: dc.optimal_composition(made.loss, delta="1e-6"),
    lambda found, made: dc.tradeoff(made), lambda found, made: dc.Laplace(epsilon=1, sensitivity=found),
    lambda found, made: dc.Gaussian(rho=1, sensitivity=found), lambda found, made: dc.Exponential(epsilon=1, sensitivity=found),
    lambda found, made: dc.Laplace(scale=1, sensitivity=1).loss_for(found)])
def test_it_is_never_accepted_as_a_charge(charge):
    found = labelled()
    with pytest.raises(dc.ParameterError):
        charge(found, found.mechanism(dc.Laplace, epsilon=1))


def test_a_norm_that_is_too_small_for_a_mechanism_is_refused():
    turn = cycle([0, 1])
    small = dc.sampled_sensitivity(sum, lambda: next(turn), rows=1, gamma="0.2", norm="linf")
    with pytest.raises(dc.ParameterError, match="norm='l2'"):
        small.mechanism(dc.Gaussian, rho=1)
    assert labelled().mechanism(dc.Gaussian, rho=1).loss.gamma == Fraction(1, 5)


@pytest.mark.parametrize("call", [
    sampling_plan, lambda: sampling_plan(gamma=0), lambda: sampling_plan(gamma=1), lambda: sampling_plan(samples=0),
    lambda: sampling_plan(samples=1), lambda: sampling_plan(samples=500, gamma=".077"),
    lambda: dc.sampled_sensitivity(sum, lambda: 1, rows=0, gamma=".1"), lambda: dc.sampled_sensitivity(sum, lambda: 1, rows=1),
    lambda: dc.sampled_sensitivity(sum, lambda: 1, rows=1, gamma=".1", norm="l3"),
    lambda: dc.sampled_sensitivity(sum, lambda: 1, rows=10**6, gamma=".001"),
    lambda: dc.sampled_sensitivity(sum, lambda: float("nan"), rows=1, gamma=".5"),
    lambda: dc.sampled_sensitivity(sum, lambda: 1, rows=1, gamma=".5").mechanism(dc.Laplace, epsilon=1)])
def test_what_cannot_be_sampled_is_refused_with_a_way_out(call):
    with pytest.raises(dc.ParameterError) as caught:
        call()
    assert "write" in caught.value.hint or "draw" in caught.value.hint


def test_a_gamma_below_its_floor_is_told_what_would_do():
    with pytest.raises(dc.ParameterError, match=r"samples=1305, or a gamma of at least 0\.07744"):
        sampling_plan(samples=500, gamma="0.05")
    assert sampling_plan(samples=500, gamma="0.07744").order == 500
