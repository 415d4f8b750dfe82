"""Draws through every path, each accepted as the law they claim and rejected as one 3 % wider or narrower."""

from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest
from tests.noise.replay import LAWS, TINY, Pool, gaussian, laplace
from tests.statistics.fit import FALSE_ALARM, check_both_ways, chi_square, fit, stretched

from discreet.noise import discrete_gaussian, discrete_laplace, many
from discreet.noise import threshold_table as table_module
from discreet.noise.keystream import Keystream
from discreet.noise.many import draw_many
from discreet.noise.one import draw_one
from discreet.noise.threshold_table import ThresholdTable, threshold_table

FINE, COARSE = 40, 4
every_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
some_laws = pytest.mark.parametrize("law", [laplace(10), gaussian(10)], ids=["laplace 10", "gaussian 10"])


@every_law
def test_many_draws_follow_the_law_and_none_3_percent_wider_or_narrower(law):
    check_both_ways(draw_many(threshold_table(law, FINE), 1_000_000, Keystream()), law)


@every_law
def test_the_second_filter_alone_follows_the_law_and_none_3_percent_wider_or_narrower(law):
    stream, found = Keystream(), threshold_table(law, FINE)
    words = np.empty(500_000, np.uint64)
    stream.fill(words)
    values, kept = many._settle(many._guide(found), words, stream)
    assert kept.mean() > 0.98
    check_both_ways(values[kept], law)


def singles(made: ThresholdTable, size: int) -> np.ndarray:
    pool = Pool(Keystream())
    return np.array([draw_one(made, pool) for _ in range(size)], np.int64)


def enough(law):
    """So many that 3 % are more than ten standard deviations of the best test there is, which rejects at six."""
    return 60_000 if law.quadratic else 120_000


@pytest.mark.slow
@every_law
def test_single_draws_follow_the_law_and_none_3_percent_wider_or_narrower(law):
    check_both_ways(singles(threshold_table(law, COARSE), enough(law)), law)


@pytest.mark.slow
@some_laws
def test_single_draws_from_fine_bins_follow_the_law_too(law):
    check_both_ways(singles(threshold_table(law, FINE), enough(law)), law)


@pytest.mark.slow
@pytest.mark.parametrize("law", [laplace(1), laplace(10), gaussian(10)], ids=["laplace 1", "laplace 10", "gaussian 10"])
def test_draws_that_locate_every_bin_from_scratch_follow_the_law_and_none_3_percent_off(law, monkeypatch):
    monkeypatch.setattr(table_module, "_bins", lru_cache(table_module._bins))  # a pure function, asked 100 000 times
    without_thresholds = ThresholdTable(law, threshold_table(law, COARSE).width_bits, ())
    check_both_ways(singles(without_thresholds, enough(law)), law)


@some_laws
def test_a_few_single_draws_follow_the_law(law):
    sample = singles(threshold_table(law, COARSE), 20_000)
    assert fit(sample, law) > FALSE_ALARM
    assert fit(sample, stretched(law, 2)) < FALSE_ALARM


def test_the_public_calls_follow_the_law_and_none_3_percent_wider_or_narrower():
    check_both_ways(discrete_laplace("50/7", size=1_000_000), laplace(Fraction(50, 7)))
    check_both_ways(discrete_gaussian("2500/49", size=1_000_000), gaussian(Fraction(50, 7)))


def test_noise_a_thousand_times_narrower_than_one_is_zero():
    assert not draw_many(threshold_table(laplace(TINY), FINE), 100_000, Keystream()).any()
    assert not draw_many(threshold_table(gaussian(TINY), FINE), 100_000, Keystream()).any()
    assert not singles(threshold_table(laplace(TINY), COARSE), 10_000).any()


@pytest.mark.parametrize("law", [make(width) for make in (laplace, gaussian) for width in (10**6, 2**34, 2**50)])
def test_the_last_digits_of_wide_noise_are_uniform_and_none_is_3_percent_likelier(law):
    counts = np.bincount(draw_many(threshold_table(law, FINE), 4_000_000, Keystream()) & 15, minlength=16)
    assert chi_square(counts, np.full(16, 1 / 16)) > FALSE_ALARM
    for off in (0.97, 1.03):
        wrong = np.where(np.arange(16) < 8, off, 2 - off) / 16
        assert chi_square(counts, wrong) < FALSE_ALARM


def test_values_become_rarer_inside_a_bin_as_they_should_and_are_not_spread_evenly():
    width, scale = 1024, 40 * 1024
    made = threshold_table(laplace(scale), FINE)
    assert made.width == width
    sample = draw_many(made, 8_000_000, Keystream())
    offset = np.where(sample >= 0, sample, -1 - sample) % width  # from the value nearest zero, on either side
    counts = np.bincount(offset // 128, minlength=8)
    share = np.exp(-np.arange(8) * 128 / scale)
    assert chi_square(counts, share / share.sum()) > FALSE_ALARM
    assert chi_square(counts, np.full(8, 1 / 8)) < FALSE_ALARM


@pytest.mark.parametrize("law", [laplace(2**50), gaussian(2**50)], ids=["laplace", "gaussian"])
def test_the_widest_arrays_follow_the_law_and_none_3_percent_wider_or_narrower(law):
    check_both_ways(draw_many(threshold_table(law, FINE), 1_000_000, Keystream()), law)


@some_laws
def test_neighbouring_draws_have_nothing_to_do_with_each_other(law):
    sample = draw_many(threshold_table(law, FINE), 1_000_000, Keystream())
    first, second = (sample[k::2] > 3 for k in (0, 1))
    p = float(np.mean(sample > 3))
    counts = np.bincount(2 * first + second, minlength=4)
    assert chi_square(counts, [(1 - p) ** 2, p * (1 - p), p * (1 - p), p * p]) > FALSE_ALARM
    assert chi_square(counts, [(1 - p) ** 2 + 0.01, p * (1 - p) - 0.01, p * (1 - p) - 0.01, p * p + 0.01]) < FALSE_ALARM
