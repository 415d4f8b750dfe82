"""Figures that others have published, retyped into tests/golden with their source."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

import discreet as dc

FOLDER = Path(__file__).parents[1] / "golden"
THEORY = json.loads((FOLDER / "theory.json").read_text(encoding="utf-8"))
ORACLE = json.loads((FOLDER / "loss_distributions.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", THEORY["smallest_laplace_noise"]["cases"], ids=str)
def test_published_the_least_scale_at_which_many_laplace_releases_are_approximately_private(case):
    off = Fraction(THEORY["smallest_laplace_noise"]["tolerance_absolute"])
    reached = []
    for scale in (Fraction(case["scale"]) - off, Fraction(case["scale"]) + off):
        noise = dc.Laplace(scale=scale, sensitivity=case["sensitivity"]).for_floats()
        reached.append(dc.loss_distribution(noise, count=case["num_queries"]).epsilon(case["delta"]))
    assert reached[0] > case["epsilon"] >= reached[1]


@pytest.mark.parametrize("case", THEORY["smallest_discrete_laplace_noise"]["cases"], ids=str)
def test_published_the_largest_parameter_at_which_many_discrete_laplace_releases_are(case):
    off = Fraction(THEORY["smallest_discrete_laplace_noise"]["tolerance_absolute"])
    reached = []
    for parameter in (Fraction(case["parameter"]) + off, Fraction(case["parameter"]) - off):
        noise = dc.Laplace(scale=1 / parameter, sensitivity=case["sensitivity"])
        reached.append(dc.loss_distribution(noise, count=case["num_queries"]).epsilon(case["delta"]))
    assert reached[0] > case["epsilon"] >= reached[1]


@pytest.mark.parametrize("case", THEORY["smallest_gaussian_noise"]["cases"], ids=str)
def test_published_the_delta_of_continuous_gaussian_noise(case):
    mu = Fraction(case["sensitivity"]) / Fraction(case["std"])
    whole = dc.tradeoff(mu=[mu] * case["num_queries"])
    off = THEORY["smallest_gaussian_noise"]["tolerance_absolute"]
    assert whole.delta(case["epsilon"]) == pytest.approx(case["delta"], abs=off)


@pytest.mark.parametrize("case", THEORY["many_times_the_same"]["cases"], ids=str)
def test_published_many_times_the_same_with_a_delta(case):
    loss, total = dc.Approximate(epsilon=case["epsilon"], delta=case["delta"]), Fraction(case["total_delta"])
    if case["total_epsilon"] is None:
        with pytest.raises(dc.ParameterError, match="write a delta of at least"):
            dc.optimal_composition(loss, count=case["num_queries"], delta=total)
        return
    found = dc.optimal_composition(loss, count=case["num_queries"], delta=total)
    assert case["total_epsilon"] - 2 < found.epsilon <= case["total_epsilon"]        # between two of theirs there is nothing
    assert dc.optimal_composition(loss, count=case["num_queries"], epsilon=case["total_epsilon"]).delta <= total
    assert dc.optimal_composition(loss, count=case["num_queries"], epsilon=case["total_epsilon"] - 2).delta > total


def test_published_accuracies():
    gaussian, laplace = THEORY["accuracy"]["gaussian_scale_at"], THEORY["accuracy"]["laplace_scale_at"]
    narrow = dc.Gaussian(rho=1 / (2 * Fraction(gaussian["scale"]) ** 2), sensitivity=1)
    assert 1 - narrow.pmf(0) == pytest.approx(float(gaussian["alpha"]), rel=1e-5)     # P(|Z| >= 1)
    assert 1 - dc.Laplace(scale=laplace["scale"], sensitivity=1).pmf(0) == pytest.approx(float(laplace["alpha"]), rel=1e-12)
    case = THEORY["accuracy"]["gaussian_accuracy_at"]
    wide = dc.Gaussian(rho=1 / (2 * Fraction(case["scale"]) ** 2), sensitivity=1)
    assert wide.interval(1 - Fraction(case["alpha"])) == (1 - case["accuracy"], case["accuracy"] - 1)


def composed(case):
    """The same noise here: continuous noise is noise on a fine step."""
    match case["kind"]:
        case "laplace":
            of = dc.Laplace(scale=case["scale"], sensitivity=1).for_floats()
        case "gaussian":
            of = dc.Gaussian(rho=1 / (2 * Fraction(case["sigma"]) ** 2), sensitivity=1).for_floats()
        case "discrete laplace":
            of = dc.Laplace(scale=case["scale"], sensitivity=case["sensitivity"])
        case "discrete gaussian":
            variance = Fraction(str(case["sigma"])) ** 2
            of = dc.Gaussian(rho=case["sensitivity"] ** 2 / (2 * variance), sensitivity=case["sensitivity"])
        case _:
            of = dc.Approximate(epsilon=case["epsilon"], delta=case["delta_each"])
    return dc.loss_distribution(of, count=case["count"])


@pytest.mark.parametrize("case", ORACLE["cases"], ids=str)
def test_loss_distributions_agree_with_those_of_another_accountant(case):
    ours = composed(case)
    above, below = ours.epsilon(case["delta"]), ours.epsilon(case["delta"], optimistic=True)
    assert below <= case["at_most"] + 1e-6                    # on a fine step, noise is a little wider
    assert case["at_least"] <= above + 1e-8
    assert above == pytest.approx(case["at_most"], rel=2e-4)
    assert above - below < 2e-5
