"""What selections of candidates and of keys cost, in every kind of loss."""

from fractions import Fraction

import pytest

import discreet as dc
from discreet.privacy.events import (
    Disjoint,
    ExponentialSelection,
    GaussianRelease,
    KeyRelease,
    LaplaceRelease,
    PureRelease,
    Repeated,
    Sequence,
)
from discreet.privacy.prices import approximate, concentrated, concentrated_delta, concentrated_part, pure

EPSILON, DELTA = Fraction(1, 3), Fraction(1, 10**6)
FLIP, KEYS = PureRelease(EPSILON), KeyRelease(EPSILON, DELTA)


def test_something_private_costs_epsilon_and_a_half_of_its_square():
    assert pure(FLIP) == dc.Pure(epsilon=EPSILON)
    assert approximate(FLIP) == dc.Approximate(epsilon=EPSILON, delta=0)
    assert concentrated(FLIP) == dc.Concentrated(rho=EPSILON**2 / 2)
    assert concentrated(FLIP).rho == 4 * concentrated(ExponentialSelection(EPSILON)).rho
    assert concentrated_delta(FLIP) == 0


def test_keys_cost_epsilon_and_delta_and_no_pure_epsilon_is_enough():
    assert approximate(KEYS) == dc.Approximate(epsilon=EPSILON, delta=DELTA)
    with pytest.raises(dc.ParameterError, match="no pure epsilon"):
        pure(KEYS)
    with pytest.raises(dc.ParameterError, match="no pure epsilon"):
        pure(Sequence((FLIP, KEYS)))


def test_keys_on_a_ledger_of_rho_cost_a_half_of_epsilon_squared_and_a_delta_beside():
    assert concentrated_part(KEYS) == dc.Concentrated(rho=EPSILON**2 / 2)
    assert concentrated_delta(KEYS) == DELTA
    for event in (KEYS, Sequence((FLIP, KEYS)), Repeated(KEYS, 2), Disjoint((KEYS,), "add_remove")):
        with pytest.raises(dc.ParameterError, match="no rho alone"):
            concentrated(event)


def test_rho_and_delta_of_keys_add_up_beside_each_other():
    noise = GaussianRelease(Fraction(1, 8))
    together = Sequence((KEYS, noise, Repeated(KEYS, 3), LaplaceRelease(EPSILON)))
    assert concentrated_part(together) == dc.Concentrated(rho=Fraction(1, 16) + 5 * EPSILON**2 / 2)
    assert concentrated_delta(together) == 4 * DELTA
    apart = Disjoint((KEYS, KEYS, FLIP), "change_one")
    assert concentrated_delta(apart) == 2 * DELTA
    assert concentrated_part(apart) == dc.Concentrated(rho=EPSILON**2)
    assert concentrated_delta(Disjoint((KEYS, FLIP), "add_remove")) == DELTA
    assert concentrated_delta(Sequence(())) == 0
    assert concentrated_delta(Repeated(KeyRelease(EPSILON, Fraction(1, 2)), 5)) == 1  # it promises nothing, and says so


@pytest.mark.parametrize("event", [FLIP, KEYS], ids=lambda event: type(event).__name__)
@pytest.mark.parametrize("count", [1, 4])
def test_a_count_is_as_many_single_events(event, count):
    repeated, one_by_one = Repeated(event, count), Sequence((event,) * count)
    assert approximate(repeated) == approximate(one_by_one)
    assert concentrated_part(repeated) == concentrated_part(one_by_one)
    assert concentrated_delta(repeated) == concentrated_delta(one_by_one)
    if event is FLIP:
        assert pure(repeated) == pure(one_by_one) == dc.Pure(epsilon=count * EPSILON)
