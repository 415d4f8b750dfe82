"""Pages about choosing: the auction, the letters, and slips."""

import math
from collections import Counter

import numpy as np

from discreet.lessons import auction
from discreet.mechanisms import Exponential
from discreet.plots.figure import Axis, Bars, Curve, Figure, Plot

__all__ = ["NAMES", "as_published", "auction_price", "chebyshev", "letters", "most_frequent_letter", "slips"]

NAMES = tuple(f"Object {letter}" for letter in "ABCDEFGHIJ")
SAMPLED = 4  # the sensitivity that sampling finds with names of our own


def auction_price() -> Figure:
    """Revenue by price, and how likely each price is."""
    prices = [f"{price / 100:.2f}" for price in auction.PRICES]
    earned = {price: auction.revenue(cents) for price, cents in zip(prices, auction.PRICES, strict=True)}
    taken = [each / 100 for each in earned.values()]
    income = Bars("revenue", prices, taken, texts=[f"{each:.2f}" for each in taken])
    left = Plot(Axis("price"), Axis("revenue", ends=(0, 3.6)), (income,), "Revenue", 260)
    moves = auction.score_sensitivity()
    chances = []
    for epsilon in (1, 5, 10):
        found: list[float] = Exponential(epsilon=epsilon, sensitivity=moves).pmf(list(earned.values()))  # type: ignore[assignment]
        chances.append(Bars(f"ε = {epsilon}", prices, found, texts=[f"{100 * each:.1f} %" for each in found]))
    right = Plot(Axis("price"), Axis("probability", ends=(0, 0.6), form=".0%"), tuple(chances), "How likely each price is", 340)
    alt = (
        "Left, the revenue at four prices: 3.00 at 1.00, 1.01 at 1.01, 3.01 at 3.01 and 0 at 3.02. Right, how likely the "
        "exponential mechanism takes each: nearly even at ε = 1, and at ε = 10 almost always one of the two good ones."
    )
    return Figure("Choosing, not adding", alt, (left, right), source="Ghosh: the auction")


def letters(names: tuple[str, ...] = NAMES) -> dict[str, int]:
    """How often each small letter occurs, as the text counts: capitals are other letters."""
    counted = Counter("".join(names))
    return {letter: counted[letter] for letter in "abcdefghijklmnopqrstuvwxyz"}


def as_published(scores: dict[str, int]) -> dict[str, float]:
    """The weights of the published package: the score itself where exp of it is meant, so that ε and Δ cancel."""
    total = sum(scores.values())
    return {letter: score / total for letter, score in scores.items()}


def most_frequent_letter() -> Figure:
    """Probabilities as they should be, and as published."""
    every = letters()
    scores = [letter for letter, count in every.items() if count or letter == "z"]
    right: dict[str, float] = Exponential(epsilon=1, sensitivity=SAMPLED).pmf(every)  # type: ignore[assignment]
    wrong = as_published(every)
    bars = tuple(
        Bars(name, scores, [law[letter] for letter in scores], texts=[f"{100 * law[letter]:.1f} %" for letter in scores])
        for name, law in (("exponential mechanism, ε = 1", right), ("as published, without exp", wrong))
    )
    alt = (
        "How likely each letter is. By the exponential mechanism each of the five tied letters b, c, e, j and t has 9.1 "
        "%, and a letter that does not occur, such as z, 2.6 %. As published the tied ones have 20 % each and all others "
        "nothing."
    )
    plot = Plot(Axis("letter"), Axis("probability", ends=(0, 0.25), form=".0%"), bars)
    return Figure("Letters, and a missing exp", alt, (plot,), source="Ghosh: R implementation of the exponential mechanism")


def chebyshev(k: float, *, slip: bool = False) -> float:
    """The bound on P(|error| > k/(nε)); with the slip the variance is half of what it is."""
    return min(1.0, (1 if slip else 2) / k**2)


def slips() -> Figure:
    """A slip with a picture: the variance of the noise."""
    ks = np.linspace(0.5, 8, 76).tolist()
    curves = (
        Curve("exact: e^−k", ks, [math.exp(-k) for k in ks]),
        Curve("Chebyshev with variance 2/(nε)²", ks, [chebyshev(k) for k in ks]),
        Curve("Chebyshev as printed, 1/(nε)²", ks, [chebyshev(k, slip=True) for k in ks]),
    )
    alt = (
        "How likely a noisy share errs by more than k/(nε): exactly e to the minus k; at most 2/k² by Chebyshev's "
        "inequality with the right variance; and 1/k² as printed, which is below what the variance warrants though still "
        "above the exact curve."
    )
    plot = Plot(Axis("k"), Axis("probability", log=True, ends=(0.0003, 1), ticks=(0.001, 0.01, 0.1, 1)), curves)
    return Figure("One slip drawn: the variance of Laplace noise", alt, (plot,), source="Ghosh: an example")
