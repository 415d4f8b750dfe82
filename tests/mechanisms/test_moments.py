"""Published rule for the moments of discrete Laplace noise."""

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from discreet import Laplace
from discreet.testing import seeded

RULE = json.loads((Path(__file__).parents[1] / "golden" / "sample_moments.json").read_text(encoding="utf-8"))


def keeps_the_rule(noise, epsilon: float, sensitivity: int) -> bool:
    p = 1 - math.exp(-epsilon / sensitivity)
    variance, n = 2 * (1 - p) / p**2, RULE["n"]
    mean_ok = abs(np.mean(noise)) <= RULE["factor"] * math.sqrt(variance / n)
    return bool(mean_ok and abs(np.var(noise) - variance) <= RULE["factor"] * math.sqrt(5 * variance**2 / n))


@pytest.mark.parametrize(("epsilon", "sensitivity"), [("1.0986", 1), ("0.5493", 1), ("0.2197", 3), ("2", 1), ("0.01", 1)])
def test_moments_of_laplace_noise_keep_the_published_rule_at_the_claimed_scale_only(epsilon, sensitivity):
    with seeded(8):                                           # the rule is wrong once in 10^5 times
        noise = Laplace(epsilon=epsilon, sensitivity=sensitivity).release(np.full(RULE["n"], 17)) - 17
    claimed = float(Fraction(epsilon))
    assert keeps_the_rule(noise, claimed, sensitivity)
    assert not keeps_the_rule(noise, claimed * 0.97, sensitivity)
    assert not keeps_the_rule(noise, claimed * 1.03, sensitivity)
    assert Laplace(epsilon=epsilon, sensitivity=sensitivity).variance == pytest.approx(
        2 * math.exp(-claimed / sensitivity) / math.expm1(-claimed / sensitivity) ** 2)
