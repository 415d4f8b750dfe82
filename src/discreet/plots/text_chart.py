"""A chart in letters: a bar up to the lower end of each interval, then the interval itself with a dot at the released value."""

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.plots.lettering import can_show, for_terminal, padded, shortened, width_of
from discreet.plots.numerals import read_column
from discreet.plots.view import MOST_BARS, Panel, View, view_of

if TYPE_CHECKING:
    from discreet.answers.answer import Answer

__all__ = ["TextChart", "text_chart"]

_NARROWEST, _WIDEST = 60, 100


@dataclass(frozen=True, slots=True)
class _Letters:
    bar: str
    left: str
    line: str
    dot: str
    right: str
    zero: str
    ascii_only: bool

    def say(self, text: str) -> str:
        """``text`` in letters of the same kind."""
        return for_terminal(text, ascii_only=self.ascii_only)

    def fit(self, text: str, most: int) -> str:
        """``text`` cut to ``most`` columns; an ellipsis takes three of them in ASCII."""
        return self.say(shortened(self.say(text), most - 2 if self.ascii_only else most))


_FULL = _Letters("█", "├", "─", "●", "┤", "│", ascii_only=False)
_PLAIN = _Letters("=", "[", "-", "o", "]", "|", ascii_only=True)


@dataclass(frozen=True, slots=True, repr=False)
class TextChart:
    """An answer as bars with error bars in letters; its repr draws it as wide as the terminal is."""

    view: View

    def __repr__(self) -> str:
        return self.draw(width=max(_NARROWEST, min(shutil.get_terminal_size().columns, _WIDEST)))

    def draw(self, width: int = 80, *, ascii_only: bool | None = None) -> str:
        """The chart in lines of at most ``width`` columns; ASCII where standard output needs it, unless told otherwise."""
        plain = not can_show("█├●┤─│ε±…") if ascii_only is None else ascii_only
        letters = _PLAIN if plain else _FULL
        drawn = [_drawn(self.view, panel, width, letters) for panel in self.view.panels]
        head = [letters.fit(text, width) for text in (f"{self.view.title} · {self.view.spread}", self.view.question)]
        note = [f"… {self.view.note}"] if self.view.note else []
        return letters.say("\n".join([*head, *(line for lines in drawn for line in ["", *lines]), *note]))


def text_chart(answer: "Answer") -> TextChart:
    """The answer as a chart in letters."""
    return TextChart(view_of(answer, points=MOST_BARS))


def _drawn(view: View, panel: Panel, width: int, letters: _Letters) -> list[str]:
    """The panel's rows and the axis below them."""
    names = [" · ".join(texts) for texts in zip(*(key.texts for key in view.keys), strict=True)] or [panel.name] * view.rows
    names = [letters.fit(name, width // 3) for name in names]
    figures = [letters.say(figure) for figure in _figures(panel)]
    gutter, most = max(map(width_of, names), default=0), max(map(width_of, figures), default=0)
    room = max(6, width - gutter - most - 4)
    scale = _scale(panel, from_zero=panel.is_amount and bool(view.keys))
    title = [panel.name] if len(view.panels) > 1 and view.keys else []
    bars = [_row(panel, row, scale, room, letters, is_bar=panel.is_amount and bool(view.keys)) for row in range(view.rows)]
    lines = [
        f"{padded(name, gutter, right=_is_scale(view))}  {bar}  {figure}".rstrip()
        for name, bar, figure in zip(names, bars, figures, strict=True)
    ]
    return [*title, *lines, " " * (gutter + 2) + _axis(*scale, room)]


def _figures(panel: Panel) -> list[str]:
    """The numbers, aligned at their last digit."""
    most = max((width_of(read.value) for read in panel.readings), default=0)
    return [
        " " * (most - width_of(read.value)) + text if read.shape not in ("null", "few") else text
        for read, text in zip(panel.readings, panel.texts, strict=True)
    ]


def _is_scale(view: View) -> bool:
    return len(view.keys) == 1 and view.keys[0].places is not None


def _scale(panel: Panel, *, from_zero: bool) -> tuple[float, float]:
    """The numbers at the two ends of the drawing."""
    known = [each for part in (panel.values, panel.lows, panel.highs) for each in part if each is not None]
    if from_zero:
        known.append(0.0)
    first, last = min(known, default=0.0), max(known, default=1.0)
    return (first, last) if last > first else (first - 1.0, last + 1.0)


def _row(panel: Panel, row: int, scale: tuple[float, float], room: int, letters: _Letters, *, is_bar: bool) -> str:
    first, last = scale
    value, low, high = panel.values[row], panel.lows[row], panel.highs[row]
    cells = [" "] * room

    def at(number: float) -> int:
        return round((room - 1) * (min(max(number, first), last) - first) / (last - first))

    if value is None:
        return "".join(cells)
    if is_bar:
        zero = at(0.0)
        start, end = sorted((zero, at(value)))
        cells[start : end + 1] = letters.bar * (end - start + 1)
        if first < 0:
            cells[zero] = letters.zero
    if panel.is_ranked:
        cells[at(value)] = letters.dot
        return "".join(cells)
    start, end = at(first if low is None else low), at(last if high is None else high)
    cells[start : end + 1] = letters.line * (end - start + 1)
    if low is not None:
        cells[start] = letters.left
    if high is not None:
        cells[end] = letters.right
    cells[at(value)] = letters.dot
    return "".join(cells)


def _axis(first: float, last: float, room: int) -> str:
    """The numbers at the two ends, to three digits of their distance, whole ones to the last."""
    reach, whole = (last - first) / 20, first.is_integer() and last.is_integer() and last - first >= 10
    ends = [(end - reach, end + reach) for end in (first, last)]
    left, right = (read.value for read in read_column([first, last], ends, whole=whole))
    return f"{left}{' ' * max(1, room - width_of(left) - width_of(right))}{right}"
