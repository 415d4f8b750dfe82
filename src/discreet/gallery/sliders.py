"""What sliders show: every number is worked out here, for every stop of every slider, and stored in the page.

A page then needs no server and does no arithmetic: it looks values up.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from discreet.errors import ParameterError

__all__ = ["Course", "Output", "Slider", "SliderPage", "worked_out"]

_DIGITS = 8  # significant ones that a page keeps: more than it shows


@dataclass(frozen=True, slots=True)
class Slider:
    """Stops, as decimal strings, and where it stands at first."""

    key: str
    label: str
    stops: tuple[str, ...]
    start: str


@dataclass(frozen=True, slots=True)
class Output:
    """A number that follows from the stops of some sliders."""

    label: str
    by: tuple[str, ...]
    compute: Callable[..., float]


@dataclass(frozen=True, slots=True)
class Course:
    """A curve over fixed places that follows from the stops of some sliders."""

    name: str
    by: tuple[str, ...]
    compute: Callable[..., Sequence[float]]


@dataclass(frozen=True, slots=True)
class SliderPage:
    """Sliders, the numbers below them, and one plot; ``mark`` names the slider whose stop is marked on the x axis."""

    number: int
    title: str
    about: str
    sliders: tuple[Slider, ...]
    outputs: tuple[Output, ...]
    xs: tuple[float, ...]
    courses: tuple[Course, ...]
    axes: tuple[str, str]
    logs: tuple[bool, bool] = (False, False)
    mark: str = ""

    @property
    def name(self) -> str:
        """What its file is called."""
        return f"{self.number:02d}_sliders"


def worked_out(page: SliderPage) -> dict[str, Any]:
    """Everything that the page shows, ready for JSON; values in the order of the stops, the last slider running fastest."""
    stops = {slider.key: slider.stops for slider in page.sliders}
    return {
        "title": page.title,
        "about": page.about,
        "sliders": [_slider(slider) for slider in page.sliders],
        "outputs": [
            {"label": each.label, "by": each.by, "values": [_kept(each.compute(*at)) for at in _places(each.by, stops)]}
            for each in page.outputs
        ],
        "xs": list(map(_kept, page.xs)),
        "courses": [
            {"name": each.name, "by": each.by, "values": [list(map(_kept, each.compute(*at))) for at in _places(each.by, stops)]}
            for each in page.courses
        ],
        "axes": page.axes,
        "logs": page.logs,
        "mark": page.mark,
    }


def _slider(slider: Slider) -> dict[str, Any]:
    if slider.start not in slider.stops:
        raise ParameterError(f"{slider.start} is no stop of {slider.label}", hint="choose one of its stops")
    return {"key": slider.key, "label": slider.label, "stops": slider.stops, "start": slider.stops.index(slider.start)}


def _places(by: tuple[str, ...], stops: dict[str, tuple[str, ...]]) -> list[tuple[Fraction, ...]]:
    return [tuple(map(Fraction, at)) for at in product(*(stops[key] for key in by))]


def _kept(number: float) -> float:
    return float(f"{float(number):.{_DIGITS}g}")
