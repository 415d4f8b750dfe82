"""What both sides of quantiles.py share: how far a value is from a rank. Only numpy is used here, since peers run it too."""

import json
import sys
from math import exp, sqrt
from pathlib import Path
from typing import Any

import numpy as np


def told() -> dict[str, Any]:
    """The tables and prices that quantiles.py wrote down for its peers."""
    return json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))


def rank_error(values: Any, found: Any, q: float) -> Any:
    """How far q n is from [rows below, rows at or below], for every value found among sorted values."""
    rank = q * len(values)
    below, upto = np.searchsorted(values, found, "left"), np.searchsorted(values, found, "right")
    return np.maximum(np.maximum(below - rank, rank - upto), 0.0)


def summary(errors: Any) -> dict[str, float]:
    """The mean of errors, and how well it is known."""
    return {"mean": float(np.mean(errors)), "error": float(np.std(errors) / sqrt(len(errors)))}


def at_most(ours: dict[str, float], theirs: dict[str, float]) -> float:
    """What the ratio of two means is at most, with 99 % confidence."""
    spread = sqrt((ours["error"] / ours["mean"]) ** 2 + (theirs["error"] / theirs["mean"]) ** 2)
    return ours["mean"] / theirs["mean"] * exp(2.326 * spread)


def flipped(scores: Any, scale: float) -> Any:
    """The probability of each candidate under permute-and-flip: of the least score after exponential noise of that scale.

    It is p times the integral over y from 0 to 1 of the product of 1 - y p over all others, p = exp(-(score - least) / scale); by
    Gauss and Legendre on parts that grow geometrically, since the product falls quickly.
    """
    chance, of, many = np.unique(np.exp(-(scores - scores.min()) / scale), return_inverse=True, return_counts=True)
    ends = np.concatenate([[0.0], np.geomspace(1e-9, 1.0, 60)])
    nodes, weights = np.polynomial.legendre.leggauss(16)
    at = ((ends[1:] + ends[:-1]) / 2 + np.outer(nodes, np.diff(ends) / 2)).ravel()
    weights = np.outer(weights, np.diff(ends) / 2).ravel()
    found = np.zeros(len(chance))
    for y, weight in zip(at, weights, strict=True):
        passed = 1 - np.minimum(chance * y, 1 - 1e-15)
        found += weight * np.exp(many @ np.log(passed)) / passed
    return (chance * found)[of]
