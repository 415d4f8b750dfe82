"""The reach of a sum of many draws, against the exact law of that sum."""

from fractions import Fraction

import numpy as np
import pytest

from discreet.noise.law import discrete_gaussian_law, discrete_laplace_law
from discreet.statistics.totals import total_reach


def exact_reach(law, draws, alpha):
    """The least whole a with P(|S| > a) ≤ alpha, by convolution."""
    span = 60 * (law.spread + 1)
    z = np.arange(-span, span + 1, dtype=float)
    one = np.exp(-float(law.linear) * np.abs(z) - float(law.quadratic) * z * z)
    total = np.array([1.0])
    for _ in range(draws):
        total = np.convolve(total, one / one.sum())
    away = np.abs(np.arange(len(total)) - len(total) // 2)
    tails = np.bincount(away, total)[::-1].cumsum()[::-1]  # P(|S| ≥ a)
    return int(np.argmax(tails <= alpha)) - 1


LAWS = discrete_laplace_law(Fraction(3)), discrete_laplace_law(Fraction(1, 2)), discrete_gaussian_law(Fraction(9))


@pytest.mark.parametrize("law", LAWS)
def test_the_reach_of_a_total_holds_and_is_not_much_wider_than_it_has_to_be(law):
    for draws, widest in ((1, 1.0), (2, 1.3), (12, 1.45), (60, 1.45)):
        for alpha in (0.05, 0.001):
            needed, found = exact_reach(law, draws, alpha), total_reach(law, draws, alpha)
            assert needed <= found <= widest * needed + 1, (draws, alpha)


def test_the_reach_of_a_total_is_finite_at_every_scale():
    for scale in (Fraction(1, 10**300), Fraction(10**300)):
        for draws in (1, 5, 10**6):
            assert 0 <= total_reach(discrete_laplace_law(scale), draws, 1e-12) < float("inf")
