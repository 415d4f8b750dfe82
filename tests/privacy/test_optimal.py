"""Optimal and advanced composition: against every combination of answers, in both directions, and how far from the sums."""

import itertools
from fractions import Fraction
from typing import get_args

import mpmath
import pytest

import discreet as dc
from discreet.privacy.events import (
    Disjoint,
    Event,
    ExponentialSelection,
    GaussianRelease,
    KeyRelease,
    LaplaceRelease,
    PureRelease,
    Repeated,
    Sequence,
)
from discreet.privacy.pairs import pairs_of
from discreet.privacy.prices import approximate, concentrated, concentrated_part, pure


def mp(number):
    number = Fraction(number)
    return mpmath.mpf(number.numerator) / number.denominator


def by_all_answers(losses, epsilon):
    """Murtagh and Vadhan's sum over all subsets, with the deltas of the losses beside it."""
    sizes = [mp(loss.epsilon) for loss in losses]
    odds, over = mpmath.exp(mp(epsilon)), mpmath.mpf(0)
    for signs in itertools.product((0, 1), repeat=len(sizes)):
        true = mpmath.fsum(size for size, sign in zip(sizes, signs, strict=True) if sign)
        over += max(mpmath.mpf(0), mpmath.exp(true) - odds * mpmath.exp(mpmath.fsum(sizes) - true))
    over /= mpmath.fprod(1 + mpmath.exp(size) for size in sizes)
    return 1 - mpmath.fprod(1 - mp(getattr(loss, "delta", 0)) for loss in losses) * (1 - over)


LISTS = {
    "alike": [dc.Pure(epsilon="1/2")] * 8, "two sizes": [dc.Pure(epsilon="0.1")] * 4 + [dc.Pure(epsilon="0.3")] * 3,
    "all different": [dc.Pure(epsilon=Fraction(1, n)) for n in (2, 3, 5, 7, 11)], "one": [dc.Pure(epsilon=2)],
    "with delta": [dc.Approximate(epsilon="1/3", delta="1e-3"), dc.Approximate(epsilon=1, delta="1e-2"), dc.Pure(epsilon="1/2")],
    "large": [dc.Pure(epsilon=30)] * 5, "with nothing": [dc.Pure(epsilon=0), dc.Pure(epsilon="1/2"), dc.Pure(epsilon="1/2")]}


@pytest.mark.parametrize("losses", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("share", ["0", "1/10", "1/2", "9/10", "1"])
def test_delta_is_the_sum_over_all_answers_rounded_up(losses, share):
    epsilon = Fraction(share) * sum(loss.epsilon for loss in losses)
    found, true = dc.optimal_composition(*losses, epsilon=epsilon), by_all_answers(losses, epsilon)
    assert found.epsilon == epsilon
    assert true - mpmath.mpf("1e-30") <= mp(found.delta) <= true * (1 + mpmath.mpf("2e-11")) + mpmath.mpf("1e-60")


@pytest.mark.parametrize("losses", LISTS.values(), ids=LISTS)
@pytest.mark.parametrize("room", ["1e-9", "1e-4", "0.05", "0.3"])
def test_epsilon_is_the_least_whose_delta_is_within_what_was_given(losses, room):
    least = 1 - mpmath.fprod(1 - mp(getattr(loss, "delta", 0)) for loss in losses)
    delta = Fraction(str(mpmath.nstr(least + (1 - least) * mp(Fraction(room)), 15)))
    found = dc.optimal_composition(*losses, delta=delta)
    assert by_all_answers(losses, found.epsilon) <= mp(delta) * (1 + mpmath.mpf("1e-30"))
    if found.epsilon:
        assert by_all_answers(losses, found.epsilon * Fraction(999_999_999, 10**9)) > mp(delta)


@pytest.mark.parametrize(("epsilon", "count", "expected"), [
    ("0.1", 10, 0.99937), ("0.1", 100, 4.77457), ("0.1", 1000, 19.34467), ("1", 30, 29.98786)])
def test_published_optimal_compositions_of_pure_losses(epsilon, count, expected):
    found = dc.optimal_composition(dc.Pure(epsilon=epsilon), count=count, delta="1e-6")
    assert float(found.epsilon) == pytest.approx(expected, abs=5e-6)


def test_a_count_is_that_many_times_the_same():
    one, other = dc.Approximate(epsilon="1/4", delta="1e-5"), dc.Pure(epsilon="1/3")
    assert dc.optimal_composition(one, other, count=4, delta="1e-3") == dc.optimal_composition(*[one, other] * 4, delta="1e-3")
    assert dc.optimal_composition(one, count=9, epsilon=1) == dc.optimal_composition(*[one] * 9, epsilon=1)


@pytest.mark.slow
def test_where_sums_are_too_many_to_list_the_grid_is_close_and_above():
    losses = [dc.Pure(epsilon=Fraction(1, n)) for n in range(7, 27)]                     # 2^20 sums
    found, batch = dc.optimal_composition(*losses, delta="1e-6"), dc.loss_distribution(*losses)
    assert batch.epsilon("1e-6", optimistic=True) <= float(found.epsilon) <= batch.epsilon("1e-6") * (1 + 1e-11)
    assert batch.epsilon("1e-6") - batch.epsilon("1e-6", optimistic=True) < 1e-3
    near = [dc.Pure(epsilon=Fraction(round(10_000 / n), 10_000)) for n in range(7, 27)]  # the same to four digits, listed
    assert float(found.epsilon) == pytest.approx(float(dc.optimal_composition(*near, delta="1e-6").epsilon), abs=2e-3)
    assert float(dc.optimal_composition(*losses, epsilon=1).delta) == pytest.approx(batch.delta(1), rel=1e-9)


def test_many_more_losses_than_can_be_listed_are_composed_too():
    many = dc.optimal_composition(dc.Pure(epsilon="0.001"), count=100_000, delta="1e-6")
    whole = dc.tradeoff(mu=["0.1"] * 10)                      # nearly Gaussian: mu squared is a hundred thousand millionths
    assert whole.delta(many.epsilon) == pytest.approx(1e-6, rel=1e-3)


def test_optimal_is_no_more_than_advanced_and_advanced_no_more_than_the_sum():
    for epsilon, count in itertools.product(("0.01", "0.1", "1", "3"), (1, 10, 200)):
        loss = dc.Approximate(epsilon=epsilon, delta="1e-8")
        advanced = dc.advanced_composition(loss, count=count, delta="1e-5")
        best = dc.optimal_composition(loss, count=count, delta=advanced.delta)
        assert best.epsilon <= advanced.epsilon <= count * Fraction(epsilon)
        assert advanced.delta == Fraction("1e-5")                  # of the whole, as everywhere


def test_published_advanced_composition():
    found = dc.advanced_composition(dc.Pure(epsilon="0.1"), count=100, delta="1e-6")
    assert float(found.epsilon) == pytest.approx(5.7561, abs=5e-5)
    true = mpmath.sqrt(2 * 100 * mpmath.log(10**6)) / 10 + 10 * mpmath.tanh(mpmath.mpf("0.05"))
    assert true <= mp(found.epsilon) <= true * (1 + mpmath.mpf("2e-11"))
    mixed = dc.advanced_composition(*[dc.Pure(epsilon="0.1")] * 60, *[dc.Pure(epsilon="0.05")] * 40, delta="1e-6")
    spread = mpmath.sqrt(2 * (mpmath.mpf("0.6") + mpmath.mpf("0.1")) * mpmath.log(10**6))
    drift = 6 * mpmath.tanh(mpmath.mpf("0.05")) + 2 * mpmath.tanh(mpmath.mpf("0.025"))
    assert float(mixed.epsilon) == pytest.approx(float(spread + drift), rel=1e-9)


# ---- k times, for every kind of event

TENTH = Fraction(1, 10)
KINDS = [LaplaceRelease(TENTH), GaussianRelease(TENTH, claim=dc.Approximate(epsilon=1, delta="1e-6")),
         ExponentialSelection(TENTH), PureRelease(TENTH), KeyRelease(TENTH, Fraction(1, 10**6)),
         Sequence((LaplaceRelease(TENTH), PureRelease(TENTH))),
         Repeated(PureRelease(TENTH), 3), Disjoint((PureRelease(TENTH), LaplaceRelease(2 * TENTH)), "change_one")]


def test_every_kind_of_event_is_tried():
    assert {type(event) for event in KINDS} == set(get_args(Event))


@pytest.mark.parametrize("event", KINDS, ids=lambda event: type(event).__name__)
@pytest.mark.parametrize("k", [1, 2, 7, 100])
def test_k_times_an_event_costs_as_much_as_k_of_them_one_by_one(event, k):
    times, one_by_one = Repeated(event, k), Sequence((event,) * k)
    assert approximate(times) == approximate(one_by_one)
    assert concentrated_part(times) == concentrated_part(one_by_one)
    assert pairs_of([times]) == pairs_of([one_by_one]) == pairs_of([event], count=k) == pairs_of([event] * k)
    for price in (pure, concentrated):
        try:
            expected = price(one_by_one)
        except dc.ParameterError:
            with pytest.raises(dc.ParameterError):
                price(times)
        else:
            assert price(times) == expected
            assert price(times) == dc.sequential(price(event), count=k)


# ---- refusals


@pytest.mark.parametrize("call", [
    lambda: dc.optimal_composition(delta="1e-6"), lambda: dc.optimal_composition(dc.Pure(epsilon=1)),
    lambda: dc.optimal_composition(dc.Pure(epsilon=1), epsilon=1, delta="1e-6"),
    lambda: dc.optimal_composition(dc.Pure(epsilon=1), count=0, delta="1e-6"),
    lambda: dc.optimal_composition(dc.Concentrated(rho=1), delta="1e-6"), lambda: dc.optimal_composition(0.1, delta="1e-6"),
    lambda: dc.optimal_composition(dc.Approximate(epsilon=1, delta="1e-3"), delta=0),
    lambda: dc.optimal_composition(dc.Approximate(epsilon=1, delta="1e-3"), count=3, delta="2.9e-3"),
    lambda: dc.optimal_composition(dc.Pure(epsilon=1), delta=1), lambda: dc.optimal_composition(dc.Pure(epsilon=1), epsilon=-1),
    lambda: dc.advanced_composition(dc.Pure(epsilon=1), count=5, delta=0), lambda: dc.advanced_composition(delta="1e-6"),
    lambda: dc.advanced_composition(dc.Pure(epsilon=1), count=0, delta="1e-6"),
    lambda: dc.advanced_composition(dc.Approximate(epsilon=1, delta="1e-6"), count=5, delta="5e-6"),
    lambda: dc.advanced_composition(dc.Concentrated(rho=1), delta="1e-6")])
def test_what_cannot_be_composed_is_refused_with_a_way_out(call):
    with pytest.raises(dc.ParameterError) as caught:
        call()
    assert "write" in caught.value.hint or "dc.sequential" in caught.value.hint


def test_without_a_delta_pure_losses_add_up():
    assert dc.optimal_composition(dc.Pure(epsilon="0.1"), count=10, delta=0) == dc.Approximate(epsilon=1, delta=0)
