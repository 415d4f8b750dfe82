"""OpenDP's side of errors.py, run by OpenDP's own interpreter: errors of its usual recipes, printed as JSON.

A transformation makes the exact aggregate once; its noise is then drawn many times, with the scale that OpenDP's own search
finds for the price.
"""

import json
from importlib.metadata import version
from typing import Any

import numpy as np
import opendp.prelude as dp
from _errors_rmse import key, rmse, told

RUNS = 20_000

dp.enable_features("contrib")
symmetric = dp.symmetric_distance()
numbers = dp.vector_domain(dp.atom_domain(T="f64", nan=False))


def released(transformation: dp.Transformation, x: Any, d_in: int, epsilon: float) -> Any:
    """RUNS releases of the aggregate, each worth epsilon."""
    def measured(scale: float) -> dp.Measurement:
        return transformation >> dp.m.make_laplace(transformation.output_domain, transformation.output_metric, scale)

    scale = dp.binary_search_param(measured, d_in=d_in, d_out=epsilon)
    exact = transformation(x)
    kind, many = ("i32", np.int32) if isinstance(exact, int) else ("f64", np.float64)
    atom = dp.atom_domain(T="i32") if kind == "i32" else dp.atom_domain(T="f64", nan=False)
    noise = dp.m.make_laplace(dp.vector_domain(atom), dp.l1_distance(T=kind), scale)
    return np.asarray(noise(np.full(RUNS, exact, many)), float)


def sized(x: Any, upper: float, epsilon: float) -> tuple[Any, Any]:
    """Mean and variance where the size is public: one change is a distance of two."""
    domain = dp.vector_domain(dp.atom_domain(bounds=(0.0, upper), nan=False), size=len(x))
    mean, variance = dp.t.make_mean(domain, symmetric), dp.t.make_variance(domain, symmetric, ddof=0)
    return (np.clip(released(mean, x, 2, epsilon), 0, upper),
            np.clip(released(variance, x, 2, epsilon), 0, upper**2 / 4))


def unsized(x: Any, upper: float, epsilon: float) -> tuple[Any, Any]:
    """Mean and variance where the size is private: count and sum, and the sum of squares, at equal shares of epsilon."""
    def count(share: float) -> Any:
        return np.maximum(released(dp.t.make_count(numbers, symmetric), x, 1, share), 1)

    def total(values: Any, most: float, share: float) -> Any:
        return released(dp.t.make_clamp(numbers, symmetric, (0.0, most)) >> dp.t.then_sum(), values, 1, share)

    mean = np.clip(total(x, upper, epsilon / 2) / count(epsilon / 2), 0, upper)
    rows = count(epsilon / 3)
    first, second = total(x, upper, epsilon / 3) / rows, total(x * x, upper**2, epsilon / 3) / rows
    return mean, np.clip(second - first**2, 0, upper**2 / 4)


shapes, prices = told()
found = {}
for shape, table in shapes.items():
    x, upper = np.array(table["values"], float), float(table["upper"])
    for price in prices:
        for size, recipe in (("public", sized), ("private", unsized)):
            for statistic, values in zip(("mean", "variance"), recipe(x, upper, float(price)), strict=True):
                found[key(shape, price, f"{statistic}, {size} size")] = rmse(values, table[statistic])
print(json.dumps({"version": version("opendp"), "errors": found}))
