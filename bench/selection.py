"""Selection among a million candidates

One run on one thread. Every draw is exact: noise is known as an interval of whole numbers, and the few candidates whose intervals
reach the best one's are told apart by more digits. Each call takes a new key from the operating system. *Best* is the shortest of
several runs after one that warms up; *median* is the run in the middle. NumPy's side, in the same process and in turn, is the
usual way in floating point: `argmax` of scores plus `Generator.gumbel` noise, which is neither exact nor fit for secrets.
"""

import numpy as np
from _record import Row, Times, compared, record, target

import discreet as dc

CANDIDATES = 10**6
REPEATS = 31
KEYS = 10**6

MAKERS = {
    "exponential mechanism": lambda scores: dc.Exponential(epsilon=1, sensitivity=10).select(scores),
    "permute-and-flip": lambda scores: dc.PermuteAndFlip(epsilon=1, sensitivity=10).select(scores),
    "the ten best": lambda scores: dc.NoisyMax(epsilon=1, sensitivity=10, count=10).select(scores),
}
SCORES = "Selections"
KEY_TABLE = "Unknown keys"


def main() -> None:
    generator = np.random.default_rng(1)
    scores = {"scores of 0 to 999": generator.integers(0, 1000, CANDIDATES), "all scores equal": np.zeros(CANDIDATES, np.int64),
              "float scores": generator.random(CANDIDATES)}
    weights = generator.integers(1, 2**40, CANDIDATES)
    acts = {f"{name}, {kind}": lambda make=make, given=given: make(given) for name, make in MAKERS.items()
            for kind, given in scores.items()}
    first = scores["scores of 0 to 999"]
    acts["exponential mechanism, weighted"] = lambda: dc.Exponential(epsilon=1, sensitivity=10).select(first, weights)
    acts["NumPy, scores of 0 to 999"] = lambda: np.argmax(first / 20 + np.random.default_rng().gumbel(size=CANDIDATES))
    taken = compared(acts, repeats=REPEATS)
    keys = measured_keys(generator.integers(0, 150, KEYS))
    record(
        "selection",
        {
            "Targets": [target(f"{name} among 10^6", scaled(taken[f"{name}, scores of 0 to 999"]), at_most=60, unit="ms")
                        for name in MAKERS],
            SCORES: [row(name, each) for name, each in taken.items()],
            KEY_TABLE: [row(name, each) for name, each in keys.items()],
        },
        notes={
            SCORES: f"Milliseconds for {CANDIDATES:,} candidates, best and median of {REPEATS}, at ε = 1 and sensitivity 10.",
            KEY_TABLE: f"Milliseconds for {KEYS:,} keys of up to 150 units each, at ε = 1, δ = 10⁻⁶ and 4 keys to a unit.",
        },
        peers={},
    )


def measured_keys(units: np.ndarray) -> dict[str, Times]:
    settings = {"epsilon": 1, "delta": "1e-6", "groups": 4, "neighbours": "change_one"}
    return compared({"optimal curve": lambda: dc.KeySelection(**settings).select(units),
                     "noisy threshold": lambda: dc.NoisyThreshold(**settings).release(units)}, repeats=REPEATS)


def row(name: str, taken: Times) -> Row:
    return {"what": name, "ms, best": taken.best * 1e3, "ms, median": taken.median * 1e3}


def scaled(taken: Times) -> Times:
    return Times(taken.best * 1e3, taken.median * 1e3)


if __name__ == "__main__":
    main()
