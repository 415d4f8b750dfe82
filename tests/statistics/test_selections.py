"""What selections, responses, thresholds and keys really do: as often as their exact laws say, and not as 3 % off."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from tests.statistics.fit import FALSE_ALARM, binomial_fit, chi_square, two_sided

from discreet import AboveThreshold, Exponential, KeySelection, NoisyMax, NoisyThreshold, PermuteAndFlip, RandomizedResponse
from discreet.mechanisms.above_threshold import _not_negative
from discreet.noise.keystream import Keystream, fresh, source
from discreet.noise.law import discrete_laplace_law

OFF = (Fraction(97, 100), Fraction(103, 100))


@pytest.fixture(autouse=True)
def _one_key():
    """One stream for all draws of a test: opening ten thousand keys takes longer than the draws."""
    stream = Keystream()
    token = source.set(lambda: stream)
    yield
    source.reset(token)


def test_permute_and_flip_chooses_as_often_as_it_says_and_not_as_at_an_epsilon_3_percent_off():
    # one good candidate among so many bad ones that either is about as likely: what says most about epsilon
    scores, draws = np.array([0] + [-18] * 8000), 6000  # 3 % are missed once in 10^7
    hits = sum(PermuteAndFlip(epsilon=1, sensitivity=1).select(scores) == 0 for _ in range(draws))

    def chance(epsilon):
        bad = math.exp(-9 * epsilon)
        return (1 - (1 - bad) ** 8001) / (8001 * bad)  # the integral of (1 - bad y)^8000

    assert binomial_fit(hits, draws, chance(1)) > FALSE_ALARM
    assert binomial_fit(hits, draws, chance(0.97)) < FALSE_ALARM
    assert binomial_fit(hits, draws, chance(1.03)) < FALSE_ALARM


@pytest.mark.slow
def test_the_two_best_of_many_are_chosen_as_often_as_they_should():
    # at epsilon / count each, so that a noise too small by the count would be seen at once
    mechanism, scores, draws = NoisyMax(epsilon=2, sensitivity=1, count=2), np.array([0] + [-18] * 8000), 5000
    orders = [mechanism.select(scores) for _ in range(draws)]

    def chances(epsilon):
        bad = math.exp(-9 * epsilon)
        first = 1 / (1 + 8000 * bad)
        second = (1 - first) / (1 + 7999 * bad)
        return [first, second, 1 - first - second]

    first, second = sum(order[0] == 0 for order in orders), sum(order[1] == 0 for order in orders)
    found = [first, second, draws - first - second]
    assert chi_square(found, chances(1)) > FALSE_ALARM
    assert chi_square(found, chances(0.97)) < FALSE_ALARM
    assert chi_square(found, chances(1.03)) < FALSE_ALARM


def test_weighted_candidates_are_chosen_in_proportion_to_their_weights():
    weights, mechanism, draws = [1, 3, "1/2", 100], Exponential(epsilon=1, sensitivity=1), 12_000
    scores = [4, 2, 6, -5]
    found = Counter(mechanism.select(scores, weights) for _ in range(draws))
    counts = [found[at] for at in range(4)]
    assert chi_square(counts, mechanism.pmf(scores, weights)) > FALSE_ALARM
    assert chi_square(counts, mechanism.pmf(scores, [1, 3, "1/2", 130])) < FALSE_ALARM
    assert chi_square(counts, mechanism.pmf(scores, [1, "2.3", "1/2", 100])) < FALSE_ALARM
    assert chi_square(counts, mechanism.pmf(scores)) < FALSE_ALARM


@pytest.mark.parametrize(("epsilon", "categories"), [("2", 2), ("3", 5)])
def test_responses_are_as_true_as_they_say_and_not_as_at_an_epsilon_3_percent_off(epsilon, categories):
    size, answer = 400_000, categories - 1
    told = RandomizedResponse(epsilon=epsilon, categories=categories).release(np.full(size, answer))
    counts = np.bincount(told, minlength=categories)

    def law(price):
        return [RandomizedResponse(epsilon=price, categories=categories).pmf(answer, told) for told in range(categories)]

    assert chi_square(counts, law(epsilon)) > FALSE_ALARM
    for factor in OFF:
        assert chi_square(counts, law(Fraction(epsilon) * factor)) < FALSE_ALARM


def first_above(threshold_scale, answer_scale, offset, numbers):
    """P that the first number above is each of these, threshold 0, and that none is."""
    z = np.arange(int(60 * threshold_scale))
    left = np.exp(-z / threshold_scale) * -math.expm1(-1 / threshold_scale)
    found = []
    for number in numbers:
        above = np.exp(-np.maximum(offset + z - number, 0) / answer_scale)
        found.append(float((left * above).sum()))
        left = left * (1 - above)
    return [*found, float(left.sum())]


@pytest.mark.slow
def test_noise_that_is_never_negative_has_the_claimed_scale_and_no_other():
    law, draws = discrete_laplace_law(Fraction(40, 3)), 200_000
    drawn = np.array([_not_negative(law, fresh()) for _ in range(draws)])
    shares = np.exp(-np.arange(60) * 3 / 40) * -math.expm1(-3 / 40)
    assert chi_square(np.bincount(np.minimum(drawn, 60), minlength=61), [*shares, 1 - shares.sum()]) > FALSE_ALARM

    def fit(scale):
        mean = 1 / math.expm1(1 / scale)
        return two_sided((drawn.mean() - mean) / math.sqrt(mean * (mean + 1) / draws))

    assert fit(40 / 3) > FALSE_ALARM
    assert fit(40 / 3 * 0.97) < FALSE_ALARM
    assert fit(40 / 3 * 1.03) < FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2])
def test_thresholds_are_passed_as_often_as_they_should_and_not_as_with_other_noise(count):
    epsilon = count * Fraction(1, 50)
    mechanism, numbers, draws = AboveThreshold(epsilon=epsilon, threshold=0, count=count), [-600, -300, -600, 200], 10_000
    scales = float(mechanism.threshold_scale), float(mechanism.answer_scale)
    found = np.zeros(5)
    for _ in range(draws):
        watch = mechanism.start()
        while count > 1 and not watch.is_above(10**9):
            pass  # another round before: it leaves no trace
        found[next((at for at, number in enumerate(numbers) if watch.is_above(number)), 4)] += 1
    assert chi_square(found, first_above(*scales, mechanism.offset, numbers)) > FALSE_ALARM
    for wrong in ((0.7, 1), (1.4, 1), (1, 0.85), (1, 1.2)):
        off = scales[0] * wrong[0], scales[1] * wrong[1]
        assert chi_square(found, first_above(*off, mechanism.offset, numbers)) < FALSE_ALARM


def test_keys_are_kept_as_often_as_the_curve_says_and_not_3_percent_more_or_less():
    mechanism, size = KeySelection(epsilon=2, delta="1e-4", groups=2, neighbours="add_remove", at_least=3), 400_000
    units = np.repeat(np.arange(20), size)
    kept = np.bincount(units[mechanism.select(units)], minlength=20)
    for at in range(20):
        chance = mechanism.probability(at)
        if 0.1 < chance < 0.9:
            assert binomial_fit(kept[at], size, chance) > FALSE_ALARM
            assert binomial_fit(kept[at], size, chance * 0.97) < FALSE_ALARM
            assert binomial_fit(kept[at], size, chance * 1.03) < FALSE_ALARM
        elif chance * size > 20:
            assert chance == 1 or binomial_fit(kept[at], size, chance) > FALSE_ALARM
        else:
            assert kept[at] < 200
    assert kept[:3].tolist() == [0, 0, 0]


def test_keys_with_noisy_counts_are_kept_as_often_as_they_should():
    mechanism, size = NoisyThreshold(epsilon=1, delta="1e-4", neighbours="add_remove", at_least=3), 300_000
    for units in (mechanism.threshold - 1, mechanism.threshold, mechanism.threshold + 1):
        places, noisy = mechanism.release(np.full(size, units))
        chance = mechanism.probability(units)
        assert binomial_fit(places.size, size, chance) > FALSE_ALARM
        assert binomial_fit(places.size, size, chance * 0.97) < FALSE_ALARM
        assert noisy.min() == mechanism.threshold
    assert mechanism.release(np.full(size, 2))[0].size == 0
