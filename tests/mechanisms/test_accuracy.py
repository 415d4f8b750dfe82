"""Intervals, probabilities, variances and the price of an error, against laws summed term by term."""

import json
import math
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest

import discreet as dc
from discreet import Exponential, Gaussian, Laplace
from discreet.mechanisms.accuracy import half_width
from discreet.noise.law import discrete_gaussian_law, discrete_laplace_law
from discreet.noise.probabilities import tail

GOLDEN = Path(__file__).parents[1] / "golden"
TINY = mpmath.mpf(10) ** -20


def masses_by_mpmath(mechanism):
    """P(Z = z) for z = 0, 1, 2, ... steps, as far as it matters, by no formula but the weights."""
    linear, quadratic = (mpmath.mpf(x.numerator) / x.denominator for x in (mechanism.law.linear, mechanism.law.quadratic))
    reach = int(16 / mpmath.sqrt(2 * quadratic) if quadratic else 80 / linear) + 20
    weights = [mpmath.exp(-linear * z - quadratic * z * z) for z in range(reach)]
    total = weights[0] + 2 * mpmath.fsum(weights[1:])
    return [weight / total for weight in weights]


NARROW = [
    Laplace(epsilon=1, sensitivity=1), Laplace(epsilon="1/10", sensitivity=3), Laplace(epsilon=2, sensitivity=1),
    Laplace(epsilon="3/2", sensitivity="1/3", step="1/4"), Laplace(epsilon=40, sensitivity=1),
    Gaussian(rho="1/2", sensitivity=1), Gaussian(rho="1/7", sensitivity=5), Gaussian(epsilon=1, delta="1e-6", sensitivity=1),
    Gaussian(rho="1/20000", sensitivity=1), Gaussian(rho=9, sensitivity="2/3", step="1/8"), Gaussian(rho=30, sensitivity=1)]
NARROW_ONES = pytest.mark.parametrize("mechanism", NARROW, ids=repr)
FLOATS = [Laplace(epsilon=1, sensitivity="1/3"), Laplace(epsilon="1/100", sensitivity=7).for_floats(12),
          Gaussian(rho="1/2", sensitivity="1/3"), Gaussian(rho="1/100", sensitivity=7).for_floats(12)]


# ---- probabilities


@NARROW_ONES
def test_probabilities_of_the_noise_are_right_to_twelve_digits_and_enclosed_exactly(mechanism):
    masses = masses_by_mpmath(mechanism)
    for z in {0, 1, 2, 5, len(masses) // 8, len(masses) // 3}:
        below = mpmath.fsum(masses[z:])                       # P(Z <= -z) = P(Z >= z)
        for offset, p, p_below in [(z, masses[z], 1 - below + masses[z]), (-z, masses[z], below)]:
            at = offset * mechanism.step
            for found, enclosure, true in [(mechanism.pmf(at), mechanism.pmf(at, exact=True), p),
                                           (mechanism.cdf(at), mechanism.cdf(at, exact=True), p_below)]:
                assert abs(found - true) <= mpmath.mpf("1e-12") * true or true < mpmath.mpf("1e-300")
                low, high = (mpmath.mpf(end.numerator) / end.denominator for end in enclosure)
                assert low * (1 - TINY) <= true <= high * (1 + TINY)
                assert high - low <= mpmath.mpf(2) ** -44 * true


@pytest.mark.parametrize("deviation", [10**4, 10**6, 2**30])
def test_probabilities_of_a_wide_gaussian_are_right_to_twelve_digits(deviation):
    mechanism = Gaussian(rho=Fraction(1, 2 * deviation**2), sensitivity=1)
    sigma = mpmath.mpf(deviation)
    total = sigma * mpmath.sqrt(2 * mpmath.pi)
    for z in (0, 1, deviation // 3, 2 * deviation + 1, 6 * deviation, 12 * deviation):
        weight = mpmath.exp(-mpmath.mpf(z) ** 2 / (2 * sigma**2))
        assert abs(mechanism.pmf(z) - weight / total) <= mpmath.mpf("1e-12") * weight / total
        beyond = mpmath.erfc(z / sigma / mpmath.sqrt(2)) / 2 + (weight / 2 + z * weight / (12 * sigma**2)) / total
        assert abs(mechanism.cdf(-z) - beyond) <= mpmath.mpf("1e-12") * beyond


def test_laplace_has_its_closed_forms():
    mechanism = Laplace(epsilon="1/1000000", sensitivity=1)
    q = mpmath.exp(mpmath.mpf(-1) / 10**6)
    for z in (0, 1, 10**5, 10**7, 6 * 10**8):
        assert abs(mechanism.pmf(z) - (1 - q) / (1 + q) * q**z) <= mpmath.mpf("1e-12") * (1 - q) / (1 + q) * q**z
        assert abs(mechanism.cdf(-z) - q**z / (1 + q)) <= mpmath.mpf("1e-12") * q**z / (1 + q)


def test_between_the_steps_there_is_nothing():
    mechanism = Laplace(epsilon=1, sensitivity="1/3", step="1/4")
    assert mechanism.pmf("0.1") == mechanism.pmf(0.1) == 0
    assert mechanism.pmf("0.1", exact=True) == (0, 0)
    assert mechanism.pmf(0.25) == mechanism.pmf("1/4") > 0
    assert mechanism.cdf("0.3") == mechanism.cdf(0.25) < mechanism.cdf(0.5)
    assert mechanism.cdf("-0.3") == mechanism.cdf(-0.5) < mechanism.cdf(-0.25)


@pytest.mark.parametrize("case", json.loads((GOLDEN / "laplace_quantiles.json").read_text(encoding="utf-8"))["cases"], ids=str)
def test_on_the_fine_step_quantiles_are_those_published_for_continuous_noise(case):
    ranks = json.loads((GOLDEN / "laplace_quantiles.json").read_text(encoding="utf-8"))["ranks"]
    mechanism = Laplace(epsilon="1.0986122886681098", sensitivity=int(case["l0"] * case["linf"])).for_floats()     # ln 3
    for rank, quantile in zip(ranks, case["quantiles"], strict=True):
        # published to 8 digits of the sum, so that where x is 808 the noise itself is known to 5e-6
        assert mechanism.cdf(quantile - case["x"]) == pytest.approx(rank, rel=2e-5)


# ---- variance


@pytest.mark.slow
@NARROW_ONES
def test_variance_is_the_variance(mechanism):
    masses = masses_by_mpmath(mechanism)
    true = 2 * mpmath.fsum(z * z * p for z, p in enumerate(masses)) * mpmath.mpf(float(mechanism.step)) ** 2
    assert abs(mechanism.variance - true) <= mpmath.mpf("1e-12") * true


def test_variance_of_wide_noise_is_the_continuous_one():
    assert Laplace(epsilon="1e-6", sensitivity=1).variance == pytest.approx(2e12, rel=1e-11)
    assert Laplace(epsilon=1, sensitivity="1/3").variance == pytest.approx(2 / 9, rel=1e-5)
    assert Gaussian(rho="1/2", sensitivity="1/3").variance == pytest.approx(1 / 9, rel=1e-5)
    assert Gaussian(rho="1/2", sensitivity="1/3").scale == pytest.approx(1 / 3, rel=1e-5)


# ---- intervals


@pytest.mark.slow
@NARROW_ONES
@pytest.mark.parametrize("confidence", ["0.4", "0.5", "0.9", "0.95", "0.999999", "0.05"])
def test_an_interval_covers_what_it_says_and_one_step_less_does_not(mechanism, confidence):
    masses = masses_by_mpmath(mechanism)
    low, high = mechanism.interval(confidence)
    assert low == -high
    steps = (Fraction(high) - (mechanism.step / 2 if mechanism.rounds else 0)) / mechanism.step      # rounding takes half a step
    assert steps.denominator == 1
    outside = 1 - mpmath.mpf(confidence)
    assert 2 * mpmath.fsum(masses[int(steps) + 1 :]) <= outside
    assert steps == 0 or 2 * mpmath.fsum(masses[int(steps) :]) > outside


def test_published_half_widths():
    for epsilon, confidence in [("0.1", "0.95"), ("1", "0.99"), ("1/2", "0.9")]:              # ceil(t ln(2 / (a (1 + q)))) - 1
        scale, alpha = float(1 / Fraction(epsilon)), 1 - float(confidence)
        expected = math.ceil(scale * math.log(2 / (alpha * (1 + math.exp(-1 / scale))))) - 1
        assert Laplace(epsilon=epsilon, sensitivity=1).interval(confidence) == (-expected, expected)
    assert Laplace(epsilon="0.1", sensitivity=1).interval() == (-30, 30)
    assert Laplace(epsilon="0.1", sensitivity=1).interval(0.95) == Laplace(epsilon="0.1", sensitivity=1).interval("0.95")


@pytest.mark.parametrize("mechanism", FLOATS, ids=repr)
@pytest.mark.parametrize("confidence", ["0.1", "0.95", "0.999999999"])
def test_an_interval_on_the_fine_step_is_the_continuous_one_rounded_outwards(mechanism, confidence):
    if isinstance(mechanism, Laplace):
        expected = -float(mechanism.scale) * math.log1p(-float(confidence))
    else:
        expected = mechanism.scale * float(mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf(confidence)))
    low, high = mechanism.interval(confidence)
    assert high == pytest.approx(expected, rel=2e-5)
    assert Fraction(high) >= mechanism.half_width(Fraction(confidence))
    assert low == -high


@pytest.mark.parametrize("confidence", ["0.01", "0.5", "0.95", "0.9999999999"])
@pytest.mark.parametrize("law", [discrete_laplace_law(Fraction(10) ** 30), discrete_gaussian_law(Fraction(10) ** 40),
                                 discrete_laplace_law(Fraction(1, 10**4)), discrete_gaussian_law(Fraction(1, 10**4)),
                                 discrete_laplace_law(Fraction(10) ** 400), discrete_gaussian_law(Fraction(2, 3))],
                         ids=lambda law: str(law)[:60])
def test_half_widths_are_found_however_wide_or_narrow_the_law_is(law, confidence):
    found, outside = half_width(law, Fraction(confidence)), 1 - Fraction(confidence)
    assert 2 * tail(law, found + 1)[1] <= outside
    less = found - max(1, found >> 40)
    assert found == 0 or 2 * tail(law, less + 1)[1] > outside


@pytest.mark.parametrize("mechanism", [Laplace(epsilon="0.7", sensitivity=1), Gaussian(rho="0.3", sensitivity=1)], ids=repr)
@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_released_floats_lie_in_the_interval_of_the_mechanism_for_floats(mechanism, confidence):
    values = np.linspace(0, 1, 40_000)
    low, high = mechanism.for_floats(values.size).interval(confidence)
    offsets = values - mechanism.release(values)
    inside = np.mean((low <= offsets) & (offsets <= high))
    spread = 6.5 * math.sqrt(confidence * (1 - confidence) / values.size)
    assert confidence - spread < inside < confidence + spread


# ---- prices of errors


@pytest.mark.parametrize(("within", "confidence", "sensitivity"), [
    (10, 0.95, 1), (500, "0.99", 3), (1, 0.9, 1), ("0.05", 0.95, "1/150"), ("1e6", 0.95, 1), (2, "0.999", "0.75"), (0, 0.95, 1)])
@pytest.mark.parametrize("kind", [Laplace, Gaussian])
def test_the_price_of_an_error_is_the_least_of_three_digits(kind, within, confidence, sensitivity):
    if within == 0:
        with pytest.raises(dc.Refused, match="within is 0, not above 0"):
            kind.for_accuracy(within=within, confidence=confidence, sensitivity=sensitivity)
        return
    mechanism = kind.for_accuracy(within=within, confidence=confidence, sensitivity=sensitivity)
    name, price = ("epsilon", mechanism.loss.epsilon) if kind is Laplace else ("rho", mechanism.loss.rho)
    unit = Fraction(10) ** (math.floor(math.log10(price)) - 2)
    assert (price / unit).denominator == 1
    sure, most = Fraction(str(confidence)), Fraction(within)
    assert mechanism.half_width(sure) <= most
    assert kind(**{name: price - unit}, sensitivity=sensitivity).half_width(sure) > most


def test_the_price_of_an_error_within_ten_is_known():
    assert Laplace.for_accuracy(within=10, confidence=0.95, sensitivity=1).loss == dc.Pure(epsilon="0.285")


@pytest.mark.parametrize("within", ["1e-9", "1e20"])
def test_an_error_that_no_sensible_price_buys_is_refused(within):
    with pytest.raises(dc.ParameterError, match=r"ask for a smaller error|allow a larger error"):
        Laplace.for_accuracy(within=within, sensitivity="1000.5" if within == "1e-9" else 1)


# ---- how they show themselves


@pytest.mark.parametrize(("mechanism", "shown"), [
    (Laplace(epsilon="0.1", sensitivity=1), "Laplace(scale=10, sensitivity=1, step=1)"),
    (Laplace(scale="1/3"), "Laplace(scale=1/3, step=1)"),
    (Laplace(epsilon=1, sensitivity="1/2", step="1/1024"), "Laplace(scale=0.5, sensitivity=0.5, step=0.0009765625)"),
    (Gaussian(rho="0.01", sensitivity=2), "Gaussian(Concentrated(rho=1/100), sensitivity_squared=4, step=1)"),
    (Gaussian(epsilon=1, delta="1e-6", sensitivity=1),
     "Gaussian(Approximate(epsilon=1, delta=1/1000000), sensitivity_squared=1, step=1)"),
    (Exponential(epsilon="0.1", sensitivity=1), "Exponential(epsilon=0.1, sensitivity=1)")])
def test_a_mechanism_says_its_parameters(mechanism, shown):
    assert repr(mechanism) == shown


def test_mechanisms_are_values():
    assert Laplace(epsilon=1, sensitivity=2) == Laplace(epsilon="1", sensitivity=2.0) == Laplace(scale=2, sensitivity=2)
    assert len({Gaussian(rho=1, sensitivity=1), Gaussian(rho="1.0", sensitivity_squared=1)}) == 1
    with pytest.raises(AttributeError):
        Laplace(epsilon=1, sensitivity=2).scale = Fraction(1)
