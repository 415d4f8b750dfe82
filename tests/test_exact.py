"""Numbers as they were written, and numbers as they are stored."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.exact import exact, exact_between, exact_not_negative, exact_positive, exact_whole, shown, stored


@pytest.mark.parametrize(("written", "meant"), [
    (1, Fraction(1)), ("1", Fraction(1)), (0.1, Fraction(1, 10)), ("0.1", Fraction(1, 10)), ("1/3", Fraction(1, 3)),
    (Decimal("0.1"), Fraction(1, 10)), (Fraction(2, 6), Fraction(1, 3)), ("1e-6", Fraction(1, 10**6)), (1e-6, Fraction(1, 10**6)),
    ("1E3", Fraction(1000)), (".5", Fraction(1, 2)), ("5.", Fraction(5)), ("+2", Fraction(2)), ("-2/4", Fraction(-1, 2)),
    (" 0.1 ", Fraction(1, 10)), ("1_000", Fraction(1000)), (1e300, Fraction(10) ** 300), (5e-324, Fraction("5e-324")),
    (0.1 + 0.2, Fraction("0.30000000000000004")), (np.float64(0.1), Fraction(1, 10)), (np.float32(0.1), Fraction(1, 10)),
    (np.float16(0.1), Fraction("0.1")), (np.int8(-3), Fraction(-3)), (np.uint64(2**64 - 1), Fraction(2**64 - 1)),
    (-0.0, Fraction(0)), (10**400, Fraction(10) ** 400), (Decimal("1E+5"), Fraction(10**5)), ("0", Fraction(0))], ids=repr)
def test_a_number_means_what_was_written(written, meant):
    found = exact(written)
    assert found == meant
    assert type(found) is Fraction
    assert type(found.numerator) is int


@pytest.mark.parametrize("bad", [
    None, True, False, "", " ", "abc", "1 2", "1/", "/2", "1/0", "1//2", "1/2/3", "1.5/2", "1e5/3", "0x1", "--1", "1e", "e5",
    "nan", "inf", "-inf", float("nan"), float("inf"), float("-inf"), Decimal("NaN"), Decimal("sNaN"), Decimal("-Infinity"),
    np.float32("nan"), np.float64("inf"), np.True_, 1j, np.complex64(1), b"1",
    [1], (1,), {1}, {1: 1}, object, np.array(1), np.array([1.0]),
    "1" * 401, "0." + "1" * 401, "1e1000", "1" * 10**5, 2**4097, Fraction(1, 2**4097), Decimal("1e9999")],
    ids=lambda x: repr(x)[:24])
def test_what_is_no_number_is_refused_by_its_name(bad):
    with pytest.raises(ParameterError) as caught:
        exact(bad, "epsilon")
    assert caught.value.message.startswith("epsilon ")
    assert "write an int, a decimal or fraction string such as '0.1' or '1/3'" in caught.value.hint
    assert len(str(caught.value)) < 250


def test_a_long_numeral_is_refused_at_once():
    for text in ("9" * 10**6, "1/" + "3" * 10**6, "1e" + "9" * 10**6, "0." + "0" * 10**6 + "1"):
        with pytest.raises(ParameterError):
            exact(text)


@pytest.mark.parametrize("value", [0.1, 1e300, 5e-324, -2.5, np.float32(0.1), np.float16(0.1), np.float64(1 / 3)], ids=repr)
def test_a_stored_float_is_its_binary_value(value):
    assert stored(value) == Fraction(float(value))
    assert type(stored(value).numerator) is int


def test_what_else_is_stored_is_what_was_written():
    assert stored("0.1") == stored(Decimal("0.1")) == stored(Fraction(1, 10)) == Fraction(1, 10)
    assert stored(10**5000) == 10**5000                       # data may be of any length
    assert stored(np.int8(-3)) == -3
    assert stored(np.longdouble("0.1")) != stored(0.1)


@pytest.mark.parametrize("bad", [None, True, np.True_, float("nan"), float("inf"), np.float32("nan"), "x", 1j, [1]], ids=repr)
def test_what_is_no_number_is_not_stored_either(bad):
    with pytest.raises(ParameterError):
        stored(bad)


def test_bounds_are_checked():
    assert exact_positive("0.1", "epsilon") == Fraction(1, 10)
    assert exact_not_negative(0, "rho") == 0
    assert exact_between("0", "delta", 0, 1, closed_low=True, hint="") == 0
    assert exact_whole("3", "count") == exact_whole(3.0, "count") == 3
    for call, message in [
            (lambda: exact_positive(0, "epsilon"), "epsilon is 0, not above 0; write a number above 0, such as 1 or '0.1'"),
            (lambda: exact_positive("-1/3", "epsilon"), "epsilon is -1/3, not above 0"),
            (lambda: exact_not_negative("-0.1", "rho"), "rho is -0.1, below 0"),
            (lambda: exact_between(0, "confidence", 0, 1, closed_low=False, hint=""), "confidence is 0, not between 0 and 1"),
            (lambda: exact_between(1, "delta", 0, 1, closed_low=True, hint="write '1e-6'"), "delta is 1, not between 0 and 1"),
            (lambda: exact_whole("1/2", "k"), "k is 0.5; write a whole number, 0 or more"),
            (lambda: exact_whole(0, "k", at_least=1), "k is 0; write a whole number, 1 or more")]:
        with pytest.raises(ParameterError) as caught:
            call()
        assert str(caught.value).startswith(message)


@pytest.mark.parametrize(("number", "text"), [
    (Fraction(1, 10), "0.1"), (Fraction(1, 3), "1/3"), (Fraction(1, 10**6), "0.000001"), (Fraction(0), "0"),
    (Fraction(-5, 4), "-1.25"), (Fraction(100), "100"), (Fraction(-7), "-7"), (Fraction(1, 1024), "0.0009765625"),
    (Fraction(-1, 20), "-0.05"),
    (Fraction(1, 2**41), f"1/{2**41}"), (Fraction(10**30), "1" + "0" * 30)], ids=str)
def test_a_number_shows_as_a_decimal_where_that_is_exact_and_short(number, text):
    assert shown(number) == text


@pytest.mark.parametrize("written", ["١", "0.٥", "１", "1/３", "1e１", "1\u00a0", "𝟏"])
def test_digits_of_other_scripts_are_not_read_as_prices(written):
    with pytest.raises(ParameterError, match="not a number"):
        exact(written)
