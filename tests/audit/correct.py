"""Mechanisms of ours on neighbouring inputs, with what they claim: none of them may be called a violation."""

import numpy as np

import discreet as dc

LAPLACE = dc.Laplace(epsilon=1, sensitivity=1)
FLOATS = dc.Laplace(epsilon="0.5", sensitivity="1.5")
GAUSSIAN = dc.Gaussian(rho="0.5", sensitivity=1)
ONE_NUMBER = dc.Gaussian(epsilon=1, delta="1e-3", sensitivity=1)
EXPONENTIAL = dc.Exponential(epsilon=1, sensitivity=1)
FLIP = dc.PermuteAndFlip(epsilon=1, sensitivity=1)
ABOVE = dc.AboveThreshold(epsilon=1, threshold=0)

BATCHES = {
    "Laplace": (LAPLACE, lambda n: LAPLACE.release(np.ones(n, np.int64)), lambda n: LAPLACE.release(np.zeros(n, np.int64))),
    "Laplace of floats": (dc.Pure(epsilon="0.5"), lambda n: one_by_one(FLOATS, 0.1, n), lambda n: one_by_one(FLOATS, 1.6, n)),
    "Gaussian": (GAUSSIAN, lambda n: GAUSSIAN.release(np.ones(n, np.int64)), lambda n: GAUSSIAN.release(np.zeros(n, np.int64))),
    "Gaussian at (epsilon, delta)": (
        ONE_NUMBER, lambda n: one_by_one(ONE_NUMBER, 1, n), lambda n: one_by_one(ONE_NUMBER, 0, n),
    ),
}  # fmt: skip
CALLS = {
    "Exponential": (EXPONENTIAL, lambda: EXPONENTIAL.select([3, 2, 2]), lambda: EXPONENTIAL.select([2, 3, 3])),
    "PermuteAndFlip": (FLIP, lambda: FLIP.select([3, 2, 2]), lambda: FLIP.select([2, 3, 3])),
    "AboveThreshold": (ABOVE, lambda: tuple(ABOVE.release([0, 0, 0])), lambda: tuple(ABOVE.release([1, 1, -1]))),
}


def one_by_one(mechanism, value, size):
    """Releases of one number each, under the mechanism that a single number gets."""
    alone = mechanism.for_floats(1) if isinstance(value, float) else mechanism
    step = alone.step
    steps = round(value / float(step))
    from discreet.noise.draws import draw
    from discreet.noise.keystream import fresh

    return (steps + draw(alone.law, size, fresh())) * float(step)
