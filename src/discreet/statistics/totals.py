"""How far the sum of many draws of the same noise reaches. Proof: docs/proofs/intervals.md, "Totals of many groups".

Chernoff's bound: P(|S| ≥ a) ≤ 2 exp(n log M(t) - t a) for every t > 0, where M is the moment generating function of one draw.
Each t gives a reach that is valid; the least of some is taken. It grows as the root of n, not as n.
"""

from fractions import Fraction
from math import expm1, log, sqrt

import numpy as np

from discreet.mechanisms.accuracy import half_width
from discreet.noise.law import Law
from discreet.statistics.reach import reach

__all__ = ["total_reach"]

_FEW = 12  # whose joint law is worked out
_TRIED = np.linspace(0.0005, 0.9995, 2000)  # parts of the largest t at which the moment generating function is finite


def total_reach(law: Law, draws: int, alpha: float) -> float:
    """The a that |sum of this many independent draws| exceeds with probability at most ``alpha``, in steps."""
    one = float(half_width(law, 1 - Fraction(alpha) / draws)) * draws  # none of them reaches further
    if draws <= _FEW:
        one = min(one, reach(law, (1.0,) * draws, alpha))
    if draws == 1:
        return one
    if law.quadratic:  # discrete Gaussian noise is no heavier than Gaussian noise of its parameter
        return min(one, sqrt(draws / float(law.quadratic) * log(2 / alpha)))
    rate = float(law.linear)
    below, above = np.log(-np.expm1(-rate * (1 - _TRIED))), np.log(-np.expm1(-rate * (1 + _TRIED)))
    grown = 2 * log(-expm1(-rate)) - below - above  # log M(t) at t = _TRIED * rate
    return min(one, float(np.min((log(2 / alpha) + draws * grown) / (_TRIED * rate))))
