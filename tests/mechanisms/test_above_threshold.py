"""Above threshold: exact laws of what it says, the loss in them, and the variants that books warn of."""

import math
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet import AboveThreshold
from discreet.privacy.events import PureRelease, Repeated
from discreet.privacy.prices import concentrated, pure
from discreet.testing import seeded

REACH = 80  # scales of threshold noise that are summed over: e^-80 is left out


def log_chance(gaps, threshold_scale, answer_scale):
    """ln P that all numbers but the last are below and the last is above; a gap is threshold + offset - number, times how often.

    One round, by its definition: a sum over the threshold's noise.
    """
    z = np.arange(int(REACH * threshold_scale) + 1) if threshold_scale else np.zeros(1)
    weights = -z / threshold_scale + math.log(-math.expm1(-1 / threshold_scale)) if threshold_scale else np.zeros(1)
    *below, (last, _) = gaps
    for gap, times in below:
        if not times:
            continue
        reach = np.maximum(gap + z, 0)  # the number's noise must be less than this
        with np.errstate(divide="ignore"):
            weights = weights + times * np.log(-np.expm1(-reach / answer_scale))
    weights = weights - np.maximum(last + z, 0) / answer_scale
    top = weights.max()
    return -math.inf if top == -math.inf else top + math.log(np.exp(weights - top).sum())


def lost(threshold_scale, answer_scale, sensitivity=1):
    """The largest loss over pairs of tables that are known to be bad: many numbers just below move one way, the last another."""
    worst = 0.0
    for many in (0, 1, 100, 10**6):
        for near in (0, int(answer_scale), int(5 * answer_scale), int(15 * answer_scale)):
            for far in (0, int(30 * answer_scale)):
                for way in (-1, 1):
                    before = [(near, many), (far, 1)]
                    after = [(near - way * sensitivity, many), (far + way * sensitivity, 1)]
                    pair = log_chance(before, threshold_scale, answer_scale), log_chance(after, threshold_scale, answer_scale)
                    if max(pair) > -200:  # rarer than that is not looked at
                        worst = max(worst, abs(pair[0] - pair[1]))
    return worst


@pytest.mark.parametrize("epsilon", ["1/5", "1", "3"])
@pytest.mark.parametrize("sensitivity", [1, 4])
def test_the_loss_of_a_round_is_the_epsilon_charged(epsilon, sensitivity):
    mechanism = AboveThreshold(epsilon=epsilon, sensitivity=sensitivity, threshold=0)
    found, charged = lost(float(mechanism.threshold_scale), float(mechanism.answer_scale), sensitivity), float(Fraction(epsilon))
    assert 0.97 * charged < found <= charged * (1 + 1e-9)
    assert pure(mechanism.cost) == mechanism.loss == dc.Pure(epsilon=epsilon)


def test_rounds_share_epsilon_and_their_number_not_that_of_the_questions_is_paid_for():
    one, three = AboveThreshold(epsilon=1, threshold=7), AboveThreshold(epsilon=3, threshold=7, count=3)
    assert (one.threshold_scale, one.answer_scale, one.offset) == (three.threshold_scale, three.answer_scale, three.offset)
    assert three.cost == Repeated(PureRelease(Fraction(1)), 3)
    assert concentrated(three.cost) == dc.Concentrated(rho=Fraction(3, 2))
    assert lost(float(three.threshold_scale), float(three.answer_scale)) * 3 == pytest.approx(3, rel=0.03)
    ten_thousand_below = three.release([-10**6] * 10_000 + [10**6])
    assert ten_thousand_below == [False] * 10_000 + [True]


# ---- what books warn of: each of these loses more than it says


def scales(epsilon=1, count=1):
    mechanism = AboveThreshold(epsilon=epsilon, threshold=0, count=count)
    return float(mechanism.threshold_scale), float(mechanism.answer_scale)


def test_without_noise_on_the_threshold_every_question_would_cost():
    _, answers = scales()
    assert lost(0, answers) > 10


def test_with_the_answers_noise_for_the_sensitivity_itself_and_not_twice_it_the_loss_is_larger():
    threshold, answers = scales()
    assert lost(threshold, answers / 2) > 1.5


def test_without_noise_on_the_answers_the_loss_has_no_end():
    threshold, _ = scales()
    assert lost(threshold, 0.02) > 50


def test_with_noise_that_does_not_grow_with_the_count_the_rounds_lose_more_than_is_charged():
    threshold, answers = scales(epsilon=1, count=1)
    assert 3 * lost(threshold, answers) > 2.9
    right = scales(epsilon=1, count=3)
    assert 3 * lost(*right) <= 1 + 1e-9


def test_if_the_noisy_number_were_told_it_would_betray_the_noisy_threshold():
    # after a number at the threshold was below, the threshold's noise is at least 1; a noisy number told as threshold + 1 says
    # that it is at most 1. With the first number one higher the noise would have to be at least 2.
    threshold, answers = scales()

    def chance(first):
        return sum(math.exp(-z / threshold) * -math.expm1(-max(z - first, 0) / answers) for z in range(2))  # z <= 1

    assert chance(0) > 0
    assert chance(1) == 0
    assert all(type(told) is bool for told in AboveThreshold(epsilon=1, threshold=0).release([0] * 50))


# ---- use


def test_a_watch_stops_when_as_many_were_above_as_was_paid_for():
    watch = AboveThreshold(epsilon=100, threshold=50, count=2).start()
    assert [watch.is_above(number) for number in (0, 100, 0)] == [False, True, False]
    assert not watch.is_over
    assert "50" not in repr(watch)
    assert watch.is_above(100)
    assert watch.is_over
    with pytest.raises(dc.ParameterError, match="as many numbers were above"):
        watch.is_above(0)
    assert AboveThreshold(epsilon=100, threshold=50, count=2).release(iter([100, 0, 100, 0, 100])) == [True, False, True]
    assert AboveThreshold(epsilon=100, threshold=50).release([0, 0]) == [False, False]
    assert AboveThreshold(epsilon=100, threshold=-(10**30)).release([0]) == [True]


def test_every_round_has_new_noise_on_the_threshold():
    mechanism = AboveThreshold(epsilon="1/100", threshold=0, count=4)
    with seeded(5):
        watch = mechanism.start()
        bars = []
        for _ in range(3):
            bars.append(watch._bar)
            assert watch.is_above(10**9)
    assert len(set(bars)) == 3


@pytest.mark.parametrize("count", [1, 3])
def test_numbers_told_above_or_below_are_rarely_further_off_than_said(count):
    mechanism = AboveThreshold(epsilon=1, threshold=0, count=count)
    threshold, answers, asked = float(mechanism.threshold_scale), float(mechanism.answer_scale), 50
    for confidence in (0.5, 0.95):
        reach = mechanism.half_width(asked, confidence)
        too_low = asked * math.exp(-(reach + 1 + mechanism.offset) / answers)  # noise alone lifts one of them
        too_high = count * math.exp(-(reach + 2 - mechanism.offset) / threshold)  # the threshold's noise hides one
        assert too_low + too_high <= 1 - confidence
        nearer = 0.9 * reach
        too_low = asked * math.exp(-(nearer + mechanism.offset) / answers)
        too_high = count * math.exp(-(nearer - mechanism.offset) / threshold)
        assert max(too_low, too_high) > (1 - confidence) / 2


def test_the_split_between_threshold_and_answers_is_nearly_the_best():
    best = min(1 / share**2 + 4 / (1 - share) ** 2 for share in np.linspace(0.01, 0.99, 981))
    mechanism = AboveThreshold(epsilon=1, threshold=0)
    assert float(mechanism.threshold_scale**2 + mechanism.answer_scale**2) < 1.003 * best
