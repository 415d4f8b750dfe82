from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.plots.numerals import grouped, half_width, percent, read_column, read_number, rough


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (38.5, 38.4, 38.6, "38.5 ± 0.1"),
        (38.4512, 38.3531, 38.5493, "38.45 ± 0.10"),       # one digit would widen it too much
        (30_123.4, 247.2, 59_999.6, "30 000 ± 30 000"),
        (61_234.5, 58_111.0, 64_358.0, "61 200 ± 3 200"),
        (-0.0004, -0.03, 0.0292, "0.00 ± 0.03"),
        (0.42, 0.31, 0.55, "0.42 (0.31 … 0.55)"),
        (3.0, None, None, "3 ± ∞"),
        (3.0, None, 4.0, "3 (−∞ … 4)"),
        (7.0, 7.0, 7.0, "7"),
        (42_123.0, -0.0005, 108_765.0, "42 000 (0 … 109 000)"),
        (None, 1.0, 2.0, "–"),
        (float("nan"), 1.0, 2.0, "–"),
        (1.5e-12, 1.0e-12, 2.0e-12, "1.5e-12 ± 5e-13"),
        (2.5e20, 2.0e20, 3.0e20, "2.5e+20 ± 5e+19"),
    ],
)
def test_digits_follow_the_plus_minus(value, low, high, text):
    assert str(read_number(value, (low, high))) == text


def test_whole_numbers_keep_all_their_digits():
    assert str(read_number(1_234_567, (1_200_000, 1_269_134), whole=True)) == "1 234 567 ± 34 567"
    assert str(read_number(2**70, (2**70 - 3, 2**70 + 3), whole=True)) == "1.180591620717411303424e+21 ± 3"


def test_a_whole_number_off_the_middle_by_one_still_gets_a_plus_minus_that_covers_both_ends():
    assert str(read_number(45, (14, 75), whole=True)) == "45 ± 31"


def test_a_column_has_one_number_of_decimals_and_one_shape():
    read = read_column([10.0, 20.0], [(9.0, 11.0), (19.99, 20.01)])
    assert [str(each) for each in read] == ["10.000 ± 1.000", "20.000 ± 0.010"]
    read = read_column([10.0, 20.0], [(9.0, 11.0), (19.0, 25.0)])
    assert [str(each) for each in read] == ["10.0 (9.0 … 11.0)", "20.0 (19.0 … 25.0)"]


def plain(text: str) -> Decimal:
    return Decimal(text.replace(" ", "").replace("−", "-"))


numbers = st.floats(-1e12, 1e12, allow_nan=False)


@given(numbers, st.floats(1e-9, 1e9), st.floats(1e-9, 1e9))
def test_rounding_never_narrows_an_interval(value, below, above):
    low, high = value - below, value + above
    for read in (read_number(value, (low, high)), read_column([value], [(low, high)])[0]):
        if read.shape == "both":
            half = plain(read.spread.removeprefix("± "))
            shown = (plain(read.value) - half, plain(read.value) + half)
        elif read.shape == "ends":
            shown = tuple(map(plain, read.spread.split(" … ")))
        else:
            assert low == value == high
            continue
        slack = (Decimal(repr(high)) - Decimal(repr(low))) / 10_000
        assert shown[0] <= Decimal(repr(low)) + slack
        assert shown[1] >= Decimal(repr(high)) - slack


@given(st.floats(1e-6, 1e12), st.floats(1e-6, 1e6))
def test_a_plus_minus_is_hardly_widened(value, half):
    ends = (value - half, value + half)
    if ends[0] < value < ends[1]:
        read = read_number(value, ends)
        if read.shape == "both":
            assert plain(read.spread.removeprefix("± ")) <= Decimal(repr((ends[1] - ends[0]) / 2)) * Decimal("1.16")


@pytest.mark.parametrize(
    ("value", "text"), [(1234.5, "1 300"), (3.0, "3"), (0.0481, "0.049"), (0.0, "0"), (float("inf"), "∞"), (60.0, "60")]
)
def test_an_expected_error_is_rounded_up(value, text):
    assert rough(value) == text


def test_thousands_and_percents():
    assert (grouped(999), grouped(10_000), grouped(1_234_567)) == ("999", "10 000", "1 234 567")
    assert (percent(0.95), percent(0.999), percent(1 / 3)) == ("95 %", "99.9 %", "33.33 %")


def test_a_half_width_is_told_where_a_plus_minus_says_as_much_as_two_ends():
    assert half_width(45, (15, 75), whole=True) == 30
    assert half_width(16, (2, 18), whole=True) is None               # y = 16 given that it was shown: rule 24
    assert half_width(1.5, (1.0, 2.0)) == 0.5
    assert [half_width(value, (None, 4.0)) for value in (None, "x", True, 3.0)] == [None] * 4
    assert half_width(3, (3, 3), whole=True) == 0


def test_in_a_chart_each_number_is_read_by_itself():
    read = read_column([10, 16], [(8, 12), (2, 18)], whole=True, by_number=True)
    assert list(map(str, read)) == ["10 ± 2", "16 (2 … 18)"]
    assert list(map(str, read_column([10, 16], [(8, 12), (2, 18)], whole=True))) == ["10 (8 … 12)", "16 (2 … 18)"]
