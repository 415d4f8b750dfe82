"""How far weighted sums of noise reach, and the intervals of ratios."""

from fractions import Fraction

import numpy as np
import pytest

from discreet.noise import discrete_gaussian, discrete_laplace
from discreet.noise.law import Law, discrete_gaussian_law, discrete_laplace_law
from discreet.statistics.reach import ratio_interval, reach

pytestmark = pytest.mark.slow
DRAWS = 400_000
WEIGHTS = [(1.0,), (1.0, 1.0), (1.0, 1.0, 1.0), (0.95, -0.05), (0.5, -0.5), (-0.2, 0.3, 0.8), (0.0, 0.5, 1.0)]


def noise(law: Law, terms: int) -> np.ndarray:
    if law.quadratic:
        return np.array([discrete_gaussian(1 / (2 * law.quadratic), DRAWS) for _ in range(terms)])
    return np.array([discrete_laplace(1 / law.linear, DRAWS) for _ in range(terms)])


def is_plausible(misses: float, alpha: float) -> bool:
    """Six standard errors: a false alarm once in 5e8 runs."""
    return abs(misses - alpha) <= 6 * (alpha * (1 - alpha) / DRAWS) ** 0.5


@pytest.mark.parametrize("law", [discrete_laplace_law(Fraction(1000)), discrete_gaussian_law(Fraction(10**6))])
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_weighted_sums_of_noise_reach_as_far_as_claimed(law, weights, alpha):
    far = reach(law, weights, alpha)
    sizes = np.abs(np.array(weights) @ noise(law, len(weights)))
    assert (sizes > far).mean() <= alpha + 6 * (alpha / DRAWS) ** 0.5
    assert (sizes > 0.97 * far).mean() > alpha                      # and three per cent less would not do
    assert not is_plausible((sizes > 0.95 * far).mean(), alpha)


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(3)])
def test_the_reach_holds_where_noise_is_only_a_few_steps_wide(scale):
    law = discrete_laplace_law(scale)
    sizes = np.abs(np.array((1.0, -1.0)) @ noise(law, 2))
    assert (sizes > reach(law, (1.0, -1.0), 0.05)).mean() <= 0.05 + 6 * (0.05 / DRAWS) ** 0.5


@pytest.mark.parametrize("law", [discrete_laplace_law(Fraction(1000)), discrete_gaussian_law(Fraction(10**6))])
@pytest.mark.parametrize(
    ("exact", "numerator"),
    [
        ((95_000, 5_000), (0.0, 1.0)),
        ((4_000, 6_000), (0.0, 1.0)),
        ((50_000, 40_000, 10_000), (0.0, 0.5, 1.0)),
        ((1_000, 0), (0.0, 1.0)),
    ],
)
def test_the_interval_of_a_ratio_holds_it_as_often_as_it_says(law, exact, numerator):
    truth = np.dot(exact, numerator) / sum(exact)
    released = np.array(exact).reshape(-1, 1) + noise(law, len(exact))
    low, high = ratio_interval(released.astype(np.float64), numerator, law, 0.1)
    misses = ((truth < low) | (truth > high)).mean()
    assert misses <= 0.1 + 6 * (0.1 / DRAWS) ** 0.5
    if sum(exact) > 20_000:                                         # where it is not cut off by what is possible
        assert misses >= 0.09


def test_a_cell_with_almost_no_rows_says_nothing_about_its_ratio():
    low, high = ratio_interval(np.array([[10.0], [-20.0]]), (0.0, 1.0), discrete_laplace_law(Fraction(1000)), 0.05)
    assert (low[0], high[0]) == (0.0, 1.0)
