"""Charts of a release: one line for each group, its number as a dot or a bar, its interval at full contrast, its value in words.

Drawn from released numbers as SVG that takes its colors from the page, once for a screen and once for a phone, where a line of
the chart is two lines of text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Any

from discreet.plots.numerals import Reading
from discreet.plots.view import MOST_BARS
from discreet.publishing.readings import readings, short_key, text
from discreet.publishing.sheets import Sheet, SheetColumn

__all__ = ["bars_of", "example"]

_LEAST_ROWS = 2
_HEAD, _FOOT = 26, 28
_COLORS = 6
_MOST_STEPS = 5
_MUCH_WIDER = 8


@dataclass(frozen=True, slots=True)
class _Size:
    """How large things are drawn."""

    name: str
    width: int
    row: int
    letter: float  # of a label
    digit: float  # of a value

    @property
    def is_narrow(self) -> bool:
        return self.name == "narrow"


_SIZES = (_Size("wide", 912, 38, 8.0, 7.5), _Size("narrow", 358, 48, 7.0, 6.8))


@dataclass(frozen=True, slots=True)
class _Line:
    """One group: its label, its number with its ends, and how these are read."""

    label: str
    value: float | None
    low: float | None
    high: float | None
    read: Reading
    spread: str


@dataclass(frozen=True, slots=True)
class _Axis:
    start: float
    end: float
    ticks: tuple[float, ...]


def bars_of(sheet: Sheet) -> str:
    """The chart of a table; empty where there would be no room for every row, or nothing to compare."""
    numbers = [column for column in sheet.columns if column.has_interval or (column.ranks is not None and column.kind != "mode")]
    keys = [column for column in sheet.columns if column.kind == "key"]
    if not numbers or not keys or not _LEAST_ROWS <= sheet.rows <= MOST_BARS:
        return ""
    labels = [" · ".join(short_key(key, key.values[row]) for key in keys) for row in range(sheet.rows)]
    drawn = [(column, _lines(column, labels)) for column in numbers]
    return "".join(f'<div class="{size.name}">{"".join(_panels(size, drawn))}</div>' for size in _SIZES)


def _panels(size: _Size, drawn: list[tuple[SheetColumn, list[_Line]]]) -> list[str]:
    return [_panel(size, place, each, has_head=len(drawn) > 1) for place, each in enumerate(drawn)]


def _lines(column: SheetColumn, labels: Sequence[str]) -> list[_Line]:
    ends = list(zip(column.lows, column.highs, strict=True)) if column.has_interval else [(None, None)] * len(labels)
    return [
        _Line(label, _float(value), _float(low), _float(high), read, _spread(column, read))
        for label, value, (low, high), read in zip(labels, column.values, ends, readings(column, by_number=True), strict=True)
    ]


def _float(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _spread(column: SheetColumn, read: Reading) -> str:
    if read.shape == "ends":
        return f"({read.spread})" if read.spread else ""
    if not column.has_interval and column.ranks is not None and read.shape not in ("few", "null"):
        return f"± {column.ranks} in rank"
    return "" if read.shape == "public" and not column.is_public else read.spread


# ---- one number of all groups


def _panel(size: _Size, place: int, drawn: tuple[SheetColumn, list[_Line]], *, has_head: bool) -> str:
    column, lines = drawn
    top = _HEAD if has_head else 0
    high = top + 4 + len(lines) * size.row + _FOOT
    room = max(len(_words(line)) for line in lines) * size.digit + 14
    longest = max(len(line.label) for line in lines) * size.letter + 14
    left = 5.0 if size.is_narrow else min(max(96.0, longest), size.width * 0.34)
    right = size.width - (5 if size.is_narrow else room)
    axis = _axis(lines, column)

    def at(value: float) -> float:
        return round(left + (right - left) * (min(max(value, axis.start), axis.end) - axis.start) / (axis.end - axis.start), 1)

    kept = axis.ticks[::2] if (right - left) / len(axis.ticks) < 40 else axis.ticks
    grid = "".join(
        f'<line class="{"base" if tick == 0 else "grid"}" x1="{at(tick)}" x2="{at(tick)}" y1="{top}" y2="{high - _FOOT}"/>'
        f'<text x="{at(tick)}" y="{high - 10}" text-anchor="{_anchor(size, tick, axis)}">{_tick(tick)}</text>'
        for tick in kept
    )
    head = f'<text class="head" x="0" y="16">{text(_title(column))}</text>' if has_head else ""
    rows = "".join(_row(size, column, line, top + 4 + number * size.row, place, axis, at) for number, line in enumerate(lines))
    return f'<svg class="chart" viewBox="0 0 {size.width} {high}" aria-hidden="true">{head}{grid}{rows}</svg>'


def _title(column: SheetColumn) -> str:
    return f"{column.name}, {column.meaning}" if column.meaning else column.name


def _is_bar(column: SheetColumn) -> bool:
    return column.kind in ("count", "sum")


def _words(line: _Line) -> str:
    return "too few rows" if line.read.shape == "few" else f"{line.read.value} {line.spread}".strip()


def _anchor(size: _Size, tick: float, axis: _Axis) -> str:
    if not size.is_narrow:
        return "middle"
    return "start" if tick == axis.start else "end" if tick == axis.end else "middle"


def _tick(value: float) -> str:
    for unit, sign in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= unit:
            return f"{value / (1e3 if sign == 'k' else unit):g}{sign}".replace("-", "−")
    return f"{value:g}".replace("-", "−")


def _row(size: _Size, column: SheetColumn, line: _Line, top: float, place: int, axis: _Axis, at: Any) -> str:
    middle = top + (32 if size.is_narrow else size.row / 2)
    words = top + 16 if size.is_narrow else middle + 5
    most = int((size.width * 0.6 if size.is_narrow else size.width * 0.34) / size.letter)
    label = line.label if len(line.label) <= most else f"{line.label[: most - 1]}…"
    is_few = line.read.shape == "few"
    value = "too few rows" if is_few else f"{text(line.read.value)}<tspan> {text(line.spread)}</tspan>"
    mark = "" if is_few or line.value is None else _mark(column, line, middle, place, axis, at)
    return (
        f'<g class="{"r few" if is_few else "r"}">{mark}<text class="lab" x="0" y="{words:g}">{text(label)}</text>'
        f'<text class="val" x="{size.width}" y="{words:g}" text-anchor="end">{value}</text></g>'
    )


def _mark(column: SheetColumn, line: _Line, y: float, place: int, axis: _Axis, at: Any) -> str:
    """The number, and its interval; an end that the axis cuts off is an arrowhead."""
    assert line.value is not None
    color = f"s{place % _COLORS + 1}"
    if _is_bar(column):
        left, right = sorted((at(0), at(line.value)))
        body = f'<rect class="bar {color}" x="{left}" y="{y - 9:g}" width="{max(1.0, right - left):.1f}" height="18" rx="2"/>'
    else:
        inside = axis.start <= line.value <= axis.end
        body = f'<circle class="dot {color}" cx="{at(line.value)}" cy="{y:g}" r="5.5"/>' if inside else ""
    if line.low is None or line.high is None:
        return body
    a, b = at(line.low), at(line.high)
    ends = _end(a, y, 1, is_cut=line.low < axis.start) + _end(b, y, -1, is_cut=line.high > axis.end)
    return f'{body}<path class="whisker" d="M{a} {y:g}H{b}"/><path class="whisker cap" d="{ends}"/>'


def _end(x: float, y: float, way: int, *, is_cut: bool) -> str:
    return f"M{x + 5 * way:g} {y - 4:g}L{x} {y:g}L{x + 5 * way:g} {y + 4:g}" if is_cut else f"M{x} {y - 6:g}V{y + 6:g}"


def _axis(lines: Sequence[_Line], column: SheetColumn) -> _Axis:
    """Counts and totals start at zero; everything else is fitted to the numbers, and ends that reach far beyond them are cut."""
    told = [line for line in lines if line.value is not None]
    from_zero = _is_bar(column)
    told = told if from_zero else _comparable(told)
    ends = [end for line in told for end in (line.low, line.value, line.high) if end is not None]
    if not ends:
        return _Axis(0.0, 1.0, (0.0, 1.0))
    low, high = (min([0.0, *ends]), max([0.0, *ends])) if from_zero else (min(ends), max(ends))
    low = 0.0 if column.kind == "count" else low  # a count below zero is noise: its end is cut
    span = (high - low) or abs(high) or 1.0
    unit = 10.0 ** floor(log10(span / 3))
    step = next((times * unit for times in (1, 2, 2.5, 5, 10) if span / (times * unit) <= _MOST_STEPS), span)
    first, last = floor(low / step), -floor(-high / step)
    ticks = tuple(float(f"{number * step:.10g}") for number in range(first, max(last, first + 1) + 1))
    return _Axis(ticks[0], ticks[-1], ticks)


def _comparable(lines: list[_Line]) -> list[_Line]:
    """Without those whose intervals are many times as wide as those of most others."""
    wide = {id(line): line.high - line.low for line in lines if line.low is not None and line.high is not None}
    if not wide:
        return lines
    usual = sorted(wide.values())[(len(wide) - 1) // 2]
    return [line for line in lines if wide.get(id(line), 0.0) <= _MUCH_WIDER * usual] or lines


def example() -> str:
    """A dot with its bar, and what they are."""
    return (
        '<svg class="chart" viewBox="0 0 310 92" width="310" aria-hidden="true">'
        '<path class="whisker" d="M70 46H240M70 39v14M240 39v14"/><circle class="s1" cx="155" cy="46" r="6"/>'
        '<text class="anno" x="155" y="16" text-anchor="middle">the published number</text><path class="tie" d="M155 22V36"/>'
        '<path class="tie" d="M70 62v6H240v-6"/>'
        '<text class="anno" x="155" y="85" text-anchor="middle">without noise: most likely here</text></svg>'
    )
