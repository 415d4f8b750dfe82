"""dp-accounting's side of accounting.py, run by its own interpreter: seconds and epsilons, printed as JSON."""

import json
from dataclasses import asdict
from importlib.metadata import version

from _accounting_cases import CASES, DELTA
from _record import times
from dp_accounting.pld import privacy_loss_distribution as pld

REPEATS = 9


def epsilon(kind: str, width: float, count: int, interval: float) -> float:
    make = pld.from_laplace_mechanism if kind == "laplace" else pld.from_gaussian_mechanism
    return make(width, value_discretization_interval=interval).self_compose(count).get_epsilon_for_delta(DELTA)


def below(kind: str, width: float, count: int, interval: float) -> float:
    make = pld.from_laplace_mechanism if kind == "laplace" else pld.from_gaussian_mechanism
    one = make(width, value_discretization_interval=interval, pessimistic_estimate=False, use_connect_dots=False)
    return one.self_compose(count).get_epsilon_for_delta(DELTA)


found = {}
for name, (kind, width, count, interval) in CASES.items():
    taken = times(lambda of=(kind, width, count, interval): epsilon(*of), repeats=REPEATS)
    found[name] = {"seconds": asdict(taken), "epsilon": epsilon(kind, width, count, interval),
                   "below": below(kind, width, count, interval)}
print(json.dumps({"version": version("dp-accounting"), "repeats": REPEATS, "found": found}))
