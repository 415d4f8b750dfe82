"""Exact noise at length: eight million draws per law, and a billion with every exact completion counted."""

import time
from math import sqrt

import numpy as np
import pytest
from scipy import stats
from tests.noise.replay import LAWS, Pool
from tests.statistics.fit import FALSE_ALARM, WRONG_BY_3_PERCENT, scale_fit, shape_fit, stretched, two_sided

from discreet.noise import many, one
from discreet.noise.keystream import Keystream
from discreet.noise.law import Law
from discreet.noise.many import draw_many
from discreet.noise.one import draw_one
from discreet.noise.probabilities import total_variance
from discreet.noise.threshold_table import threshold_table

pytestmark = pytest.mark.soak
FINE, COARSE = 40, 4
BILLION, PIECE = 10**9, 10**6
every_law = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)


def check_both_ways(sample, law, what):
    shape, scale = shape_fit(sample, law), scale_fit(sample, law)
    off = [max(shape_fit(sample, wrong), scale_fit(sample, wrong)) for wrong in (stretched(law, by) for by in WRONG_BY_3_PERCENT)]
    print(f"\n  {what}: {sample.size} draws, p = {shape:.3f} by shape, {scale:.3f} by scale; 3 % off: {max(off):.0e}")
    assert min(shape, scale) > FALSE_ALARM / 2
    assert max(off) < FALSE_ALARM / 2


@every_law
def test_eight_million_draws_follow_the_law_and_none_3_percent_wider_or_narrower(law):
    check_both_ways(draw_many(threshold_table(law, FINE), 8_000_000, Keystream()), law, "many")


@every_law
def test_eight_million_words_through_the_second_filter_follow_the_law_and_none_3_percent_off(law):
    stream, words = Keystream(), np.empty(8_000_000, np.uint64)
    stream.fill(words)
    values, kept = many._settle(many._guide(threshold_table(law, FINE)), words, stream)
    check_both_ways(values[kept], law, "second filter")


@every_law
def test_two_million_single_draws_follow_the_law_and_none_3_percent_wider_or_narrower(law):
    coarse, pool = threshold_table(law, COARSE), Pool(Keystream())
    check_both_ways(np.array([draw_one(coarse, pool) for _ in range(2_000_000)], np.int64), law, "one by one")


class Counted:
    """A function that counts its calls."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, *arguments):
        self.calls += 1
        return self.function(*arguments)


def fourth_moment(law: Law) -> float:
    if law.quadratic:
        return 3 * float(total_variance(law)[1]) ** 2  # wide: as of the continuous law
    q = np.exp(-float(law.linear))
    return 2 * q * (1 + 10 * q + q * q) / (1 - q) ** 4


def expected_completions(law: Law) -> float:
    """How often the second filter should leave the keeping of a value open, per draw."""
    made = threshold_table(law, FINE)
    guide, stream, drawn = many._guide(made), Keystream(), np.empty((2, 1_000_000), np.uint64)
    if not made.width_bits:
        return 0.0
    stream.fill(drawn)
    index, _ = many._bins_of(guide, drawn[0])
    low, high = many._keep_bounds(guide, index, (drawn[1] & np.uint64(made.width - 1)).astype(np.int64))
    return float(np.mean(high - low)) / 2**32


BILLIONS = {name: LAWS[name] for name in ("laplace 10", "laplace 10^6", "gaussian 10", "gaussian 10^6")}


@pytest.mark.parametrize("law", BILLIONS.values(), ids=BILLIONS)
def test_a_billion_draws_have_the_right_moments_and_are_completed_as_rarely_as_they_should_be(law, monkeypatch):
    located, completed = Counted(one.locate), Counted(many.is_kept)
    monkeypatch.setattr(one, "locate", located)
    monkeypatch.setattr(many, "is_kept", completed)
    made, stream, start = threshold_table(law, FINE), Keystream(), time.perf_counter()
    total = squares = most = 0
    for _ in range(BILLION // PIECE):
        drawn = draw_many(made, PIECE, stream)
        total += int(drawn.sum())
        squares += int(np.dot(drawn, drawn))
        most = max(most, int(drawn.max()), -int(drawn.min()))
    seconds = time.perf_counter() - start

    variance = float(total_variance(law)[0])
    mean_off = total / sqrt(BILLION * variance)
    spread = sqrt((fourth_moment(law) - variance**2) / BILLION)
    square_off = (squares / BILLION - variance) / spread
    rare = BILLION * (2**64 - 1 - made.thresholds[-1] + len(set(made.thresholds))) / 2**64
    open_ = BILLION * expected_completions(law)
    print(f"\n  {BILLION} draws and their sums in {seconds:.0f} s; largest {most / sqrt(variance):.1f} standard deviations out")
    print(f"  mean {mean_off:+.2f} and variance {square_off:+.2f} standard errors off; 3 % of the scale would be "
          f"{0.06 * variance / spread:.0f}")
    print(f"  bins located from scratch: {located.calls} (expected {rare:.1e}); kept or not by exact digits: {completed.calls} "
          f"(expected about {open_:.0f})")
    assert two_sided(mean_off) > FALSE_ALARM
    assert two_sided(square_off) > FALSE_ALARM
    for factor in WRONG_BY_3_PERCENT:
        assert two_sided((squares / BILLION - variance * float(factor) ** 2) / spread) < FALSE_ALARM
    assert stats.poisson.sf(located.calls - 1, rare) > FALSE_ALARM
    assert abs(completed.calls - open_) <= 6.2 * sqrt(open_) + 0.02 * open_ + located.calls
