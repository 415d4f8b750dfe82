"""R's stream, word for word, against values that R itself prints."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import ParameterError
from discreet.lessons import r
from discreet.lessons.r import R

# printed by R with its default generator: set.seed(seed); runif(n)
UNIFORMS = {
    123: [0.2875775201, 0.7883051354, 0.4089769218, 0.8830174040, 0.9404672843],
    42: [0.914806, 0.9370754, 0.2861395],
    1: [0.2655087, 0.3721239, 0.5728534],
}


@pytest.mark.parametrize("seed", UNIFORMS)
def test_uniforms_are_those_of_r(seed):
    np.testing.assert_allclose(R(seed).runif(len(UNIFORMS[seed])), UNIFORMS[seed], atol=5e-8)


def test_laplace_draws_are_those_of_rmutil():
    assert R(123).rlaplace(1, 51, 10)[0] == pytest.approx(45.46884360686221, rel=1e-15)
    np.testing.assert_allclose(R(123).rlaplace(5), [-0.5531156, 0.8594622, -0.2009494, 1.4525829, 2.1280821], atol=5e-8)


def test_exponentials_normals_and_shuffles_are_those_of_r():
    np.testing.assert_allclose(R(123).rexp(5), [0.8434573, 0.5766103, 1.3290549, 0.0315774, 0.0562110], atol=5e-8)
    np.testing.assert_allclose(R(123).rexp(2, 2.0), [0.8434573 / 2, 0.5766103 / 2], atol=5e-8)
    np.testing.assert_allclose(R(123).rnorm(3), [-0.5604756, -0.2301775, 1.5587083], atol=5e-8)
    assert R(123).sample(10) == [3, 10, 2, 8, 6, 9, 1, 7, 5, 4]
    assert sorted(R(1).sample("abc")) == ["a", "b", "c"]
    assert len(R(5).sample([1, 2], 100, replace=True)) == 100
    with pytest.raises(ParameterError, match="replace=True"):
        R(1).sample(3, 4)


def test_laplace_draws_of_smoothmest_are_exponentials_with_signs():
    found = R(123456).rdoublex(5, 10, 5)
    np.testing.assert_allclose(found, [7.0222, 7.4643, 16.2908, 15.2969, 15.6916], atol=5e-5)
    np.testing.assert_allclose(np.abs(found - 10) / 5, R(123456).rexp(5), rtol=1e-12)


def test_densities_and_quantiles_have_the_names_that_r_gives_them():
    assert [r.dlaplace(0, 0, scale) for scale in (0.1, 0.5, 1)] == [5, 1, 0.5]
    assert r.ddoublex(3, 1, 2) == r.dlaplace(3, 1, 2)
    for p in (0.0, 0.25, 0.5, 0.9, 1.0):
        for forth, back in ((r.plaplace, r.qlaplace), (r.pnorm, r.qnorm), (r.pexp, r.qexp)):
            assert forth(back(p)) == pytest.approx(p, abs=1e-12)
    assert r.qnorm(0.975) == pytest.approx(1.959963984540054, rel=1e-12)
    assert r.dexp(2) == pytest.approx(2 * r.dlaplace(2))              # half a Laplace is an exponential
    np.testing.assert_allclose(r.dexp([-1.0, 0.0]), [0, 1])
    assert r.dnorm(0) == pytest.approx(0.3989422804014327)


@pytest.mark.slow
@given(st.integers(1 - 2**31, 2**31 - 1), st.lists(st.integers(0, 1500), min_size=1, max_size=6))
def test_the_words_are_those_of_a_mersenne_twister_however_they_are_asked_for(seed, sizes):
    word, state = seed % 2**32, []
    for _ in range(51 + 624):
        word = (69069 * word + 1) % 2**32
        state.append(word)
    oracle = random.Random()
    oracle.setstate((3, (*state[51:], 624), None))
    ours = R(seed)
    for size in sizes:
        assert ours.words(size).tolist() == [oracle.getrandbits(32) for _ in range(size)]


def test_uniforms_lie_strictly_between_0_and_1_even_for_a_word_of_zeros():
    class Zeros(R):
        """A generator that has run dry."""

        def words(self, n):
            return np.zeros(n, dtype=np.uint32)

    uniforms = R(7).runif(100_000)
    assert uniforms.min() > 0
    assert uniforms.max() < 1
    assert Zeros(1).runif(2) == pytest.approx([1.1641532e-10] * 2)
    assert np.all(np.isfinite(Zeros(1).rlaplace(2)))


def test_the_same_seed_gives_the_same_stream_and_a_negative_seed_is_a_seed():
    assert np.array_equal(R(-5).runif(700), R(-5).runif(700))
    assert not np.array_equal(R(-5).runif(3), R(5).runif(3))


@pytest.mark.parametrize("bad", [2**31, -(2**31), 1.5, "one", True, None])
def test_a_seed_that_r_would_not_take_is_refused(bad):
    with pytest.raises(ParameterError, match="seed"):
        R(bad)


@pytest.mark.parametrize("bad", [0, -1, float("nan")])
def test_a_scale_that_rmutil_would_not_take_is_refused(bad):
    with pytest.raises(ParameterError, match="scale"):
        R(1).rlaplace(1, 0, bad)
