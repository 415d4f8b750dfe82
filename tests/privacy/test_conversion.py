"""From rho to (epsilon, delta): never below the truth of the bound, and close to its best value."""

from fractions import Fraction

import mpmath
import pytest

import discreet as dc
from discreet.privacy.conversion import delta_of, epsilon_of, rho_of, rounded_up

RHOS = ["1e-6", "1/200", "1/50", "1/2", "3", "40"]
DELTAS = ["1e-2", "1e-6", "1e-12", "1e-100"]


def mp(number):
    number = Fraction(number)
    return mpmath.mpf(number.numerator) / number.denominator


def log_delta_at(alpha, rho, epsilon):
    return (alpha - 1) * (alpha * rho - epsilon) + alpha * mpmath.log1p(-1 / alpha) - mpmath.log(alpha - 1)


def epsilon_at(alpha, rho, delta):
    return alpha * rho + (alpha * mpmath.log1p(-1 / alpha) - mpmath.log(alpha - 1) - mpmath.log(delta)) / (alpha - 1)


def least(bound):
    """The least value of a bound over alpha > 1, by narrowing down on a grid of logarithms, in 40 digits."""
    centre, width = mpmath.mpf(0), mpmath.mpf(40)
    for _ in range(40):
        grid = [centre + width * k / 12 for k in range(-12, 13)]
        centre = min(grid, key=lambda x: bound(1 + mpmath.exp(x)))
        width /= 4
    return bound(1 + mpmath.exp(centre))


@pytest.mark.slow
@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("delta", DELTAS)
def test_epsilon_is_never_below_the_best_bound_and_within_a_millionth_of_it(rho, delta):
    best = max(mpmath.mpf(0), least(lambda alpha: epsilon_at(alpha, mp(rho), mp(delta))))
    found = mp(epsilon_of(Fraction(rho), Fraction(delta)))
    assert best <= found <= best * (1 + mpmath.mpf("1e-6")) + mpmath.mpf("1e-15")


@pytest.mark.slow
@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("epsilon", ["1/100", "1", "10", "60"])
def test_delta_is_never_below_the_best_bound_and_within_a_millionth_of_it(rho, epsilon):
    best = least(lambda alpha: log_delta_at(alpha, mp(rho), mp(epsilon)))
    found = mpmath.log(mp(delta_of(Fraction(rho), Fraction(epsilon))))
    if best < -4090:                                          # e^-4096 stands for all that is smaller
        assert found == pytest.approx(-4096, rel=1e-9)
    else:
        assert min(best, 0) <= found <= min(best, 0) + mpmath.mpf("1e-6")


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("delta", DELTAS)
def test_what_rho_implies_holds_for_gaussian_noise_of_that_rho(rho, delta):
    """Continuous Gaussian noise, whose delta is known: the conversion must never promise less than it."""
    epsilon = mp(epsilon_of(Fraction(rho), Fraction(delta)))
    ratio = mpmath.sqrt(2 * mp(rho))
    true = mpmath.ncdf(ratio / 2 - epsilon / ratio) - mpmath.exp(epsilon) * mpmath.ncdf(-ratio / 2 - epsilon / ratio)
    assert true <= mp(delta)


@pytest.mark.slow
@pytest.mark.parametrize("delta", DELTAS[:3])
@pytest.mark.parametrize("epsilon", ["1/100", "1", "10", "60"])
def test_the_largest_rho_for_epsilon_and_delta_implies_them_and_slightly_more_does_not(epsilon, delta):
    rho = rho_of(Fraction(epsilon), Fraction(delta))
    assert delta_of(rho, Fraction(epsilon)) <= Fraction(delta)
    more = rho * (1 + Fraction(1, 10**6))
    assert least(lambda alpha: log_delta_at(alpha, mp(more), mp(epsilon))) > mpmath.log(mp(delta))
    assert epsilon_of(rho, Fraction(delta)) <= Fraction(epsilon) * (1 + Fraction(1, 10**9))


def test_published_values():
    # a hundred Laplace releases at 0.1, or one Gaussian release of standard deviation 1: Canonne, Kamath and Steinke's bound
    half = dc.sequential(dc.Pure(epsilon="0.1").to_concentrated(), count=100)
    assert half == dc.Concentrated(rho="1/2")
    assert float(half.to_approximate("1e-6").epsilon) == pytest.approx(5.2215, abs=5e-5)
    assert float(dc.Concentrated(rho=5).to_approximate("1e-6").epsilon) == pytest.approx(20.552, abs=5e-4)
    # never worse than the simple rho + 2 sqrt(rho ln(1 / delta)) of Bun and Steinke
    for rho in RHOS:
        simple = mp(rho) + 2 * mpmath.sqrt(mp(rho) * mpmath.log(10**6))
        assert mp(epsilon_of(Fraction(rho), Fraction("1e-6"))) < simple


def test_a_loss_of_nothing_stays_nothing():
    assert epsilon_of(Fraction(0), Fraction("1e-6")) == 0
    assert delta_of(Fraction(0), Fraction(1)) == 0
    assert dc.Concentrated(rho=0).to_approximate("1e-6") == dc.Approximate(epsilon=0, delta="1e-6")


@pytest.mark.parametrize("x", ["1/3", "2/3000000007", "123456789012345678", "99999999999999999999", "1", "0", "-1/3", "1e-3000"])
def test_rounding_up_goes_up_and_by_little(x):
    x = Fraction(x)
    up = rounded_up(x)
    assert x <= up <= x + abs(x) * Fraction(1, 10**11)
    assert rounded_up(up) == up
