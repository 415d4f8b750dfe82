"""Coins fall as often as they should."""

from fractions import Fraction
from math import exp

import pytest
from tests.noise.replay import Pool
from tests.statistics.fit import FALSE_ALARM, binomial_fit

from discreet.noise.bernoulli import bernoulli, bernoulli_exp_minus
from discreet.noise.keystream import Keystream


def test_rational_coins_fall_as_often_as_they_should_and_not_3_percent_off():
    pool, trials = Pool(Keystream()), 200_000
    heads = sum(bernoulli(Fraction(3, 7), pool) for _ in range(trials))
    assert binomial_fit(heads, trials, 3 / 7) > FALSE_ALARM
    assert binomial_fit(heads, trials, 3 / 7 * 0.97) < FALSE_ALARM
    assert binomial_fit(heads, trials, 3 / 7 * 1.03) < FALSE_ALARM


@pytest.mark.slow
def test_exponential_coins_fall_as_often_as_they_should_and_not_as_if_x_were_3_percent_off():
    pool, trials, x = Pool(Keystream()), 190_000, Fraction(8, 5)
    heads = sum(bernoulli_exp_minus(x, pool) for _ in range(trials))
    assert binomial_fit(heads, trials, exp(-1.6)) > FALSE_ALARM
    assert binomial_fit(heads, trials, exp(-1.6 * 0.97)) < FALSE_ALARM
    assert binomial_fit(heads, trials, exp(-1.6 * 1.03)) < FALSE_ALARM
