"""Densities (d), probabilities (p) and quantiles (q) under the names that R has for them: of base R, rmutil and smoothmest.

They are the continuous curves of the texts, for teaching only; the draws (r) need a state and are in ``r``.
"""

import numpy as np

from discreet.errors import ParameterError
from discreet.lessons.distributions import Floats, Laplace, Normal, Points

__all__ = ["ddoublex", "dexp", "dlaplace", "dnorm", "pexp", "plaplace", "pnorm", "qexp", "qlaplace", "qnorm"]

_Value = float | Points
_Found = float | Floats


def dlaplace(y: _Value, m: float = 0.0, s: float = 1.0) -> _Found:
    """``rmutil::dlaplace``: the density of the Laplace law at ``y``."""
    return Laplace(m, s).pdf(y)


def plaplace(q: _Value, m: float = 0.0, s: float = 1.0) -> _Found:
    """``rmutil::plaplace``: how likely the Laplace law is at most ``q``."""
    return Laplace(m, s).cdf(q)


def qlaplace(p: _Value, m: float = 0.0, s: float = 1.0) -> _Found:
    """``rmutil::qlaplace``: where ``plaplace`` is ``p``."""
    return Laplace(m, s).ppf(p)


def ddoublex(x: _Value, mu: float = 0.0, lambda_: float = 1.0) -> _Found:
    """``smoothmest::ddoublex``: the same density under its other name."""
    return Laplace(mu, lambda_).pdf(x)


def dnorm(x: _Value, mean: float = 0.0, sd: float = 1.0) -> _Found:
    """The density of the normal law at ``x``."""
    return Normal(mean, sd).pdf(x)


def pnorm(q: _Value, mean: float = 0.0, sd: float = 1.0) -> _Found:
    """How likely the normal law is at most ``q``."""
    return Normal(mean, sd).cdf(q)


def qnorm(p: _Value, mean: float = 0.0, sd: float = 1.0) -> _Found:
    """Where ``pnorm`` is ``p``."""
    return Normal(mean, sd).ppf(p)


def dexp(x: _Value, rate: float = 1.0) -> _Found:
    """The density of the exponential law at ``x``: twice that of the Laplace law, on its right half."""
    at = np.asarray(x, dtype=np.float64)
    return _like(x, np.where(at < 0, 0.0, 2.0 * Laplace(0.0, _scale(rate)).pdf(np.abs(at))))


def pexp(q: _Value, rate: float = 1.0) -> _Found:
    """How likely the exponential law is at most ``q``."""
    at = np.maximum(np.asarray(q, dtype=np.float64), 0.0)
    return _like(q, -np.expm1(-at / _scale(rate)))


def qexp(p: _Value, rate: float = 1.0) -> _Found:
    """Where ``pexp`` is ``p``."""
    at = np.asarray(p, dtype=np.float64)
    if not np.all((at >= 0) & (at <= 1)):
        raise ParameterError("p is not between 0 and 1", hint="write a probability, such as 0.975")
    with np.errstate(divide="ignore"):
        return _like(p, -_scale(rate) * np.log1p(-at))


def _scale(rate: float) -> float:
    if not 0 < rate < float("inf"):
        raise ParameterError(f"rate is {rate}, not a finite number above 0", hint="write a rate above 0, such as 1")
    return 1.0 / rate


def _like(given: _Value, found: Floats) -> _Found:
    """A float for a single number."""
    return float(found) if np.ndim(given) == 0 else np.asarray(found)
