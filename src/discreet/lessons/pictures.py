"""Distributions of the texts as figures."""

from collections.abc import Mapping

import numpy as np

from discreet.lessons.distributions import Continuous
from discreet.plots.figure import Axis, Curve, Figure, Plot

__all__ = ["figure_of_densities", "figure_of_law"]


def figure_of_densities(laws: Mapping[str, Continuous], ends: tuple[float, float], points: int = 401) -> Figure:
    """Densities over one axis."""
    xs = np.linspace(*ends, points)
    curves = tuple(Curve(name, xs.tolist(), law.pdf(xs).tolist()) for name, law in laws.items())
    heights = ", ".join(f"{name} is {law.pdf(law.location):.4g} high at {law.location:g}" for name, law in laws.items())
    alt = f"Densities from {ends[0]:g} to {ends[1]:g}, each symmetric about its peak: {heights}."
    return Figure("Densities", alt, (Plot(Axis("x", ends=ends), Axis("density", zero=True), curves),))


def figure_of_law(law: Continuous) -> Figure:
    """The density, the probability below a value, and its inverse, side by side."""
    far = 5 * law.scale
    xs, ps = np.linspace(law.location - far, law.location + far, 401), np.linspace(0.005, 0.995, 199)
    density = Plot(Axis("x"), Axis("density", zero=True), (Curve("pdf", xs.tolist(), law.pdf(xs).tolist()),), "pdf", 260, 200)
    below = Plot(Axis("x"), Axis("P(X ≤ x)", ends=(0, 1)), (Curve("cdf", xs.tolist(), law.cdf(xs).tolist()),), "cdf", 260, 200)
    inverse = Plot(Axis("p", ends=(0, 1)), Axis("x"), (Curve("ppf", ps.tolist(), law.ppf(ps).tolist()),), "ppf", 260, 200)
    alt = (
        f"{law!r}. The density peaks at {law.location:g} with {law.pdf(law.location):.4g}; the probability below x rises "
        f"from 0 to 1 and is one half there; its inverse rises steeply near 0 and 1."
    )
    return Figure(f"{law!r}", alt, (density, below, inverse), columns=3)
