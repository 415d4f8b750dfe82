"""Pages about whole releases: broadband coverage, the Fulton sample, a table of your own."""

from collections import Counter
from fractions import Fraction
from math import sqrt

import numpy as np

from discreet.lessons.samples import sample
from discreet.mechanisms import Laplace
from discreet.noise import discrete_laplace
from discreet.plots.figure import Axis, Bars, Curve, Dots, Figure, Plot
from discreet.privacy.events import Neighbours
from discreet.sensitivities import sensitivity

__all__ = ["broadband", "coverage_errors", "fulton", "noise_rmse", "your_own_table"]

EDUC = (1, 16)
SIZES = tuple(round(200 + place * 1300 / 14) for place in range(15))
PRICES = ("0.1", "0.25", "0.5", "1", "2")


def noise_rmse(rows: int, epsilon: str) -> float:
    """The root mean square error that the noise adds to a mean of years of schooling: √2 · 15/(nε)."""
    moves = sensitivity("mean", neighbours="change_one", lower=EDUC[0], upper=EDUC[1], rows=rows)
    return sqrt(Laplace(epsilon=epsilon, sensitivity=moves).variance)


def fulton() -> Figure:
    """The histogram of schooling, and the error of its mean by the number of rows."""
    schooling = np.array(sample("fulton").column("educ"), dtype=np.int64)
    counts = np.bincount(schooling, minlength=EDUC[1] + 1)[EDUC[0] :].tolist()
    halves = {relation: _half(relation) for relation in ("add_remove", "change_one")}
    years = [float(year) for year in range(EDUC[0], EDUC[1] + 1)]
    bars = Bars("people", years, list(map(float, counts)))
    left = Plot(Axis("years of schooling (code)"), Axis("people", zero=True), (bars,),
                f"± {halves['add_remove']} or ± {halves['change_one']} at ε = 1: too small to draw", 330, 230)  # fmt: skip
    lines = [Curve(f"ε = {price}", list(map(float, SIZES)), [noise_rmse(n, price) for n in SIZES]) for price in PRICES]
    spread = float(schooling.std())
    sampling = Curve("standard error of the sample", list(map(float, SIZES)), [spread / sqrt(n) for n in SIZES])
    right = Plot(Axis("rows n"), Axis("root mean square error", log=True, ticks=(0.01, 0.03, 0.1, 0.3, 1)), (*lines, sampling),
                 "Noise of the mean, and sampling", 330, 230)  # fmt: skip
    alt = (
        "Left, how many of 25 766 people have each of sixteen codes of schooling; at ε = 1 each bar has ± 3 if people "
        "may come or go, ± 6 if they may change. Right, the error that noise adds to the mean against the number of "
        f"rows, a falling line for each ε; at 200 rows and ε = 1 it is {noise_rmse(200, '1'):.3f}, below the standard "
        f"error of sampling, {spread / sqrt(200):.3f}."
    )
    return Figure("Fulton", alt, (left, right), source="CS208, laplace_mechanism_and_opendp.ipynb")


def _half(relation: Neighbours) -> int:
    return int(Laplace(epsilon=1, sensitivity=sensitivity("histogram", neighbours=relation)).half_width())


def coverage_errors(fast: int, slow: int, epsilon: str, draws: int = 4000) -> tuple[float, float, float]:
    """(mean absolute error, 95 % of errors are below, mean signed deviation) of fast/(fast + slow), from the released counts.

    The noise is drawn again, around what was released: the columns that the real release publishes beside each estimate. Free.
    """
    noise = discrete_laplace(1 / Fraction(epsilon), (draws, 2))
    first, both = fast + noise[:, 0], fast + slow + noise.sum(axis=1)
    found = np.clip(np.divide(first, both, out=np.full(draws, 0.5), where=both > 0), 0, 1)
    off = found - fast / max(1, fast + slow)
    return float(np.abs(off).mean()), float(np.quantile(np.abs(off), 0.95)), float(off.mean())


def broadband() -> Figure:
    """Coverage by county with its error, for devices and for households as units; drawn anew each time."""
    table = sample("devices")
    zips, speeds = table.column("zip"), table.column("speed")
    counties = sorted({str(code)[:3] for code in zips})
    counted = Counter((str(code)[:3], speed) for code, speed in zip(zips, speeds, strict=True))
    series = []
    for name, rows_each in (("a device is protected", 1), ("a household with up to 4 devices is protected", 4)):
        law = Laplace(epsilon="0.1", sensitivity=rows_each)
        noisy = [[int(law.release(counted[county, speed])) for speed in ("high", "low")] for county in counties]
        middle = [fast / max(1, fast + slow) for fast, slow in noisy]
        reach = [coverage_errors(fast, slow, f"1/{10 * rows_each}")[1] for fast, slow in noisy]
        ends = [(share - off, share + off) for share, off in zip(middle, reach, strict=True)]
        lows, highs = [low for low, _ in ends], [high for _, high in ends]
        series.append(Dots(name, counties, middle, lows, highs))
    alt = (
        f"The share of devices at 25 Mbps or more in {len(counties)} made-up counties with 95 % intervals. For devices as "
        "units the intervals are narrow; for households with up to four devices they are four times as wide."
    )
    plot = Plot(Axis("county"), Axis("coverage", form=".0%"), tuple(series))
    return Figure("Broadband coverage by county", alt, (plot,), source="Pereira et al., US Broadband Coverage Data Set")


def your_own_table() -> Figure:
    """What to expect of a table of your own: the ± of a share by the number of rows."""
    rows = [round(10 ** (power / 4)) for power in range(8, 25)]
    sizes, halves = list(map(float, rows)), {price: Laplace(epsilon=price, sensitivity=1).half_width() for price in ("0.1", "1")}
    curves = tuple(Curve(f"ε = {price}", sizes, [float(half) / n for n in rows]) for price, half in halves.items())
    sampling = Curve("sampling error of a half", sizes, [1.96 * sqrt(0.25 / n) for n in rows])
    alt = (
        "The 95 % ± of a share against the number of rows, on logarithmic axes. Noise falls as 1/n and sampling error as "
        "the root of it: at ε = 1 noise is the smaller one from a hundred rows on, at ε = 0.1 from about a thousand."
    )
    plot = Plot(Axis("rows", log=True, form="~s", ticks=(100, 1000, 10_000, 100_000, 1_000_000)),
                Axis("95 % ± of a share", log=True, form=".2%", ticks=(0.0001, 0.001, 0.01, 0.1)),
                (*curves, sampling))  # fmt: skip
    return Figure("A table of your own: what to expect", alt, (plot,), source="Hu, slides: differential privacy for your data")
