"""How far releases are from the exact value; for errors.py and for its peers in their own environments."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np


def rmse(released: Any, exact: float) -> dict[str, float]:
    """The root of the mean squared error, how uncertain it is as a share of itself, and of how many releases it is."""
    squares = (np.asarray(released, float) - exact) ** 2
    uncertainty = squares.std() / squares.mean() / 2 / len(squares) ** 0.5
    return {"rmse": float(np.sqrt(squares.mean())), "uncertainty": float(uncertainty), "runs": len(squares)}


def told() -> tuple[dict[str, dict[str, Any]], list[str]]:
    """The tables by name and the prices, which errors.py wrote to the file that is named first."""
    given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    return given["shapes"], given["prices"]


def key(shape: str, price: str, statistic: str) -> str:
    """The name of one comparison in what peers print."""
    return f"{shape}; {price}; {statistic}"
