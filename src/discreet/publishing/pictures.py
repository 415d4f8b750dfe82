"""Pictures on the page of a release: a chart where there is room for every row, and a mark beside every number."""

import re
from fractions import Fraction
from typing import Any

from discreet.answers.answer import Answer, AnswerColumn, BudgetState
from discreet.plots import svg_of
from discreet.plots.view import MOST_BARS
from discreet.privacy.losses import Pure
from discreet.publishing.sheets import Sheet, SheetColumn

__all__ = ["chart_of_sheet", "mark_of"]

_WIDTH, _HEIGHT = 150, 14
_LEAST_ROWS = 2
_SIZES = {"wide": 980, "narrow": 340}  # pixels
_NAMESPACE = re.compile(r'\sxmlns(:\w+)?="[^"]*"')
_NOTHING = Pure(epsilon=0)


def chart_of_sheet(sheet: Sheet) -> str:
    """A chart with error bars as SVG, once for a screen and once for a phone, in which letters keep their size.

    Empty without the plots extra, or where it would leave rows out or say nothing.
    """
    numbers = [column for column in sheet.columns if column.has_interval or (column.ranks is not None and column.kind != "mode")]
    keys = [column for column in sheet.columns if column.kind == "key"]
    if not numbers or not keys or not _LEAST_ROWS <= sheet.rows <= MOST_BARS:
        return ""
    answer = _as_answer(sheet, [*keys, *numbers])
    return "".join(_sized(answer, name, width) for name, width in _SIZES.items())


def _sized(answer: Answer, name: str, width: int) -> str:
    drawn = svg_of(answer, width)
    return "" if drawn is None else f'<div class="{name}">{re.sub(_NAMESPACE, "", drawn)}</div>'


def _as_answer(sheet: Sheet, columns: list[SheetColumn]) -> Answer:
    """The shape that charts are drawn from."""
    numbers = {column.name: column for column in columns if column.kind != "key"}
    ends = {name: list(zip(of.lows, of.highs, strict=True)) or [(None, None)] * sheet.rows for name, of in numbers.items()}
    return Answer(
        id="",
        table=sheet.name,
        question="",
        columns=tuple(AnswerColumn(column.name, column.kind, column.labels, width=column.width) for column in columns),
        rows=tuple({column.name: column.values[row] for column in columns} for row in range(sheet.rows)),
        intervals=tuple({name: each[row] for name, each in ends.items()} for row in range(sheet.rows)),
        confidence=Fraction(sheet.confidence),
        too_few=tuple(tuple(name for name, of in numbers.items() if row in of.too_few) for row in range(sheet.rows)),
        cost=_NOTHING,
        budget=BudgetState(_NOTHING, _NOTHING, _NOTHING),
    )


def mark_of(column: SheetColumn) -> list[str]:
    """For every number a dot within its interval, all on one scale; counts and sums are bars from zero."""
    rows = list(zip(column.values, column.lows, column.highs, strict=True))
    from_zero = column.kind in ("count", "sum")
    places = [float(end) for row in rows for end in row if end is not None] + [0.0] * from_zero
    first, last = min(places, default=0.0), max(places, default=0.0)
    return [_mark(*row, first, last, from_zero) if None not in row and last > first else "" for row in rows]


def _mark(value: Any, low: Any, high: Any, first: float, last: float, from_zero: bool) -> str:
    def at(number: float) -> float:
        return round(1 + (_WIDTH - 2) * (float(number) - first) / (last - first), 1)

    middle = _HEIGHT / 2
    ends = "".join(f"M{at(end)} {middle - 3}V{middle + 3}" for end in (low, high))
    axis = f'<path class="zero" d="M{at(0)} 0V{_HEIGHT}"/>' if first <= 0 <= last else ""
    if from_zero:
        left, right = sorted((at(0), at(value)))
        body = f'<rect x="{left}" y="3" width="{round(right - left, 1)}" height="{_HEIGHT - 6}"/>'
    else:
        body = f'<circle cx="{at(value)}" cy="{middle}" r="3"/>'
    whisker = f'<path d="M{at(low)} {middle}H{at(high)}{ends}"/>'
    return f'<svg width="{_WIDTH}" height="{_HEIGHT}">{axis}{body}{whisker}</svg>'
