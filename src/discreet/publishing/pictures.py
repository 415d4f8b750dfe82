"""A mark beside every number of a table that has no chart."""

from typing import Any

from discreet.publishing.sheets import SheetColumn

__all__ = ["mark_of"]

_WIDTH, _HEIGHT = 150, 14


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
