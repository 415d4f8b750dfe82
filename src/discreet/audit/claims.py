"""What a mechanism claims, and how much of it an event refutes. Proof: docs/proofs/audit.md.

An event has probability at least ``p`` on one table and at most ``q`` on the other. Then, by post-processing,
(ε, δ) needs p <= e^ε q + δ; μ needs Φ⁻¹(p) - Φ⁻¹(q) <= μ; and ρ needs the Rényi divergence of order α between the
two coins to be at most ρ α for every α > 1, since an event is a post-processing like any other.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, log
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from discreet.answers.losses import shortly
from discreet.errors import ParameterError
from discreet.exact import Number, exact_not_negative, shown
from discreet.privacy.losses import Approximate, Concentrated, Pure

__all__ = ["Claim", "Mu", "as_claim", "claimed", "excess", "in_words", "letter", "size", "strength", "strengths"]

_HOW = "write epsilon=1, epsilon=1 and delta='1e-6', rho=0.1, or mu=1"
_ORDERS = 1 + np.geomspace(1e-3, 1e3, 61)  # every order gives a valid bound; these are close enough to the best
_NORMAL = NormalDist()
_LEAST, _MOST = 1e-300, 1 - 1e-16  # clipping there only weakens what an event shows


@dataclass(frozen=True, slots=True, init=False)
class Mu:
    """Gaussian differential privacy: telling two neighbours apart is no easier than N(0, 1) from N(mu, 1) (Dong et al. 2022)."""

    mu: Fraction

    def __init__(self, *, mu: Number) -> None:
        object.__setattr__(self, "mu", exact_not_negative(mu, "mu"))


Claim = Pure | Approximate | Concentrated | Mu


def claimed(
    claim: object = None,
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    mu: Number | None = None,
) -> Claim:
    """The claim, from a loss or from its letters. Refused unless there is exactly one."""
    letters = [name for name, value in (("epsilon", epsilon), ("rho", rho), ("mu", mu)) if value is not None]
    if (claim is not None) + len(letters) != 1 or (delta is not None and epsilon is None):
        found = "no claim" if claim is None and not letters and delta is None else "not one claim"
        raise ParameterError(f"there is {found} to audit", hint=_HOW)
    if claim is not None:
        return as_claim(claim)
    if epsilon is not None:
        loss = Approximate(epsilon=epsilon, delta=0 if delta is None else delta)
        return loss if loss.delta else Pure(epsilon=epsilon)
    if rho is not None:
        return Concentrated(rho=rho)
    assert mu is not None
    return Mu(mu=mu)


def as_claim(claim: object) -> Claim:
    """A loss, or a mechanism with one."""
    found = getattr(claim, "loss", claim)
    if not isinstance(found, Pure | Approximate | Concentrated | Mu):
        raise ParameterError(f"a {type(claim).__name__} is not a claim", hint=f"{_HOW}, or give a mechanism")
    return found


def letter(claim: Claim) -> str:
    """The letter that the claim is told in."""
    match claim:
        case Concentrated():
            return "ρ"
        case Mu():
            return "μ"
        case _:
            return "ε"


def size(claim: Claim) -> float:
    """The number behind the letter."""
    match claim:
        case Concentrated(rho=rho):
            return float(rho)
        case Mu(mu=mu):
            return float(mu)
        case Pure(epsilon=epsilon) | Approximate(epsilon=epsilon):
            return float(epsilon)


def in_words(claim: Claim) -> str:
    """``ε = 1, δ = 1e-6``."""
    match claim:
        case Concentrated(rho=rho):
            return f"ρ = {shown(rho)}"
        case Mu(mu=mu):
            return f"μ = {shown(mu)}"
        case Approximate(epsilon=epsilon, delta=delta):
            return f"ε = {shown(epsilon)}, δ = {shortly(delta)}"
        case Pure(epsilon=epsilon):
            return f"ε = {shown(epsilon)}"


def strength(claim: Claim, p: float, q: float) -> float:
    """The least ε, ρ or μ that an event with probabilities >= p and <= q still allows; 0 if it says nothing."""
    return float(strengths(claim, np.array([p]), np.array([q]))[0])


def strengths(claim: Claim, p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """``strength`` of many events at once."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        match claim:
            case Concentrated():
                found = _divergence(p, q)
            case Mu():
                found = _quantiles(p) - _quantiles(q)
            case Pure() | Approximate():
                slack = float(claim.delta) if isinstance(claim, Approximate) else 0.0
                found = np.log(np.maximum(p - slack, 0.0)) - np.log(np.maximum(q, _LEAST))
    return np.where((p > q) & ~np.isnan(found), np.maximum(found, 0.0), 0.0)


def _quantiles(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([_NORMAL.inv_cdf(each) for each in np.clip(probabilities, _LEAST, _MOST).tolist()])


def _divergence(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """The largest D_α(p ‖ q) / α of two coins."""
    best = np.zeros_like(p)
    q, p = np.clip(q, _LEAST, _MOST)[:, None], np.clip(p, _LEAST, _MOST)[:, None]
    for orders in np.array_split(_ORDERS, 4):
        heads = orders * np.log(p) + (1 - orders) * np.log(q)
        tails = orders * np.log1p(-p) + (1 - orders) * np.log1p(-q)
        best = np.maximum(best, (np.logaddexp(heads, tails) / ((orders - 1) * orders)).max(axis=1))
    return best


def excess(claim: Claim, p: float, q: float) -> float:
    """The δ at the claimed ε that the event shows at least: p - e^ε q."""
    epsilon = size(claim)
    return max(0.0, p - exp(epsilon) * q) if epsilon < log(1e300) else 0.0
