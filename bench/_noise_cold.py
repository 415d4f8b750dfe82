"""The first acts of a new process, for noise.py: seconds, printed as JSON. A law's first array builds that law's table."""

import json
import time
from collections.abc import Callable

start = time.perf_counter()
import discreet as dc  # noqa: E402 - the imports are what is timed

imported = time.perf_counter()
import cryptography.hazmat.primitives.ciphers  # noqa: E402, F401
import numpy as np  # noqa: E402, F401

needed = time.perf_counter()
dc.Laplace(epsilon="0.1", sensitivity=1).release(51)
released = time.perf_counter()

from _noise_laws import GAUSSIAN, LAPLACE  # noqa: E402


def first_and_second(draw: Callable[..., object], parameter: int) -> tuple[float, float]:
    begin = time.perf_counter()
    draw(parameter, size=1000)
    between = time.perf_counter()
    draw(parameter, size=1000)
    return between - begin, time.perf_counter() - between


seconds = {"import": imported - start, "needs": needed - imported, "release": released - needed, "all": released - start}
for name, scale in LAPLACE.items():
    seconds[f"laplace {name}"], seconds[f"laplace {name}, again"] = first_and_second(dc.noise.discrete_laplace, scale)
for name, sigma in GAUSSIAN.items():
    seconds[f"gaussian {name}"], seconds[f"gaussian {name}, again"] = first_and_second(dc.noise.discrete_gaussian, sigma**2)
print(json.dumps(seconds))
