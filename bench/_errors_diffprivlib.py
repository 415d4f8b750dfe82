"""diffprivlib's side of errors.py, run by its own interpreter: errors of its mean and variance, printed as JSON."""

import json
import warnings
from importlib.metadata import version

import numpy as np

warnings.simplefilter("ignore")                       # of versions and of leaks that bounds prevent

from _errors_rmse import key, rmse, told  # noqa: E402
from diffprivlib import tools  # noqa: E402

RUNS = 10_000

shapes, prices = told()
found = {}
for shape, table in shapes.items():
    x, bounds = np.array(table["values"], float), (0.0, float(table["upper"]))
    for price in prices:
        for statistic, act in (("mean", tools.mean), ("variance", tools.var)):
            values = [act(x, epsilon=float(price), bounds=bounds) for _ in range(RUNS)]
            found[key(shape, price, f"{statistic}, public size")] = rmse(values, table[statistic])
print(json.dumps({"version": version("diffprivlib"), "errors": found}))
