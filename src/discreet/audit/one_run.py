"""One run, many canaries: each was put in by the toss of a coin, and guesses say which (Steinke, Nasr and Jagielski 2023).

For an (ε, δ)-private run, v of r guesses about m canaries are right with probability at most
β + 2 m δ max over i of P(v > X ≥ v - i) / i, where X is binomial(r, 1 / (1 + e^-ε)) and β = P(X ≥ v).
"""

from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discreet.audit.claims import claimed, in_words, size
from discreet.errors import ParameterError
from discreet.exact import Number, exact_between, exact_whole
from discreet.mechanisms.binomial import binomial
from discreet.privacy.losses import Approximate, Pure

__all__ = ["OneRun", "one_run", "one_run_from_scores"]

_STEPS = 60
_LARGEST = 64.0  # an ε beyond any that guesses could show


@dataclass(frozen=True, slots=True, repr=False)
class OneRun:
    """A verdict from guesses about canaries."""

    claim: Pure | Approximate
    canaries: int
    guesses: int
    right: int
    alpha: float
    at_least: float

    @property
    def found_violation(self) -> bool:
        """Whether the guesses were too good for the claim."""
        return self.at_least > size(self.claim) * (1 + 1e-9)

    @property
    def verdict(self) -> str:
        """Never that something is private."""
        return "violation" if self.found_violation else "no violation found"

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {"verdict": self.verdict, "claim": in_words(self.claim), "at_least": self.at_least, "alpha": self.alpha,
                "canaries": self.canaries, "guesses": self.guesses, "right": self.right}  # fmt: skip

    def __repr__(self) -> str:
        return (f"{self.verdict}: ε ≥ {self.at_least:.4g}, claimed {in_words(self.claim)}\n"
                f"with confidence {1 - self.alpha:g}, from {self.right:,} right of {self.guesses:,} guesses about "
                f"{self.canaries:,} canaries in one run")  # fmt: skip


def one_run(
    *,
    canaries: int,
    right: int,
    guesses: int | None = None,
    epsilon: Number,
    delta: Number | None = None,
    alpha: Number = "0.05",
) -> OneRun:
    """What ``right`` guesses out of ``guesses`` (all canaries, unless some were left out) say about the claim."""
    claim = claimed(epsilon=epsilon, delta=delta)
    assert isinstance(claim, Pure | Approximate)
    many = exact_whole(canaries, "canaries", at_least=1)
    made = many if guesses is None else exact_whole(guesses, "guesses", at_least=1)
    good = exact_whole(right, "right")
    if not good <= made <= many:
        raise ParameterError(f"{good} right of {made} guesses about {many} canaries does not add up", hint="count again")
    wrong = float(exact_between(alpha, "alpha", 0, 1, closed_low=False, hint="write a small probability such as 0.05"))
    slack = float(claim.delta) if isinstance(claim, Approximate) else 0.0
    return OneRun(claim, many, made, good, wrong, _largest_refuted(many, made, good, slack, wrong))


def one_run_from_scores(included: ArrayLike, scores: ArrayLike, *, guesses: int | None = None, **words: Any) -> OneRun:
    """The same from one score a canary: the higher half of ``guesses`` is guessed in, the lower half out, the rest left out."""
    inside, given = np.asarray(included, dtype=bool), np.asarray(scores, dtype=np.float64)
    if inside.ndim != 1 or inside.shape != given.shape or not np.isfinite(given).all():
        raise ParameterError("canaries and scores do not go together", hint="give one finite score for each canary")
    made = inside.size if guesses is None else exact_whole(guesses, "guesses", at_least=1)
    if made > inside.size:
        raise ParameterError(f"{made} guesses are more than {inside.size} canaries", hint="write guesses= at most that")
    order = np.argsort(given, kind="stable")
    low, high = order[: made // 2], order[inside.size - (made - made // 2) :]
    right = int(np.count_nonzero(~inside[low]) + np.count_nonzero(inside[high]))
    return one_run(canaries=inside.size, right=right, guesses=made, **words)


def p_value(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """At most how likely so many right guesses are for an (ε, δ)-private run."""
    first, masses = binomial(guesses, 1 / (1 + exp(-epsilon)))
    places = first + np.arange(masses.size)
    beta = float(masses[places >= right].sum())
    if not delta:
        return min(1.0, beta)
    below = masses[places < right][::-1]  # P(X = v - 1), P(X = v - 2), … but for what is 0 to a float
    gap = max(0, right - 1 - int(places[places < right].max(initial=first - 1))) if below.size else 0
    sums = np.cumsum(below) / (gap + np.arange(1, below.size + 1)) if below.size else np.zeros(1)
    return min(1.0, beta + 2 * canaries * delta * float(sums.max()))


def _largest_refuted(canaries: int, guesses: int, right: int, delta: float, alpha: float) -> float:
    """The largest ε that the guesses refute; 0 if they refute none."""
    if p_value(canaries, guesses, right, 0.0, delta) > alpha:
        return 0.0
    low, high = 0.0, _LARGEST
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if p_value(canaries, guesses, right, middle, delta) <= alpha else (low, middle)
    return low
