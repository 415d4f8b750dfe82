"""diffprivlib's side of quantiles.py, run by its own interpreter: rank errors of its median, printed as JSON."""

import json
import warnings
from importlib.metadata import version

import numpy as np

warnings.simplefilter("ignore")                       # of versions and of leaks that bounds prevent

from _quantiles_errors import rank_error, summary, told  # noqa: E402
from diffprivlib import tools  # noqa: E402

RUNS = 250

data = told()
found = {}
for name, table in data["tables"].items():
    values, bounds = np.sort(np.array(table["values"], float)), (table["lower"], table["upper"])
    for price in data["prices"]:
        chosen = np.array([tools.median(values, epsilon=float(price), bounds=bounds) for _ in range(RUNS)])
        found[f"{name}, {price}"] = summary(rank_error(values, chosen, 0.5))
print(json.dumps({"version": version("diffprivlib"), "errors": found}))
