"""What a mechanism cannot mean is refused with a word about what to write, and before any entropy is asked for."""

import math
from decimal import Decimal

import numpy as np
import pytest

import discreet as dc
from discreet import Exponential, Gaussian, Laplace

NAN, INF = math.nan, math.inf
NO_NUMBERS = [None, "", "abc", "one", True, np.True_, NAN, INF, -INF, "nan", "inf", Decimal("NaN"), Decimal("Infinity"), 1j, [1],
              {}, object, b"1", "1/0", "1e", "0x10", "1" * 500, 10**2000, np.array([1]), "1e9999"]
NOT_POSITIVE = [0, -1, "0", "-0.1", -1e-9, "0/5"]


@pytest.fixture(autouse=True)
def _nothing_is_drawn(meter):
    yield
    assert (meter.opened, meter.fills) == (0, 0)


def refused(call, match=None):
    """Runs ``call``, which must be refused for a reason of the parameters and say what to write instead."""
    with pytest.raises(dc.ParameterError, match=match) as caught:
        call()
    assert isinstance(caught.value, dc.Refused)
    assert caught.value.code == "parameter"
    assert any(word in caught.value.hint for word in ("write", "give", "ask for", "allow", "replace", "draw")), caught.value.hint
    assert str(caught.value) == f"{caught.value.message}; {caught.value.hint}"


MAKERS = {
    "laplace epsilon": lambda x: Laplace(epsilon=x, sensitivity=1).release(1),
    "laplace sensitivity": lambda x: Laplace(epsilon=1, sensitivity=x).release(1),
    "laplace scale": lambda x: Laplace(scale=x).release(1),
    "gaussian rho": lambda x: Gaussian(rho=x, sensitivity=1).release(1),
    "gaussian epsilon": lambda x: Gaussian(epsilon=x, delta="1e-6", sensitivity=1).release(1),
    "gaussian sensitivity": lambda x: Gaussian(rho=1, sensitivity=x).release(1),
    "gaussian sensitivity_squared": lambda x: Gaussian(rho=1, sensitivity_squared=x).release(1),
    "exponential epsilon": lambda x: Exponential(epsilon=x, sensitivity=1).select([1, 2]),
    "exponential sensitivity": lambda x: Exponential(epsilon=1, sensitivity=x).select([1, 2]),
    "within": lambda x: Laplace.for_accuracy(within=x, sensitivity=1),
    "for_accuracy sensitivity": lambda x: Gaussian.for_accuracy(within=1, sensitivity=x),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
def test_a_parameter_that_is_no_number_above_zero_is_refused(make):
    for bad in [*NO_NUMBERS, *NOT_POSITIVE]:
        refused(lambda bad=bad: make(bad))


@pytest.mark.parametrize("step", [*NO_NUMBERS[1:], *NOT_POSITIVE, 3, "0.1", "1/3", "3/4"], ids=lambda x: repr(x)[:20])
def test_a_step_that_is_no_power_of_two_is_refused(step):
    refused(lambda: Laplace(epsilon=1, sensitivity=1, step=step).release(1))
    refused(lambda: Gaussian(rho=1, sensitivity=1, step=step).release(1))


@pytest.mark.parametrize("delta", [*NO_NUMBERS, -1, "-1e-6", 1, 1.5, "1", 0], ids=lambda x: repr(x)[:20])
def test_a_delta_outside_0_to_1_is_refused(delta):
    refused(lambda: Gaussian(epsilon=1, delta=delta, sensitivity=1).release(1))
    if delta not in (0, None):
        refused(lambda: dc.Approximate(epsilon=1, delta=delta))
        refused(lambda: dc.Pure(epsilon=1).to_approximate(delta))
        refused(lambda: dc.Concentrated(rho=1).to_approximate(delta))


@pytest.mark.parametrize(("make", "match"), [
    (Laplace, "either an epsilon or a scale"),
    (lambda: Laplace(epsilon=1), "an epsilon needs a sensitivity"),
    (lambda: Laplace(epsilon=1, scale=1, sensitivity=1), "either an epsilon or a scale"),
    (lambda: Laplace(scale=1).loss, "needs the sensitivity"),
    (lambda: Gaussian(sensitivity=1), "rho, or epsilon and delta"),
    (lambda: Gaussian(epsilon=1, sensitivity=1), "rho, or epsilon and delta"),
    (lambda: Gaussian(rho=1, epsilon=1, delta="1e-6", sensitivity=1), "not both"),
    (lambda: Gaussian(rho=1), "a sensitivity, or its square"),
    (lambda: Gaussian(rho=1, sensitivity=1, sensitivity_squared=1), "a sensitivity, or its square"),
    (lambda: Gaussian(epsilon=1, delta="1e-6", sensitivity=1, dimensions=0), "dimensions is 0"),
    (lambda: Gaussian(epsilon=1, delta="1e-6", sensitivity=1, dimensions=1.5), "dimensions is 1.5"),
    (lambda: Gaussian(epsilon=600, delta="1e-6", sensitivity=1).release(1), "out of reach"),
    (lambda: Laplace(epsilon=1, sensitivity=1).for_floats(0), "dimensions is 0"),
    (lambda: Laplace(epsilon="1e-20", sensitivity=1).release(np.arange(3)), "too wide"),
    (lambda: Laplace(epsilon=1, sensitivity=1).loss_for(-1), "distance is -1, below 0"),
    (lambda: Gaussian(rho=1, sensitivity=1).loss_for("x"), "distance is 'x'"),
    (lambda: Exponential(epsilon=1, sensitivity=1).loss_for(-1), "distance is -1, below 0"),
    (lambda: Exponential(epsilon=1, sensitivity=1).score_gap(0), "candidates is 0"),
])
def test_what_contradicts_itself_is_refused(make, match):
    refused(make, match)


@pytest.mark.parametrize("confidence", [95, "95", 99.9, 1, 0, -0.5, "0", "1", *NO_NUMBERS], ids=lambda x: repr(x)[:20])
def test_a_confidence_of_95_is_refused(confidence):
    for ask in (Laplace(epsilon=1, sensitivity=1).interval, Gaussian(rho=1, sensitivity=1).interval,
                lambda c: Exponential(epsilon=1, sensitivity=1).score_gap(3, c),
                lambda c: Laplace.for_accuracy(within=1, confidence=c, sensitivity=1)):
        refused(lambda ask=ask: ask(confidence))
    refused(lambda: Laplace(epsilon=1, sensitivity=1).interval(95), "confidence is 95, not between 0 and 1; write 0.95 for 95 %")


@pytest.mark.parametrize("scores", [
    [], (), np.array([]), np.array([[1, 2]]), np.array(3), [NAN, 1], [1, INF], np.array([1.0, NAN]), ["a"], [None, 1],
    [True, False], np.array([True]), np.array(["a"]), np.array([1j]), [[1, 2], [3, 4]], "123", 5, None, {1: "x"}, {1, 2}, range],
    ids=lambda x: repr(x)[:30])
def test_scores_that_are_not_a_list_of_finite_numbers_are_refused(scores):
    mechanism = Exponential(epsilon=1, sensitivity=1)
    refused(lambda: mechanism.select(scores))
    refused(lambda: mechanism.pmf(scores))


@pytest.mark.parametrize("values", [
    NAN, INF, -INF, None, "abc", True, 1j, object, {}, {1, 2}, b"1", np.float32("nan"), Decimal("NaN"),
    [1.0, NAN], [1, INF], np.array([1.0, INF]), np.array([True]), np.array(["a"]), np.array([1j]), np.array([None]), [None],
    ["a", 1], [True, 1], [[1], [1, 2]], [1, [2, 3]], [[1, 2], 3], [np.zeros((2, 2)), np.zeros((2, 3))],
    np.array([1.5], np.longdouble), range],
    ids=lambda x: repr(x)[:30])
def test_values_that_are_not_finite_numbers_of_one_shape_are_refused(values):
    for mechanism in (Laplace(epsilon=1, sensitivity=1), Laplace(epsilon=1, sensitivity="1/3"), Gaussian(rho=1, sensitivity=1)):
        refused(lambda mechanism=mechanism: mechanism.release(values))


@pytest.mark.parametrize("values", [[1, 2], np.zeros(3), [[1], [2]]], ids=repr)
def test_more_numbers_than_a_gaussian_was_made_for_are_refused(values):
    refused(lambda: Gaussian(epsilon=1, delta="1e-6", sensitivity=1).release(values), "numbers were given to a Gaussian for 1")


def test_whole_numbers_of_any_size_need_step_1_and_enough_dimensions():
    numbers = np.array([10**30, 7], dtype=object)
    coarse = Laplace(epsilon=1, sensitivity=1, step=1024), Gaussian(rho=1, sensitivity=1, step=2)
    for mechanism in (Laplace(epsilon=1, sensitivity="1/3"), *coarse):
        refused(lambda mechanism=mechanism: mechanism.release_whole(numbers), "on step 1 only")
    for_one = Gaussian(epsilon=1, delta="1e-6", sensitivity=1)
    refused(lambda: for_one.release_whole(numbers), "2 numbers were given to a Gaussian for 1")


@pytest.mark.parametrize("offset", [NAN, INF, None, "abc", True, [1]], ids=repr)
def test_an_offset_that_is_no_number_is_refused(offset):
    for mechanism in (Laplace(epsilon=1, sensitivity=1), Gaussian(rho=1, sensitivity="1/3")):
        refused(lambda mechanism=mechanism: mechanism.pmf(offset))
        refused(lambda mechanism=mechanism: mechanism.cdf(offset))
    refused(lambda: Laplace(epsilon=1, sensitivity=1).delta_for(offset))


def test_no_refusal_of_a_value_tells_the_value():
    for values in (["secret"], [1.5, NAN], [12345, None], [[12345], [1, 2]], "secret"):
        with pytest.raises(dc.Refused) as caught:
            Laplace(epsilon=1, sensitivity=1).release(values)
        assert not any(word in str(caught.value) for word in ("secret", "12345", "1.5", "nan"))
    for scores in (["secret"], [12345, NAN]):
        with pytest.raises(dc.Refused) as caught:
            Exponential(epsilon=1, sensitivity=1).select(scores)
        assert not any(word in str(caught.value) for word in ("secret", "12345", "nan"))
