"""Exact probabilities against mpmath: narrow and wide, near and far, and where two methods meet."""

from fractions import Fraction
from itertools import count

import mpmath
import pytest
from tests.noise.oracle import real, weight
from tests.noise.replay import LAWS, TINY, gaussian, laplace

from discreet.noise.law import Law, discrete_gaussian_law
from discreet.noise.probabilities import _all, _by_integral, _relative_tail, mass, tail, total_variance

WITH_TINY = LAWS | {"laplace tiny": laplace(TINY), "gaussian tiny": gaussian(TINY)}
every_law = pytest.mark.parametrize("law", WITH_TINY.values(), ids=WITH_TINY)
DIGITS = 60
HELD = 745  # a float holds exp(-745), just


def total(law: Law):
    """The sum of all weights; the theta function where it is a Gaussian, by Poisson's formula where that is wide."""
    if not law.quadratic:
        return mpmath.coth(real(law.linear) / 2)
    if law.quadratic < Fraction(1, 50):
        root = mpmath.sqrt(mpmath.pi / real(law.quadratic))
        return root * (1 + 2 * mpmath.exp(-(mpmath.pi**2) / real(law.quadratic)))
    return mpmath.jtheta(3, 0, mpmath.exp(-real(law.quadratic)))


def tail_sum(law: Law, value: int):
    """The sum of the weights at value >= 1 and beyond."""
    if not law.quadratic:
        return weight(law, value) / -mpmath.expm1(-real(law.linear))
    if law.spread < 3000:
        found = mpmath.mpf(0)
        for size in count(value):
            found += (term := weight(law, size))
            if term < mpmath.eps * found:
                return found
    return mpmath.sumem(lambda x: mpmath.exp(-real(law.quadratic) * x * x), [value, mpmath.inf], tol=mpmath.mpf(10) ** -40,
                        integral=integral(law, value))  # fmt: skip


def integral(law: Law, value: int):
    root = mpmath.sqrt(real(law.quadratic))
    return mpmath.sqrt(mpmath.pi) / (2 * root) * mpmath.erfc(root * value)


def check(between, truth, most=1e-12):
    """The truth is enclosed, and so closely that a float would be right to twelve digits."""
    low, high = between
    slack = mpmath.mpf(10) ** -36  # of the oracle
    assert real(low) <= truth * (1 + slack)
    assert truth * (1 - slack) <= real(high)
    assert real(high - low) <= most * truth
    assert abs(float((low + high) / 2) / truth - 1) < 1e-12 or truth < 1e-290


def values(law: Law):
    spread = max(law.spread, 1)
    found = {0, 1, 2, 3, spread // 2, spread, 2 * spread, 5 * spread + 1, 12 * spread, 30 * spread}
    return sorted(value for value in found if law.exponent(value) < HELD)


@every_law
def test_a_mass_is_what_mpmath_says_on_both_sides(law):
    with mpmath.workdps(DIGITS):
        for value in values(law):
            truth = weight(law, value) / total(law)
            check(mass(law, value), truth, most=1e-28)
            assert mass(law, -value) == mass(law, value)


@every_law
def test_a_tail_is_what_mpmath_says_on_both_sides(law):
    with mpmath.workdps(DIGITS):
        for value in values(law):
            if value:
                truth = tail_sum(law, value) / total(law)
                check(tail(law, value), truth)
                check(tail(law, 1 - value), 1 - truth)
        check(tail(law, 0), (1 + 1 / total(law)) / 2)


@every_law
def test_all_probabilities_add_up_to_one(law):
    reach = min(20 * law.spread + 5, 300)
    inside = [mass(law, value) for value in range(-reach, reach + 1)]
    outside = tail(law, reach + 1)
    assert sum(m[0] for m in inside) + 2 * outside[0] <= 1 <= sum(m[1] for m in inside) + 2 * outside[1]
    assert sum(m[1] - m[0] for m in inside) + 2 * (outside[1] - outside[0]) < Fraction(1, 10**12)


@every_law
def test_neighbouring_tails_differ_by_a_mass(law):
    for value in (-3, 0, 1, 2, law.spread + 1, 3 * law.spread + 1):
        here, next_, between = tail(law, value), tail(law, value + 1), mass(law, value)
        assert here[0] - next_[1] <= between[1]
        assert between[0] <= here[1] - next_[0]


# ---- where the integral takes over


@pytest.mark.slow
@pytest.mark.parametrize("deviation", [64, 65, Fraction(201, 3), 100, 300])
def test_integral_and_sum_agree_where_both_can_be_used(deviation):
    law = gaussian(deviation)
    with mpmath.workdps(DIGITS):
        for value in (1, 2, 10, 64, 100, int(deviation), 2 * int(deviation), int(Fraction(3, 16) * deviation**2)):
            truth = tail_sum(law, value) / weight(law, value)
            check(_by_integral(law, value, 112), truth, most=2**-46)
            check(_relative_tail(law, value, 112), truth, most=2**-46)


def test_a_sum_takes_over_just_where_the_law_is_narrow_or_falls_fast():
    with mpmath.workdps(DIGITS):
        for variance in (4095, 4096, Fraction(8193, 2)):
            law = discrete_gaussian_law(Fraction(variance))
            for value in (767, 768, 769, 800):  # slopes on both sides of 3/16
                check(_relative_tail(law, value, 112), tail_sum(law, value) / weight(law, value), most=2**-46)


@pytest.mark.parametrize("variance", [63, 64, Fraction(129, 2), 100, 5000])
def test_the_sum_of_weights_is_enclosed_where_poissons_formula_takes_over(variance):
    law = discrete_gaussian_law(Fraction(variance))
    with mpmath.workdps(DIGITS):
        low, high = _all(law, 112)
        truth = 2 * tail_sum(law, 1) + 1
        assert real(low) * (1 - mpmath.mpf(10) ** -50) <= truth <= real(high) * (1 + mpmath.mpf(10) ** -50)
        assert high - low < Fraction(1, 2**100)


# ---- far out


@pytest.mark.slow
@pytest.mark.parametrize("law", [laplace(10), gaussian(10), gaussian(1000), gaussian(10**6), gaussian(2**34)])
def test_far_tails_are_enclosed_down_to_what_a_float_can_hold_and_beyond(law):
    unit = law.spread
    with mpmath.workdps(DIGITS):
        for value in (30 * unit, 38 * unit, 50 * unit):
            check(tail(law, value), tail_sum(law, value) / total(law))
        for value in (91 * unit, 500 * unit, 5000 * unit):  # too small for a float: enclosed, and no more is asked
            low, high = tail(law, value)
            slack = mpmath.mpf(10) ** -36
            assert real(low) * (1 - slack) <= tail_sum(law, value) / total(law) <= real(high) * (1 + slack)


@pytest.mark.parametrize("exponent", [160, 300, 2000])
def test_far_tails_of_laws_wider_than_anything_are_enclosed(exponent):
    law = discrete_gaussian_law(Fraction(2) ** exponent)
    value = 100 << exponent // 2
    with mpmath.workdps(DIGITS):
        low, high = _relative_tail(law, value, 112)
        assert real(low) <= integral(law, value) / weight(law, value) <= real(high)
        low, high = tail(law, value)
        assert 0 <= real(low) <= integral(law, value) / total(law) <= real(high)


@every_law
def test_probabilities_beyond_reason_are_zero_as_floats(law):
    for value in (10**6 * (law.spread + 1), 10**40 * (law.spread + 1)):
        for low, high in (mass(law, value), tail(law, value)):
            assert 0 <= low <= high
            assert float(high) == 0
        assert float(tail(law, -value)[0]) == 1


# ---- variance


@pytest.mark.parametrize("law", [law for law in WITH_TINY.values() if law.exponent(1) < 3000])
def test_a_variance_is_what_mpmath_says(law):
    with mpmath.workdps(DIGITS):
        check(total_variance(law), variance(law), most=1e-25)


@pytest.mark.parametrize("nominal", ["1/1000", "1/100", "1/10", "1/2", "1", "7", "63", "127/2", "64", "65", "1000"])
def test_the_variance_of_a_narrow_gaussian_is_below_the_nominal_one_and_what_mpmath_says(nominal):
    law = discrete_gaussian_law(Fraction(nominal))
    with mpmath.workdps(DIGITS):
        check(total_variance(law), variance(law), most=1e-25)
    assert total_variance(law)[0] < Fraction(nominal)


def variance(law: Law):
    if not law.quadratic:
        return 1 / (2 * mpmath.sinh(real(law.linear) / 2) ** 2)
    if law.spread > 1000:
        return 1 / (2 * real(law.quadratic))
    found = mpmath.mpf(0)
    for size in count(1):
        found += (term := 2 * size * size * weight(law, size))
        if term < mpmath.eps * found and size > law.spread:
            return found / total(law)
    return None
