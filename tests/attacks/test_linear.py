"""The linear program, against an independent solver."""

import numpy as np
import pytest
from scipy.optimize import linprog

from discreet.attacks.linear import fitted_in_box


def problem(seed: int, sums: int, unknowns: int, noise: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    source = np.random.default_rng(seed)
    secret = source.integers(0, 2, unknowns)
    matrix = source.integers(0, 2, (sums, unknowns)).astype(np.float64)
    return matrix, matrix @ secret + noise * source.uniform(-1, 1, sums), secret


def least_error(matrix: np.ndarray, answers: np.ndarray) -> float:
    sums, unknowns = matrix.shape
    above = np.block([[matrix, -np.eye(sums)], [-matrix, -np.eye(sums)]])
    found = linprog(np.r_[np.zeros(unknowns), np.ones(sums)], A_ub=above, b_ub=np.r_[answers, -answers],
                    bounds=[(0, 1)] * unknowns + [(0, None)] * sums)
    assert found.status == 0
    return float(found.fun)


@pytest.mark.parametrize(("sums", "unknowns"), [(5, 8), (8, 8), (40, 15), (60, 30)])
@pytest.mark.parametrize("noise", [0.0, 0.4, 3.0, 100.0])
def test_no_other_point_of_the_box_fits_better(sums, unknowns, noise):
    for seed in range(3):
        matrix, answers, _ = problem(seed, sums, unknowns, noise)
        found = fitted_in_box(matrix, answers)
        assert found.min() >= 0
        assert found.max() <= 1
        least = least_error(matrix, answers)
        assert np.abs(matrix @ found - answers).sum() == pytest.approx(least, rel=1e-5, abs=1e-5)


def test_exact_sums_give_every_bit_back():
    matrix, answers, secret = problem(7, 80, 40, 0.0)
    assert ((fitted_in_box(matrix, answers) > 0.5) == secret).all()


def test_an_answer_outside_of_the_box_is_met_at_its_border():
    assert fitted_in_box(np.ones((1, 2)), np.array([9.0])) == pytest.approx([1, 1], abs=1e-5)
    assert fitted_in_box(np.ones((1, 2)), np.array([-9.0])) == pytest.approx([0, 0], abs=1e-5)
