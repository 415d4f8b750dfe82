"""Mechanisms as figures: the law of the noise with its interval, and how likely each candidate is."""

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from discreet.exact import shown
from discreet.plots.figure import Axis, Bars, Curve, Figure, Mark, Plot

if TYPE_CHECKING:
    from discreet.mechanisms.noisy import AddsNoise
    from discreet.mechanisms.scores import Named, Scores
    from discreet.mechanisms.selects import Selects

__all__ = ["figure_of_choice", "figure_of_noise"]

_MOST_BARS = 161
_REACH = Fraction(99, 100)


def figure_of_noise(mechanism: "AddsNoise") -> Figure:
    """The probability of every noise that is at all likely, and the offsets that hold 95 % of it."""
    far = int(mechanism.reach(_REACH) / mechanism.step) + 2
    apart = max(1, -(-(2 * far + 1) // _MOST_BARS))  # on a fine step, some of the places
    places = range(-(far // apart) * apart, far + 1, apart)
    offsets = [float(place * mechanism.step) for place in places]
    chances = [float(mechanism.pmf(place * mechanism.step)) for place in places]  # type: ignore[arg-type]  # not exact=True
    half = float(mechanism.half_width("0.95"))
    shape = Bars("probability", offsets, chances) if apart == 1 else Curve("probability", offsets, chances, filled=True)
    plot = Plot(Axis("noise"), Axis("probability", zero=True), (shape, Mark("", x=-half), Mark(f"95 %: ± {half:g}", x=half)))
    alt = (
        f"Probability of the noise of {mechanism!r}: highest at 0 and the same on both sides, falling off. "
        f"95 % of it lies within ± {half:g}; its variance is {mechanism.variance:.4g}."
    )
    return Figure(f"Noise of {mechanism!r}", alt, (plot,))


def figure_of_choice(mechanism: "Selects", scores: "Scores | Named") -> Figure:
    """How likely each candidate is."""
    found: Any = mechanism.pmf(scores)  # type: ignore[attr-defined]  # every choice by score has one
    by_name = found if isinstance(found, Mapping) else dict(enumerate(found))
    names = [" then ".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in by_name]
    chances = [float(chance) for chance in by_name.values()]
    bars = Bars("probability", names, chances, texts=[f"{100 * chance:.1f} %" for chance in chances])
    best = max(zip(chances, names, strict=True))
    alt = f"How likely each of {len(names)} candidates is to be chosen; {best[1]} is likeliest, with {100 * best[0]:.1f} %."
    title = f"A choice at ε = {shown(mechanism.epsilon)}"
    return Figure(title, alt, (Plot(Axis("candidate"), Axis("probability", ends=(0, min(1.0, 1.15 * best[0]))), (bars,)),))
