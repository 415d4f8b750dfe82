"""Pages about noise: the flow, the Laplace law, why it works, the two released numbers, and what ε and Δ do."""

from fractions import Fraction

import numpy as np

from discreet.lessons.distributions import Laplace as Continuous
from discreet.lessons.distributions import Normal
from discreet.lessons.pictures import figure_of_densities
from discreet.lessons.r import R, qlaplace
from discreet.mechanisms import Laplace
from discreet.plots.figure import Axis, Bars, Boxes, Cells, Curve, Dots, Figure, Mark, Plot
from discreet.sensitivities import sensitivity

__all__ = [
    "count_and_mean", "four_densities", "law_and_normal", "more_epsilon", "question_and_noise", "six_panels", "why_it_works",
]  # fmt: skip

RURAL, ROWS, INCOME = 51, 994, Fraction(67_187_657, 994)
INCOME_RANGE, SPENDING_RANGE = 1_000_000, 500_000


def of_mean(width: int, rows: int = ROWS) -> Fraction:
    """How far one of ``rows`` records moves a mean of values in a range of this width."""
    return sensitivity("mean", neighbours="change_one", lower=0, upper=width, rows=rows)


def question_and_noise() -> Figure:
    """The flow of one question."""
    half = Laplace(epsilon="0.1", sensitivity=1).interval()[1]
    boxes = Boxes("flow", ("question", "result", "noise", "answer", "budget"), (
        "How many rural units?", f"{RURAL}, seen by nobody", "Laplace, scale 10", f"45 ± {half} (95 %)", "0.1 of 2.2 spent",
    ))  # fmt: skip
    alt = (
        f"Five boxes in a row, each leading to the next: the question how many units are rural; the result {RURAL}, which "
        f"stays inside; Laplace noise of scale 10; the answer, such as 45 ± {half}; and the budget, of which 0.1 is spent."
    )
    plot = Plot(Axis(""), Axis(""), (boxes,), width=760, height=90)
    return Figure("A question, a result, noise", alt, (plot,), source="Hu, chapter 7, and Ghosh: the flow of a query")


def four_densities() -> Figure:
    """Figure 7.1 of the book."""
    laws = [(0, 0.1), (0, 0.5), (0, 1), (-5, 1)]
    found = figure_of_densities({f"Laplace({m}, {s})": Continuous(m, s) for m, s in laws}, (-10, 10))
    return Figure("Four Laplace densities", found.alt, found.plots, source="Hu, figure 7.1")


def law_and_normal() -> Figure:
    """Figure 7.2: the same mean and variance, another shape."""
    laws = {"Laplace(0, √½)": Continuous(0, 0.5**0.5), "Normal(0, 1)": Normal(0, 1)}
    found = figure_of_densities(laws, (-10, 10))
    alt = f"{found.alt} Both have variance 1; the Laplace density is higher in the middle and beyond ± 2.3, and lower between."
    return Figure("Laplace and normal at variance 1", alt, found.plots, source="Hu, figure 7.2")


def six_panels() -> Figure:
    """The six panels of the course's script: density, cdf, its inverse, and three histograms of draws."""
    law, xs, ps = Continuous(0, 1), np.linspace(-8, 8, 321), np.linspace(0.005, 0.995, 199)
    wide, high = 230, 150
    curves = [("density", xs, law.pdf(xs)), ("cumulative", xs, law.cdf(xs)), ("inverse cumulative", ps, law.ppf(ps))]
    drawn = [
        ("random draws", R(208).rlaplace(2000)),
        ("draws as signed exponentials", R(209).rdoublex(2000)),
        ("inverse cumulative of uniforms", np.asarray(qlaplace(R(210).runif(2000)))),
    ]
    plots = [Plot(Axis("x"), Axis(""), (Curve(name, x.tolist(), y.tolist()),), name, wide, high) for name, x, y in curves]
    plots += [_histogram(name, draws, wide, high) for name, draws in drawn]
    alt = (
        "Six panels of the Laplace law with scale 1: its density with a peak of 0.5 at 0; the probability below x, "
        "rising from 0 to 1; its inverse; and histograms of 2000 draws made in three ways, all with the shape of the "
        "density."
    )
    return Figure("The Laplace law in six panels", alt, tuple(plots), columns=3, source="CS208, showLaplaceDistributions.r")


def _histogram(name: str, draws: "np.ndarray", width: int, height: int) -> Plot:
    edges = np.linspace(-8, 8, 41)
    heights, _ = np.histogram(draws, edges)
    middles = (edges[:-1] + edges[1:]) / 2
    share = heights / draws.size / (edges[1] - edges[0])
    return Plot(Axis("x"), Axis("", zero=True), (Bars(name, middles.tolist(), share.tolist()),), name, width, height)


def why_it_works() -> Figure:
    """Two neighbouring outputs and their ratio, in one and in two dimensions."""
    xs = np.linspace(-4, 5, 361)
    one, other = Continuous(0, 1), Continuous(1, 1)
    first = Plot(Axis("output z"), Axis("density", zero=True), (
        Curve("x: the result is 0", xs.tolist(), one.pdf(xs).tolist()),
        Curve("x′: the result is 1", xs.tolist(), other.pdf(xs).tolist()),
        Mark("z = 1.3", x=1.3)), "ε = 1, Δ = 1", 330, 220)  # fmt: skip
    zs = np.linspace(-10, 40, 501)
    ratio = np.log(Continuous(10, 10).pdf(zs)) - np.log(Continuous(20, 10).pdf(zs))
    second = Plot(Axis("output z"), Axis("log-ratio", ends=(-1.2, 1.2)), (
        Curve("ln of p(z | 10) over p(z | 20)", zs.tolist(), ratio.tolist()), Mark("ε = 1", y=1.0), Mark("−ε", y=-1.0)),
        "Δ = 10: results 10 and 20", 330, 220)  # fmt: skip
    alt = (
        "Left, two Laplace densities with peaks at 0 and 1; at z = 1.3 the second is e = 2.718 times as high as the "
        "first, and nowhere is the ratio larger. Middle, the log-ratio for results 10 and 20: 1 up to 10, falling "
        "through 0 at 15 to −1 from 20 on. Right, the log-ratio of a query with two numbers over the plane: between −1 "
        "and 1 everywhere."
    )
    source = "CS208: two neighbouring outputs; Ghosh: the picture with Δ = 10"
    return Figure("Why the Laplace mechanism works", alt, (first, second, _map()), columns=3, source=source)


def _map() -> Plot:
    """A query with two numbers: (0, 0) on one table, (½, ½) on the other, so that Δ = 1."""
    step = 0.25
    axis = np.arange(-1.5, 2.05, step)
    x, y = (each.ravel() for each in np.meshgrid(axis, axis))
    ratio = np.abs(x - 0.5) + np.abs(y - 0.5) - np.abs(x) - np.abs(y)
    cells = Cells("log-ratio", x.tolist(), y.tolist(), np.round(ratio, 10).tolist(), step, (-1, 1))
    return Plot(Axis("first number"), Axis("second number"), (cells,), "k = 2: (0, 0) and (½, ½)", 250, 250)


PRINTED = {("count", "0.1"): 45.0, ("count", "1"): 50.0, ("mean", "0.1"): 62028.67, ("mean", "1"): 67036.76}


def r_release(value: float, scale: float) -> float:
    """What R prints after ``set.seed(123)``."""
    return float(R(123).rlaplace(1, value, scale)[0])


def count_and_mean() -> Figure:
    """Where R's draws lie in the intervals of the exact mechanism."""
    plots = []
    for name, true, moves in (("count", Fraction(RURAL), Fraction(1)), ("mean", INCOME, of_mean(INCOME_RANGE))):
        names = [f"ε = {epsilon}" for epsilon in ("0.1", "1")]
        halves = [float(Laplace(epsilon=epsilon, sensitivity=moves).half_width()) for epsilon in ("0.1", "1")]
        drawn = [r_release(float(true), float(moves / Fraction(epsilon))) for epsilon in ("0.1", "1")]
        middle = float(true)
        lows, highs = [middle - half for half in halves], [middle + half for half in halves]
        interval = Dots("true value, 95 % of releases", names, [middle] * 2, lows, highs)
        printed = Dots("R after set.seed(123)", names, drawn, texts=[f"{each:,.0f}".replace(",", " ") for each in drawn])
        title = "rural units" if name == "count" else "mean income"
        plots.append(Plot(Axis(""), Axis(title), (interval, printed), title, 330))
    alt = (
        "For the count of 51 and for the mean of 67 593: an interval that holds 95 % of releases, ten times as wide at ε "
        "= 0.1 as at 1 (± 30 and ± 3; ± 30 138 and ± 3 014), and in it what R prints: 45 and 50, 62 029 and 67 037."
    )
    return Figure("The count and the mean of the consumer units", alt, tuple(plots), source="Hu, 7.3.4")


EPSILONS = [round(10 ** (power / 8), 6) for power in range(-16, 9)]


def more_epsilon() -> Figure:
    """The ± of three questions against ε."""
    questions = {"count": Fraction(1), "mean income": of_mean(INCOME_RANGE), "mean expenditure": of_mean(SPENDING_RANGE)}

    def halves(moves: Fraction) -> list[float]:
        return [float(Laplace(epsilon=epsilon, sensitivity=moves).for_floats().half_width()) for epsilon in EPSILONS]

    curves = tuple(Curve(name, EPSILONS, halves(moves)) for name, moves in questions.items())
    alt = (
        "The 95 % ± against ε from 0.01 to 10 on logarithmic axes: three parallel lines that fall by ten whenever ε "
        "grows by ten. The count has ± 300, 30 and 3 at ε = 0.01, 0.1 and 1; mean income always has twice the ± of mean "
        "expenditure."
    )
    ticks = (0.01, 0.1, 1.0, 10.0)
    plot = Plot(Axis("ε", log=True, ticks=ticks), Axis("95 % ±", log=True, ticks=(1, 100, 10_000, 1_000_000), form=",d"), curves)
    return Figure("More ε, less noise; more Δ, more noise", alt, (plot,), source="Hu, 7.2.3")
