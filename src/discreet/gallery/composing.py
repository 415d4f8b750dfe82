"""Pages about several questions: four statistics, rural and urban, six races, a hundred releases."""

from dataclasses import dataclass
from fractions import Fraction
from math import comb, log

import numpy as np

from discreet.gallery.neighbours import RELATIONS
from discreet.gallery.noise import INCOME_RANGE, ROWS, SPENDING_RANGE
from discreet.lessons.r import R
from discreet.mechanisms import Laplace
from discreet.plots.figure import Axis, Bars, Dots, Figure, Plot
from discreet.privacy import Pure, parallel
from discreet.privacy.compositions import Compositions, compositions
from discreet.privacy.pictures import figure_of_compositions
from discreet.sensitivities import sensitivity

__all__ = [
    "RaceErrors", "four_statistics", "hundred_questions", "race_errors", "rural_and_urban", "six_races", "two_dimensions",
    "two_ranges",
]  # fmt: skip

SLIDES = 5133  # consumer units of the slides
RACES = {"White": 4201, "Black": 553, "Native American": 28, "Asian": 239, "Pacific Islander": 24, "Multi-race": 88}


def half_of_mean(width: int, rows: int, epsilon: Fraction) -> float:
    """The 95 % ± of a mean of ``rows`` values in a range of this width."""
    moves = sensitivity("mean", neighbours="change_one", lower=0, upper=width, rows=rows)
    return float(Laplace(epsilon=epsilon, sensitivity=moves).half_width())


def half_of_variance(width: int, rows: int, epsilon: Fraction) -> float:
    """The same of a variance."""
    moves = sensitivity("variance", neighbours="change_one", lower=0, upper=width, rows=rows)
    return float(Laplace(epsilon=epsilon, sensitivity=moves).half_width())


def four_statistics() -> Figure:
    """The noise of each of four statistics for all of ε, and for a quarter of it."""
    whole, quarter = Fraction(1, 10), Fraction(1, 40)
    means = {"mean income": INCOME_RANGE, "mean expenditure": SPENDING_RANGE}
    spreads = {"variance of income": INCOME_RANGE, "variance of expenditure": SPENDING_RANGE}
    plots = []
    for title, columns, half in (("means", means, half_of_mean), ("variances", spreads, half_of_variance)):
        bars = tuple(
            Bars(name, list(columns), [half(width, SLIDES, epsilon) for width in columns.values()],
                 texts=[_rounded(half(width, SLIDES, epsilon)) for width in columns.values()])
            for name, epsilon in (("asked alone, ε = 0.1", whole), ("a quarter each, ε = 0.025", quarter))
        )  # fmt: skip
        most = max(half(width, SLIDES, quarter) for width in columns.values())
        plots.append(Plot(Axis(""), Axis("95 % ±", ends=(0, 1.35 * most), form="~s"), bars, title, 300))
    alt = (
        "The 95 % ± of four statistics of 5133 units. Asked alone at ε = 0.1, mean income has ± 5 837 and mean "
        "expenditure ± 2 919; for a quarter of it ± 23 345 and ± 11 672. The variances have ± in the thousands of "
        "millions either way: hopeless."
    )
    return Figure("Four statistics for one ε of 0.1", alt, tuple(plots), source="Hu, slides: sequential composition")


def two_ranges(epsilon: Fraction, rows: int = ROWS) -> tuple[float, float, float]:
    """(the 95 % ± of mean income, of mean expenditure, each for half of ε; the ± of both, asked as one query for all of it)."""
    means = [("mean", {"lower": 0, "upper": width}) for width in (INCOME_RANGE, SPENDING_RANGE)]
    together = sensitivity(means, neighbours="change_one", rows=rows)
    income, spending = (half_of_mean(width, rows, epsilon / 2) for width in (INCOME_RANGE, SPENDING_RANGE))
    return income, spending, float(Laplace(epsilon=epsilon, sensitivity=together).half_width())


def two_dimensions(many: int = 300) -> Figure:
    """Made-up releases of two means: half of ε for each, and both as one query."""
    income, spending, both = two_ranges(Fraction(1))
    r, per_scale = R(9), log(20)
    clouds = [
        Dots(name, r.rlaplace(many, 0, across / per_scale).tolist(), r.rlaplace(many, 0, up / per_scale).tolist(), small=True)
        for name, across, up in (("half of ε each", income, spending), ("one query", both, both))
    ]
    alt = (
        f"Errors of mean income and mean expenditure of 994 units at ε = 1 in all, {many} made-up releases of each kind. "
        f"With half of ε each they spread to ± {_rounded(income)} across and ± {_rounded(spending)} up; as one query to ± "
        f"{_rounded(both)} both ways."
    )
    ends = (-12_000.0, 12_000.0)
    plot = Plot(Axis("error of mean income", ends=ends, form=",d"), Axis("error of mean expenditure", ends=ends, form=",d"),
                tuple(clouds), width=360, height=360)  # fmt: skip
    return Figure("Two means as one query", alt, (plot,), source="Hu, chapter 7: the gap EXAMPLE OF A k-DIMENSION QUERY?")


def _rounded(number: float) -> str:
    return f"{number:,.0f}".replace(",", " ")


def rural_and_urban() -> Figure:
    """The two means, each over its own part of the table, and what both cost together."""
    epsilon, groups = Fraction(1, 10), {"rural (337)": 337, "urban (4796)": 4796}
    shares = {"a unit may come or go: ε = 0.1 each": epsilon, "a unit may move: ε = 0.05 each": epsilon / 2}
    dots = tuple(
        Bars(name, list(groups), [half_of_mean(INCOME_RANGE, rows, share) for rows in groups.values()],
             texts=[_rounded(half_of_mean(INCOME_RANGE, rows, share)) for rows in groups.values()])
        for name, share in shares.items()
    )  # fmt: skip
    price = Pure(epsilon=epsilon)
    together = [parallel(price, price, neighbours=relation) for relation in RELATIONS]
    whole = [float(loss.epsilon) for loss in together if isinstance(loss, Pure)]
    alt = (
        "The 95 % ± of mean income in two groups, as if their sizes were public, when both together may cost 0.1. If a "
        f"unit can only come or go, each has all of it: full price each costs {whole[0]} together. If it can move from "
        f"one to the other, full price each would cost {whole[1]}, so each has half, and the ± doubles."
    )
    most = half_of_mean(INCOME_RANGE, 337, epsilon / 2)
    plot = Plot(Axis(""), Axis("95 % ± of mean income", ends=(0, 1.3 * most), form="~s"), dots)
    return Figure("Rural and urban, side by side", alt, (plot,), source="Hu, slides: parallel composition")


@dataclass(frozen=True, slots=True)
class RaceErrors:
    """The mean absolute error of a count by three designs."""

    slide: float  # ε over c − 1 for each of c − 1 cells
    slide_last: float  # the last one by subtraction: the sum of the others' noise
    cells: float  # scale 2/ε in all of them: a unit that moves touches two
    projected: float  # the same, made to agree with the public total


def race_errors(cells: int, epsilon: Fraction | str) -> RaceErrors:
    """What ``cells`` counts err by at ``epsilon``, when their total is public."""
    others, price = cells - 1, Fraction(epsilon)
    slide, ours = float(others / price), float(2 / price)
    last = slide * 2 * others * comb(2 * others, others) / 4**others  # of the sum of so many Laplace variables
    return RaceErrors(slide, last, ours, ours * _after_projection(cells))


def _after_projection(cells: int) -> float:
    """E|X − mean of all| for ``cells`` Laplace variables of scale 1: (2/π) ∫ (1 − φ(t)) / t² dt, φ its transform."""
    angle = (np.arange(20_000) + 0.5) / 20_000 * np.pi / 2  # t = tan(angle), so that dt = (1 + t²) dangle
    t = np.tan(angle)
    own, others = (cells - 1) / cells * t, t / cells
    shape = (1 - 1 / ((1 + own**2) * (1 + others**2) ** (cells - 1))) / t**2 * (1 + t**2)
    return float(shape.mean())  # 2/π times the width π/2


def six_races() -> Figure:
    """Error by cell for three designs."""
    found = race_errors(6, "0.1")
    names = list(RACES)
    designs = {
        "slide: ε/5 each, the last by subtraction": [found.slide] * 5 + [found.slide_last],
        "six cells at once, scale 2/ε": [found.cells] * 6,
        "the same, made to sum to the total": [found.projected] * 6,
    }
    bars = tuple(Bars(name, names, values, texts=[f"{value:.1f}" for value in values]) for name, values in designs.items())
    alt = (
        f"The mean absolute error of six counts at ε = 0.1. As on the slide: {found.slide:.0f} for five cells and "
        f"{found.slide_last:.0f} for the sixth, which is got by subtraction. With noise of scale 2/ε in every cell: "
        f"{found.cells:.0f}. After these are made to sum to the public total: {found.projected:.1f}."
    )
    plot = Plot(Axis(""), Axis("mean absolute error", ends=(0, 145)), bars, width=420)
    return Figure("Six races, three designs", alt, (plot,), source="Hu, slides: post-processing")


COUNTS = (1, 2, 5, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100)


def hundred(counts: tuple[int, ...] = COUNTS, epsilon: str = "0.1", delta: str = "1e-6") -> Compositions:
    """Releases of numbers with fine steps: Laplace noise nearly as on the real line."""
    return compositions(Laplace(epsilon=epsilon, sensitivity=1).for_floats(), counts=counts, delta=delta)


def hundred_questions() -> Figure:
    """The ε of k releases by each way of adding up."""
    found = figure_of_compositions(hundred())
    source = "Ghosh: composition; Kairouz, Oh and Viswanath"
    return Figure("A hundred questions at ε = 0.1 each", found.alt, found.plots, "δ = 1e-6", source=source)


