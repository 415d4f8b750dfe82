"""The teaching Laplace distribution against closed forms, scipy, published quantiles and its own draws."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import ParameterError
from discreet.lessons.distributions import Laplace

FALSE_ALARM = 1e-9
GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "laplace_quantiles.json").read_text(encoding="utf-8"))

locations = st.floats(-1e3, 1e3)
scales = st.floats(1e-3, 1e3)


def test_the_class_is_reached_by_its_public_name():
    assert dc.distributions.Laplace is Laplace
    assert dc.distributions.Laplace(0, 1).pdf(0) == 0.5


@given(locations, scales, st.floats(-1e4, 1e4))
def test_density_and_cdf_are_those_of_scipy(location, scale, x):
    ours, theirs = Laplace(location, scale), scipy.stats.laplace(location, scale)
    assert ours.pdf(x) == pytest.approx(theirs.pdf(x), rel=1e-12)
    assert ours.cdf(x) == pytest.approx(theirs.cdf(x), rel=1e-12)


@given(locations, scales, st.floats(1e-12, 1 - 1e-12))
def test_the_inverse_cdf_undoes_the_cdf_and_is_that_of_scipy(location, scale, p):
    ours = Laplace(location, scale)
    assert ours.ppf(p) == pytest.approx(scipy.stats.laplace(location, scale).ppf(p), rel=1e-9, abs=1e-9)
    assert Laplace(0, scale).cdf(Laplace(0, scale).ppf(p)) == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize(("location", "scale"), [(0, 0.1), (0, 0.5), (0, 1), (-5, 1)])
def test_the_four_densities_of_the_picture_have_their_closed_form(location, scale):
    x = np.linspace(-10, 10, 401)
    closed_form = np.exp(-np.abs(x - location) / scale) / (2 * scale)
    np.testing.assert_allclose(Laplace(location, scale).pdf(x), closed_form, rtol=1e-13)


def test_a_scale_of_the_root_of_one_half_has_variance_1():
    assert Laplace(3, math.sqrt(1 / 2)).variance == pytest.approx(1)
    assert Laplace(0, 10).variance == 200


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: f"x={case['x']} l0={case['l0']}")
def test_quantiles_are_the_published_ones(case):
    noisy = Laplace(case["x"], case["l0"] * case["linf"] / math.log(3))
    np.testing.assert_allclose(noisy.ppf(GOLDEN["ranks"]), case["quantiles"], rtol=GOLDEN["tolerance_relative"])


def test_a_number_gives_a_float_and_an_array_gives_an_array_of_its_shape():
    laplace = Laplace(0, 1)
    assert type(laplace.pdf(0)) is type(laplace.cdf(0)) is type(laplace.ppf(0.5)) is float
    square = np.zeros((2, 3))
    assert laplace.pdf(square).shape == laplace.cdf(square).shape == laplace.ppf(square + 0.5).shape == (2, 3)
    assert list(laplace.cdf([0, 0])) == [0.5, 0.5]


def test_the_ends_are_infinite_and_far_away_nothing_is_left():
    laplace = Laplace(0, 1)
    assert (laplace.ppf(0), laplace.ppf(1)) == (-math.inf, math.inf)
    assert (laplace.cdf(-math.inf), laplace.cdf(math.inf), laplace.pdf(math.inf)) == (0, 1, 0)
    assert Laplace(0, 1e-300).cdf(1e300) == 1


def fit(drawn, claimed):
    """The chance of counts as uneven as these over 64 equally likely stretches of ``claimed``."""
    counts = np.bincount((claimed.cdf(drawn) * 64).astype(int), minlength=64)
    return scipy.stats.chisquare(counts).pvalue


def test_draws_have_the_claimed_scale_and_no_other():
    drawn = Laplace(2, 3).draw(400_000)
    assert fit(drawn, Laplace(2, 3)) > FALSE_ALARM
    assert fit(drawn, Laplace(2, 3 * 0.97)) < FALSE_ALARM
    assert fit(drawn, Laplace(2, 3 * 1.03)) < FALSE_ALARM


def test_draws_are_finite_whatever_the_entropy_gives():
    class Constant:
        """Entropy that gives one word for ever."""

        def __init__(self, word):
            self.word = word

        def fill(self, words):
            words[:] = self.word

    from discreet.noise import keystream

    for word in (0, 2**64 - 1):
        before = keystream.source.set(lambda word=word: Constant(word))
        try:
            assert np.all(np.isfinite(Laplace(0, 1).draw(3)))
        finally:
            keystream.source.reset(before)


def test_two_calls_draw_different_numbers_and_none_can_be_asked_for():
    assert not np.array_equal(Laplace().draw(8), Laplace().draw(8))
    assert Laplace().draw(0).shape == (0,)


@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf])
def test_a_scale_that_is_not_above_zero_is_refused(bad):
    with pytest.raises(ParameterError, match="scale"):
        Laplace(0, bad)


@pytest.mark.parametrize("bad", [math.nan, -math.inf])
def test_a_location_that_is_not_finite_is_refused(bad):
    with pytest.raises(ParameterError, match="location"):
        Laplace(bad, 1)


@pytest.mark.parametrize("bad", [-0.1, 1.1, 95, math.nan])
def test_a_rank_that_is_not_a_probability_is_refused(bad):
    with pytest.raises(ParameterError, match="between 0 and 1"):
        Laplace().ppf(bad)


@pytest.mark.parametrize("bad", [-1, 2.5, "many"])
def test_a_number_of_draws_that_is_not_whole_is_refused(bad):
    with pytest.raises(ParameterError):
        Laplace().draw(bad)


@given(locations, scales, st.floats(-40, 40), st.floats(1e-12, 1 - 1e-12))
def test_the_normal_beside_it_is_that_of_scipy(location, scale, z, p):
    ours, theirs, x = dc.distributions.Normal(location, scale), scipy.stats.norm(location, scale), location + z * scale
    assert ours.pdf(x) == pytest.approx(theirs.pdf(x), rel=1e-9, abs=1e-300)
    assert ours.cdf(x) == pytest.approx(theirs.cdf(x), rel=1e-9, abs=1e-300)
    assert ours.ppf(p) == pytest.approx(theirs.ppf(p), rel=1e-9, abs=1e-9)
    assert ours.ppf([0, 1]).tolist() == [-math.inf, math.inf]
    assert ours.variance == pytest.approx(scale**2)
