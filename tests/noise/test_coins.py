"""Many coins and many uniform integers at once: the same as one by one."""

from fractions import Fraction

import numpy as np
import pytest
from tests.noise.replay import ALL_ONES, Replay
from tests.statistics.fit import FALSE_ALARM, binomial_fit, chi_square

from discreet.noise.bernoulli import coins, uniforms_below
from discreet.noise.enclosures import floor_and_ceiling
from discreet.noise.keystream import Keystream


def tossed(chances, entropy):
    low = np.array([floor_and_ceiling(chance, 64)[0] for chance in chances], np.uint64)
    last = np.array([floor_and_ceiling(chance, 64)[1] - 1 for chance in chances], np.uint64)
    return coins(low, last, lambda at, bits: floor_and_ceiling(chances[at], bits), entropy).tolist()


def test_a_coin_is_decided_by_its_first_word_unless_that_is_the_last_before_the_chance():
    third = Fraction(1, 3)  # 2^64 / 3 is 6148914691236517205 and a third
    word = (1 << 64) // 3
    assert tossed([third] * 3, Replay([word - 1, word + 1, 0])) == [True, False, True]
    replay = Replay([word, word - 1, 7])
    assert tossed([third], replay) == [True]
    assert replay.rest() == [7]
    assert tossed([third], Replay([word, word + 1])) == [False]
    assert tossed([third], Replay([word, word, word, 0])) == [True]


def test_chances_within_a_word_of_0_and_1_are_exact_too():
    tiny = Fraction(1, 1 << 70)
    assert tossed([tiny, 1 - tiny], Replay([1, ALL_ONES - 1])) == [False, True]
    assert tossed([tiny], Replay([0, (1 << 58) - 1])) == [True]
    assert tossed([tiny], Replay([0, 1 << 58])) == [False]
    assert tossed([1 - tiny], Replay([ALL_ONES, ALL_ONES - (1 << 58)])) == [True]
    assert tossed([1 - tiny], Replay([ALL_ONES, ALL_ONES - (1 << 58) + 1])) == [False]


@pytest.mark.slow
def test_coins_fall_as_often_as_they_should_and_not_3_percent_more_or_less():
    chances, size = [Fraction(1, 2), Fraction(2, 3), Fraction(9, 10)], 150_000
    found = np.array(tossed(chances * size, Keystream())).reshape(size, 3).sum(axis=0)
    for hits, chance in zip(found, chances, strict=True):
        assert binomial_fit(hits, size, float(chance)) > FALSE_ALARM
        assert binomial_fit(hits, size, float(chance) * 0.97) < FALSE_ALARM
        assert binomial_fit(hits, size, min(0.9999, float(chance) * 1.03)) < FALSE_ALARM


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 1000])
def test_uniform_integers_are_uniform(count):
    drawn = uniforms_below(count, 60_000, Keystream())
    assert (drawn.dtype, drawn.size) == (np.int64, 60_000)
    found = np.bincount(drawn, minlength=count)
    assert found.size == count
    if count > 1:
        assert chi_square(found, np.full(count, 1 / count)) > FALSE_ALARM
        uneven = np.where(np.arange(count) % 2, 0.8, 1.2)
        assert chi_square(found, uneven / uneven.sum()) < FALSE_ALARM


def test_integers_that_are_too_large_are_drawn_again_and_only_they():
    top = 1 << 62
    assert uniforms_below(3, 3, Replay([0, 3 * top, 2 * top, top])).tolist() == [0, 1, 2]
    assert uniforms_below(1, 3, Replay([])).tolist() == [0, 0, 0]
