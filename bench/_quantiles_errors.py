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
