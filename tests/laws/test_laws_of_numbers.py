"""Laws of numbers: what is written and read back is the same, and rounding to a step keeps its promises."""

import math
from decimal import Decimal
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
from hypothesis import example, given

from discreet.exact import exact, shown, stored
from discreet.mechanisms.grid import float_step, read_values

FRACTIONS = st.fractions(max_denominator=10**12)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
MIDDLING = st.floats(-1e6, 1e6)
STEPS = st.integers(-12, 6).map(lambda k: Fraction(2) ** k)


@given(FRACTIONS)
def test_a_fraction_survives_every_way_of_writing_it(number):
    assert exact(number) == exact(str(number)) == exact(shown(number)) == stored(number) == number


@given(FLOATS)
def test_a_float_is_read_as_its_shortest_decimal_and_stored_as_it_is(number):
    assert exact(number) == exact(repr(number)) == Fraction(repr(number))
    assert float(exact(number)) == number
    assert stored(number) == Fraction(number)
    assert exact(np.float64(number)) == exact(number)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=12))
def test_a_decimal_survives(number):
    assert exact(number) == exact(str(number)) == Fraction(number)
    assert exact(Decimal(str(number))) == exact(number)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_short_float_is_read_by_its_own_shortest_decimal(number):
    short = np.float32(number)
    assert np.float32(float(exact(short))) == short
    assert stored(short) == Fraction(float(short))


def on(value, step: Fraction) -> int:
    alone = read_values(value).on(step)
    assert alone == read_values([value]).on(step)[0] == read_values(np.array([value])).on(step)[0]
    assert alone == read_values([value, Fraction(1, 3)]).on(step)[0]
    return int(alone)


@given(MIDDLING, MIDDLING, STEPS)
@example(0.5, 1.5, Fraction(1))                               # halves to even would take these two steps apart
@example(-0.5, 0.5, Fraction(1))
@example(0.125, 0.875, Fraction(1, 4))
@example(math.nextafter(0.5, 0), 0.5, Fraction(1))
def test_rounding_keeps_order_and_adds_less_than_one_step_to_a_distance(x, y, step):
    first, second = on(x, step), on(y, step)
    apart = abs(Fraction(x) - Fraction(y)) / step
    assert abs(first - second) <= math.ceil(apart)
    assert (first <= second) or x > y
    assert abs(first * step - Fraction(x)) <= step / 2


@given(MIDDLING, st.integers(-1000, 1000), STEPS)
def test_rounding_goes_along_with_a_shift_by_whole_steps(x, shift, step):
    moved = Fraction(x) + shift * step
    assert read_values(moved).on(step) == on(x, step) + shift


@given(st.integers(-(2**70), 2**70), st.integers(-(2**70), 2**70), st.integers(-70, 70).map(lambda k: Fraction(2) ** k))
def test_integers_in_arrays_never_end_up_further_apart_than_they_were(x, y, step):
    fits = max(abs(x), abs(y)) < 2**63
    for pair in ([x, y], np.array([x, y])) if fits else ([x, y],):
        first, second = (int(steps) for steps in read_values(pair).on(step))
        assert abs(first - second) <= math.ceil(abs(x - y) / step)
        assert max(abs(first), abs(second)) <= 2**61
        assert (first <= second) or x > y


@given(st.lists(FLOATS, min_size=1, max_size=5), STEPS)
def test_an_array_and_a_list_are_rounded_alike_whatever_they_hold(numbers, step):
    from_list, from_array = read_values(numbers).on(step), read_values(np.array(numbers)).on(step)
    with_fraction = read_values([*numbers, Fraction(1, 3)]).on(step)[:-1]
    assert from_list.tolist() == from_array.tolist() == with_fraction.tolist()
    expected = [math.floor(Fraction(x) / step + Fraction(1, 2)) for x in numbers]
    assert from_list.tolist() == [max(-(2**61), min(2**61, steps)) for steps in expected]


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**9), st.integers(1, 10**6))
def test_the_step_for_floats_is_the_largest_power_of_two_that_fits(width, dimensions):
    step = float_step(width, dimensions)
    assert step <= width / (2**20 * dimensions) < 2 * step
    assert (step.numerator & (step.numerator - 1)) == (step.denominator & (step.denominator - 1)) == 0
