"""Who wins how often: as the exponential mechanism and permute-and-flip say, and not as at a factor 3 % off.

Scores are chosen so that the winner says much about the factor: a few good candidates, and so many bad ones that every group
wins about as often.
"""

from fractions import Fraction
from itertools import permutations
from math import exp, factorial, prod, sqrt

import numpy as np
import pytest
from scipy.integrate import quad
from tests.statistics.fit import FALSE_ALARM, chi_square, two_sided

from discreet.noise.keystream import Keystream
from discreet.noise.race import _play_off, winner

GROUPS = {0: 1, -4: 55, -8: 2981}  # score → candidates: exp(4) is 54.6, exp(8) is 2981
both = pytest.mark.parametrize("noise", ["gumbel", "exponential"])


def probabilities(groups, factor, noise):
    """That the winner has each of the scores, of which the best is 0."""
    chances = {score: exp(factor * score) for score in groups}
    if noise == "gumbel":  # the exponential mechanism
        total = sum(count * chances[score] for score, count in groups.items())
        return [count * chances[score] / total for score, count in groups.items()]
    return [permute_and_flip(groups, chances, score) for score in groups]


def permute_and_flip(groups, chances, score):
    def others_fail(y):
        return prod((1 - chances[other] * y) ** (count - (other == score)) for other, count in groups.items())

    return groups[score] * chances[score] * quad(others_fail, 0, 1, epsabs=1e-12, epsrel=1e-12)[0]


def test_the_formula_for_permute_and_flip_is_what_the_procedure_does():
    scores = [0, 0, -1, -3]
    chances = [exp(score) for score in scores]
    found = dict.fromkeys(scores, 0.0)
    for order in permutations(range(4)):
        reached = 1 / factorial(4)
        for at in order:
            found[scores[at]] += reached * chances[at]
            reached *= 1 - chances[at]
    assert probabilities({0: 2, -1: 1, -3: 1}, 1, "exponential") == pytest.approx(list(found.values()), rel=1e-9)


def fit(wins, groups, factor, noise):
    """The chance of wins as far from the expected ones, by chi-square and by the winner's mean score."""
    p, scores = np.array(probabilities(groups, factor, noise)), np.array(list(groups))
    mean, races = np.sum(p * scores), np.sum(wins)
    deviation = sqrt((np.sum(p * scores**2) - mean**2) / races)
    return min(1, 2 * min(chi_square(wins, p), two_sided((np.sum(wins * scores) / races - mean) / deviation)))


def races(scores, factor, noise, count):
    stream = Keystream()
    return np.array([winner(scores, factor, noise, stream) for _ in range(count)])


@pytest.mark.slow
@both
def test_winners_are_as_frequent_as_they_should_be_and_not_as_at_a_factor_3_percent_off(noise):
    scores = np.repeat(list(GROUPS)[::-1], list(GROUPS.values())[::-1])
    places = races(7 * scores - 10**15, Fraction(1, 7), noise, 12_000)  # 3 % are 10.7 deviations
    wins = np.array([np.count_nonzero(scores[places] == score) for score in GROUPS])
    assert fit(wins, GROUPS, 1, noise) > FALSE_ALARM
    assert fit(wins, GROUPS, 0.97, noise) < FALSE_ALARM
    assert fit(wins, GROUPS, 1.03, noise) < FALSE_ALARM
    tied = places[places < 2976] // 372  # the worst, in eight equal parts: one is as good as another
    assert chi_square(np.bincount(tied, minlength=8), np.full(8, 1 / 8)) > FALSE_ALARM
    assert chi_square(np.bincount(tied, minlength=8), np.array([1, 3] * 4) / 16) < FALSE_ALARM


@pytest.mark.slow
@both
def test_two_groups_of_candidates_win_as_often_as_they_should_and_not_as_at_a_factor_3_percent_off(noise):
    groups, factor = {0: 1, -9: 8103}, Fraction(1, 2)
    scores = np.full(8104, -18)
    scores[5000] = 0
    found = np.count_nonzero(races(scores, factor, noise, 7_500) == 5000)
    wins = np.array([found, 7_500 - found])
    assert fit(wins, groups, 1, noise) > FALSE_ALARM
    assert fit(wins, groups, 0.97, noise) < FALSE_ALARM
    assert fit(wins, groups, 1.03, noise) < FALSE_ALARM


@both
@pytest.mark.parametrize("offset", [0, 10**30, *(pytest.param(each, marks=pytest.mark.slow) for each in (-5, 2**62, -(10**40)))])
def test_ties_offsets_and_large_numbers_change_nothing(noise, offset):
    scores = [offset + score for score in (-2, 0, -1, 0, -3, -1)]
    places = races(scores, Fraction(1), noise, 2500)
    groups = {0: 2, -1: 2, -2: 1, -3: 1}
    wins = np.array([np.count_nonzero(np.isin(places, at)) for at in ((1, 3), (2, 5), (0,), (4,))])
    assert fit(wins, groups, 1, noise) > FALSE_ALARM
    assert fit(wins, groups, 0.6, noise) < FALSE_ALARM
    assert fit(wins, groups, 1.5, noise) < FALSE_ALARM


@pytest.mark.slow
@both
def test_a_play_off_among_all_candidates_follows_the_same_law(noise):
    stream, words, count = Keystream(), np.empty(3, np.uint64), 4000
    lag = [Fraction(0), Fraction(-2), Fraction(-2)]
    wins = np.zeros(2)
    for _ in range(count):
        stream.fill(words)
        wins[min(_play_off(lag, words.tolist(), noise, stream, 1)[0], 1)] += 1
    assert fit(wins, {0: 1, -2: 2}, 1, noise) > FALSE_ALARM
    assert fit(wins, {0: 1, -2: 2}, 0.7, noise) < FALSE_ALARM
    assert fit(wins, {0: 1, -2: 2}, 1.4, noise) < FALSE_ALARM
