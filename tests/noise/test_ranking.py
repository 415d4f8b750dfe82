"""The exact race for more than one place, and among candidates of different weight."""

from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from tests.noise.oracle import real
from tests.noise.replay import ALL_ONES, Replay
from tests.noise.test_race import UNIT, both, ends_of

from discreet.noise import race
from discreet.noise.keystream import Keystream
from discreet.noise.race import _are_apart, _log_weights, ranking, winner
from discreet.testing import repeatable

WEIGHTS = sorted({1, 2, 3, 511, 512, 513, 1023, 1024, 1025, ALL_ONES, ALL_ONES - 1, 10**18, *(1 << power for power in range(64)),
                  *((1 << power) - 1 for power in range(1, 65)), *((1 << power) + 1 for power in range(1, 64))})


def by_brute_force(scores, factor, words, noise, weights):
    """All places in order, if one word for each candidate is enough to tell, else None."""
    with mpmath.workprec(300):
        ends = [tuple(real(factor) * score + mpmath.log(weight) + end for end in ends_of(word, noise))
                for score, word, weight in zip(scores, words, weights, strict=True)]
        order = sorted(range(len(ends)), key=lambda at: ends[at][0], reverse=True)
        return order if all(ends[a][0] > ends[b][1] for a, b in pairwise(order)) else None


@pytest.mark.slow
@both
@pytest.mark.parametrize("size", [2, 5, 60])
@pytest.mark.parametrize("factor", [Fraction(1, 10**6), Fraction(1, 3), Fraction(2**30)])
def test_the_order_is_the_one_that_exact_noise_chooses(noise, size, factor):
    stream = repeatable(f"ranking {noise} {size} {factor}")
    drawn = np.empty((8, 3, size), np.uint64)
    stream.fill(drawn)
    for words, others, more in drawn:
        scores = (others >> np.uint64(60)).astype(np.int64) - 8
        weights = (more >> (more & np.uint64(63))) | np.uint64(1)
        expected = by_brute_force(scores.tolist(), factor, words.tolist(), noise, weights.tolist())
        assert expected is not None
        for count in {1, 2, size - 1, size}:
            for given in (scores, scores.tolist()):
                replay = Replay([*words.tolist(), *[5] * (4 * size)])
                assert ranking(given, factor, noise, replay, count, weights) == expected[:count]
            replay = Replay([*words.tolist(), *[5] * (4 * size)])
            assert ranking(scores, factor, noise, replay, count, weights.tolist()) == expected[:count]
        plain = by_brute_force(scores.tolist(), factor, words.tolist(), noise, [1] * size)
        if plain is not None:
            assert ranking(scores, factor, noise, Replay([*words.tolist(), *[5] * (4 * size)]), size) == plain


def test_logarithms_of_weights_are_enclosed_closely():
    low, high = _log_weights(np.array(WEIGHTS, np.uint64))
    listed_low, listed_high = _log_weights(WEIGHTS)
    with mpmath.workprec(200):
        for at, weight in enumerate(WEIGHTS):
            exact = mpmath.log(weight) * UNIT
            assert low[at] <= exact <= high[at]
            assert high[at] - low[at] <= UNIT / 500 + 4
            assert listed_low[at] <= exact <= listed_high[at] <= listed_low[at] + 4


@both
def test_weights_longer_than_a_word_are_as_exact(noise):
    weights = [10**40, 10**40, 1]
    found = {winner([0, 0, 0], Fraction(1), noise, Keystream(), weights) for _ in range(50)}
    assert found == {0, 1}
    assert {winner([0, 0, 95], Fraction(1), noise, Keystream(), [1, 1, 1]) for _ in range(50)} == {2}


@both
def test_equal_words_scores_and_weights_are_told_apart_by_the_next_digits(noise):
    for word in (1, 12345, 1 << 63):
        words = [word, word, word, 9, 2, 7, *[0] * 6]
        assert ranking([5, 5, 5], Fraction(1), noise, Replay(words), 2) == [1, 2]  # the least uniform comes first
        assert ranking([5, 5, 5], Fraction(1), noise, Replay(words), 3, [7, 7, 7]) == [1, 2, 0]
    # the first is certain, and so only the second place takes more digits
    assert ranking([500, 5, 5], Fraction(1), noise, Replay([1 << 63, 77, 77, 4, 8, 3, *[0] * 6]), 2) == [0, 2]


def test_places_are_certain_only_if_every_later_one_is_below():
    assert _are_apart([9, 6, 3], [10, 7, 4], 3)
    assert not _are_apart([9, 6, 3], [10, 9, 4], 1)
    assert _are_apart([9, 6, 5], [10, 7, 6], 1)
    assert not _are_apart([9, 6, 5], [10, 7, 6], 2)
    assert not _are_apart([9, 6, 5], [10, 7, 9], 1)


@both
def test_leaders_beyond_the_first_chunk_are_not_forgotten(noise):
    size = 2 * race._CHUNK + 5
    places = [0, race._CHUNK - 1, race._CHUNK, 2 * race._CHUNK, size - 1]
    scores = np.zeros(size, np.int64)
    scores[places] = [3000, 5000, 1000, 2000, 4000]
    by_score = [places[at] for at in (1, 4, 0, 3, 2)]
    for count in (1, 3, 5):
        assert ranking(scores, Fraction(1), noise, Keystream(), count) == by_score[:count]
    weights = np.ones(size, np.uint64)
    weights[places] = np.uint64(1) << np.uint64(63)  # ahead by 43, where 2^-63 of the noise is
    found = ranking(np.zeros(size, np.int64), Fraction(1), noise, Keystream(), 5, weights)
    assert sorted(found) == places
