"""R's stream, word for word, against values that R itself prints."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import ParameterError
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
