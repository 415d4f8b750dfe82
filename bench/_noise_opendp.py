"""OpenDP's side of noise.py, run by OpenDP's own interpreter: seconds a draw, printed as JSON.

The vectors come in as NumPy arrays, which OpenDP takes faster than lists. They are shorter than ours, to save waiting.
"""

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

import numpy as np
import opendp.prelude as dp
from _noise_laws import GAUSSIAN, LAPLACE
from _record import times

DRAWS = 50_000
REPEATS = 7

dp.enable_features("contrib")
one = dp.atom_domain(T="i64")
many = dp.vector_domain(one)
zeros = np.zeros(DRAWS, np.int64)


def array(act: Callable[[Any], object]) -> dict[str, float]:
    return asdict(times(lambda: act(zeros), repeats=REPEATS).each(DRAWS))


def number(act: Callable[[Any], object]) -> dict[str, float]:
    return asdict(times(lambda: [act(51) for _ in range(500)], repeats=30).each(500))


def laplace(scale: int) -> dp.Measurement:
    return dp.m.make_laplace(many, dp.l1_distance(T="i64"), scale=float(scale))


def gaussian(sigma: int) -> dp.Measurement:
    return dp.m.make_gaussian(many, dp.l2_distance(T="f64"), scale=float(sigma))


began = time.perf_counter(), time.process_time()
seconds = {
    **{f"laplace {name}": array(laplace(scale)) for name, scale in LAPLACE.items()},
    **{f"gaussian {name}": array(gaussian(sigma)) for name, sigma in GAUSSIAN.items()},
    "no noise": array(dp.t.make_clamp(many, dp.symmetric_distance(), bounds=(-1, 1))),
    "laplace release": number(dp.m.make_laplace(one, dp.absolute_distance(T="i64"), scale=10.0)),
    "gaussian release": number(dp.m.make_gaussian(one, dp.absolute_distance(T="f64"), scale=10.0)),
}
cores = (time.process_time() - began[1]) / (time.perf_counter() - began[0])
print(json.dumps({"version": version("opendp"), "draws": DRAWS, "repeats": REPEATS, "cores": cores, "seconds": seconds}))
