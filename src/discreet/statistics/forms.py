"""Variances and covariances on the grid, made into the form that was asked: sample or population, root, own units.

Proof: docs/proofs/estimators.md
"""

import numpy as np

from discreet.facts.model import Facts
from discreet.questions.algebra import AggregateKind
from discreet.statistics.estimate import Estimate
from discreet.statistics.on_grid import OnGrid

__all__ = ["finished_covariance", "finished_variance", "known_factor", "sample_factor"]


def sample_factor(rows: Estimate) -> Estimate:
    """n / (n - 1), for as many rows as there may be; n is a whole number of at least 2, so the likeliest of these is meant."""
    likely, most, least = np.maximum(np.rint(rows.value), 2.0), np.maximum(rows.high, 2.0), np.maximum(rows.low, 2.0)
    return Estimate(likely / (likely - 1), most / (most - 1), least / (least - 1))


def known_factor(n: int) -> Estimate:
    """The same where the number of rows is public."""
    factor = np.asarray(n / (n - 1))
    return Estimate(factor, factor, factor)


def finished_variance(x: OnGrid, facts: Facts, pop: Estimate, kind: AggregateKind, factor: Estimate) -> Estimate:
    """From the population variance on the grid; the grid moves it by at most range * rounding."""
    rounding = x.rounding(facts)
    pop = pop.widened(rounding * (x.span + rounding)).within(0.0, np.inf)
    if kind in ("variance_samp", "stddev_samp"):
        pop = Estimate(pop.value * factor.value, pop.low * factor.low, pop.high * factor.high)
    value, low, high = np.clip(pop.value, pop.low, pop.high), pop.low, pop.high
    if kind in ("stddev_pop", "stddev_samp"):
        return Estimate(np.sqrt(value), np.sqrt(low), np.sqrt(high))
    return Estimate(value, low, high)


def finished_covariance(x: OnGrid, y: OnGrid, facts: Facts, pop: Estimate, factor: Estimate | None) -> Estimate:
    """From the population form on the grid; times a factor, if there is one."""
    largest, a, b = x.span * y.span / 4, x.rounding(facts), y.rounding(facts)
    pop = pop.widened(a * y.span / 2 + b * x.span / 2 + a * b).within(-largest, largest)
    if factor is None:
        return Estimate(np.clip(pop.value, pop.low, pop.high), pop.low, pop.high)
    low = np.minimum(pop.low * factor.low, pop.low * factor.high)
    high = np.maximum(pop.high * factor.low, pop.high * factor.high)
    return Estimate(np.clip(pop.value * factor.value, low, high), low, high)
