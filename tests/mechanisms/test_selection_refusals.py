"""What selections, thresholds, keys and functions cannot mean is refused, before anything is drawn and with the fix."""

import math

import numpy as np
import pytest
from tests.mechanisms.test_refusals import NO_NUMBERS, NOT_POSITIVE, refused

import discreet as dc
from discreet import (
    AboveThreshold,
    Bernstein,
    Exponential,
    KeySelection,
    NoisyMax,
    NoisyThreshold,
    PermuteAndFlip,
    RandomizedResponse,
)

MAKERS = {
    "permute-and-flip epsilon": lambda x: PermuteAndFlip(epsilon=x, sensitivity=1),
    "permute-and-flip sensitivity": lambda x: PermuteAndFlip(epsilon=1, sensitivity=x),
    "noisy max epsilon": lambda x: NoisyMax(epsilon=x, sensitivity=1),
    "noisy max sensitivity": lambda x: NoisyMax(epsilon=1, sensitivity=x),
    "noisy max count": lambda x: NoisyMax(epsilon=1, sensitivity=1, count=x),
    "response epsilon": lambda x: RandomizedResponse(epsilon=x),
    "response categories": lambda x: RandomizedResponse(epsilon=1, categories=x),
    "threshold epsilon": lambda x: AboveThreshold(epsilon=x, threshold=1),
    "threshold sensitivity": lambda x: AboveThreshold(epsilon=1, threshold=1, sensitivity=x),
    "threshold count": lambda x: AboveThreshold(epsilon=1, threshold=1, count=x),
    "keys epsilon": lambda x: KeySelection(epsilon=x, delta="1e-6", neighbours="add_remove"),
    "keys groups": lambda x: KeySelection(epsilon=1, delta="1e-6", neighbours="add_remove", groups=x),
    "keys at_least": lambda x: NoisyThreshold(epsilon=1, delta="1e-6", neighbours="add_remove", at_least=x),
    "keys delta": lambda x: NoisyThreshold(epsilon=1, delta=x, neighbours="add_remove"),
    "function epsilon": lambda x: Bernstein(epsilon=x, sensitivity=1, degree=2),
    "function sensitivity": lambda x: Bernstein(epsilon=1, sensitivity=x, degree=2),
    "function degree": lambda x: Bernstein(epsilon=1, sensitivity=1, degree=x),
    "function dimensions": lambda x: Bernstein(epsilon=1, sensitivity=1, degree=2, dimensions=x),
    "function iterations": lambda x: Bernstein(epsilon=1, sensitivity=1, degree=2, iterations=x),
}


@pytest.fixture(autouse=True)
def _nothing_is_drawn(meter):
    yield
    assert (meter.opened, meter.fills) == (0, 0)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
def test_a_parameter_that_is_no_number_above_zero_is_refused(make):
    for bad in [*NO_NUMBERS, *NOT_POSITIVE]:
        refused(lambda bad=bad: make(bad))


@pytest.mark.parametrize("scores", [
    [], (), np.array([]), np.array([[1, 2]]), [math.nan, 1], [1, math.inf], np.array([1.0, math.nan]), np.array([1, -math.inf]),
    ["a"], [None, 1], [True, False], np.array([True]), [[1, 2], [3, 4]], "123", 5, None, {1: "x"}],
    ids=lambda x: repr(x)[:30])
def test_scores_that_are_not_a_list_of_finite_numbers_are_refused(scores):
    for mechanism in (PermuteAndFlip(epsilon=1, sensitivity=1), NoisyMax(epsilon=1, sensitivity=1)):
        refused(lambda mechanism=mechanism: mechanism.select(scores))
        refused(lambda mechanism=mechanism: mechanism.pmf(scores))
    refused(lambda: Exponential(epsilon=1, sensitivity=1).select(scores, [1, 1]))


@pytest.mark.parametrize(("weights", "match"), [
    ([1], "1 weights for 2"), ([1, 2, 3], "3 weights for 2"), ([1, -1], "negative"), ([0, 0], "all are 0"), ([], "weights"),
    ([1, math.nan], "weights"), (["a", 1], "weights"), (5, "weights"), (np.array([1.0, math.inf]), "weights"),
    (np.array([1, -1]), "negative"), (np.zeros(2), "all are 0")], ids=lambda x: repr(x)[:20])
def test_weights_that_do_not_fit_the_candidates_are_refused(weights, match):
    refused(lambda: Exponential(epsilon=1, sensitivity=1).select([1, 2], weights), match)
    refused(lambda: Exponential(epsilon=1, sensitivity=1).pmf([1, 2], weights), match)


@pytest.mark.parametrize(("make", "match"), [
    (lambda: NoisyMax(epsilon=1, sensitivity=1, count=2).select([1, 2]), "2 of 2 candidates is no choice"),
    (lambda: NoisyMax(epsilon=1, sensitivity=1, count=3).pmf([1, 2]), "3 of 2 candidates is no choice"),
    (lambda: NoisyMax(epsilon=1, sensitivity=1, count=1.5), "count is 1.5"),
    (lambda: NoisyMax(epsilon=1, sensitivity=1, count=9).pmf(range(10)), "3628800 orders"),
    (lambda: PermuteAndFlip(epsilon=1, sensitivity=1).pmf([0] * 257), "257 candidates"),
    (lambda: PermuteAndFlip(epsilon=1, sensitivity=1).loss_for(-1), "below 0"),
    (lambda: RandomizedResponse(epsilon=1, categories=1), "categories is 1"),
    (lambda: RandomizedResponse(epsilon=1, categories=2**40), "out of reach"),
    (lambda: RandomizedResponse(epsilon=501), "out of reach"),
    (lambda: RandomizedResponse(epsilon=1).frequencies([]), "no answers"),
    (lambda: RandomizedResponse(epsilon=1).intervals([0, 1], 95), "write 0.95"),
    (lambda: RandomizedResponse(epsilon=1).variance(0), "size is 0"),
    (lambda: AboveThreshold(epsilon=1, threshold="1/2"), "threshold is not a whole number"),
    (lambda: AboveThreshold(epsilon=1, threshold=1, sensitivity="1/2"), "sensitivity is 0.5"),
    (lambda: AboveThreshold(epsilon=1, threshold=1).half_width(0), "numbers is 0"),
    (lambda: KeySelection(epsilon=1, delta=0, neighbours="add_remove"), "a delta above 0"),
    (lambda: NoisyThreshold(epsilon=1, delta=0, neighbours="add_remove"), "a delta above 0"),
    (lambda: KeySelection(epsilon=1, delta=1, neighbours="add_remove"), "delta is 1"),
    (lambda: KeySelection(epsilon=1, delta="1e-6", neighbours="swap"), "neighbours is 'swap'"),
    (lambda: KeySelection(epsilon="1e-9", delta="1e-7", neighbours="add_remove").select(np.array([1])), "keys would need about"),
    (lambda: KeySelection(epsilon=1, delta="1e-6", neighbours="add_remove").probability(-1), "units is -1"),
    (lambda: NoisyThreshold(epsilon="1e-20", delta="1e-6", neighbours="add_remove").release(np.array([1])), "too wide"),
    (lambda: Bernstein(epsilon=1, sensitivity=1, degree=999, dimensions=3), r"1000\^3 points is too large"),
    (lambda: Bernstein(epsilon=1, sensitivity=1, degree=10**9), "is too large"),
    (lambda: Bernstein(epsilon=1, sensitivity=1, degree=1, dimensions=10**9), "is too large"),
    (lambda: Bernstein(epsilon=1, sensitivity=1, degree=3, iterations=1000), "1000 iterations"),
    (lambda: Bernstein(epsilon=1, sensitivity=1, degree=3).release(lambda x: math.nan), "not finite"),
    (lambda: Bernstein(epsilon=1, sensitivity=1, degree=3).half_width(95), "write 0.95"),
])
def test_what_contradicts_itself_is_refused(make, match):
    refused(make, match)


def test_rows_of_different_lengths_are_refused():
    ragged = [1, [0, 1]]
    refused(lambda: RandomizedResponse(epsilon=1).release(ragged), "not an array")
    refused(lambda: KeySelection(epsilon=1, delta="1e-6", neighbours="add_remove").select(ragged), "not an array")
    refused(lambda: KeySelection(epsilon=1, delta="1e-6", neighbours="add_remove", at_least=2**63), "at_least is above")


@pytest.mark.parametrize("answers", [2, -1, [0, 2], [0.5], ["yes"], None, np.array([1.0]), [1, None]], ids=repr)
def test_answers_of_no_category_are_refused(answers):
    refused(lambda: RandomizedResponse(epsilon=1).release(answers), "none of the 2 categories")


@pytest.mark.parametrize("counts", [[1.5], np.array([[1, 2]]), 3, ["a"], None, [True], {}], ids=repr)
def test_counts_of_units_that_are_not_whole_numbers_are_refused(counts):
    for use in (KeySelection(epsilon=1, delta="1e-6", neighbours="add_remove").select,
                NoisyThreshold(epsilon=1, delta="1e-6", neighbours="add_remove").release):
        refused(lambda use=use: use(counts), "not a flat array of whole numbers")


def test_no_refusal_of_a_value_tells_the_value():
    for call in (lambda: RandomizedResponse(epsilon=1).release([12345]),
                 lambda: PermuteAndFlip(epsilon=1, sensitivity=1).select(["secret"]),
                 lambda: Bernstein(epsilon=1, sensitivity=1, degree=2).release(lambda x: "secret")):
        with pytest.raises(dc.Refused) as caught:
            call()
        assert not any(word in str(caught.value) for word in ("secret", "12345"))
