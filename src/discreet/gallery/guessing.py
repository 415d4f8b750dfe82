"""Pages about whoever guesses: Karrie, the tester, reconstruction, and which ε and bounds to choose."""

from fractions import Fraction
from math import exp

import numpy as np

from discreet.attacks.reconstruction import reconstruction
from discreet.gallery.noise import EPSILONS, ROWS, of_mean
from discreet.lessons.distributions import Laplace as Continuous
from discreet.lessons.samples import sample
from discreet.plots.figure import Axis, Bars, Curve, Figure, Mark, Plot
from discreet.plots.numerals import grouped
from discreet.privacy import Approximate, Pure
from discreet.privacy.pictures import figure_of_tradeoffs
from discreet.privacy.tradeoffs import tradeoff

__all__ = ["clipping", "guess_rate", "karrie", "posterior", "rebuilt", "tester", "which_epsilon"]

RELEASED = 2.198682025336349  # printed once in the text


def posterior(released: float, epsilon: float = 0.1, prior: float = 0.5) -> float:
    """How sure one may be, after a release, that the count was 1 and not 0."""
    one, zero = (Continuous(at, 1 / epsilon).pdf(released) for at in (1.0, 0.0))
    return prior * one / (prior * one + (1 - prior) * zero)


def karrie() -> Figure:
    """The two laws that a malicious question must tell apart."""
    xs = np.linspace(-40, 40, 401)
    curves = tuple(Curve(f"the count is {at}", xs.tolist(), Continuous(at, 10).pdf(xs).tolist()) for at in (0, 1))
    left = Plot(Axis("released"), Axis("density", zero=True), (*curves, Mark("2.1987", x=RELEASED)), "ε = 0.1", 360, 230)
    names = ["before", "after 2.1987", "the most at ε = 0.1", "the most at ε = 1"]
    sure = [0.5, posterior(RELEASED), guess_rate(0.1), guess_rate(1)]
    bars = Bars("sure", names, sure, texts=[f"{100 * each:.1f} %" for each in sure])
    right = Plot(Axis(""), Axis("belief that the count is 1", ends=(0, 1), form=".0%"), (bars,), "How sure one may be", 260)
    alt = (
        "Left, two wide densities that all but coincide, for a count of 0 and of 1, with the release 2.1987 marked. "
        "Right, the belief that the count is 1: 50 % before, 52.5 % after, which is the most that ε = 0.1 allows; ε = 1 "
        "allows 73.1 %."
    )
    return Figure("Karrie's row", alt, (left, right), source="Near and Abuah, chapter Differential Privacy")


def tester() -> Figure:
    """Regions of what a test may achieve."""
    found = figure_of_tradeoffs({
        "pure, ε = 1": tradeoff(Pure(epsilon=1)),
        "ε = 1, δ = 0.05": tradeoff(Approximate(epsilon=1, delta="0.05")),
        "Gaussian, μ = 1": tradeoff(mu=1),
    })  # fmt: skip
    alt = f"{found.alt} The pure region has its corner at p = q = 0.2689; at p = 0.1 Gaussian noise leaves q = 0.61086 at least."
    return Figure("The tester", alt, found.plots, found.subtitle, source="Ghosh: hypothesis testing, after Wasserman and Zhou")


def guess_rate(epsilon: float) -> float:
    """How often the best guess between two equally likely neighbours can be right: e^ε / (1 + e^ε)."""
    return exp(epsilon) / (1 + exp(epsilon))


def clipping(bound: int, epsilon: str = "1", rows: int = ROWS) -> tuple[float, float]:
    """(what clamping at ``bound`` takes from the mean income of the sample, the mean absolute noise that the bound asks for)."""
    incomes = np.array(sample("ce_book").column("Income"), dtype=np.float64)
    lost = float(incomes.mean() - np.minimum(incomes, bound).mean())
    return lost, float(of_mean(bound, rows) / Fraction(epsilon))


BOUNDS = [round(1_000_000 * 10 ** (power / 10)) for power in range(-14, 1)]


def which_epsilon() -> Figure:
    """The rate of right guesses by ε, and bias against noise by the bound."""
    rates = Curve("right guesses", EPSILONS, [guess_rate(epsilon) for epsilon in EPSILONS])
    left = Plot(Axis("ε", log=True, ticks=(0.01, 0.1, 1, 10)), Axis("right guesses", ends=(0.5, 1), form=".0%"),
                (rates, Mark("52.5 % at ε = 0.1", y=guess_rate(0.1)), Mark("73.1 % at ε = 1", y=guess_rate(1))),
                "Which of two tables was it?", 330, 230)  # fmt: skip
    found = list(map(clipping, BOUNDS))
    kinds = {"lost by clamping": [bias for bias, _ in found], "noise at ε = 1": [noise for _, noise in found],
             "both": [bias + noise for bias, noise in found]}  # fmt: skip
    curves = tuple(Curve(name, list(map(float, BOUNDS)), values) for name, values in kinds.items())
    right = Plot(Axis("upper bound of income", log=True, form="~s", ticks=(50_000, 100_000, 200_000, 500_000, 1_000_000)),
                 Axis("off by", log=True, form="~s", ends=(10, 40_000), ticks=(10, 100, 1000, 10_000)), curves,
                 "Which bound?", 330, 230)  # fmt: skip
    best = BOUNDS[int(np.argmin(kinds["both"]))]
    alt = (
        "Left, how often the best guess between two neighbouring tables is right: 50 % near ε = 0, 52.5 % at 0.1, 73.1 % "
        "at 1, nearly always at 10. Right, what an upper bound of income does to the mean of 994 made-up incomes: a low "
        f"bound takes much away, a high one asks for more noise; together they are least near {grouped(best)}."
    )
    return Figure("Which ε, which bounds?", alt, (left, right), source="Near and Abuah: how to set ε; Hu: bounds of income")


def rebuilt(many: tuple[int, ...] = (25, 50, 100)) -> Figure:
    """Bits of a hundred people, rebuilt from counts; drawn anew each time."""
    found = reconstruction(many)
    lines = [line for line in found.lines if line.at is not None]
    by = {target: [line for line in lines if line.target == target] for target in ("unprotected", "discreet")}
    curves = tuple(
        Curve("exact counts" if target == "unprotected" else "within ε = 1", [float(line.at or 0) for line in some],
              [line.rate.share for line in some])
        for target, some in by.items()
    )  # fmt: skip
    alt = (
        "The share of a hundred secret bits that a linear program gets right, by the number of counts it is told. From a hundred "
        "exact counts all of them; from counts that cost ε = 1 together about half, as by guessing. No more than "
        f"{100 * found.most:.0f} % is possible, whatever one does."
    )
    plot = Plot(Axis("counts asked"), Axis("bits right", ends=(0, 1.02), form=".0%"),
                (*curves, Mark("the most that ε = 1 allows", y=found.most), Mark("guessing", y=0.5)))  # fmt: skip
    return Figure("Reconstruction", alt, (plot,), source="Ghosh cites Dinur and Nissim; programs after Cohen and Nissim")
