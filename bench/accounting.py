"""Loss distributions, beside dp-accounting

The ε at δ = 10⁻⁶ of many releases, from the noise to the figure: the privacy loss of one release is put on a grid and composed
with itself by fast Fourier transform. Both sides give an ε from above. dp-accounting runs in an environment of its own, with its
own grid of 10⁻⁴ and its default method; discreet has a grid at least as close for Laplace noise, and for Gaussian noise the
grid that it finds by itself. dp-accounting composes continuous noise; discreet composes the exact noise that it draws: on a step
of about a millionth of the scale for Laplace noise, and for Gaussian noise on whole numbers.

*Excess* is how far the ε is above what it would be without any error: for Gaussian noise on the real line that is known; for all
others it is discreet's own ε from below, on a grid four times as fine, so what is shown is at most too large. *Stated* is the
error that the side itself can vouch for, its ε from above less its ε from below, rounding of the transform included for
discreet and left out by dp-accounting. *Best* is the shortest of several runs after one that warms up.
"""

from collections.abc import Callable
from math import erfc, exp, sqrt

from _accounting_cases import CASES, DELTA
from _record import Row, Times, compared, in_peer, record, target

import discreet as dc

REPEATS = 25
THOUSAND = "Laplace noise, scale 10, 1,000 times"
STEPS = {"Laplace noise, scale 10, 1,000 times": "1/10000", "Laplace noise, scale 10, 100 times": "1/10000"}


def main() -> None:
    ours = {name: act(name) for name in CASES}
    taken = compared(ours, repeats=REPEATS)
    peer = in_peer("dp-accounting", "_accounting_peer.py") or {"version": "not installed", "repeats": 0, "found": {}}
    rows = [told(name, ours[name](), taken[name], peer["found"].get(name)) for name in CASES]
    record(
        "accounting",
        {"Targets": targets(rows, taken, peer["found"]), "Compositions": rows},
        notes={"Compositions": f"Milliseconds, best and median of {REPEATS} by discreet, of {peer['repeats']} by dp-accounting; "
                               "excess and stated error are of ε, times 10⁶."},
        packages=("discreet", "numpy"),
        peers={"dp-accounting": peer["version"]},
    )


def noise(name: str) -> dc.Laplace | dc.Gaussian:
    kind, width, _, _ = CASES[name]
    if kind == "laplace":
        return dc.Laplace(scale=width, sensitivity=1).for_floats()
    return dc.Gaussian(rho=1 / (2 * width**2), sensitivity=1)


def act(name: str) -> Callable[[], float]:
    of, count, step = noise(name), CASES[name][2], STEPS.get(name)
    return lambda: dc.loss_distribution(of, count=count, step=step).epsilon(DELTA)


def told(name: str, found: float, taken: Times, peer: Row | None) -> Row:
    kind, width, count, _ = CASES[name]
    below = dc.loss_distribution(noise(name), count=count, step=STEPS.get(name)).epsilon(DELTA, optimistic=True)
    finest = dc.loss_distribution(noise(name), count=count, step="1/40000" if name in STEPS else None)
    least = finest.epsilon(DELTA, optimistic=True)
    theirs = least if kind == "laplace" else continuous(sqrt(count) / width)
    faster = peer and peer["seconds"]["best"] / taken.best
    return {
        "what": name, "ε": f"{found:.5f}", "ms, best": taken.best * 1e3, "ms, median": taken.median * 1e3,
        "excess": (found - least) * 1e6, "stated": (found - below) * 1e6,
        "dp-accounting, ms, best": peer and peer["seconds"]["best"] * 1e3,
        "dp-accounting, ms, median": peer and peer["seconds"]["median"] * 1e3,
        "its excess": peer and (peer["epsilon"] - theirs) * 1e6, "its stated": peer and (peer["epsilon"] - peer["below"]) * 1e6,
        "× dp-accounting": faster,
    }


def continuous(mu: float) -> float:
    """The exact epsilon of Gaussian noise on the real line, by halving."""
    def delta(epsilon: float) -> float:
        return (erfc((epsilon / mu - mu / 2) / sqrt(2)) - exp(epsilon) * erfc((epsilon / mu + mu / 2) / sqrt(2))) / 2

    low, high = 0.0, 100.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if delta(middle) > DELTA else (low, middle)
    return high


def targets(rows: list[Row], taken: dict[str, Times], peer: dict[str, Row]) -> list[Row]:
    found = []
    for row in rows:
        name, theirs = row["what"], peer.get(row["what"])
        if CASES[name][2] != 1000:
            continue
        mine = taken[name]
        ratio = theirs and Times(theirs["seconds"]["best"] / mine.best, theirs["seconds"]["median"] / mine.median)
        excess = theirs and Times(row["excess"] / row["its excess"], row["excess"] / row["its excess"])
        found += [target(name, Times(mine.best * 1e3, mine.median * 1e3), at_most=300, unit="ms"),
                  target(f"{name}, dp-accounting's time over ours", ratio, at_least=3, unit="×"),
                  target(f"{name}, our excess over dp-accounting's", excess, at_most=1, unit="×")]
    return found


if __name__ == "__main__":
    main()
