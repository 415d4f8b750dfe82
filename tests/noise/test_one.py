"""One draw at a time: which words it reads, and what it makes of them."""

from fractions import Fraction

import mpmath
import pytest
from tests.noise.oracle import real
from tests.noise.replay import ALL_ONES, LAWS, Replay, gaussian, laplace

from discreet.noise.keystream import Keystream
from discreet.noise.one import draw_one, is_kept, value_in
from discreet.noise.table import nearest_and_base, table
from discreet.testing import repeatable

COARSE = 4
every_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)


def distance(made, index, place):
    """Of a value from the nearest one in its bin: the value itself says so."""
    return abs(value_in(made, index, place)) - nearest_and_base(index, made.width)[0]


@every_law
def test_a_value_is_kept_exactly_if_the_digits_are_below_the_ratio_of_weights(law):
    made = table(law, COARSE)
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
    made = table(laplace(1), COARSE)
    assert made.width == 1
    assert draw_one(made, Replay([0])) == 0
    assert draw_one(made, Replay([made.thresholds[0] + 1])) == -1
    assert draw_one(made, Replay([made.thresholds[1] + 1])) == 1
    assert draw_one(made, Replay([made.thresholds[2] + 1])) == -2


def test_a_draw_from_bins_reads_three_words_and_starts_again_if_rejected():
    made = table(laplace(100), COARSE)
    assert made.width == 16
    third = 3 << 60  # place 3 of 16
    assert draw_one(made, Replay([0, third, 0])) == 3
    assert draw_one(made, Replay([made.thresholds[0] + 1, third, 0])) == -13
    assert draw_one(made, Replay([0, third, ALL_ONES, made.thresholds[1] + 1, 0, 0])) == 16


def test_noise_of_any_width_can_be_drawn_alone():
    for make in (laplace, gaussian):
        for scale in (Fraction(1, 10**300), Fraction(1, 3), 10**30, Fraction(10**300, 7)):
            made = table(make(scale), COARSE)
            assert abs(draw_one(made, Keystream())) <= 700 * scale
            assert draw_one(made, repeatable("x")) == draw_one(made, repeatable("x"))
