"""Figures: curves, bars and points with the words around them, as data before anyone draws them.

A figure says itself in words (``alt``) and in numbers (``table``), so that nobody has to see it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

__all__ = ["Axis", "Bars", "Boxes", "Cells", "Curve", "Dots", "Figure", "Mark", "Plot", "Shape"]

Place = float | str
Row = dict[str, float | str | None]


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: its name, whether it is logarithmic, and where it begins and ends if that is not left to the drawing."""

    title: str
    log: bool = False
    ends: tuple[float, float] | None = None
    ticks: tuple[float, ...] | None = None
    form: str | None = None  # of its numbers, as d3-format writes it
    zero: bool = False


@dataclass(frozen=True, slots=True)
class Curve:
    """A line through points, with a band around it where it has ``lows`` and ``highs``."""

    name: str
    xs: Sequence[float]
    ys: Sequence[float]
    lows: Sequence[float] = ()
    highs: Sequence[float] = ()
    steps: bool = False  # whether it jumps, and stays level in between
    filled: bool = False


@dataclass(frozen=True, slots=True)
class Dots:
    """Points, each with its interval where it has ``lows`` and ``highs``, and words beside it where it has ``texts``."""

    name: str
    xs: Sequence[Place]
    ys: Sequence[Place]
    lows: Sequence[float] = ()
    highs: Sequence[float] = ()
    texts: Sequence[str] = ()
    small: bool = False


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars from 0: upright over numbers, lying beside names."""

    name: str
    xs: Sequence[Place]
    ys: Sequence[float]
    lows: Sequence[float] = ()
    highs: Sequence[float] = ()
    texts: Sequence[str] = ()
    width: float | None = None  # of each, in units of x; else a part of the distance between neighbours


@dataclass(frozen=True, slots=True)
class Cells:
    """A map: a colour for each of the places on a grid."""

    name: str
    xs: Sequence[float]
    ys: Sequence[float]
    values: Sequence[float]
    step: float
    ends: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Mark:
    """A line across the plot, upright at ``x`` or level at ``y``, and what it is."""

    text: str
    x: float | None = None
    y: float | None = None


@dataclass(frozen=True, slots=True)
class Boxes:
    """Boxes in a row, each leading to the next: a head and a line of words in each."""

    name: str
    heads: Sequence[str]
    texts: Sequence[str]


Shape = Curve | Dots | Bars | Cells | Mark | Boxes


@dataclass(frozen=True, slots=True)
class Plot:
    """Shapes over two axes."""

    x: Axis
    y: Axis
    shapes: tuple[Shape, ...]
    title: str = ""
    width: int = 440
    height: int = 260

    @property
    def names(self) -> list[str]:
        """What is told apart by colour, in order."""
        return list(dict.fromkeys(shape.name for shape in self.shapes if isinstance(shape, Curve | Dots | Bars)))


@dataclass(frozen=True, slots=True)
class Figure:
    """Plots side by side under one title; ``alt`` says in a sentence or two what there is to see."""

    title: str
    alt: str
    plots: tuple[Plot, ...]
    subtitle: str = ""
    columns: int = 2
    source: str = field(default="")  # whose picture it follows, if it follows one

    def table(self) -> list[Row]:
        """Every number that is drawn, in rows: plot, series, x, y, low, high."""
        return [
            {"plot": plot.title or self.title, "series": name, "x": x, "y": y, "low": low, "high": high}
            for plot in self.plots
            for shape in plot.shapes
            for name, x, y, low, high in _rows(shape)
        ]


def _rows(shape: Shape) -> Iterator[tuple[str, Place | None, Place | None, float | None, float | None]]:
    match shape:
        case Mark(text, across, up):
            yield text, across, up, None, None
        case Boxes(_, heads, texts):
            for head, words in zip(heads, texts, strict=True):
                yield head, words, None, None, None
        case Cells(name, lefts, downs, values):
            for left, down, value in zip(lefts, downs, values, strict=True):
                yield f"{name} {value:g}", left, down, None, None
        case Curve() | Dots() | Bars():
            for place, (x, y) in enumerate(zip(shape.xs, shape.ys, strict=True)):
                low, high = (shape.lows[place], shape.highs[place]) if shape.lows else (None, None)
                yield shape.name, x, y, low, high
