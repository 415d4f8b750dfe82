"""What Gaussian charges is what it loses, from its exact probabilities: never more is lost, and never 3 % less than charged."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

import discreet as dc
from discreet import Gaussian
from discreet.mechanisms.noisy import with_fields
from discreet.noise.law import discrete_gaussian_law
from discreet.privacy.curves import delta_after_shift

TINY = mpmath.mpf(10) ** -20
ORDERS = ["1.01", "1.5", "2", "3", "7.5", "16"]


def brute_delta(variance, shift: int, epsilon):
    """delta(epsilon) of discrete Gaussian noise by summing over every output that matters, without any closed form."""
    variance, factor = mpmath.mpf(variance.numerator) / variance.denominator, mpmath.exp(mpmath.mpf(epsilon))
    reach = int(40 * mpmath.sqrt(variance)) + shift + 20
    weights = {z: mpmath.exp(-mpmath.mpf(z * z) / (2 * variance)) for z in range(-reach - shift, reach + shift + 1)}
    total = mpmath.fsum(weights.values())
    return mpmath.fsum(max(mpmath.mpf(0), weights[z] - factor * weights[z + shift]) for z in range(-reach, reach + 1)) / total


# ---- rho


@pytest.mark.slow
@pytest.mark.parametrize(("rho", "sensitivity"), [("1/200", 1), ("1/2", 1), ("1/2", 3), ("5", 2)])
def test_the_renyi_divergence_of_gaussian_on_integers_is_the_rho_charged(outputs, mp, rho, sensitivity):
    mechanism = Gaussian(rho=rho, sensitivity=sensitivity)
    charged = mp(mechanism.loss.rho)
    assert charged == mp(rho) == mp(mechanism.cost.ratio_squared) / 2
    reach = int(16 * mechanism.scale) + 17 * sensitivity
    for shift in range(1, sensitivity + 1):
        laws = outputs(mechanism, shift, reach)
        lost = {alpha: laws.renyi(mpmath.mpf(alpha)) / mpmath.mpf(alpha) for alpha in ORDERS}
        assert max(lost.values()) <= charged * (1 + TINY)
        assert lost["2"] <= charged * mpmath.mpf(shift) ** 2 / sensitivity**2 * (1 + TINY)
    assert lost["2"] >= charged * (1 - TINY)                  # attained, at every whole order
    assert lost["16"] >= charged * (1 - TINY)


def test_the_renyi_divergence_over_several_numbers_is_the_rho_charged_for_their_l2_sensitivity(whole_vectors, mp):
    mechanism = Gaussian(rho="1/4", sensitivity_squared=2)
    mass = {z: mp(mechanism.pmf(z, exact=True)[0]) for z in range(-60, 61)}

    def renyi_of_two(shift: int):                             # order 2, of one number
        return mpmath.log(mpmath.fsum(mass[z] ** 2 / mass[z - shift] for z in range(-50, 51)))

    alone = {shift: renyi_of_two(shift) for shift in range(-2, 3)}
    lost = {v: sum(alone[shift] for shift in v) / 2 for v in whole_vectors(3, 1) if sum(shift**2 for shift in v) <= 2}
    assert max(lost.values()) <= mp(mechanism.loss.rho) * (1 + TINY)
    assert lost[1, 0, -1] >= mp(mechanism.loss.rho) * (1 - TINY)


@pytest.mark.parametrize("sensitivity", ["1/3", "0.1", "3/4", "1/150", "1000000/994", "1048577/1048576"])
@pytest.mark.parametrize("rho", ["1/100", "1/2", "8"])
def test_floats_in_the_worst_places_lose_the_rho_charged(most_steps_apart, rho, sensitivity):
    mechanism = Gaussian(rho=rho, sensitivity=sensitivity)
    lost = most_steps_apart(Fraction(sensitivity), mechanism.step) ** 2 * mechanism.law.quadratic
    assert Fraction(97, 100) * Fraction(rho) < lost <= Fraction(rho)


@pytest.mark.parametrize("sensitivity", ["1/3", "51/200", "3/4", "1", "5/4", "101/100"])
def test_on_a_coarse_step_one_float_moves_by_the_steps_charged_and_no_more(outputs, most_steps_apart, mp, sensitivity):
    mechanism = Gaussian(rho="1/2", sensitivity=sensitivity, step="1/4").for_floats()
    steps = most_steps_apart(Fraction(sensitivity), mechanism.step)
    lost = outputs(mechanism, steps, reach=int(16 * mechanism.scale * 4) + 40).renyi(mpmath.mpf(2)) / 2
    assert lost <= mp("1/2") * (1 + TINY)
    assert lost >= mp("1/2") * (1 - TINY)                     # here nothing is given away


def test_k_floats_can_each_gain_a_step_and_that_is_paid_for(most_steps_apart):
    k, step, sensitivity = 9, Fraction(1, 4), Fraction(2, 1)
    mechanism = Gaussian(rho="1/2", sensitivity=sensitivity, step=step).for_floats(k)
    each = most_steps_apart(sensitivity / 3, step)            # nine equal moves have l2 norm sensitivity
    assert each == 3
    lost = k * each**2 * mechanism.law.quadratic
    assert Fraction(54, 100) * Fraction(1, 2) < lost <= Fraction(1, 2)
    assert k * each**2 * with_fields(mechanism, rounds=0).law.quadratic > Fraction(1, 2)     # without widening it would be more
    tight = sensitivity / 3 / step - Fraction(2, 3) + Fraction(1, 2**20)                 # just above two steps, so three
    behind = Gaussian(rho="1/2", sensitivity=3 * tight * step, step=step).for_floats(k)
    lost = k * most_steps_apart(tight * step, step) ** 2 * behind.law.quadratic
    assert Fraction(97, 200) < lost <= Fraction(1, 2)


@pytest.mark.parametrize("k", [2, 7, 1000])
def test_for_many_floats_the_step_shrinks_so_that_rounding_costs_next_to_nothing(k):
    mechanism = Gaussian(rho="1/2", sensitivity="1/3").for_floats(k)
    assert 1 < 1 / (2 * mechanism.law.quadratic) * mechanism.step**2 * 9 <= (1 + Fraction(1, 2**20)) ** 2


@pytest.mark.parametrize("distance", ["0", "1/100", "0.3", "1/2", "2"])
def test_loss_for_is_the_rho_at_any_other_distance(most_steps_apart, distance):
    for mechanism in (Gaussian(rho=1, sensitivity="1/2", step="1/8").for_floats(), Gaussian(rho=1, sensitivity="1/2")):
        steps = most_steps_apart(Fraction(distance), mechanism.step)
        assert mechanism.loss_for(distance).rho == steps**2 * mechanism.law.quadratic
    assert mechanism.loss_for("1/2") == mechanism.loss


# ---- epsilon and delta


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "delta", "sensitivity"), [
    ("1", "1e-6", 1), ("1", "1e-6", 3), ("5", "5e-6", 1), ("0.3", "1e-3", 2), ("8", "1e-9", 1),
    ("1/10", "0.01", 1), ("2", "0.4", 1)])
def test_delta_of_gaussian_on_integers_is_the_delta_charged(mp, epsilon, delta, sensitivity):
    mechanism = Gaussian(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    variance = 1 / (2 * mechanism.law.quadratic)
    lost = [brute_delta(variance, shift, mp(epsilon)) for shift in range(1, sensitivity + 1)]
    assert lost == sorted(lost)
    assert mpmath.mpf("0.97") * mp(delta) < lost[-1] <= mp(delta)
    assert brute_delta(variance, sensitivity, mp(epsilon) * mpmath.mpf("0.97")) > mp(delta)
    low, high = mechanism.delta_for(epsilon, exact=True)
    assert mp(low) - TINY <= lost[-1] <= mp(high) + TINY
    assert mechanism.loss == dc.Approximate(epsilon=epsilon, delta=delta) == mechanism.cost.claim


def test_sigma_at_one_and_a_millionth_is_4_231():
    assert Gaussian(epsilon=1, delta="1e-6", sensitivity=1).scale == pytest.approx(4.231, abs=0.001)


def test_at_five_and_five_millionths_837_passes_and_the_larger_900_fails(mp):
    narrow, wide = Fraction("0.837") ** 2, Fraction("0.9") ** 2
    limit = mp("5e-6")
    assert brute_delta(narrow, 1, 5) <= limit < brute_delta(wide, 1, 5)
    assert delta_after_shift(discrete_gaussian_law(narrow), 1, Fraction(5))[1] <= Fraction("5e-6")
    assert delta_after_shift(discrete_gaussian_law(wide), 1, Fraction(5))[0] > Fraction("5e-6")
    mechanism = Gaussian(epsilon=5, delta="5e-6", sensitivity=1)
    assert mechanism.scale < 0.838
    assert brute_delta(1 / (2 * mechanism.law.quadratic), 1, 5) <= limit


@pytest.mark.parametrize("sensitivity", ["1/3", "3/4", "5/4", "1"])
def test_on_a_coarse_step_delta_of_one_float_is_the_delta_charged(most_steps_apart, mp, sensitivity):
    mechanism = Gaussian(epsilon=1, delta="1e-5", sensitivity=sensitivity, step="1/4").for_floats()
    steps = most_steps_apart(Fraction(sensitivity), mechanism.step)
    lost = brute_delta(1 / (2 * mechanism.law.quadratic), steps, 1)
    assert mpmath.mpf("0.97e-5") < lost <= mp("1e-5")


@pytest.mark.parametrize(("sensitivity", "scale"), [("1/3", 1.4075), ("1/1000", 0.0042225), ("4/3", 5.6299)])
def test_on_the_fine_step_for_floats_delta_is_the_delta_charged(most_steps_apart, mp, sensitivity, scale):
    mechanism = Gaussian(epsilon=1, delta="1e-6", sensitivity=sensitivity)
    steps, sigma = most_steps_apart(Fraction(sensitivity), mechanism.step), mpmath.sqrt(1 / (2 * mp(mechanism.law.quadratic)))
    assert steps == mechanism._shift
    assert mechanism.scale == pytest.approx(scale, rel=1e-3)

    def beyond(z):                                            # so many steps that sums are integrals, to 1e-10
        return mpmath.erfc((z - mpmath.mpf(1) / 2) / sigma / mpmath.sqrt(2)) / 2

    start = mpmath.ceil(sigma**2 / steps - mpmath.mpf(steps) / 2)
    lost = beyond(start) - mpmath.e * beyond(start + steps)
    assert mpmath.mpf("0.97e-6") < lost <= mp("1e-6") * (1 + mpmath.mpf(10) ** -8)


@pytest.mark.parametrize(("dimensions", "vectors"), [(2, [(1, 0), (1, 1), (2, 0)]), (3, [(1, 1, 1), (0, 2, 0)])])
def test_delta_over_several_numbers_is_within_the_delta_charged(dimensions, vectors):
    longest = max(sum(s * s for s in v) for v in vectors)
    mechanism = Gaussian(epsilon=2, delta="1e-3", sensitivity_squared=longest, dimensions=dimensions)
    sizes = np.arange(-45, 46)
    mass = np.array([mechanism.pmf(int(z)) for z in range(-50, 51)])
    for vector in vectors:
        near, far = np.ones(1), np.ones(1)
        for shift in vector:
            near = np.multiply.outer(near, mass[sizes + 50]).reshape(-1)
            far = np.multiply.outer(far, mass[sizes + 50 + shift]).reshape(-1)
        lost = np.maximum(0, near - np.exp(2) * far).sum()
        assert lost <= 1e-3
        if sum(s * s for s in vector) == longest:
            assert lost > 2e-4                                # the price of going through rho; not a factor of ten


def test_several_numbers_are_charged_by_the_largest_rho_that_implies_epsilon_and_delta():
    several = Gaussian(epsilon=1, delta="1e-6", sensitivity=1, dimensions=2)
    rho = several.cost.ratio_squared / 2
    assert dc.Concentrated(rho=rho).to_approximate("1e-6").epsilon <= 1
    assert dc.Concentrated(rho=rho * Fraction(1001, 1000)).to_approximate("1e-6").epsilon > 1
    assert several.loss == dc.Approximate(epsilon=1, delta="1e-6")
