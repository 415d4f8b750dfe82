"""Trade-offs, loss distributions and compositions as figures."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from discreet.plots.figure import Axis, Bars, Curve, Figure, Mark, Plot

if TYPE_CHECKING:
    from discreet.privacy.compositions import Compositions
    from discreet.privacy.distribution import LossDistribution
    from discreet.privacy.tradeoffs import Tradeoff

__all__ = ["figure_of_compositions", "figure_of_losses", "figure_of_tradeoffs"]

_RATES = Axis("false alarms p", ends=(0, 1)), Axis("misses q", ends=(0, 1))
_MOST_BARS = 120


def figure_of_tradeoffs(curves: Mapping[str, "Tradeoff"], points: int = 201) -> Figure:
    """The least rate of misses at each rate of false alarms; what lies below a curve, nobody can reach."""
    drawn = []
    for name, curve in curves.items():
        at = curve.points(points)
        drawn.append(Curve(name, [p for p, _ in at], [q for _, q in at], filled=len(curves) == 1))
    guess = Curve("guessing, p + q = 1", [0.0, 1.0], [1.0, 0.0])
    told = "; ".join(f"{name}: q is at least {curve(0.05):.3g} at p = 0.05" for name, curve in curves.items())
    alt = f"Rates of misses q against false alarms p. Each curve falls from upper left to lower right, below guessing. {told}."
    return Figure(
        "What somebody who guesses can hope for", alt, (Plot(*_RATES, (*drawn, guess), width=360, height=360),),
        "Whoever decides between two neighbouring tables is wrong one way with rate p and the other way with rate q.",
    )  # fmt: skip


def figure_of_losses(losses: "LossDistribution") -> Figure:
    """The loss as a histogram, and the δ that goes with each ε."""
    places, chances = _gathered(*losses.losses())
    curve = losses.curve(60)
    level = losses.epsilon("1e-6")
    shape = Plot(Axis("privacy loss"), Axis("probability", zero=True), (Bars("loss", places, chances),), "The loss", width=360)
    falling = Curve("δ(ε)", [epsilon for epsilon, _ in curve], [max(delta, 1e-300) for _, delta in curve])
    small = Axis("δ", log=True, ends=(1e-12, 1), form="~e")
    trade = Plot(Axis("ε"), small, (falling, Mark("δ = 1e-6", y=1e-6)), "δ for each ε", width=360)
    beyond = f" A loss without bound has probability {losses.infinite:.3g}." if losses.infinite else ""
    alt = (
        f"Left, a histogram of the privacy loss from {places[0]:.3g} to {places[-1]:.3g}. Right, δ falls as ε grows, on a "
        f"logarithmic scale; it is 1e-6 at ε = {level:.4g}.{beyond}"
    )
    return Figure("The privacy loss as a random variable", alt, (shape, trade))


def _gathered(places: "np.ndarray", chances: "np.ndarray") -> tuple[list[float], list[float]]:
    """At most so many bars: neighbours are added up."""
    kept = chances > 1e-9
    places, chances = places[kept], chances[kept]
    if places.size <= _MOST_BARS:
        return places.tolist(), chances.tolist()
    edges = np.linspace(places[0], places[-1], _MOST_BARS + 1)
    heights, _ = np.histogram(places, edges, weights=chances)
    return ((edges[:-1] + edges[1:]) / 2).tolist(), heights.tolist()


def figure_of_compositions(found: "Compositions") -> Figure:
    """The ε of k releases, by each way to add them up."""
    counts: Sequence[int] = found.counts
    ways = [Curve(name, list(map(float, counts)), list(values)) for name, values in found.ways.items()]
    last = "; ".join(f"{name} {values[-1]:.4g}" for name, values in found.ways.items())
    alt = f"The total ε against the number of releases k, a line for each way of adding up. At k = {counts[-1]}: {last}."
    plot = Plot(Axis("releases k"), Axis("total ε", zero=True), tuple(ways), width=460, height=320)
    return Figure(f"{found.title}, added up in {len(ways)} ways", alt, (plot,), f"δ = {found.delta_in_words}")
