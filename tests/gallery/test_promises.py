"""The numbers behind pages on the promise itself and on the package diffpriv: what it prints, where that can be had again."""

import math
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.gallery.choosing import as_published, letters
from discreet.gallery.composing import two_dimensions, two_ranges
from discreet.gallery.diffpriv import (
    analytic_scale,
    classic_delta,
    classic_scale,
    distances,
    law_of_largest,
    priestley_chao,
    vignette_mean,
    vignette_rows,
    wave,
)
from discreet.gallery.promises import chebyshev_width, loss_of_group, loss_variable, mean_loss, two_promises
from discreet.lessons.r import R
from discreet.privacy.curves import continuous_gaussian_delta
from discreet.sensitivities import sampling_plan


def column(figure, series, x):
    """The y of one series of a figure at x."""
    return next(row["y"] for row in figure.table() if row["series"] == series and row["x"] == pytest.approx(x))


# ---- the promise


def test_a_promise_with_1_plus_epsilon_is_the_logarithm_of_it():
    drawn = two_promises()
    for epsilon in (0.1, 1, 3):
        assert column(drawn, "e^ε", epsilon) == pytest.approx(math.exp(epsilon))
        assert column(drawn, "1 + ε", epsilon) == pytest.approx(1 + epsilon)
        assert math.exp(column(drawn, "written with 1 + ε: ln(1 + ε)", epsilon)) == pytest.approx(1 + epsilon)


def test_two_means_have_6100_and_3100_for_halves_and_4600_as_one_query():
    def up_to_two_digits(width):
        return math.ceil(width / 100) * 100

    assert list(map(up_to_two_digits, two_ranges(Fraction(1)))) == [6100, 3100, 4600]
    drawn = {row["series"]: [] for row in two_dimensions(2000).table()}
    for row in two_dimensions(2000).table():
        drawn[row["series"]].append((abs(row["x"]), abs(row["y"])))
    widths = {"half of ε each": (6027.6, 3013.8), "one query": (4520.7, 4520.7)}
    for name, ends in widths.items():
        inside = np.mean(np.array(drawn[name]) <= ends, axis=0)
        assert inside == pytest.approx([0.95, 0.95], abs=0.02)


def test_groups_cost_k_epsilon_and_k_squared_rho():
    assert loss_of_group("0.1", 10) == dc.Pure(epsilon=1)
    assert dc.group(dc.Concentrated(rho="0.005"), 20) == dc.Concentrated(rho=2)
    law = dc.Laplace(epsilon="0.1", sensitivity=1)
    assert math.log(law.pmf(0) / law.pmf(10)) == pytest.approx(1, rel=1e-12)       # attained by ten who leave


def test_an_exact_interval_is_half_of_chebyshevs_and_the_slip_is_a_root_of_two():
    half = float(dc.Laplace(epsilon=1, sensitivity="1/150").half_width())
    assert (round(half, 4), round(chebyshev_width(0.05), 4), round(chebyshev_width(0.05, slip=True), 4)) == (0.02, 0.0422, 0.0298)
    assert chebyshev_width(0.05) / chebyshev_width(0.05, slip=True) == pytest.approx(math.sqrt(2))
    assert math.exp(-150 * half) == pytest.approx(0.05, rel=1e-3)                   # P(|noise| > half), of the continuous law


def test_the_loss_of_a_count_has_two_values_and_a_failure_has_infinite_mass():
    count = dc.loss_distribution(dc.Laplace(epsilon=1, sensitivity=1))
    losses, weights = count.losses()
    assert losses.tolist() == [-1, 1]
    assert weights.round(4).tolist() == [0.2689, 0.7311]
    assert mean_loss(count) == pytest.approx(math.tanh(0.5))
    assert math.copysign(1, count.infinite) == 1                                    # 0, and not −0
    assert dc.loss_distribution(dc.Approximate(epsilon=1, delta="0.05")).infinite == pytest.approx(0.05)
    assert column(loss_variable(), "ε = 1 and δ = 0.05", 4.0) == pytest.approx(0.05)


@pytest.mark.slow
def test_the_loss_of_fine_gaussian_noise_is_that_of_the_bell_that_is_drawn():
    normal = dc.loss_distribution(dc.Gaussian(rho="0.5", sensitivity=1).for_floats())
    assert column(loss_variable(), "Gaussian, ρ = ½", 1.0) == pytest.approx(normal.delta(1), rel=1e-4)
    assert mean_loss(normal) == pytest.approx(0.5, rel=1e-4)


# ---- diffpriv: its classes and what it prints


def test_diffpriv_gaussian_noise_is_wider_than_it_must_be_and_too_narrow_for_large_epsilon():
    ours = dc.Gaussian(epsilon=1, delta="1e-6", sensitivity=1)
    assert [round(scale, 3) for scale in (classic_scale(1), analytic_scale(1), ours.scale)] == [5.299, 4.225, 4.231]
    assert continuous_gaussian_delta(1, 1 / analytic_scale(1)) == pytest.approx(1e-6, rel=1e-9)
    assert classic_delta(1) < 1e-6 / 100
    assert classic_delta(10) > 1.5e-6
    assert classic_delta(30) == pytest.approx(0.0045, abs=5e-5)
    with pytest.raises(dc.ParameterError, match="delta above 0"):
        dc.Gaussian(epsilon=1, delta=0, sensitivity=1)


def test_diffpriv_parameters_are_losses_and_the_one_with_gamma_is_no_charge():
    records = iter(range(40))
    found = dc.sampled_sensitivity(sum, lambda: next(records), rows=1, samples=20)
    mechanism = found.mechanism(dc.Laplace, epsilon=1)
    assert mechanism.loss.loss == dc.Pure(epsilon=1)                               # DPParamsGam: ε beside γ
    assert mechanism.loss.gamma == found.gamma
    assert not hasattr(dc.Pure(epsilon=1), "gamma")                                # DPParamsEps
    assert dc.Approximate(epsilon=1, delta="1e-6").delta == Fraction(1, 10**6)     # DPParamsDel
    with pytest.raises(dc.ParameterError, match="never a charge"):
        _ = mechanism.cost


def test_diffpriv_first_vignette_prints_what_rs_generator_gives():
    assert [round(number, 7) for number in vignette_mean()] == [0.5343454, 0.5244495]


def test_diffpriv_sampler_draws_285_1305_and_takes_the_439th_of_500():
    plans = sampling_plan(gamma="0.1"), sampling_plan(gamma="0.05"), sampling_plan(samples=500, gamma="0.2")
    assert [(plan.samples, plan.order) for plan in plans] == [(285, 285), (1305, 1305), (500, 439)]


def test_what_diffpriv_prints_without_a_seed_is_a_usual_draw_of_its_law():
    assert 0.025 < law_of_largest(0.8089517) < 0.975                               # the sensitivity of its README
    largest = [distances(seed, 285)[-1] for seed in range(1, 101)]
    assert np.mean(np.array(largest) <= 0.857) == pytest.approx(law_of_largest(0.857), abs=0.15)
    half = dc.Laplace(epsilon=1, sensitivity="0.8089517").half_width()
    assert abs(-1.119506 - -0.707) < half                                          # the release for −0.707
    assert abs(0.4688349 - 0.4733297) < dc.Laplace(epsilon=1, sensitivity="1/150").half_width()


def test_diffpriv_bernstein_coefficients_and_value_are_those_of_its_vignette():
    law = dc.Bernstein(epsilon=5, sensitivity="0.01", degree=25)
    plain = law.without_noise(wave)
    assert round(plain(0.2), 7) == 0.1101786
    assert plain.values[:6].round(8).tolist() == [0.0, 0.01557673, 0.05738849, 0.11184469, 0.15993178, 0.18185949]
    assert round(float(plain.values[-1]), 8) == -0.54402111
    assert law.noise.scale == Fraction(26, 500)
    with dc.testing.seeded(25):
        errors = [law.release(wave)(0.2) - plain(0.2) for _ in range(400)]
    weights = np.array([math.comb(25, v) * 0.2**v * 0.8 ** (25 - v) for v in range(26)])
    assert np.std(errors) == pytest.approx(math.sqrt(2 * (weights**2).sum()) * 0.052, rel=0.1)


def test_the_regression_of_the_second_vignette_is_near_its_wave():
    rows = vignette_rows()
    assert len(rows) == 250
    xs, ys = np.array(rows).T
    assert np.std(ys - xs * np.sin(10 * xs)) == pytest.approx(0.2, rel=0.15)
    fit = priestley_chao(rows, bandwidth=0.03)
    assert max(abs(fit(x) - wave(x)) for x in (0.2, 0.5, 0.8)) < 0.2
    assert R(3_033_362).runif(1)[0] == pytest.approx(rows[0][0])


def test_the_letter_of_diffprivs_man_page_has_4_of_35_at_any_epsilon_as_published():
    counts = letters(("the", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog"))
    assert as_published(counts)["o"] == pytest.approx(4 / 35)
    chances = [dc.Exponential(epsilon=epsilon, sensitivity=5).pmf(counts)["o"] for epsilon in (1, 20)]
    assert chances == pytest.approx([0.0500, 0.7948], abs=5e-5)


@pytest.mark.slow
def test_diffprivs_exponential_mechanism_as_published_is_refuted_and_the_right_one_is_not():
    names = tuple(f"Object {letter}" for letter in "ABCDEFGHIJ")
    other = (*names[:9], "zzzzz")

    def published(some, seed):
        bag, r = [letter for letter, count in letters(some).items() for _ in range(count)], R(seed)
        return lambda: r.sample(bag, 1)[0]

    verdict = dc.audit(published(names, 1), published(other, 2), epsilon=1, samples=4000)
    assert verdict.verdict == "violation"
    assert verdict.at_least > 3
    right, here, there = dc.Exponential(epsilon=1, sensitivity=5), letters(names), letters(other)
    with dc.testing.seeded(20):
        clean = dc.audit(lambda: right.select(here), lambda: right.select(there), epsilon=1, samples=1000)
    assert clean.verdict == "no violation found"
