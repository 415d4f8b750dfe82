"""delta(epsilon) of the discrete laws against sums over every output, and of the continuous ones against integrals."""

import itertools
import math
from fractions import Fraction

import mpmath
import pytest

from discreet.noise.law import Law, discrete_gaussian_law, discrete_laplace_law
from discreet.privacy.curves import continuous_gaussian_delta, continuous_laplace_delta, delta_after_shift, least_variance

TINY = mpmath.mpf(10) ** -25


def mp(number):
    number = Fraction(number)
    return mpmath.mpf(number.numerator) / number.denominator


def brute_delta(law: Law, shift: int, epsilon):
    """The sum of what each output is likelier by than e^epsilon allows: nothing but the weights, and no closed form."""
    linear, quadratic = mp(law.linear), mp(law.quadratic)
    reach = int(12 / mpmath.sqrt(2 * quadratic) if quadratic else 65 / linear) + shift + 10
    weights = {z: mpmath.exp(-linear * abs(z) - quadratic * z * z) for z in range(-reach - shift, reach + shift + 1)}
    factor = mpmath.exp(epsilon)
    over = mpmath.fsum(max(mpmath.mpf(0), weights[z] - factor * weights[z + shift]) for z in range(-reach, reach + 1))
    return over / mpmath.fsum(weights.values())


LAWS = [discrete_laplace_law(Fraction(1, 2)), discrete_laplace_law(Fraction(50, 7)), discrete_laplace_law(Fraction(20)),
        discrete_gaussian_law(Fraction(1, 3)), discrete_gaussian_law(Fraction(18)), discrete_gaussian_law(Fraction(70**2)),
        discrete_gaussian_law(Fraction(997, 10))]


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{law.linear}-{law.quadratic}")
@pytest.mark.parametrize("epsilon", ["1/100", "1/2", "3"])
def test_delta_is_what_summing_over_every_output_gives(law, epsilon):
    for shift in (1, 2, 7, 30):
        low, high = delta_after_shift(law, shift, Fraction(epsilon))
        true = brute_delta(law, shift, mp(epsilon))
        assert mp(low) - TINY <= true <= mp(high) + TINY
        assert mp(high) - mp(low) <= max(mpmath.mpf(2) ** -44 * true, TINY)


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{law.linear}-{law.quadratic}")
def test_delta_never_falls_when_the_shift_grows_or_epsilon_shrinks(law):
    for epsilon in (Fraction(1, 50), Fraction(1), Fraction(4)):
        by_shift = [delta_after_shift(law, shift, epsilon) for shift in range(1, 40)]
        assert all(before[0] <= after[1] for before, after in itertools.pairwise(by_shift))
    by_epsilon = [delta_after_shift(law, 3, Fraction(k, 10)) for k in range(1, 60)]
    assert all(after[0] <= before[1] for before, after in itertools.pairwise(by_epsilon))


def test_delta_is_not_monotone_in_the_variance():
    at = {sigma: delta_after_shift(discrete_gaussian_law(Fraction(sigma) ** 2), 1, Fraction(5)) for sigma in ("0.837", "0.9")}
    assert at["0.837"][1] < Fraction("5e-6") < at["0.9"][0]


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1, 4])
@pytest.mark.parametrize("ratio", [0.1, 1, 3, 6])
def test_continuous_curves_are_what_integration_gives(epsilon, ratio):
    def gaussian(x):
        return mpmath.npdf(x) - mpmath.exp(epsilon) * mpmath.npdf(x + ratio)

    def laplace(x):
        return (mpmath.exp(-abs(x)) - mpmath.exp(epsilon - abs(x + ratio))) / 2

    start = mpmath.mpf(epsilon) / ratio - mpmath.mpf(ratio) / 2                  # to the right of it the first is larger
    found = continuous_gaussian_delta(epsilon, ratio)
    assert found == pytest.approx(float(mpmath.quad(gaussian, [start, start + 2, start + 5, start + 20])), rel=1e-7, abs=1e-15)
    found = continuous_laplace_delta(epsilon, ratio)
    if epsilon >= ratio:
        assert found == 0
    else:
        start = (mpmath.mpf(epsilon) - ratio) / 2
        assert found == pytest.approx(float(mpmath.quad(laplace, [start, 0, 5, 60])), rel=1e-9)


@pytest.mark.parametrize("epsilon", ["1/10", "1"])
def test_on_a_fine_grid_the_discrete_curves_become_the_continuous_ones(epsilon):
    steps = 1 << 16                                           # in units of the sensitivity
    for ratio in (Fraction(1, 2), Fraction(2)):
        wide = Fraction(steps) / ratio
        low, high = delta_after_shift(discrete_gaussian_law(wide**2), steps, Fraction(epsilon))
        assert float(low) == pytest.approx(continuous_gaussian_delta(float(Fraction(epsilon)), float(ratio)), rel=1e-6)
        assert float(high) == pytest.approx(float(low), rel=1e-9)
        low, high = delta_after_shift(discrete_laplace_law(wide), steps, Fraction(epsilon))
        assert float(high) == pytest.approx(continuous_laplace_delta(float(Fraction(epsilon)), float(ratio)), rel=1e-4, abs=1e-12)


@pytest.mark.parametrize(("epsilon", "delta", "shift"), [
    ("1", "1e-6", 1), ("1", "1e-6", 2), ("1", "1e-6", 1 << 20), ("5", "5e-6", 1), ("1/10", "1e-9", 5), ("12", "1e-12", 3),
    ("1e-6", "1e-9", 1), ("40", "1e-10", 1), ("1", "0.9", 1), ("1", "1e-250", 2), ("1/1000", "0.3", 4)])
def test_the_least_variance_passes_and_slightly_less_fails(epsilon, delta, shift):
    epsilon, delta = Fraction(epsilon), Fraction(delta)
    variance = least_variance(epsilon, delta, shift)
    assert delta_after_shift(discrete_gaussian_law(variance), shift, epsilon)[1] <= delta
    assert delta_after_shift(discrete_gaussian_law(variance * Fraction(99, 100)), shift, epsilon)[0] > delta


def test_the_least_variance_is_close_to_the_continuous_one_where_that_is_wide():
    for shift in (3, 50, 1 << 20):
        sigma = math.sqrt(least_variance(Fraction(1), Fraction("1e-6"), shift))
        assert continuous_gaussian_delta(1.0, shift / sigma) == pytest.approx(1e-6, rel=0.005 if shift > 3 else 0.05)
