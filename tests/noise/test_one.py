"""One draw at a time: which words it reads, and what it makes of them."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from tests.noise.oracle import real
from tests.noise.replay import ALL_ONES, LAWS, Replay, gaussian, laplace

from discreet.noise.keystream import Keystream, bits
from discreet.noise.one import bin_of, draw_few, draw_one, is_kept, value_in
from discreet.noise.threshold_table import nearest_and_base, threshold_table
from discreet.testing import repeatable

COARSE = 4
every_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)


def distance(made, index, place):
    """Of a value from the nearest one in its bin: the value itself says so."""
    return abs(value_in(made, index, place)) - nearest_and_base(index, made.width)[0]


@every_law
def test_a_value_is_kept_exactly_if_the_digits_are_below_the_ratio_of_weights(law):
    made = threshold_table(law, COARSE)
    for index in (0, 1, 2, 5, 12):
        for place in {0, min(1, made.width - 1), made.width // 2, made.width - 1}:
            nearest, away = nearest_and_base(index, made.width)[0], distance(made, index, place)
            with mpmath.workprec(900):
                ratio = mpmath.exp(real(law.exponent(nearest)) - real(law.exponent(nearest + away)))
                edge = int(mpmath.floor(mpmath.ldexp(ratio, 128)))
            if away == 0:
                assert is_kept(made, index, place, ALL_ONES, 64, Replay([]))
                continue
            first, second = divmod(edge, 1 << 64)
            assert is_kept(made, index, place, first - 4, 64, Replay([]))
            assert not is_kept(made, index, place, first + 5, 64, Replay([]))
            assert is_kept(made, index, place, first, 64, Replay([second - 4]))
            assert not is_kept(made, index, place, first, 64, Replay([second + 5]))
            assert is_kept(made, index, place, first, 64, Replay([second, 0]))
            assert not is_kept(made, index, place, first, 64, Replay([second, ALL_ONES]))


def test_a_draw_from_single_values_reads_one_word():
    made = threshold_table(laplace(1), COARSE)
    assert made.width == 1
    assert draw_one(made, Replay([0])) == 0
    assert draw_one(made, Replay([made.thresholds[0] + 1])) == -1
    assert draw_one(made, Replay([made.thresholds[1] + 1])) == 1
    assert draw_one(made, Replay([made.thresholds[2] + 1])) == -2


def test_a_draw_from_bins_reads_three_words_and_starts_again_if_rejected():
    made = threshold_table(laplace(100), COARSE)
    assert made.width == 16
    third = 3 << 60  # place 3 of 16
    assert draw_one(made, Replay([0, third, 0])) == 3
    assert draw_one(made, Replay([made.thresholds[0] + 1, third, 0])) == -13
    assert draw_one(made, Replay([0, third, ALL_ONES, made.thresholds[1] + 1, 0, 0])) == 16


ANY_WIDTH = LAWS | {
    f"{make.__name__} {name}": make(scale)
    for make in (laplace, gaussian)
    for name, scale in {"10^-300": Fraction(1, 10**300), "10^30": 10**30, "2^66": 2**66, "10^300/7": Fraction(10**300, 7)}.items()
}


def by_the_definition(made, words):
    """The draws that attempts make of words: bin, place and digits that keep it, at 400 bits."""
    words = iter(words)
    while (first := next(words, None)) is not None:
        index, rest = bin_of(made, first, Replay([])), [next(words) for _ in range(-(-made.width_bits // 64))]
        place = sum(word << 64 * at for at, word in enumerate(rest)) >> -made.width_bits % 64
        x = made.law.exponent(nearest_and_base(index, made.width)[0] + distance(made, index, place))
        x -= made.law.exponent(nearest_and_base(index, made.width)[0])
        with mpmath.workprec(400):
            if not rest or next(words) < mpmath.ldexp(mpmath.exp(-real(x)), 64):
                yield value_in(made, index, place)


@pytest.mark.parametrize("law", ANY_WIDTH.values(), ids=ANY_WIDTH)
def test_a_few_draws_are_what_the_definition_makes_of_the_same_words(law):
    made = threshold_table(law, COARSE)
    words = np.empty((400, 1 if not made.width_bits else 2 - made.width_bits // -64), np.uint64)
    repeatable("a few").fill(words)
    expected = list(by_the_definition(made, words.ravel().tolist()))
    assert not made.width_bits or 200 < len(expected) < 400  # some were rejected
    replay = Replay(words.ravel().tolist())
    assert draw_few(made, len(expected) - 1, replay) == expected[:-1]
    assert draw_one(made, replay) == expected[-1]  # no word was read beyond those that were needed


@pytest.mark.parametrize("law", ANY_WIDTH.values(), ids=ANY_WIDTH)
@pytest.mark.parametrize("size", [0, 1, 2, 150])
def test_a_few_draws_are_those_of_single_draws_from_the_same_stream(law, size):
    made, together, alone = threshold_table(law, COARSE), repeatable("few"), repeatable("few")
    assert draw_few(made, size, together) == [draw_one(made, alone) for _ in range(size)]
    assert bits(together, 64) == bits(alone, 64)  # they have read as far


def test_noise_of_any_width_can_be_drawn_alone():
    for make in (laplace, gaussian):
        for scale in (Fraction(1, 10**300), Fraction(1, 3), 10**30, Fraction(10**300, 7)):
            made = threshold_table(make(scale), COARSE)
            assert abs(draw_one(made, Keystream())) <= 700 * scale
            assert draw_one(made, repeatable("x")) == draw_one(made, repeatable("x"))
