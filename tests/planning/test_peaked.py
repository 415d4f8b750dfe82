"""Sums of discrete noise against sums of continuous noise, from exact probabilities: the lemmas of docs/proofs/intervals.md."""

from fractions import Fraction
from itertools import pairwise
from math import erfc, exp, prod, sqrt

import numpy as np
import pytest

from discreet.noise.law import Law, discrete_gaussian_law, discrete_laplace_law
from discreet.statistics.reach import reach

TINY = 1e-10                                                       # what float64 may lose in a sum of probabilities
WEIGHTS = [(0.95, -0.05), (1.0, -0.37), (0.6, 0.59), (1.0, 0.37, -0.61), (0.5, -0.25, -0.125)]


def chances(law: Law) -> np.ndarray:
    """P(Z = 0), P(Z = 1), … as far as anything is left."""
    weights = [1.0]
    while weights[-1] > 1e-18:
        weights.append(exp(-law.exponent(len(weights))))
    return np.array(weights) / (2 * sum(weights) - 1)


def laplace_tail(scale: float, a: float) -> float:
    return exp(-a / scale)


def normal_tail(deviation: float, a: float) -> float:
    return erfc(a / (deviation * sqrt(2)))


def sum_of_laplace_exceeds(weights: tuple[float, ...], scale: float, a: float) -> float:
    scales = [abs(weight) * scale for weight in weights]           # all different
    return sum(prod(b**2 / (b**2 - c**2) for c in scales if c != b) * exp(-a / b) for b in scales)


def sum_of_steps(law: Law, weights: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Every value of |Σ wZ| and its probability."""
    half = chances(law)
    half = half[half > 1e-13]
    whole, places = np.concatenate([half[:0:-1], half]), np.arange(-len(half) + 1, len(half))
    sizes, shares = np.zeros(1), np.ones(1)
    for weight in weights:
        sizes, shares = np.add.outer(sizes, weight * places).ravel(), np.multiply.outer(shares, whole).ravel()
    return np.abs(sizes), shares


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(7), Fraction(300)])
def test_discrete_laplace_noise_is_noise_more_peaked_than_laplace_rounded_by_half_a_step(scale):
    half = chances(discrete_laplace_law(scale))
    ends = [laplace_tail(float(scale), max(place - 0.5, 0.0)) for place in range(len(half) + 1)]
    stretches = [1 - ends[1], *((low - high) / 2 for low, high in pairwise(ends[1:]))]
    factors = (half / np.array(stretches))[: int(20 * scale) + 5]  # further out float64 has nothing left to divide
    assert (np.diff(factors) <= TINY).all()                        # so the density of what is rounded falls on both sides
    beyond = 1 - half[0] - 2 * np.concatenate([[0.0], np.cumsum(half[1:])])
    assert all(share <= end + TINY for share, end in zip(beyond, ends[1:], strict=True))


def test_three_per_cent_less_than_half_a_step_would_not_do():
    half = chances(discrete_laplace_law(Fraction(300)))
    assert laplace_tail(300.0, 1 - 0.97 * 0.5) < 1 - half[0] <= laplace_tail(300.0, 1 - 0.5)


@pytest.mark.parametrize("deviation", [0.4, 1.0, 6.0, 150.0])
def test_discrete_gaussian_noise_is_noise_more_peaked_than_normal_rounded_by_less_than_a_step(deviation):
    half = chances(discrete_gaussian_law(Fraction(deviation) ** 2))
    far = min(len(half), int(5 * deviation) + 3)
    stretches = [(normal_tail(deviation, place - 1) - normal_tail(deviation, place)) / 2 for place in range(1, far)]
    factors = half[1:far] / np.array(stretches)
    assert factors[0] <= 1                                         # nowhere more than the normal law has
    assert (np.diff(factors) <= TINY).all()


@pytest.mark.slow
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(2)])
def test_weighted_sums_of_laplace_steps_exceed_no_more_often_than_continuous_ones_and_half_a_step_each(weights, scale):
    sizes, shares = sum_of_steps(discrete_laplace_law(scale), weights)
    more = sum(map(abs, weights)) / 2
    places = np.linspace(0.0, 12 * float(scale), 61)
    continuous = np.array([sum_of_laplace_exceeds(weights, float(scale), a) for a in places])
    assert all(shares[sizes > a + more].sum() <= bound + TINY for a, bound in zip(places, continuous, strict=True))
    if len(weights) == 2:                                          # where what the steps add is needed
        assert any(shares[sizes > a].sum() > bound + TINY for a, bound in zip(places, continuous, strict=True))


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("law", [discrete_laplace_law(Fraction(1, 2)), discrete_laplace_law(Fraction(2)),
                                 discrete_gaussian_law(Fraction(1, 4)), discrete_gaussian_law(Fraction(30))])
def test_the_reach_of_a_weighted_sum_holds_by_the_exact_law_at_every_confidence(law, weights):
    sizes, shares = sum_of_steps(law, weights)
    for alpha in (0.5, 0.2, 0.05, 0.01, 0.001):
        assert shares[sizes > reach(law, weights, alpha)].sum() <= alpha
