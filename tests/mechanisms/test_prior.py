"""Weights of a lattice are public, whole, and more where its numbers are round."""

from fractions import Fraction

import numpy as np
import pytest

from discreet.mechanisms.prior import Prior, round_numbers


def by_definition(step, low, points, plain):
    """Every multiple of every power of ten, put on the lattice one by one."""
    weights = [plain] * points
    for power in range(-12, 13):
        every = Fraction(10) ** power / step
        if every < 4 or every * 10 > points:
            continue
        for j in range(int(low / every) - 2, int((low + points) / every) + 3):
            at = (j * every + Fraction(1, 2)).__floor__() - low
            if 0 <= at < points:
                weights[at] += int(every)
    return weights


LATTICES = [
    (Fraction(1), 0, 1001), (Fraction(1), -137, 2000), (Fraction(1, 8192), 5, 9000), (Fraction(4), -(10**6), 3001),
    (Fraction(1), 2**50 + 3, 500), (Fraction(2) ** 80, 7, 200), (Fraction(1), 0, 7), (Fraction(3, 4), -3, 800),
]  # fmt: skip


@pytest.mark.parametrize(("step", "low", "points"), LATTICES)
def test_weights_are_those_of_the_multiples_of_powers_of_ten(step, low, points):
    prior = round_numbers(step, low, points, plain=5)
    edges = prior.before(np.arange(points + 1))
    assert np.diff(edges).tolist() == by_definition(step, low, points, 5)
    assert edges[0] == 0
    assert edges[-1] == prior.total == prior.before(points)
    assert prior.odds == Fraction(prior.total, 5)


def test_each_order_of_roundness_weighs_about_the_same_part_of_all_weight():
    prior = round_numbers(Fraction(1), 0, 1_000_001, plain=64)
    assert [int(order.every) for order in prior.orders] == [10, 100, 1000, 10_000, 100_000]
    for order in prior.orders:
        assert order.weight * order.before(1_000_001) == pytest.approx(1_000_001, rel=0.11)
    assert float(prior.odds) == pytest.approx(1_000_001 * (1 + 5 / 64), rel=0.01)


@pytest.mark.parametrize("bits", [0, 3])
def test_the_places_of_a_point_have_its_weight_and_every_weight_belongs_to_one_place(bits):
    prior = round_numbers(Fraction(1), -7, 150, plain=3, bits=bits)
    points = by_definition(Fraction(1), -7, 150, 3)
    weights = [weight for weight in points for _ in range(1 << bits)]
    assert np.diff(prior.before(np.arange(len(weights) + 1))).tolist() == weights
    found = [prior.place_at(weight, 0, len(weights) - 1) for weight in range(prior.total)]
    assert np.bincount(found).tolist() == weights
    assert found == sorted(found)


def test_without_orders_all_places_weigh_the_same():
    prior = Prior(1000, bits=4)
    assert prior.odds == 16_000
    assert prior.place_at(777, 0, 15_999) == 777
