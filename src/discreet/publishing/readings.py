"""The values of a sheet as people read them: keys in words, numbers rounded as far as their interval allows."""

from html import escape
from typing import Any

from discreet.plots.lettering import clean
from discreet.plots.numerals import TOO_FEW, Reading, grouped, read_column
from discreet.publishing.sheets import SheetColumn

__all__ = ["key_in_words", "many", "readings", "short_key", "text"]


def readings(column: SheetColumn, *, by_number: bool = False) -> list[Reading]:
    """Every number of a column, and where too few rows are behind one, that; in charts each is read by itself."""
    whole = column.kind == "count" or all(value is None or isinstance(value, int) for value in column.values)
    ends = list(zip(column.lows, column.highs, strict=True)) if column.has_interval else [(each, each) for each in column.values]
    few, read = set(column.too_few), read_column(column.values, ends, whole=whole, by_number=by_number)
    return [TOO_FEW if row in few else each for row, each in enumerate(read)]


def key_in_words(column: SheetColumn, value: Any) -> str:
    """A key with its label behind it, as tables have it."""
    shown = _plain(value)
    label = column.labels.get(value)
    return label if value is None and label else shown if label is None or label == shown else f"{shown} {label}"


def short_key(column: SheetColumn, value: Any) -> str:
    """A key as charts have it: its label alone, or the bin that it stands for."""
    if column.width is not None and isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:g} to {value + column.width:g}"
    return column.labels.get(value) or _plain(value)


def _plain(value: Any) -> str:
    return "none" if value is None else str(value).casefold() if isinstance(value, bool) else str(value)


def many(count: int, what: str) -> str:
    """1 row, 2 rows."""
    return f"{grouped(count)} {what}" if count == 1 else f"{grouped(count)} {what}s"


def text(said: str) -> str:
    """Text that is not ours, on one line and harmless in HTML."""
    return escape(clean(said))
