"""Exact noise, beside NumPy and OpenDP

Everything below is one run on one thread. discreet draws exact integers, under a new key from the operating system in every
call. NumPy draws floating-point numbers from its default generator, in the same process and in turn with discreet, so that
whatever else the machine does falls on both. OpenDP draws exact integers, in an environment of its own. *Best* is the
shortest of several runs after one that warms up, the figure least disturbed by the rest of the machine: ratios and targets
go by it. *Median* is the run in the middle.

How it can be exact and still fast: a call takes one 64-bit word of AES-256 keystream for each number wanted. The word's first
digits look up a cell of a certified table, and a cell that lies inside one bin of values settles the draw, by whole-number
operations on entire arrays. Slower arithmetic is for the words left over: those on the border of two bins, and, where a bin
holds many values, those whose value may have to be rejected, which also take more words. How many words a draw takes in the
end, and how much of its time is the keystream's, is in the table of words.
"""

import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from _noise_laws import GAUSSIAN, LAPLACE
from _record import Row, Times, compared, in_fresh_processes, in_peer, record, target

import discreet as dc
from discreet.noise.draws import draw
from discreet.noise.keystream import Keystream
from discreet.noise.law import Law, discrete_gaussian_law, discrete_laplace_law

DRAWS = 10**6
REPEATS = 51
RELEASES = 500
PROCESSES = 15

SPEED = "Draws"
RELEASE = "One release of one number"
WORDS = "Words and keystream"
COLD = "From a cold start"
TABLES = "First and second array of a law"

COLD_ACTS = {                                                  # what it is → its name in what _noise_cold.py prints
    "`import discreet`": "import",
    "then importing NumPy and cryptography, which noise needs": "needs",
    "then `dc.Laplace(epsilon=\"0.1\", sensitivity=1).release(51)`, which imports the mechanisms": "release",
    "from nothing to the first release: the three together": "all",
}

Measured = dict[str, Times]


def main() -> None:
    began = time.perf_counter(), time.process_time()
    draws, streams, releases = measured_draws(), measured_streams(), measured_releases()
    cores = (time.process_time() - began[1]) / (time.perf_counter() - began[0])
    cold = measured_cold()
    peer = in_peer("opendp", "_noise_opendp.py") or {"version": "not installed", "seconds": {}}
    opendp = {name: Times(**seconds) for name, seconds in peer["seconds"].items()}
    record(
        "noise",
        {
            "Targets": targets(draws, releases, opendp),
            SPEED: [speed(name, draws, opendp) for name in laws()],
            RELEASE: [release(kind, releases, opendp) for kind in ("laplace", "gaussian")],
            WORDS: words(draws, streams),
            COLD: [{"what": what, **spread("ms", cold[act], 1e-3)} for what, act in COLD_ACTS.items()],
            TABLES: [{"noise": called(law), **spread("first, ms", cold[law], 1e-3),
                      **spread("second, ms", cold[f"{law}, again"], 1e-3)} for law in laws()],
        },
        notes={
            SPEED: f"Millions a second, in arrays of {DRAWS:,}, best and median of {REPEATS}. NumPy's side is "
                   f"`Generator.laplace` and `standard_normal`; on average {cores:.2f} cores were busy while the two ran. "
                   f"{about_opendp(peer, opendp)}",
            RELEASE: "Microseconds of `release(51)`, warm: mechanism and table exist already, the key is new. Best and median of "
                     f"batches of {RELEASES}.",
            WORDS: f"Of arrays of {DRAWS:,}. The share is the best time to fill as many words over the best time of the draws.",
            COLD: f"Best and median of {PROCESSES} new processes. Files had been read and modules compiled before, as after an "
                  "installation and a first use.",
            TABLES: "Of 1,000 draws, in the same new processes. The first array of a law builds its table; the second finds it.",
        },
        peers={"opendp": peer["version"]},
    )


def laws() -> dict[str, Law]:
    """Every law, by its name in results."""
    laplace = {f"laplace {name}": discrete_laplace_law(Fraction(scale)) for name, scale in LAPLACE.items()}
    return laplace | {f"gaussian {name}": discrete_gaussian_law(Fraction(sigma**2)) for name, sigma in GAUSSIAN.items()}


# ---- what is measured, in seconds


def measured_draws() -> Measured:
    """One draw, by discreet and by NumPy, of every law."""
    numpy = np.random.default_rng()
    pairs: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {}
    for name, scale in LAPLACE.items():
        pairs[f"laplace {name}"] = (partial(dc.noise.discrete_laplace, scale, DRAWS), partial(numpy.laplace, 0.0, scale, DRAWS))
    for name, sigma in GAUSSIAN.items():
        pairs[f"gaussian {name}"] = (partial(dc.noise.discrete_gaussian, sigma**2, DRAWS), partial(numpy.standard_normal, DRAWS))
    measured = {}
    for law, (ours, theirs) in pairs.items():
        for who, taken in compared({law: ours, f"numpy {law}": theirs}, repeats=REPEATS).items():
            measured[who] = taken.each(DRAWS)
    return measured


def measured_streams() -> Measured:
    """One 64-bit word."""
    numpy, place = np.random.default_rng(), np.empty(DRAWS, np.uint64)
    acts = {"keystream": lambda: Keystream().fill(place), "numpy": lambda: numpy.integers(0, 2**64, DRAWS, np.uint64)}
    return {who: taken.each(DRAWS) for who, taken in compared(acts, repeats=REPEATS).items()}


def measured_releases() -> Measured:
    """One release of one number, with noise as wide as OpenDP's."""
    laplace, gaussian = dc.Laplace(epsilon="0.1", sensitivity=1), dc.Gaussian(rho="0.005", sensitivity=1)
    acts = {"laplace": lambda: [laplace.release(51) for _ in range(RELEASES)],
            "gaussian": lambda: [gaussian.release(51) for _ in range(RELEASES)]}
    return {kind: taken.each(RELEASES) for kind, taken in compared(acts, repeats=REPEATS).items()}


def measured_cold() -> Measured:
    """The first acts of new processes."""
    processes = in_fresh_processes("_noise_cold.py", PROCESSES)
    return {act: Times.of([process[act] for process in processes]) for act in processes[0]}


def words_a_draw(law: Law) -> float:
    """How many words of entropy a draw takes on average."""
    class Counted:
        words, stream = 0, Keystream()

        def fill(self, words: Any) -> None:
            self.words += words.size
            self.stream.fill(words)

    entropy = Counted()
    draw(law, DRAWS, entropy)
    return entropy.words / DRAWS


# ---- how it is told


def targets(draws: Measured, releases: Measured, opendp: Measured) -> list[Row]:
    def against_opendp(law: str) -> Row:
        return target(f"{called(law)}, beside OpenDP", ratio(opendp.get(law), draws[law]), at_least=1000, unit="×")

    def against_numpy(law: str, at_least: float) -> Row:
        return target(f"{called(law)}, beside NumPy", ratio(draws[f"numpy {law}"], draws[law]), at_least=at_least, unit="×")

    return [
        against_opendp("laplace 10"),
        against_numpy("laplace 10", 2),
        against_numpy("laplace 10^6", 1.5),
        *(against_opendp(f"gaussian {name}") for name in GAUSSIAN),
        *(target(f"one release, warm: {called(f'{kind} 10')}", scaled(taken, 1e-6), at_most=60, unit="µs")
          for kind, taken in releases.items()),
    ]


def speed(law: str, draws: Measured, opendp: Measured) -> Row:
    row: Row = {"noise": called(law)}
    for who, taken in (("discreet", draws[law]), ("NumPy", draws[f"numpy {law}"]), ("OpenDP", opendp.get(law))):
        row |= {f"{who}, best": taken and 1e-6 / taken.best, f"{who}, median": taken and 1e-6 / taken.median}
    to_numpy, to_opendp = ratio(draws[f"numpy {law}"], draws[law]), ratio(opendp.get(law), draws[law])
    return row | {"× NumPy": to_numpy and to_numpy.best, "× OpenDP": to_opendp and to_opendp.best}


def release(kind: str, releases: Measured, opendp: Measured) -> Row:
    theirs = opendp.get(f"{kind} release")
    faster = ratio(theirs, releases[kind])
    return {"mechanism": called(f"{kind} 10"), **spread("discreet", releases[kind], 1e-6), **spread("OpenDP", theirs, 1e-6),
            "× OpenDP": faster and faster.best}


def words(draws: Measured, streams: Measured) -> list[Row]:
    rows = []
    for name, law in laws().items():
        count = words_a_draw(law)
        rows.append({"what": called(name), "words a draw": count, "ns each": draws[name].best * 1e9,
                     "keystream's share, %": 100 * count * streams["keystream"].best / draws[name].best, "GB/s": None})
    for who, what in (("keystream", "AES-256 keystream alone"), ("numpy", "NumPy's words, for comparison; not for secrets")):
        rows.append({"what": what, "words a draw": None, "ns each": streams[who].best * 1e9, "keystream's share, %": None,
                     "GB/s": 8e-9 / streams[who].best})
    return rows


def about_opendp(peer: dict[str, Any], opendp: Measured) -> str:
    if not opendp:
        return "OpenDP was not installed."
    share = 100 * opendp["no noise"].best / opendp["laplace 10"].best
    return ("OpenDP's side is `make_laplace` and `make_gaussian` on vectors of i64, which come as NumPy arrays, of "
            f"{peer['draws']:,} to save time; best and median of {peer['repeats']}, {peer['cores']:.2f} cores busy. To clamp "
            f"such a vector without any noise takes it {share:.1f}% of its Laplace time at scale 10.")


def called(law: str) -> str:
    kind, _, width = law.partition(" ")
    return f"{kind} noise, {'scale' if kind == 'laplace' else 'σ ='} {width}".capitalize()


def spread(name: str, taken: Times | None, unit: float) -> Row:
    return {f"{name}, best": taken and taken.best / unit, f"{name}, median": taken and taken.median / unit}


def scaled(taken: Times, unit: float) -> Times:
    return Times(taken.best / unit, taken.median / unit)


def ratio(theirs: Times | None, ours: Times) -> Times | None:
    """How many times as long they take."""
    return theirs and Times(theirs.best / ours.best, theirs.median / ours.median)


if __name__ == "__main__":
    main()
