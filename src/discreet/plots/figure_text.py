"""A figure in letters, for where the plots extra is missing: each plot as a grid of characters, bars as lines of them."""

import math
import shutil
from dataclasses import dataclass

from discreet.plots.figure import Axis, Bars, Boxes, Curve, Dots, Figure, Plot
from discreet.plots.lettering import for_terminal, padded, width_of

__all__ = ["TextFigure"]

_LETTERS = "*o+x#@%&"
_NARROWEST, _WIDEST, _HIGH = 50, 100, 14


@dataclass(frozen=True, slots=True, repr=False)
class TextFigure:
    """A figure whose repr draws it as wide as the terminal is."""

    figure: Figure

    def __repr__(self) -> str:
        return self.draw(width=max(_NARROWEST, min(shutil.get_terminal_size().columns, _WIDEST)))

    def draw(self, width: int = 80, *, ascii_only: bool | None = None) -> str:
        """The figure in lines of about ``width`` columns."""
        parts = [self.figure.title, *(line for plot in self.figure.plots for line in ["", *_drawn(plot, width)])]
        return for_terminal("\n".join(parts), ascii_only=ascii_only)


def _drawn(plot: Plot, width: int) -> list[str]:
    title = [plot.title] if plot.title else []
    for shape in plot.shapes:
        if isinstance(shape, Boxes):
            return [*title, *(f"{'→ ' if at else '  '}{head}: {shape.texts[at]}" for at, head in enumerate(shape.heads))]
    named = [shape for shape in plot.shapes if isinstance(shape, Bars | Dots) and any(isinstance(x, str) for x in shape.xs)]
    return title + (_bars(plot, named, width) if named else _grid(plot, width))


def _bars(plot: Plot, shapes: list[Bars | Dots], width: int) -> list[str]:
    called = "{} · {}" if len(shapes) > 1 else "{}"
    rows = [(called.format(x, shape.name), float(y)) for shape in shapes for x, y in zip(shape.xs, shape.ys, strict=True)]
    gutter, most = max(width_of(name) for name, _ in rows), max((abs(y) for _, y in rows), default=0.0) or 1.0
    room = max(8, width - gutter - 14)
    lines = [f"{padded(name, gutter)}  {'█' * round(room * abs(y) / most)} {y:.4g}" for name, y in rows]
    return [*lines, f"{' ' * gutter}  {plot.y.title}"]


def _grid(plot: Plot, width: int) -> list[str]:
    series = [shape for shape in plot.shapes if isinstance(shape, Curve | Dots | Bars)]
    points = [(place, float(x), float(y)) for place, shape in enumerate(series) for x, y in zip(shape.xs, shape.ys, strict=True)]
    points = [each for each in points if _on(plot.x, each[1]) is not None and _on(plot.y, each[2]) is not None]
    if not points:
        return ["(nothing to draw)"]
    across, up = _ends(plot.x, [x for _, x, _ in points]), _ends(plot.y, [y for _, _, y in points])
    cells = [[" "] * width for _ in range(_HIGH)]
    for place, x, y in points:
        column, row = _at(plot.x, x, across, width), _at(plot.y, y, up, _HIGH)
        if column is not None and row is not None:
            cells[_HIGH - 1 - row][column] = _LETTERS[place % len(_LETTERS)]
    legend = [f"{_LETTERS[place % len(_LETTERS)]} {shape.name}" for place, shape in enumerate(series)]
    axes = f"{plot.x.title}: {across[0]:.4g} to {across[1]:.4g} · {plot.y.title}: {up[0]:.4g} to {up[1]:.4g}"
    return [*("".join(row).rstrip() for row in cells), "─" * width, axes, "   ".join(dict.fromkeys(legend))]


def _on(axis: Axis, value: float) -> float | None:
    """The value as it lies on the axis; None if it does not."""
    if not math.isfinite(value) or (axis.log and value <= 0):
        return None
    return math.log(value) if axis.log else value


def _ends(axis: Axis, values: list[float]) -> tuple[float, float]:
    return axis.ends if axis.ends is not None else (min(values), max(values))


def _at(axis: Axis, value: float, ends: tuple[float, float], room: int) -> int | None:
    place, (low, high) = _on(axis, value), (_on(axis, end) for end in ends)
    if place is None or low is None or high is None or not low <= place <= high:
        return None
    return round((room - 1) * (place - low) / (high - low)) if high > low else 0
