"""Clopper–Pearson bounds from exact binomial tails, without a special function. Proof: docs/proofs/audit.md.

Both bounds are found by bisection and rounded outwards, so that each misses with at most the stated probability.
"""

from math import exp, expm1, log

import numpy as np

from discreet.mechanisms.binomial import binomial

__all__ = ["at_least", "lower_bound", "upper_bound"]

_STEPS = 100
_SHY = 1 - 1e-9  # of the probability of missing: far more than the rounding errors of a tail


def at_least(count: int, trials: int, probability: float) -> float:
    """P(X >= count) for X binomial."""
    first, masses = binomial(trials, probability)
    return float(np.sum(masses[max(0, count - first) :])) if count - first < masses.size else 0.0


def lower_bound(count: int, trials: int, alpha: float) -> float:
    """A p that lies above the true one with probability at most ``alpha``, whatever the true one is."""
    if count == 0:
        return 0.0
    if count == trials:
        return exp(log(alpha * _SHY) / trials)
    low, high = 0.0, count / trials
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if at_least(count, trials, middle) <= alpha * _SHY else (low, middle)
        if high - low <= 1e-13 * high:
            break
    return low


def upper_bound(count: int, trials: int, alpha: float) -> float:
    """A p that lies below the true one with probability at most ``alpha``: the lower bound of what did not happen."""
    if count == 0:
        return -expm1(log(alpha * _SHY) / trials)  # 1 - alpha^(1/n), without the loss of digits of 1 - …
    return 1.0 - lower_bound(trials - count, trials, alpha)
