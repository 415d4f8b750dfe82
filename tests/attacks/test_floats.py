"""What floating-point noise and sums give away: NumPy's own, not only our copy of it."""

import numpy as np
import pytest

from discreet.attacks.draws import by_inversion, textbook_laplace
from discreet.attacks.float_sum import added_up, rounding, shuffled
from discreet.attacks.low_bits import can_come_from
from discreet.attacks.precision import is_finer


def test_textbook_noise_is_numpys_to_the_last_bit():
    uniform = np.array([2.0**-53, 0.1, 0.3, 0.5, 0.75, 0.9, 1 - 2.0**-53])
    expected = [10 * np.log(2 * u) if u < 0.5 else -10 * np.log(2.0 - u - u) for u in uniform]
    assert by_inversion(uniform, 10.0).tolist() == expected


def test_textbook_noise_has_the_scale_it_says():
    size = np.abs(textbook_laplace(100_000, 3.0)).mean()
    assert abs(size - 3) < 5.5 * 3 / np.sqrt(100_000)


@pytest.mark.parametrize("scale", [1.0, 10.0])
def test_numpys_own_noise_gives_its_secret_away(scale):
    source = np.random.default_rng(12)
    for secret in (0.0, 1.0):
        released = source.laplace(secret, scale, 4000)
        assert can_come_from(secret, released, scale).mean() > 0.99
        assert can_come_from(1 - secret, released, scale).mean() < 0.3


def test_fine_bits_near_zero_come_from_zero_only():
    source = np.random.default_rng(12)
    near = {secret: (found := source.laplace(secret, 1.0, 20_000))[np.abs(found) < 0.5] for secret in (0, 1)}
    assert is_finer(near[0]).mean() > 0.4
    assert is_finer(near[1]).mean() == 0


def test_a_float_sum_moves_a_thousand_times_further_than_the_row():
    before, after = rounding(53)
    assert added_up(after, np.float64) - added_up(before, np.float64) == 1024 * (sum(after) - sum(before)) == 2048
    before, after = rounding(24)
    assert added_up(after, np.float32) - added_up(before, np.float32) == 2048
    first, last = (added_up(rows, np.float64) for rows in shuffled(53))
    assert last - first == 1024
