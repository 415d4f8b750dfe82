"""Exact coins and uniform integers, by trying every beginning of the stream."""

from collections import Counter
from fractions import Fraction

import mpmath
import pytest
from tests.noise.replay import ALL_ONES, Replay

from discreet.noise.bernoulli import bernoulli, bernoulli_exp_minus, is_below, uniform_below
from discreet.noise.enclosures import exp_minus, floor_and_ceiling


def beginnings(width):
    """Every value of the first ``width`` digits of a word, with other digits behind them."""
    return [head << (64 - width) | 0x5555_5555_5555_5555 >> width for head in range(1 << width)]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 7, 8, 9, 100, 255, 256, 257])
def test_every_integer_below_a_count_has_the_same_number_of_beginnings(count):
    width = (count - 1).bit_length()
    found, again = Counter(), 0
    for word in beginnings(width):
        replay = Replay([word, 0])
        drawn = uniform_below(count, replay)
        if width and replay.rest():
            found[drawn] += 1
        else:
            again += width > 0  # a beginning that is thrown away; the next word is zero
            assert drawn == 0
    if width:
        assert found == Counter(range(count))
        assert again == (1 << width) - count


def test_a_uniform_integer_below_one_needs_no_digits():
    assert uniform_below(1, Replay([])) == 0


def test_a_uniform_integer_below_a_large_count_takes_all_its_digits():
    count = 3 << 127  # of 129 digits
    assert uniform_below(count, Replay([0, 0, 0])) == 0
    assert uniform_below(count, Replay([ALL_ONES] * 3 + [1 << 63, 0, 1 << 63])) == (1 << 128) | 1
    assert uniform_below(count, Replay([5, 0, ALL_ONES, 0, 0, 0])) == 0  # too large: drawn again


@pytest.mark.parametrize("probability", [Fraction(p, q) for q in (1, 2, 3, 7, 16, 23) for p in range(q + 1)])
def test_a_rational_coin_has_exactly_its_share_of_beginnings(probability):
    width = (probability.denominator - 1).bit_length()
    heads = kept = 0
    for word in beginnings(width):
        replay = Replay([word, 0])
        drawn = bernoulli(probability, replay)
        if not width or replay.rest():
            heads, kept = heads + drawn, kept + 1
    assert Fraction(heads, kept) == probability


@pytest.mark.parametrize("number", [Fraction(0), Fraction(1, 3), Fraction(5, 16), Fraction(255, 256), Fraction(1)])
def test_a_uniform_real_is_below_a_rational_number_for_exactly_its_share_of_beginnings(number):
    def enclosed(bits):
        return floor_and_ceiling(number, bits)

    whole, share = divmod(number * 256, 1)
    certain = [is_below(head, 8, enclosed, Replay([])) for head in range(256) if head != whole or not share]
    assert sum(certain) == whole
    if share:  # the one open beginning is settled by the next word
        head = int(whole)
        edge = int(share * 2**64)
        assert is_below(head, 8, enclosed, Replay([edge - 1]))
        assert not is_below(head, 8, enclosed, Replay([edge + 1]))
        assert is_below(head, 8, enclosed, Replay([edge, 0]))
        assert not is_below(head, 8, enclosed, Replay([edge, ALL_ONES]))


@pytest.mark.parametrize("x", [Fraction(1, 1000), Fraction(1, 2), Fraction(1), Fraction(22, 7), Fraction(5)])
def test_a_uniform_real_is_compared_with_exp_minus_x_digit_by_digit(x):
    with mpmath.workprec(600):
        truth = mpmath.exp(mpmath.mpf(-x.numerator) / x.denominator)
        digits = int(mpmath.floor(mpmath.ldexp(truth, 72 + 64)))

    def enclosed(bits):
        return exp_minus(x, bits)

    first, second, third = digits >> 128, digits >> 64 & ALL_ONES, digits & ALL_ONES
    for head in range(256):
        for word in (0, second - 1, second, second + 1, ALL_ONES):
            replay = Replay([word, third, 0] if (head, word) == (first, second) else [word, 0])
            expected = (head, word) <= (first, second)  # where they are equal, third follows, cut off from the truth, and then 0
            assert is_below(head, 8, enclosed, replay) == expected


@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(1), Fraction(30)])
def test_a_coin_of_probability_exp_minus_x_turns_at_exactly_the_right_word(x):
    with mpmath.workprec(600):
        edge = int(mpmath.floor(mpmath.ldexp(mpmath.exp(mpmath.mpf(-x.numerator) / x.denominator), 64)))
    assert bernoulli_exp_minus(x, Replay([edge - 3]))
    assert not bernoulli_exp_minus(x, Replay([edge + 4]))
    assert bernoulli_exp_minus(x, Replay([edge, 0, 0]))
    assert not bernoulli_exp_minus(x, Replay([edge, ALL_ONES, 0]))


def test_a_coin_of_probability_one_or_next_to_none():
    assert bernoulli_exp_minus(Fraction(0), Replay([ALL_ONES]))
    assert not bernoulli_exp_minus(Fraction(10**9), Replay([1]))
    assert not bernoulli_exp_minus(Fraction(10**9), Replay([0, 0, 7]))
