"""Every enclosure holds the truth, as mpmath knows it, and is narrow."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from discreet.noise import enclosures
from discreet.noise.enclosures import exp, exp_minus, floor_and_ceiling, log, narrowed, pi, square_root

any_bits = st.integers(1, 400)
whole = st.integers(0, 10**18)
ratios = st.builds(Fraction, st.integers(1, 2**70), st.integers(1, 2**70))
positive = st.builds(lambda ratio, power: ratio * Fraction(2) ** power, ratios, st.integers(-80, 80))
moderate = st.builds(Fraction, st.integers(0, 2**80), st.integers(2**72, 2**76))  # up to 256


def check(enclosure, truth, bits, width=4):
    """``truth(m)`` computes the number in the context m, at far more digits than the enclosure has."""
    low, high = enclosure
    with mpmath.workprec(2 * bits + 1500):
        scaled = mpmath.ldexp(truth(mpmath), bits)
        slack = mpmath.ldexp(abs(scaled) + 1, -1000)  # mpmath's own rounding
        assert low - slack <= scaled <= high + slack
    assert high - low <= width


def real(x):
    return mpmath.mpf(x.numerator) / x.denominator


@given(x=st.one_of(positive, moderate), bits=any_bits)
@example(x=Fraction(0), bits=1)
@example(x=Fraction(0), bits=200)
@example(x=Fraction(1), bits=1)
@example(x=Fraction(1, 10**300), bits=64)
@example(x=Fraction(10**300), bits=64)
@example(x=Fraction(399), bits=400)
def test_exp_minus_is_enclosed(x, bits):
    if x > 10**6:  # beyond what mpmath's exponent range should be asked for
        assert exp_minus(x, bits) == (0, 1)
    else:
        check(exp_minus(x, bits), lambda m: m.exp(-real(x)), bits)


@pytest.mark.parametrize("bits", [1000, 5000])
def test_exp_minus_stays_narrow_at_many_digits(bits):
    check(exp_minus(Fraction(355, 113), bits), lambda m: m.exp(-real(Fraction(355, 113))), bits)


def test_exp_minus_of_nothing_is_one_exactly():
    assert exp_minus(Fraction(0), 64) == (1 << 64, 1 << 64)


@given(x=st.one_of(moderate, moderate.map(lambda x: -x), positive.map(lambda x: min(x, Fraction(300)))), bits=any_bits)
@example(x=Fraction(1), bits=1)
@example(x=Fraction(1, 10**300), bits=1)
@example(x=Fraction(3, 2), bits=1)
@example(x=Fraction(2000), bits=64)
def test_exp_is_enclosed(x, bits):
    check(exp(x, bits), lambda m: m.exp(real(x)), bits)


@given(x=positive, bits=any_bits)
@example(x=Fraction(1), bits=1)
@example(x=Fraction(2), bits=1)
@example(x=Fraction(4, 3), bits=64)
@example(x=Fraction(2, 3), bits=64)
@example(x=1 + Fraction(1, 10**300), bits=64)
@example(x=1 - Fraction(1, 10**300), bits=64)
@example(x=Fraction(10**900), bits=64)
@example(x=Fraction(1, 10**900), bits=64)
@example(x=Fraction(2**64 - 1, 2**64), bits=192)
def test_log_is_enclosed(x, bits):
    check(log(x, bits), lambda m: m.log(real(x)), bits)


@given(bits=st.integers(1, 1500))
@example(bits=1)
@example(bits=20_000)
def test_pi_is_enclosed(bits):
    check(pi(bits), lambda m: +m.pi, bits)


@given(x=st.one_of(positive, st.just(Fraction(0)), whole.map(lambda n: Fraction(n * n))), bits=any_bits)
@example(x=Fraction(0), bits=1)
@example(x=Fraction(1, 10**300), bits=1)
def test_a_square_root_of_an_enclosed_number_is_enclosed(x, bits):
    check(square_root(lambda precision: floor_and_ceiling(x, precision), bits), lambda m: m.sqrt(real(x)), bits)


@given(bits=any_bits)
def test_the_square_root_of_pi_is_enclosed(bits):
    check(square_root(pi, bits), lambda m: m.sqrt(m.pi), bits)


@given(x=st.fractions(), bits=st.integers(0, 200), drop=st.integers(0, 200))
def test_floor_and_ceiling_and_their_narrowing_hold_the_number(x, bits, drop):
    low, high = floor_and_ceiling(x, bits)
    assert low <= x * 2**bits <= high <= low + 1
    low, high = narrowed((low, high), drop)
    assert low * 2**drop <= x * 2**bits <= high * 2**drop
    assert high <= low + 2


# ---- guard bits make enclosures narrow; they must hold without them

RATIOS = [Fraction(ratio) for ratio in ("1/1000", "1/3", "2/3", "355/113", "1e-6", "1000000/7", "99/100", "4/3", "5e-20", "3")]


@pytest.fixture
def raw(monkeypatch):
    """Every enclosure as it was before it was rounded outwards, with how many bits were dropped."""
    seen = []

    def remember(enclosure, drop):
        seen.append((enclosure, drop))
        return narrowed(enclosure, drop)

    monkeypatch.setattr(enclosures, "narrowed", remember)
    return seen


@pytest.mark.parametrize("bits", [*range(1, 12), 20, 24, 32, 64, 100, 200])
def test_enclosures_hold_before_they_are_rounded_outwards(bits, raw):
    for x in RATIOS:
        for enclosed, truth in ((exp_minus, lambda m, x=x: m.exp(-real(x))), (log, lambda m, x=x: m.log(real(x)))):
            raw.clear()
            enclosed(x, bits)
            for enclosure, drop in raw:
                check(enclosure, truth, bits + drop, width=1 << drop)
    raw.clear()
    pi.__wrapped__(bits)
    ((enclosure, drop),) = raw
    check(enclosure, lambda m: +m.pi, bits + drop, width=1 << drop)


@pytest.mark.parametrize("z", [Fraction(1, 3), Fraction(1, 7), Fraction(-1, 3), Fraction(1, 10**9), Fraction(0)])
def test_the_series_for_logarithms_is_enclosed_at_every_length(z):
    for bits in range(1, 200):
        check(enclosures._twice_artanh(z, bits), lambda m: m.log((1 + real(z)) / (1 - real(z))), bits, width=200)


@pytest.mark.parametrize("n", [5, 239])
def test_the_series_for_pi_are_enclosed_at_every_length(n):
    for bits in range(1, 200):
        check(enclosures._arctan_of_inverse(n, bits), lambda m: m.atan(m.mpf(1) / n), bits, width=200)
