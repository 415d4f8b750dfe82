"""The exact race: every interval holds the truth, and the winner is the one that exact noise would choose."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.noise.oracle import real
from tests.noise.replay import ALL_ONES, Replay

from discreet.noise import race
from discreet.noise.keystream import Keystream
from discreet.noise.race import _behind, _closer, _noise, _play_off, _scaled, winner
from discreet.testing import repeatable

NOISES = ("gumbel", "exponential")
both = pytest.mark.parametrize("noise", NOISES)
UNIT = 1 << 24
EDGES = sorted({
    0, 1, 2, 3, 1023, 1024, 1025, 2047, 2048, ALL_ONES, ALL_ONES - 1, 1 << 63, (1 << 63) - 1,
    *(cell << 55 for cell in range(512)), *((cell << 55) - 1 for cell in range(1, 512)),
    *(1 << power for power in range(64)), *((1 << power) - 1 for power in range(1, 64)),
})  # fmt: skip


def exact_noise(v, noise):
    if noise == "exponential":
        return -mpmath.log(v)
    return -mpmath.log(-mpmath.log1p(-v))


def ends_of(word, noise, length=64):
    """The noise at both ends of the uniforms that begin with a word."""
    low = exact_noise(mpmath.ldexp(word + 1, -length), noise) if noise == "exponential" or word + 1 < 1 << length else -mpmath.inf
    high = exact_noise(mpmath.ldexp(word, -length), noise) if word else mpmath.inf
    return low, high


# ---- intervals


def check_noise(words, noise, width):
    low, high = _noise(np.array(words, np.uint64), noise)
    assert (low.dtype, high.dtype) == (np.int64, np.int64)
    with mpmath.workprec(200):
        for word, least, most in zip(words, low.tolist(), high.tolist(), strict=True):
            exact_low, exact_high = ends_of(word, noise)
            assert least == race._NEVER if exact_low == -mpmath.inf else least <= exact_low * UNIT
            assert most == race._ENDLESS if exact_high == mpmath.inf else exact_high * UNIT <= most
            if 1 << 11 <= word < 511 << 55:
                assert most - least <= width * UNIT


@both
def test_noise_is_enclosed_at_the_ends_of_all_cells(noise):
    check_noise(EDGES, noise, width=0.17)


@both
def test_noise_is_enclosed_for_uniform_and_for_small_words(noise):
    words = np.empty(1000, np.uint64)
    Keystream().fill(words)
    check_noise([*words.tolist(), *(word >> shift for shift, word in enumerate(words.tolist()[:64]))], noise, width=0.17)


@both
def test_most_noise_is_known_closely(noise):
    words = np.empty(10_000, np.uint64)
    Keystream().fill(words)
    low, high = _noise(words, noise)
    assert np.median(high - low) < UNIT / 64


@both
@given(prefix=st.integers(1, (1 << 128) - 2))
@example(prefix=1)
@example(prefix=(1 << 128) - 2)
@example(prefix=1 << 127)
def test_closer_noise_is_enclosed_and_close(prefix, noise):
    low, high = _closer(prefix, 128, noise)
    with mpmath.workprec(600):
        exact_low, exact_high = ends_of(prefix, noise, 128)
        assert low <= mpmath.ldexp(exact_low, 128)
        assert mpmath.ldexp(exact_high, 128) <= high
        assert high - low <= mpmath.ldexp(exact_high - exact_low, 128) + 16


POWERS = (-200, -70, -44, -20, -3, 0, 4, 18, 19, 20, 21, 26, 39, 40, 64, 200)
FACTORS = [Fraction(n, d) * Fraction(2) ** e for n, d in ((1, 1), (1, 3), (2**61 - 1, 2**31 - 1), (10**9, 7)) for e in POWERS]


@pytest.mark.parametrize("factor", FACTORS)
def test_scaled_scores_are_enclosed_whatever_the_factor(factor):
    near = {int(race._FAR / factor) + step for step in range(-2, 4)}
    behind = sorted({0, 1, 2, 3, 1000, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**40 + 12345, 2**63, ALL_ONES - 1, ALL_ONES}
                    | {each for each in near if 0 <= each <= ALL_ONES})
    low, high = _scaled(np.array(behind, np.uint64), factor)
    for away, least, most in zip(behind, low.tolist(), high.tolist(), strict=True):
        exact = -factor * away * UNIT
        assert exact <= most
        assert most >= -2 * race._FAR * UNIT
        if least == race._NEVER:
            assert away == ALL_ONES or factor * (away + 1) >= race._FAR
            assert most <= max(exact, -race._FAR * UNIT) + 2**16
        else:
            assert least <= exact
            assert most - least <= 4 + 2**16


def test_how_far_a_score_is_behind_is_exact_or_saturates():
    whole = np.array([-(2**63), -1, 0, 2**63 - 1], np.int64)
    assert _behind(whole, 2**63 - 1).tolist() == [ALL_ONES, 2**63, 2**63 - 1, 0]
    assert _behind(whole[::2], 0).tolist() == [2**63, 0]
    assert _behind([10**30, 0, -(10**30)], 10**30).tolist() == [0, ALL_ONES, ALL_ONES]
    assert _behind(np.array([-128, 127], np.int8), 127).tolist() == [255, 0]


# ---- the winner


def by_brute_force(scores, factor, words, noise):
    """The winner, if one word for each candidate is enough to tell, else None."""
    with mpmath.workprec(300):
        lows, highs = [], []
        for score, word in zip(scores, words, strict=True):
            low, high = ends_of(word, noise)
            lows.append(real(factor) * score + low)
            highs.append(real(factor) * score + high)
        best = max(range(len(lows)), key=lows.__getitem__)
        return best if all(lows[best] > high for at, high in enumerate(highs) if at != best) else None


@pytest.mark.slow
@both
@pytest.mark.parametrize("size", [1, 2, 3, 12, 100])
@pytest.mark.parametrize("factor", [Fraction(1, 10**6), Fraction(1, 7), Fraction(3), Fraction(2**30)])
def test_the_winner_is_the_one_that_exact_noise_chooses(noise, size, factor):
    stream = repeatable(f"{noise} {size} {factor}")
    drawn = np.empty((20, 2, size), np.uint64)
    stream.fill(drawn)
    for words, others in drawn:
        scores = (others >> np.uint64(60)).astype(np.int64) - 8
        expected = by_brute_force(scores.tolist(), factor, words.tolist(), noise)
        assert expected is not None
        assert winner(scores, factor, noise, Replay([*words.tolist(), *[5] * (2 * size)])) == expected
        assert winner(scores.tolist(), factor, noise, Replay([*words.tolist(), *[5] * (2 * size)])) == expected


@both
def test_the_play_off_among_all_candidates_has_the_same_winner(noise):
    stream, factor = repeatable(f"play-off {noise}"), Fraction(2, 3)
    drawn = np.empty((60, 2, 8), np.uint64)
    stream.fill(drawn)
    for words, others in drawn:
        scores = (others >> np.uint64(61)).astype(np.int64)
        lag = [factor * (score - 7) for score in scores.tolist()]
        (in_all,) = _play_off(lag, words.tolist(), noise, Replay([5] * 64), 1)
        assert in_all == winner(scores, factor, noise, Replay([*words.tolist(), *[5] * 64]))
        assert in_all == by_brute_force(scores.tolist(), factor, words.tolist(), noise)


@both
def test_equal_words_and_scores_are_told_apart_by_the_next_digits(noise):
    for word in (0, 1, 12345, 1 << 63, ALL_ONES):
        assert winner([5, 5, 5], Fraction(1), noise, Replay([word, word, word, 9, 2, 7, 0, 0, 0])) == 1  # the least uniform wins
        assert winner([5, 5], Fraction(1), noise, Replay([word, word, 4, 4, 8, 3])) == 1
        assert winner([5, 5], Fraction(1), noise, Replay([word, word, 0, ALL_ONES, 8, 3])) == 0


@both
def test_a_score_can_make_up_for_noise_to_the_last_digit(noise):
    words = [1 << 40, 1 << 50]
    with mpmath.workprec(300):
        (low, _), (_, high) = ends_of(words[0], noise), ends_of(words[1], noise)
        gap = Fraction(int(mpmath.floor((low - high) * 2**80)), 2**80)  # by so much at least the first is ahead
    for shift, expected in ((Fraction(-1, 2**30), 0), (Fraction(1, 2**8), 1)):
        factor = gap + shift
        assert winner([0, 1], factor, noise, Replay([*words, *[5] * 20])) == expected


@both
def test_a_word_of_zeros_has_no_upper_end(noise):
    # 2^30 behind, and the uniform begins with 64 zeros: only the digits that follow can tell
    replay = Replay([1 << 63, 0, 77, 1 << 63, 0])
    assert winner([2**30, 0], Fraction(1), noise, replay) == 0
    assert replay.rest() == [0]
    replay = Replay([1 << 63, 0, 77, 0, 77, 0, 77, 5])
    assert winner([100, 0], Fraction(1), noise, replay) == 1  # three words of zeros are worth 192 ln 2 > 133
    # so many words of zeros as the gap needs, whatever the factor
    for factor in (Fraction(2**27), Fraction(2**45), Fraction(2**80)):
        replay = Replay([1 << 63, 0, 77, 0, 77, 1, 77, 5])
        assert winner([1, 0], factor, noise, replay) == 0
        assert replay.rest() == [77, 5]


def test_a_word_of_ones_has_no_lower_end_where_noise_is_gumbel():
    replay = Replay([ALL_ONES, 1 << 63, ALL_ONES, 77, 1, 77, 5])
    assert winner([2**30, 0], Fraction(1), "gumbel", replay) == 0
    assert replay.rest() == [5]


@both
def test_one_candidate_wins_without_a_second_look(noise):
    for word in (0, 1, 1 << 63, ALL_ONES):
        assert winner([-7], Fraction(1), noise, Replay([word])) == 0
        assert winner(np.array([2**62]), Fraction(10**9), noise, Replay([word])) == 0


@both
@pytest.mark.parametrize("factor", [Fraction(1, 10**3), Fraction(1), Fraction(10**9), Fraction(2**41), Fraction(10**40, 3)])
def test_a_score_ahead_of_all_noise_always_wins(noise, factor):
    for scores in ([0, 10**6, -(10**6)], [-(10**40), 10**40, 0], np.array([-(2**63), 2**63 - 1, 0]), [10**30, 10**30 + 10**6, 5]):
        assert {winner(scores, factor, noise, Keystream()) for _ in range(50)} == {1}


@both
def test_candidates_beyond_the_first_chunk_are_not_forgotten(noise):
    size = 2 * race._CHUNK + 5
    for place in (0, race._CHUNK - 1, race._CHUNK, 2 * race._CHUNK, size - 1):
        scores = np.zeros(size, np.int64)
        scores[place] = 1000
        assert winner(scores, Fraction(1), noise, Keystream()) == place
        words = [1 << 62] * size
        words[place] = 3 << 30
        assert winner([4] * size, Fraction(1), noise, Replay(words)) == place


@both
def test_seeded_races_repeat_whether_scores_come_as_a_list_or_as_an_array(noise):
    scores = np.arange(40_000) % 7
    first = winner(scores, Fraction(1, 2), noise, repeatable("race"))
    assert winner(scores.tolist(), Fraction(1, 2), noise, repeatable("race")) == first
    assert winner(scores + 2**40, Fraction(1, 2), noise, repeatable("race")) == first
