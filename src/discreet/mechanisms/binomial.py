"""Binomial probabilities in floating point, without tables or a special function: for estimates, which are post-processing."""

from math import sqrt

import numpy as np
from numpy.typing import NDArray

__all__ = ["binomial", "upper_tail"]

_REACH = 12  # standard deviations beyond which nothing is counted: less than 1e-30
Successes = tuple[int, float]  # trials and their probability


def binomial(trials: int, probability: float) -> tuple[int, NDArray[np.float64]]:
    """P(k) for k = first, first + 1, …: all that a float can tell from 0 when one is added. Returns first and probabilities."""
    if probability <= 0 or probability >= 1 or not trials:
        return (trials if probability >= 1 else 0), np.ones(1)
    mode = min(trials, int((trials + 1) * probability))
    reach = int(_REACH * sqrt(trials * probability * (1 - probability))) + 40
    first, last = max(0, mode - reach), min(trials, mode + reach)
    odds = probability / (1 - probability)
    up = np.arange(mode, last, dtype=np.float64)
    down = np.arange(mode, first, -1, dtype=np.float64)
    above = np.cumprod((trials - up) / (up + 1) * odds)  # each is the one before times a ratio
    below = np.cumprod(down / (trials - down + 1) / odds)
    weights = np.concatenate([below[::-1], [1.0], above])
    return first, weights / weights.sum()


def upper_tail(least: int, some: Successes, others: Successes) -> float:
    """P(A + B >= least) for independent binomial A and B."""
    first, masses = binomial(*some)
    second, other_masses = binomial(*others)
    at_least = np.concatenate([np.cumsum(other_masses[::-1])[::-1], [0.0]])  # P(B >= second + i)
    needed = least - (first + np.arange(masses.size)) - second
    return float(masses @ at_least[np.clip(needed, 0, other_masses.size)])
