"""Makes tests/golden/loss_distributions.json from dp-accounting, run by its own interpreter; prints the file.

    .venv-peers/dp-accounting/bin/python bench/_accounting_oracle.py > tests/golden/loss_distributions.json

Only what it gets right is asked: noise and fixed losses, self-composed (its accountant ignores `count` for randomized response).
"""

import json
from importlib.metadata import version

from dp_accounting.pld import common
from dp_accounting.pld import privacy_loss_distribution as pld

INTERVAL = 1e-4


def case(kind: str, count: int, delta: float, **given: float) -> dict[str, object]:
    return {"kind": kind, **given, "count": count, "delta": delta,
            "at_most": found(kind, count, delta, given, pessimistic=True),
            "at_least": found(kind, count, delta, given, pessimistic=False)}


def found(kind: str, count: int, delta: float, given: dict[str, float], *, pessimistic: bool) -> float:
    how = {"value_discretization_interval": INTERVAL, "pessimistic_estimate": pessimistic}
    if not pessimistic and kind in ("laplace", "gaussian"):
        how["use_connect_dots"] = False
    if kind == "laplace":
        one = pld.from_laplace_mechanism(given["scale"], **how)
    elif kind == "gaussian":
        one = pld.from_gaussian_mechanism(given["sigma"], **how)
    elif kind == "discrete laplace":
        one = pld.from_discrete_laplace_mechanism(1 / given["scale"], sensitivity=given["sensitivity"], **how)
    elif kind == "discrete gaussian":
        one = pld.from_discrete_gaussian_mechanism(given["sigma"], sensitivity=given["sensitivity"], **how)
    else:                                                     # on the grid exactly, so from above is from below
        how.pop("pessimistic_estimate")
        one = pld.from_privacy_parameters(common.DifferentialPrivacyParameters(given["epsilon"], given["delta_each"]), **how)
    return one.self_compose(count).get_epsilon_for_delta(delta)


cases = [
    case("laplace", 100, 1e-6, scale=10.0), case("laplace", 1000, 1e-6, scale=10.0), case("laplace", 30, 1e-6, scale=1.0),
    case("gaussian", 100, 1e-6, sigma=10.0), case("gaussian", 1000, 1e-6, sigma=50.0), case("gaussian", 10, 1e-9, sigma=4.0),
    case("discrete laplace", 100, 1e-6, scale=10.0, sensitivity=1), case("discrete laplace", 50, 1e-6, scale=20.0, sensitivity=5),
    case("discrete laplace", 5, 1e-3, scale=2.0, sensitivity=2), case("discrete gaussian", 100, 1e-6, sigma=10.0, sensitivity=1),
    case("discrete gaussian", 1, 1e-6, sigma=0.9, sensitivity=1), case("discrete gaussian", 20, 1e-5, sigma=3.0, sensitivity=2),
    case("approximate", 100, 1e-6, epsilon=0.1, delta_each=0.0), case("approximate", 30, 1e-1, epsilon=1.0, delta_each=1e-3),
    case("approximate", 200, 1e-4, epsilon=0.05, delta_each=1e-7),
]
print(json.dumps({"source": f"dp-accounting {version('dp-accounting')} (google/differential-privacy, Apache-2.0), pld, at a "
                            f"discretisation of {INTERVAL:g}; made by bench/_accounting_oracle.py",
                  "meaning": "epsilon of count self-compositions at delta, estimated from above and from below",
                  "cases": cases}, indent=2))
