"""Every threshold of every table, and every bin found without one, against mpmath."""

from bisect import bisect_right
from fractions import Fraction

import pytest
from tests.noise.oracle import ends
from tests.noise.replay import ALL_ONES, LAWS, TINY, Replay, gaussian, laplace

from discreet.noise.law import Law
from discreet.noise.one import bin_of
from discreet.noise.threshold_table import locate, nearest_and_base, relative_exponent, threshold_table

WITH_TINY = LAWS | {"laplace tiny": laplace(TINY), "gaussian tiny": gaussian(TINY)}
every_law = pytest.mark.parametrize("law", WITH_TINY.values(), ids=WITH_TINY)
resolutions = pytest.mark.parametrize("bins_per_spread", [4, 40])


@pytest.mark.slow
@resolutions
@every_law
def test_every_threshold_is_what_400_bits_say_it_is(law, bins_per_spread):
    found = threshold_table(law, bins_per_spread)
    expected = [end >> 336 for end in ends(law, found.width, 400, depth=48)]
    assert list(found.thresholds) == expected[: len(found.thresholds)]


@resolutions
@every_law
def test_thresholds_reach_all_but_the_last_part_in_2_to_the_44(law, bins_per_spread):
    thresholds = threshold_table(law, bins_per_spread).thresholds
    assert list(thresholds) == sorted(thresholds)
    assert 2**64 - 2**20 <= thresholds[-1] < 2**64
    assert len(thresholds) == 1 or thresholds[-2] < 2**64 - 2**20


@resolutions
@every_law
def test_a_spread_has_between_one_and_two_times_as_many_bins_as_asked_for(law, bins_per_spread):
    width = threshold_table(law, bins_per_spread).width
    assert width == 1 or bins_per_spread <= Fraction(law.spread, width) < 2 * bins_per_spread
    assert width > 1 or law.spread < 2 * bins_per_spread


@pytest.mark.parametrize("width", [1, 2, 8])
def test_bins_cover_every_integer_once_and_begin_with_the_one_nearest_zero(width):
    covered = []
    for index in range(12):
        nearest, base = nearest_and_base(index, width)
        values = range(base, base + width)
        assert min(map(abs, values)) == nearest
        assert (base < 0) == index % 2
        covered += values
    assert sorted(covered) == list(range(-6 * width, 6 * width))


@pytest.mark.parametrize("law", [laplace(Fraction(50, 7)), gaussian(Fraction(50, 7))])
@pytest.mark.parametrize(("nearest", "offset"), [(0, 0), (0, 7), (1, 0), (5, 3), (1000, 999)])
def test_a_relative_exponent_is_the_difference_of_two(law, nearest, offset):
    assert Fraction(*relative_exponent(law, nearest, offset)) == law.exponent(nearest + offset) - law.exponent(nearest)


# ---- without a threshold

PRECISION, DEPTH = 448, 300  # bits: seven words, of which four may be all ones
SEARCHED = {
    "laplace 1": (laplace(1), 1),
    "laplace 50/7": (laplace(Fraction(50, 7)), 1),
    "laplace 10^6": (laplace(10**6), 1 << 17),
    "laplace tiny": (laplace(TINY), 1),
    "gaussian 1": (gaussian(1), 1),
    "gaussian 10": (gaussian(10), 2),
    "gaussian 10^6": (gaussian(10**6), 1 << 14),
    "gaussian tiny": (gaussian(TINY), 1),
}
searched = pytest.mark.parametrize(("law", "width"), SEARCHED.values(), ids=SEARCHED)


def by_brute_force(law: Law, width: int, words: list[int]) -> int:
    digits = 0
    for word in [*words, *[0] * (PRECISION // 64 - len(words))]:
        digits = digits << 64 | word
    return bisect_right(ends(law, width, PRECISION, DEPTH), digits)


@pytest.mark.slow
@searched
def test_a_bin_is_located_as_brute_force_locates_it_from_every_threshold_on(law, width):
    found = ends(law, width, PRECISION, DEPTH)
    for end in [*found[:3], *found[3 :: len(found) // 5 + 1]]:
        first, second, third = (end >> (PRECISION - 64 * k) & ALL_ONES for k in (1, 2, 3))
        for words in (
            [first - 1, 5, 5], [first, 5, 5], [first + 1 & ALL_ONES, 5, 5], [first, 0, 0], [first, ALL_ONES, 0],
            [first, second - 1 & ALL_ONES, 5], [first, second, third - 1 & ALL_ONES], [first, second, third + 1 & ALL_ONES],
        ):  # fmt: skip
            assert locate(law, width, words[0], Replay([*words[1:], 5, 5, 5])) == by_brute_force(law, width, [*words, 5, 5, 5])


@pytest.mark.slow
@searched
def test_a_bin_in_the_far_tail_is_located_as_brute_force_locates_it(law, width):
    for words in ([ALL_ONES], [ALL_ONES - 1], [ALL_ONES, ALL_ONES], [ALL_ONES, ALL_ONES - 1], [ALL_ONES] * 3, [ALL_ONES] * 4):
        filled = [*words, 0x123456789ABCDEF, 0xFEDCBA987654321, 0]
        assert locate(law, width, filled[0], Replay(filled[1:])) == by_brute_force(law, width, filled)


@pytest.mark.slow
@searched
def test_a_bin_is_located_as_brute_force_locates_it_all_over(law, width):
    for word in range(1 << 59, 1 << 64, 0x05ED_CBA9_8765_4321):
        assert locate(law, width, word, Replay([7, 7, 7])) == by_brute_force(law, width, [word, 7, 7, 7])


def test_a_table_asks_for_more_digits_only_at_a_threshold_or_beyond_the_last():
    found = threshold_table(laplace(10), 40)
    for index in (0, 1, 2, 30, len(found.thresholds) - 1):
        threshold = found.thresholds[index]
        assert bin_of(found, threshold - 1, Replay([])) == index
        assert bin_of(found, threshold, Replay([0, 5])) == index
        assert bin_of(found, threshold, Replay([ALL_ONES, 5])) == index + 1
    assert bin_of(found, found.thresholds[3] + 1, Replay([])) == 4
    assert bin_of(found, ALL_ONES, Replay([1 << 63, 5])) >= len(found.thresholds)
