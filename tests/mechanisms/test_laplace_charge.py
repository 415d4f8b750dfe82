"""What Laplace charges is what it loses, from its exact probabilities: never more is lost, and never 3 % less than charged."""

import itertools
from fractions import Fraction

import mpmath
import pytest

import discreet as dc
from discreet import Laplace
from discreet.mechanisms.grid import float_step
from discreet.mechanisms.noisy import with_fields

TINY = mpmath.mpf(10) ** -20
ORDERS = ["1.01", "1.5", "2", "3", "8", "32"]


@pytest.mark.parametrize("sensitivity", [1, 3])
@pytest.mark.parametrize("epsilon", ["1/10", "1", "5/2", "7"])
def test_the_max_divergence_of_laplace_on_integers_is_the_epsilon_charged(outputs, mp, epsilon, sensitivity):
    mechanism = Laplace(epsilon=epsilon, sensitivity=sensitivity)
    charged = mp(mechanism.loss.epsilon)
    assert charged == mp(epsilon)
    lost = [outputs(mechanism, shift, reach=30).max_divergence() for shift in range(1, sensitivity + 1)]
    assert max(lost) <= charged * (1 + TINY)
    assert max(lost) >= charged * (1 - TINY)
    assert lost == sorted(lost)


def test_the_max_divergence_over_several_numbers_is_the_epsilon_charged_for_their_joint_sensitivity(whole_vectors, mp):
    mechanism = Laplace(epsilon="3/2", sensitivity=2)
    log = {z: mpmath.log(mp(mechanism.pmf(z, exact=True)[0])) for z in range(-9, 10)}
    lost = {}
    for vector in whole_vectors(3, 2):
        if sum(map(abs, vector)) <= 2:                        # the l1 norm, over all three numbers
            lost[vector] = max(sum(log[y] - log[y - v] for y, v in zip(answer, vector, strict=True))
                               for answer in itertools.product((-6, -1, 0, 1, 6), repeat=3))
    assert max(lost.values()) <= mp(mechanism.loss.epsilon) * (1 + TINY)
    assert min(lost[2, 0, 0], lost[1, 0, -1], lost[0, -1, 1]) >= mp(mechanism.loss.epsilon) * (1 - TINY)


@pytest.mark.parametrize("sensitivity", ["1/3", "0.1", "3/4", "1/150", "1000000/994", "1048577/1048576"])
@pytest.mark.parametrize("epsilon", ["1/10", "1", "8"])
def test_floats_in_the_worst_places_lose_the_epsilon_charged(most_steps_apart, epsilon, sensitivity):
    mechanism = Laplace(epsilon=epsilon, sensitivity=sensitivity)
    assert mechanism.for_floats() == mechanism
    steps = most_steps_apart(Fraction(sensitivity), mechanism.step)
    assert steps > Fraction(sensitivity) / mechanism.step - 1     # straddled: a whole step is nothing here, so that
    lost = steps * mechanism.law.linear                           # forgetting to widen would show in the exact fraction
    assert Fraction(97, 100) * Fraction(epsilon) < lost <= Fraction(epsilon)


@pytest.mark.parametrize("sensitivity", [1, 7])
def test_floats_under_a_whole_sensitivity_lose_the_epsilon_charged(most_steps_apart, sensitivity):
    mechanism = Laplace(epsilon="1/2", sensitivity=sensitivity)
    behind = mechanism.for_floats()
    lost = most_steps_apart(Fraction(sensitivity), behind.step) * behind.law.linear
    assert Fraction(97, 200) < lost <= Fraction(1, 2)
    assert behind.loss == mechanism.loss


@pytest.mark.parametrize("sensitivity", ["1/3", "51/200", "3/4", "1", "101/100"])
def test_on_a_coarse_step_rounding_is_paid_for(outputs, most_steps_apart, mp, sensitivity):
    mechanism = Laplace(epsilon=1, sensitivity=sensitivity, step="1/4").for_floats()
    steps = most_steps_apart(Fraction(sensitivity), mechanism.step)
    assert steps == -(-Fraction(sensitivity) // mechanism.step)   # rounded up, and no further
    lost = outputs(mechanism, steps, reach=40).max_divergence()
    assert lost <= mp(mechanism.loss.epsilon) * (1 + TINY)
    unpaid = Fraction(steps) * mechanism.step / Fraction(sensitivity)
    if unpaid > 1:                                            # noise of scale sensitivity / epsilon would not have sufficed
        assert lost > mpmath.mpf("0.8")


def test_k_floats_can_each_gain_a_step_and_that_is_paid_for(most_steps_apart):
    k, step, sensitivity = 5, Fraction(1, 4), Fraction(51, 200)
    mechanism = Laplace(epsilon=1, sensitivity=sensitivity, step=step).for_floats(k)
    almost_nothing = Fraction(1, 2**40)
    shifts = [most_steps_apart(sensitivity - (k - 1) * almost_nothing, step), *[most_steps_apart(almost_nothing, step)] * (k - 1)]
    assert shifts == [2, 1, 1, 1, 1]                          # together within the sensitivity, in the l1 norm
    lost = sum(shifts) * mechanism.law.linear
    assert Fraction(97, 100) < lost <= 1
    assert sum(shifts) * with_fields(mechanism, rounds=k - 1).law.linear > 1


@pytest.mark.parametrize("k", [1, 2, 7, 1000])
def test_for_many_floats_the_step_shrinks_so_that_rounding_costs_next_to_nothing(k):
    mechanism = Laplace(epsilon=1, sensitivity="1/3")
    behind = mechanism.for_floats(k)
    assert behind.step <= float_step(Fraction(1, 3)) / max(1, k // 2)
    assert behind.rounds == k
    assert 1 < behind.law.linear ** -1 * behind.step / mechanism.scale <= 1 + Fraction(1, 2**20)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["1/50", "1/2", "2", "6"])
def test_the_renyi_divergence_of_laplace_is_within_the_rho_charged(outputs, mp, epsilon):
    mechanism = Laplace(epsilon=epsilon, sensitivity=1)
    rho = mp(mechanism.loss.to_concentrated().rho)
    assert rho == mp(epsilon) ** 2 / 2
    laws = outputs(mechanism, 1, reach=int(30 * mechanism.scale) + 60)
    lost = max(laws.renyi(mpmath.mpf(alpha)) / mpmath.mpf(alpha) for alpha in ORDERS)
    assert lost <= rho
    if epsilon == "1/50":                                     # where it is tight
        assert lost > mpmath.mpf("0.97") * rho


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "sensitivity"), [("1", 1), ("1/3", 2), ("5/2", 3)])
@pytest.mark.parametrize("at", ["0.05", "0.3", "0.9", "1", "2"])
def test_delta_of_laplace_at_any_epsilon_is_what_brute_force_finds(outputs, mp, epsilon, sensitivity, at):
    mechanism = Laplace(epsilon=epsilon, sensitivity=sensitivity)
    low, high = mechanism.delta_for(at, exact=True)
    found = max(outputs(mechanism, shift, reach=int(70 * mechanism.scale) + 70).delta(Fraction(at))
                for shift in range(1, sensitivity + 1))
    assert mp(low) - TINY <= found <= mp(high) + TINY
    assert mp(high) - mp(low) <= TINY
    assert (found > TINY) == (Fraction(at) < Fraction(epsilon))
    assert mechanism.delta_for(at) >= high
    assert mechanism.delta_for(at) <= float(high) * (1 + 1e-15)


@pytest.mark.parametrize("distance", ["0", "1/100", "0.3", "1/2", "2"])
def test_loss_for_is_the_loss_at_any_other_distance(most_steps_apart, distance):
    for mechanism in (Laplace(epsilon=1, sensitivity="1/2", step="1/8").for_floats(), Laplace(epsilon=1, sensitivity="1/2")):
        lost = most_steps_apart(Fraction(distance), mechanism.step) * mechanism.law.linear
        charged = mechanism.loss_for(distance).epsilon
        assert lost <= charged <= lost + mechanism.law.linear
    assert mechanism.loss_for("1/2") == mechanism.loss


def test_loss_for_needs_no_sensitivity():
    assert Laplace(scale="0.5").loss_for(distance="0.15") == dc.Pure(epsilon="3/10")
    assert Laplace(scale="0.5").loss_for(0) == dc.Pure(epsilon=0)
    assert Laplace(scale=10, sensitivity=1).loss == dc.Pure(epsilon="0.1")


def test_a_float_goes_through_a_scale_and_loss_for_counts_what_rounding_adds(most_steps_apart):
    assert isinstance(Laplace(scale=10).release(51.5), float)
    given = Laplace(scale="0.5").for_floats()
    assert given.law.linear == given.step / given.scale               # as wide as asked, not wider
    for mechanism in (given, Laplace(scale="0.5", step="1/8")):       # this one used to send its asker back to loss_for
        for distance in ("0.15", "1/7", "3"):
            lost = most_steps_apart(Fraction(distance), mechanism.step) * mechanism.law.linear
            assert lost <= mechanism.loss_for(distance).epsilon <= lost + mechanism.law.linear
    assert given.loss_for("0.15").epsilon == (Fraction("0.15") + given.step) / Fraction("0.5")


def test_half_width_takes_what_interval_takes():
    mechanism = Laplace(epsilon="0.1", sensitivity=1)
    assert mechanism.half_width("0.95") == mechanism.half_width(0.95) == mechanism.half_width() == 30
    assert mechanism.interval("0.95") == (-30, 30)
    with pytest.raises(dc.ParameterError, match=r"0\.95 for 95"):
        mechanism.half_width(95)
