"""Functions released as Bernstein polynomials: published values, the iterated operator, and the noise."""

import itertools
import math
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from tests.statistics.fit import check_both_ways

import discreet as dc
from discreet import Bernstein
from discreet.mechanisms.bernstein import BernsteinPolynomial
from discreet.noise.probabilities import tail
from discreet.privacy.prices import pure


def wave(x):
    return x * math.sin(10 * x)


def bernstein(values, point):
    """The polynomial by its definition."""
    k = values.shape[0] - 1
    return sum(
        values[at] * math.prod(comb(k, i) * x**i * (1 - x) ** (k - i) for i, x in zip(at, point, strict=True))
        for at in itertools.product(range(k + 1), repeat=values.ndim)
    )


def test_the_published_value_and_coefficients_of_a_wave():
    polynomial = Bernstein(epsilon=1, sensitivity=1, degree=25).without_noise(wave)
    assert polynomial(0.2) == pytest.approx(0.1101786, abs=5e-8)
    assert polynomial.values[:6] == pytest.approx([0, 0.01557673, 0.05738849, 0.11184469, 0.15993178, 0.18185949], abs=5e-9)
    assert polynomial.values[-1] == pytest.approx(-0.54402111, abs=5e-9)


@pytest.mark.parametrize(("degree", "dimensions"), [(1, 1), (7, 1), (25, 1), (3, 2), (6, 2), (2, 3), (1, 5)])
def test_a_polynomial_is_what_its_definition_says_in_every_dimension(degree, dimensions):
    mechanism = Bernstein(epsilon=1, sensitivity=1, degree=degree, dimensions=dimensions)
    polynomial = mechanism.without_noise(lambda *x: sum((1 + at) * each**2 for at, each in enumerate(x)) - x[0] * x[-1])
    assert len(mechanism.lattice) == mechanism.points == (degree + 1) ** dimensions == polynomial.values.size
    for first in (0.0, 0.3, 1.0):
        point = [(first + 0.37 * at) % 1.0 if at else first for at in range(dimensions)]
        assert polynomial(*point) == pytest.approx(bernstein(polynomial.values, point), abs=1e-12)


def test_many_points_are_evaluated_at_once_and_in_their_shape():
    polynomial = Bernstein(epsilon=1, sensitivity=1, degree=4, dimensions=2).without_noise(lambda x, y: x - 2 * y)
    x, y = np.meshgrid(np.linspace(0, 1, 3), np.linspace(0, 1, 5))
    assert polynomial(x, y) == pytest.approx(x - 2 * y, abs=1e-12)  # linear functions come out as they went in
    assert polynomial(x, 0.5).shape == (5, 3)
    assert isinstance(polynomial(0.5, 0.5), float)


@pytest.mark.parametrize("iterations", [1, 2, 3, 8])
@pytest.mark.parametrize("dimensions", [1, 2])
def test_the_iterated_operator_is_one_minus_the_power_of_one_minus_the_operator(iterations, dimensions):
    def function(*x):
        return wave(x[0]) + x[-1] ** 3

    def iterate(at):
        return Bernstein(epsilon=1, sensitivity=1, degree=6, dimensions=dimensions, iterations=at).without_noise(function)

    # B^(h) = sum over i of C(h, i) (-1)^(i-1) B^i, with B^i f by evaluating on the lattice again and again
    powers, values = [], iterate(1).values
    steps = np.linspace(0, 1, 7)
    grid = np.meshgrid(*[steps] * dimensions, indexing="ij")
    for _ in range(iterations):
        polynomial = BernsteinPolynomial(values)
        powers.append(polynomial)
        values = polynomial(*grid)
    for point in ([0.2, 0.9], [0.5, 0.1], [1.0, 0.0]):
        x = point[:dimensions]
        expected = sum(comb(iterations, i) * (-1) ** (i - 1) * powers[i - 1](*x) for i in range(1, iterations + 1))
        assert iterate(iterations)(*x) == pytest.approx(expected, abs=1e-10)


def test_iterations_bring_a_smooth_function_closer():
    iterates = [Bernstein(epsilon=1, sensitivity=1, degree=25, iterations=h).without_noise(wave) for h in (1, 2, 5)]
    errors = [abs(iterate(0.2) - wave(0.2)) for iterate in iterates]
    assert errors[0] > 2 * errors[1] > 4 * errors[2]


# ---- the noise


def test_noise_is_for_all_points_of_the_lattice_together():
    mechanism = Bernstein(epsilon="1/2", sensitivity="1/10", degree=3, dimensions=2)
    assert mechanism.points == 16
    assert mechanism.noise.scale == Fraction(16, 10) / Fraction(1, 2)
    assert mechanism.noise.loss_for(Fraction(16, 10)).epsilon >= mechanism.loss.epsilon  # all sixteen may move by a tenth
    assert pure(mechanism.cost) == mechanism.loss == dc.Pure(epsilon="1/2")
    assert repr(mechanism) == "Bernstein(epsilon=0.5, sensitivity=0.1, degree=3, dimensions=2, iterations=1)"


@pytest.mark.slow
def test_values_on_the_lattice_have_the_claimed_noise_and_no_other():
    mechanism = Bernstein(epsilon=2, sensitivity="1/100", degree=2047)
    law = mechanism.noise.for_floats(mechanism.points)
    drawn = np.concatenate([mechanism.release(lambda _: 0.0).values for _ in range(100)])
    check_both_ways((drawn / float(law.step)).astype(np.int64), law.law)


def test_whole_numbers_get_whole_noise():
    mechanism = Bernstein(epsilon=1, sensitivity=1, degree=4)
    values = mechanism.release(lambda x: round(4 * x)).values
    assert values.tolist() == [round(value) for value in values]


@pytest.mark.parametrize("iterations", [1, 3])
def test_noise_moves_the_polynomial_no_further_than_said(iterations):
    mechanism = Bernstein(epsilon=1, sensitivity=1, degree=9, iterations=iterations)
    noise, reach = mechanism.noise.for_floats(10), mechanism.half_width("0.9")
    steps = int(reach / (2**iterations - 1) / float(noise.step))
    assert 10 * 2 * tail(noise.law, steps)[1] <= Fraction(1, 10) * Fraction(1001, 1000)
    assert 10 * 2 * tail(noise.law, int(steps * 0.97))[0] > Fraction(1, 10)
    points = np.linspace(0, 1, 21)
    further = sum(np.abs(mechanism.release(lambda _: 0.0)(points)).max() > reach for _ in range(100))
    assert further < 40  # a tenth at most, and six deviations


def test_what_is_outside_the_unit_cube_is_refused():
    polynomial = Bernstein(epsilon=1, sensitivity=1, degree=3, dimensions=2).without_noise(lambda x, y: x)
    for point in ((-0.1, 0), (0.5, 1.01), (math.nan, 0.5)):
        with pytest.raises(dc.ParameterError, match="outside 0 to 1"):
            polynomial(*point)
    with pytest.raises(dc.ParameterError, match="of 2 numbers"):
        polynomial(0.5)
