import math

import pytest
from scipy.stats import binom, binomtest

from discreet.attacks.outcome import Line, Outcome, Rate, most_right


def outcome(unprotected: Rate, *discreet: Rate, most: float = 0.6) -> Outcome:
    lines = (Line("unprotected", "a way", unprotected), *(Line("discreet", "a way", rate) for rate in discreet))
    return Outcome("x", "X", "knows", "guesses", unprotected, discreet[0], 0.5, most, lines, ("note",), "lesson", "source")


@pytest.mark.parametrize(("right", "trials"), [(0, 10), (7, 10), (10, 10), (520, 1000)])
def test_intervals_are_those_of_wilson(right, trials):
    expected = binomtest(right, trials).proportion_ci(0.95, method="wilson")
    assert Rate(right, trials).interval() == pytest.approx((expected.low, expected.high), abs=1e-4)


@pytest.mark.parametrize("most", [0.0272, 0.525, 0.622, 0.731])
@pytest.mark.parametrize("trials", [60, 400, 3000])
def test_an_attack_that_does_all_that_epsilon_allows_is_hardly_ever_called_a_leak(most, trials):
    first = next((right for right in range(trials + 1) if Rate(right, trials).surely[0] > most), trials + 1)
    assert binom.sf(first - 1, trials, most) < 1e-3 if most < 0.1 else binom.sf(first - 1, trials, most) < 2e-5


def test_one_leaking_way_among_harmless_ones_is_enough():
    assert outcome(Rate(99, 100), Rate(50, 100), Rate(60, 100)).is_stopped
    assert not outcome(Rate(99, 100), Rate(50, 100), Rate(95, 100)).is_stopped


def test_an_attack_works_only_if_it_beats_what_epsilon_allows():
    assert outcome(Rate(99, 100), Rate(50, 100)).works
    assert not outcome(Rate(65, 100), Rate(50, 100)).works


def test_what_epsilon_allows_is_the_success_of_randomized_response():
    assert most_right(math.log(3)) == pytest.approx(0.75)
    assert most_right(0) == 0.5


def test_an_outcome_is_ready_for_json():
    told = outcome(Rate(9, 10), Rate(5, 10)).to_dict()
    assert told["unprotected"]["share"] == 0.9
    assert [line["target"] for line in told["lines"]] == ["unprotected", "discreet"]
    assert told["is_stopped"] is True
