"""What a chart shows, before anyone draws it: keys, panels of numbers with their intervals, and the words around them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import compress, pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any

from discreet.plots.lettering import clean, shortened
from discreet.plots.numerals import TOO_FEW, Reading, drawn_without_width, grouped, percent, read_column, read_number

if TYPE_CHECKING:
    from discreet.answers.answer import Answer, AnswerColumn

__all__ = [
    "Key", "MOST_BARS", "MOST_POINTS", "Panel", "View", "as_bought", "how_far", "name_in_words", "rank_interval", "reads_whole",
    "view_of",
]  # fmt: skip

MOST_BARS = 60
MOST_POINTS = 5000
_FEW = 12  # numbers one apart up to here are taken for codes, as of months or races, not for a scale
_LONGEST_LABEL = 36
_RANKED = ("median", "quantile", "min", "max", "mode")  # have no interval of values unless one was bought


@dataclass(frozen=True, slots=True)
class Key:
    """One key of every row: as numbers where they lie on a scale, else as texts in the order of the answer."""

    name: str
    places: tuple[float, ...] | None
    texts: tuple[str, ...]
    width: float | None = None  # of bins, whose lower ends are the places

    @property
    def distinct(self) -> int:
        """How many different values there are."""
        return len(set(self.texts))


@dataclass(frozen=True, slots=True)
class Panel:
    """One column of numbers; None where there is no value, or nothing bounds it."""

    name: str
    is_amount: bool  # counts and sums: bars from 0; others are points
    values: tuple[float | None, ...]
    lows: tuple[float | None, ...]
    highs: tuple[float | None, ...]
    readings: tuple[Reading, ...]
    is_ranked: bool = False  # values chosen by their rank, without an interval of values: points alone

    @property
    def texts(self) -> tuple[str, ...]:
        """The numbers as people read them."""
        return tuple("no value" if read.shape == "null" else str(read) for read in self.readings)


@dataclass(frozen=True, slots=True)
class View:
    """A chart's title, question and caption, and one entry per row in every key and panel."""

    title: str
    question: str
    sure: str
    keys: tuple[Key, ...]
    panels: tuple[Panel, ...]
    rows: int
    left_out: int

    @property
    def spread(self) -> str:
        """What stands around the numbers: ``95 % intervals``, or how far ranks may be off where that is all there is."""
        return self.spread_of(*self.panels)

    def spread_of(self, *panels: Panel) -> str:
        """The same of some of the panels."""
        only_ranks = bool(panels) and all(panel.is_ranked for panel in panels)
        return f"{self.sure} intervals of ranks" if only_ranks else f"{self.sure} intervals"

    @property
    def note(self) -> str:
        """What the chart leaves out; empty if nothing."""
        are = "row is" if self.left_out == 1 else "rows are"
        return f"{grouped(self.left_out)} more {are} not drawn" if self.left_out else ""


def view_of(answer: "Answer", *, points: int = MOST_POINTS) -> View:
    """Everything a chart needs to know of an answer; at most so many ``points`` of a line."""
    whole, answer = len(answer.rows), _on_scales(answer)
    columns = [column for column in answer.columns if column.kind == "key"]
    keys = [_key(column, [row[column.name] for row in answer.rows]) for column in columns]
    most = points if any(key.places for key in keys) else MOST_BARS
    numbers = [column for column in answer.columns if column.kind not in ("key", "mode")]
    panels = [_panel(column, answer, most) for column in numbers]
    names = _joined([panel.name for panel in panels])
    return View(
        title=f"{names} by {_joined([key.name for key in keys])}" if keys else names,
        question=clean(answer.question),
        sure=percent(answer.confidence),
        keys=tuple(_first(key, most) for key in keys),
        panels=tuple(panels),
        rows=min(most, len(answer.rows)),
        left_out=whole - min(most, len(answer.rows)),
    )


def _on_scales(answer: "Answer") -> "Answer":
    """The answer without rows that have no place on a scale: the group of rows whose key is missing, beside numbers."""
    for column in answer.columns:
        values = [row[column.name] for row in answer.rows] if column.kind == "key" else []
        known = [value for value in values if value is not None]
        if len(known) < len(values) and _places(column, known) is not None:
            stay = [value is not None for value in values]
            answer = replace(
                answer, rows=tuple(compress(answer.rows, stay)), intervals=tuple(compress(answer.intervals, stay)),
                rank_intervals=tuple(compress(answer.rank_intervals, stay)), too_few=tuple(compress(answer.too_few, stay)),
            )  # fmt: skip
    return answer


def _places(column: "AnswerColumn", values: list[Any]) -> tuple[float, ...] | None:
    has_labels = any(value is not None for value in column.labels)
    return None if has_labels else _scale(values, are_bins=column.width is not None)


def name_in_words(column: "AnswerColumn") -> str:
    """A column's name; one that was made up from what it is reads the other way round: mean_Age is ``Age mean``."""
    name, kind = clean(column.name), column.kind
    of = name.removeprefix(f"{kind}_")
    return name if of in ("", name) else f"{of} {'standard deviation' if kind == 'stddev' else kind}"


def reads_whole(column: "AnswerColumn", values: Iterable[Any]) -> bool:
    """Whether the numbers have no decimals: counts, and values that were chosen by their rank among whole numbers."""
    return column.kind == "count" or (column.kind in _RANKED and all(value is None or isinstance(value, int) for value in values))


def _first(key: Key, most: int) -> Key:
    return Key(key.name, key.places and key.places[:most], key.texts[:most], key.width)


def _key(column: "AnswerColumn", values: list[Any]) -> Key:
    texts = tuple(_label(column.labels, value) for value in values)
    places = _places(column, values)
    return Key(clean(column.name), places, texts, column.width)


def _label(labels: Mapping[object, str], value: Any) -> str:
    return shortened(clean(labels.get(value, "none" if value is None else value)), _LONGEST_LABEL)


def _scale(values: list[Any], *, are_bins: bool) -> tuple[float, ...] | None:
    """The values as numbers on a scale; None for texts, for a few codes, and for rows that are sorted by something else."""
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return None
    distinct = list(dict.fromkeys(values))
    if len(distinct) < 3 or distinct != sorted(distinct):
        return None
    step = min(after - before for before, after in pairwise(distinct))
    are_codes = step == 1 and len(distinct) <= _FEW and not are_bins
    return None if are_codes else tuple(float(value) for value in values)


def _panel(column: "AnswerColumn", answer: "Answer", most: int) -> Panel:
    values = [row[column.name] for row in answer.rows[:most]]
    ends = [row[column.name] for row in answer.intervals[:most]]
    is_ranked = column.kind in _RANKED and all(pair == (None, None) for pair in ends)
    read = _read(values, ends, whole=reads_whole(column, values), alone=len(values) == 1)
    return Panel(
        name_in_words(column),
        column.kind in ("count", "sum"),
        tuple(map(_finite, values)),
        tuple(_finite(low) for low, _ in ends),
        tuple(_finite(high) for _, high in ends),
        tuple(
            TOO_FEW if answer.is_few(row, column.name)
            else _rank_of(each, answer, column) if is_ranked else as_bought(column, each, pair)
            for row, (each, pair) in enumerate(zip(read, ends, strict=True))
        ),
        is_ranked,
    )


def as_bought(column: "AnswerColumn", read: Reading, ends: tuple[Any, Any]) -> Reading:
    """The reading with both ends where they were bought for a whole number: a ± around it would widen them."""
    if column.kind not in _RANKED and read.shape == "public" and column.is_drawn:
        return drawn_without_width(read)
    if column.kind not in _RANKED or read.shape == "null" or not all(isinstance(end, int) for end in ends):
        return read
    low, high = (read_number(end, (end, end), whole=True).value for end in ends)
    return Reading(read.value, f"{low} … {high}", "ends")


def _rank_of(read: Reading, answer: "Answer", column: "AnswerColumn") -> Reading:
    """The value with how many rows its rank may be off."""
    far = rank_interval(answer, column)
    if far is None or read.shape == "null":
        return Reading(read.value, "", "null" if read.shape == "null" else "public")
    return Reading(read.value, how_far(column, far), "ends")


def rank_interval(answer: "Answer", column: "AnswerColumn") -> tuple[int, int] | None:
    """How many rows the rank of a chosen value may be off, the same in every row that has one; None if it is none."""
    return next((row[column.name] for row in answer.rank_intervals if column.name in row), None)


def how_far(column: "AnswerColumn", far: tuple[int, int]) -> str:
    """How far off a value that was chosen may be."""
    return f"at most {grouped(-far[0])} rows fewer than any other" if column.kind == "mode" else f"rank ± {grouped(far[1])}"


def _read(values: list[Any], ends: list[Any], *, whole: bool, alone: bool) -> list[Reading]:
    return [read_number(values[0], ends[0], whole=whole)] if alone else read_column(values, ends, whole=whole)


def _finite(value: Any) -> float | None:
    return float(value) if value is not None and isfinite(value) else None


def _joined(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""
