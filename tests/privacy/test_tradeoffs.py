"""What an attack can do: the inequalities, brute force over all ways to decide, and how noise composes."""

import itertools
from fractions import Fraction
from math import exp, sqrt

import mpmath
import numpy as np
import pytest

import discreet as dc

NOISE = [dc.Laplace(epsilon=1, sensitivity=1), dc.Laplace(scale=2, sensitivity=3), dc.Gaussian(rho="1/2", sensitivity=1),
         dc.Gaussian(rho=2, sensitivity=2)]
CURVES = {"pure": dc.tradeoff(dc.Pure(epsilon=1)), "approximate": dc.tradeoff(dc.Approximate(epsilon="1/2", delta="0.05")),
          "gaussian": dc.tradeoff(mu=1), "laplace": dc.tradeoff(ratio=1),
          "selection": dc.tradeoff(dc.Exponential(epsilon=1, sensitivity=1)),
          **{repr(noise): dc.tradeoff(noise) for noise in NOISE}}


def test_two_errors_of_a_private_release_keep_both_inequalities():
    """p + e^epsilon q >= 1 and e^epsilon p + q >= 1: on the border, one of them is an equality."""
    f = dc.tradeoff(dc.Pure(epsilon=2))
    for alpha in np.linspace(0, 1, 41).tolist():
        p, q = alpha, f(alpha)
        sums = p + exp(2) * q, exp(2) * p + q
        assert min(sums) == pytest.approx(1, abs=1e-12)
        assert f.allows(p, min(1, q + 1e-9))
        assert q < 0.01 or not f.allows(p, 0.97 * q)
    assert [f.allows(*rates) for rates in ((1, 0), (1, 1), ("0.5", "0.5"))] == [True] * 3
    assert [f.allows(*rates) for rates in ((0, "0.99"), ("0.1", "0.1"), ("0.05", "0.6"))] == [False] * 3


@pytest.mark.parametrize("mechanism", NOISE, ids=repr)
def test_no_way_to_decide_beats_the_tradeoff_and_the_best_attains_it(mechanism):
    """Every union of the outputs -2 ... 4 as the alarm, outputs beyond lumped together."""
    shift = 1 if mechanism is NOISE[0] or mechanism is NOISE[2] else 3 if mechanism is NOISE[1] else 2
    cuts = [(mechanism.cdf(z), mechanism.cdf(z - shift)) for z in range(-2, 5)]
    near = np.diff([0.0, *(p for p, _ in cuts), 1.0])
    far = np.diff([0.0, *(q for _, q in cuts), 1.0])
    f, best = dc.tradeoff(mechanism), 1.0
    for alarm in itertools.product((0, 1), repeat=len(near)):
        p, q = float(np.dot(alarm, near)), 1 - float(np.dot(alarm, far))
        if 0 < p < 1:
            assert q >= f(p) - 1e-9
            best = min(best, q - f(p))
    assert best < 1e-9


def test_whole_numbers_that_move_by_one_step_with_laplace_noise_are_randomized_response():
    exactly, promised = dc.tradeoff(NOISE[0]), dc.tradeoff(NOISE[0].loss)
    for alpha in np.linspace(0.01, 0.99, 50).tolist():
        assert exactly(alpha) == pytest.approx(promised(alpha), abs=1e-12)


def test_on_a_fine_step_noise_has_the_tradeoff_of_continuous_noise():
    for fine, continuous in ((dc.Laplace(epsilon=1, sensitivity=1).for_floats(), dc.tradeoff(ratio=1)),
                             (dc.Gaussian(rho="1/2", sensitivity=1).for_floats(), dc.tradeoff(mu=1))):
        for alpha in ("0.001", "0.05", "0.3", "0.5", "0.9"):
            assert dc.tradeoff(fine)(alpha) == pytest.approx(continuous(alpha), rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("f", CURVES.values(), ids=CURVES)
def test_delta_and_tradeoff_say_the_same(f):
    """delta(epsilon) is the largest 1 - f(alpha) - e^epsilon alpha."""
    alphas = np.concatenate([[0.0], np.geomspace(1e-5, 1, 801)])
    misses = np.array([f(float(alpha)) for alpha in alphas])
    for epsilon in ("0", "0.2", "0.9", "1.5"):
        most = float(np.max(1 - misses - exp(float(epsilon)) * alphas))
        assert most <= f.delta(epsilon) + 1e-12
        assert most == pytest.approx(f.delta(epsilon), abs=2e-3)


@pytest.mark.parametrize("f", CURVES.values(), ids=CURVES)
def test_a_tradeoff_is_convex_falls_and_is_its_own_mirror_image(f):
    points = f.points(201)
    misses = np.array([miss for _, miss in points])
    assert np.all(np.diff(misses) <= 1e-12)
    assert np.all(np.diff(misses, 2) >= -1e-9)
    for alpha, miss in points[1:-1:10]:
        if 0 < miss < 1:
            assert f(miss) == pytest.approx(alpha, abs=1e-6)
        assert f.power(alpha) == 1 - miss


def test_gaussians_compose_by_the_root_of_the_sum_of_squares():
    assert dc.tradeoff(mu=["0.3", "0.4"]) == dc.tradeoff(mu="0.5")
    whole = dc.tradeoff(mu=[Fraction(1, 10)] * 100)
    assert whole.mu == 1
    composed = dc.loss_distribution(dc.Gaussian(rho="1/200", sensitivity=1).for_floats(), count=100)
    for epsilon in ("0.5", "1", "3"):
        assert composed.delta(epsilon) == pytest.approx(whole.delta(epsilon), rel=1e-4)


def test_known_powers():
    assert dc.tradeoff(dc.Pure(epsilon=1)).power("0.05") == pytest.approx(exp(1) * 0.05)
    with mpmath.workdps(30):
        normal = float(mpmath.ncdf(1 - mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf("0.9"))))
    assert dc.tradeoff(mu=1).power("0.05") == pytest.approx(normal, rel=1e-9)
    assert dc.tradeoff(ratio=1).power("0.05") == pytest.approx(0.05 * exp(1))
    assert dc.tradeoff(ratio=1).power("0.3") == pytest.approx(1 - exp(-1) / 1.2)
    assert dc.tradeoff(ratio=1).power("0.9") == pytest.approx(1 - exp(-1) * 0.1)
    assert dc.tradeoff(dc.Approximate(epsilon=0, delta="0.1")).power("0.2") == pytest.approx(0.3)
    assert dc.tradeoff(dc.Approximate(epsilon=1, delta="0.1"))(0) == pytest.approx(0.9)
    assert dc.tradeoff(mu=0).power("0.2") == pytest.approx(0.2)
    assert dc.tradeoff(mu=2).mu == 2
    assert dc.tradeoff(mu=["1", "1"]).mu == pytest.approx(sqrt(2))


@pytest.mark.parametrize("call", [
    dc.tradeoff, lambda: dc.tradeoff(dc.Pure(epsilon=1), mu=1), lambda: dc.tradeoff(mu=[]), lambda: dc.tradeoff(mu=-1),
    lambda: dc.tradeoff(ratio=-1), lambda: dc.tradeoff(0.1), lambda: dc.tradeoff(dc.Concentrated(rho=1)),
    lambda: dc.tradeoff(mu=1)(2), lambda: dc.tradeoff(mu=1)(-0.1), lambda: dc.tradeoff(mu=1).points(["0.5", "0.1"]),
    lambda: dc.tradeoff(mu=1).points(["0.1", "0.1"]), lambda: dc.tradeoff(mu=1).points(1), lambda: dc.tradeoff(mu=1).points([]),
    lambda: dc.tradeoff(mu=1).allows(2, 0)])
def test_what_has_no_tradeoff_is_refused_with_a_way_out(call):
    with pytest.raises(dc.ParameterError) as caught:
        call()
    assert "write" in caught.value.hint
