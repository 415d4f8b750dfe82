"""The tables of a release as they are written: columns of released values, each number beside the ends of its interval.

An answer and a derived table become the same thing here. In a derived table a column X with X_low and X_high beside it is a
number with its interval; how these were worked out is said by its SQL, which is published with it.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from discreet.answers.answer import Answer, as_strings
from discreet.answers.losses import shortly
from discreet.answers.spreadsheets import safe_cell
from discreet.curator.described import Described
from discreet.curator.together import Delivered
from discreet.engines.duckdb.released import ReleasedTable, SqlType
from discreet.exact import shown
from discreet.facts.model import Integer, Number
from discreet.plots.numerals import percent
from discreet.publishing.noise_words import Ends, Noise, noise_in
from discreet.publishing.release_file import Derivation, PricedQuestion

__all__ = ["Sheet", "SheetColumn", "dictionary", "sheet_of_answer", "sheet_of_derived", "text_of_csv"]

_DICTIONARY = ("file", "column", "meaning", "kind", "confidence", "noise", "scale", "cost", "labels", "notes")


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """Values with their ends, or without: ``lows`` and ``highs`` are empty for keys and for numbers that have no interval.

    ``ranks`` is how many rows a value that was chosen by its rank may be off. ``noise`` of a key is how it was chosen: empty if
    every value is public. ``ends`` is how ends were chosen that were bought. ``is_public`` if nothing was drawn for its numbers.
    """

    name: str
    kind: str
    values: tuple[Any, ...]
    lows: tuple[Any, ...] = ()
    highs: tuple[Any, ...] = ()
    has_interval: bool = False
    meaning: str = ""
    labels: Mapping[object, str] = field(default_factory=dict)
    noise: tuple[Noise, ...] = ()
    type: SqlType = "DOUBLE"
    ranks: int | None = None
    ends: Ends = ((), ())
    is_public: bool = False
    too_few: tuple[int, ...] = ()  # the rows in which too few rows of the table are behind it: it has no value there
    width: float | None = None  # of the bins that a key stands for
    sure: str = ""  # how sure its rank is

    @property
    def has_error(self) -> bool:
        """Whether it says how far off it may be, or needs not to."""
        return self.kind == "key" or self.is_public or self.has_interval or self.ranks is not None

    @property
    def in_words(self) -> str:
        """What it means; of a key that no list has and of a value that was chosen, also how it is to be read."""
        told = "only values with enough people are released" if self.kind == "key" and self.noise else ""
        by = "count" if self.kind == "mode" else "rank"
        rank = "" if self.ranks is None else f"chosen by its {by}, which is off by {self.ranks} at most{self._surely}"
        few = "no value where too few rows are behind it" if self.too_few else ""
        return "; ".join(filter(None, [self.meaning, told, rank, few]))


    @property
    def _surely(self) -> str:
        return f", with {percent(Fraction(self.sure))} confidence" if self.sure else ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table of a release. ``cost`` is empty for a derived one; ``sql`` is what was asked or derived,
    ``noise`` all that is behind its numbers.

    ``is_chosen`` if its rows were chosen by released numbers, in HAVING or by LIMIT. ``left_out`` is what its intervals do not
    cover, in sentences, and ``warnings`` what else is to be known.
    """

    name: str
    title: str
    description: str
    sql: str
    columns: tuple[SheetColumn, ...]
    confidence: str = ""
    cost: str = ""
    is_simultaneous: bool = False
    noise: tuple[Noise, ...] = ()
    is_chosen: bool = False
    left_out: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self.columns[0].values) if self.columns else 0

    def to_columns(self) -> dict[str, list[Any]]:
        """Columns of values, each number followed by its ends: n, n_low, n_high."""
        found: dict[str, list[Any]] = {}
        for column in self.columns:
            found[column.name] = list(column.values)
            if column.has_interval:
                found[f"{column.name}_low"], found[f"{column.name}_high"] = list(column.lows), list(column.highs)
        return found

    def to_released(self) -> ReleasedTable:
        """The same for derived SQL."""
        columns, types = self.to_columns(), {column.name: column.type for column in self.columns}
        return ReleasedTable(self.name, columns, {name: types.get(name, "DOUBLE") for name in columns})

    def to_csv(self) -> str:
        """The columns as CSV text with a header."""
        columns = self.to_columns()
        return text_of_csv(list(columns), zip(*columns.values(), strict=True))


def text_of_csv(header: Sequence[str], rows: Any) -> str:
    """A CSV file: no value is an empty field, truth is true or false."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(safe_cell, header))
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).casefold()
    return value.isoformat() if isinstance(value, date) else safe_cell(value)


# ---- from answers


def sheet_of_answer(question: PricedQuestion, found: Delivered) -> Sheet:
    """An answer as a table of its release."""
    answer, asked = found.answer, found.prepared.question
    columns = tuple(_column(question, answer, place, about) for place, about in enumerate(found.columns))
    return Sheet(
        question.name, question.title or question.name, question.description, answer.question, columns,
        shown(answer.confidence), _cost(found), question.simultaneous, noise=tuple(map(noise_in, found.behind.every)),
        is_chosen=asked.having is not None or asked.limit is not None, left_out=answer.left_out,
        warnings=answer.warnings,
    )  # fmt: skip


def _cost(found: Delivered) -> str:
    """Its price; where some of it was released before, what the rest has cost."""
    price = as_strings(found.paid) if "stored" in found.receipt else found.receipt["price"]
    parts = [(name, price[name]) for name in ("epsilon", "delta", "rho") if name in price]  # a stored one is sorted
    return " ".join(f"{name} {shortly(Fraction(text))}" for name, text in parts if name != "delta" or Fraction(text))


def _column(question: PricedQuestion, answer: Answer, place: int, about: Described) -> SheetColumn:
    column = answer.columns[place]
    values = tuple(row[column.name] for row in answer.rows)
    meaning = question.columns.get(column.name) or about.meaning
    noise = tuple(map(noise_in, about.behind))
    if column.kind == "key":
        return SheetColumn(
            column.name, "key", values, meaning=meaning, labels=column.labels, noise=noise, type=_key_type(about),
            width=column.width,
        )
    low, high = (tuple(map(noise_in, end)) for end in about.ends)
    return SheetColumn(
        column.name,
        column.kind,
        values,
        tuple(row[column.name][0] for row in answer.intervals) if about.has_interval else (),
        tuple(row[column.name][1] for row in answer.intervals) if about.has_interval else (),
        has_interval=about.has_interval,
        meaning=meaning,
        labels=column.labels,
        noise=noise,
        type=_key_type(about) if column.kind == "mode" else "BIGINT" if column.kind == "count" else "DOUBLE",
        ranks=next((-row[column.name][0] for row in answer.rank_intervals if column.name in row), None),
        ends=(low, high),
        is_public=not column.is_drawn,
        too_few=tuple(row for row in range(len(answer.rows)) if answer.is_few(row, column.name)),
        sure=shown(answer.confidence),
    )


def _key_type(key: Described) -> SqlType:
    """By the values that the facts declare, not by those that are shown."""
    if key.values is None and isinstance(key.declared, Number | Integer):
        return "DOUBLE" if isinstance(key.declared, Number) else "BIGINT"
    kinds = {type(each) for each in key.values or () if each is not None}
    known: dict[type, SqlType] = {bool: "BOOLEAN", int: "BIGINT", date: "DATE", datetime: "TIMESTAMP"}
    if kinds <= {int, float} and float in kinds:
        return "DOUBLE"
    return known.get(kinds.pop(), "VARCHAR") if len(kinds) == 1 else "VARCHAR"


# ---- from derived tables


def sheet_of_derived(derivation: Derivation, columns: Mapping[str, Sequence[Any]], behind: Sequence[Sheet] = ()) -> Sheet:
    """A derived table; X_low and X_high belong to X where all three are there and X is a number.

    What is to be known of the tables ``behind`` it is to be known of it.
    """
    ends = {f"{name}{end}" for name in columns if _has_ends(name, columns) for end in ("_low", "_high")}
    found = []
    for name, values in columns.items():
        if name in ends:
            continue
        is_number, meaning = _are_numbers(values), derivation.columns.get(name, "")
        if _has_ends(name, columns):
            lows, highs = tuple(columns[f"{name}_low"]), tuple(columns[f"{name}_high"])
            found.append(SheetColumn(name, "derived", tuple(values), lows, highs, has_interval=True, meaning=meaning))
        else:
            found.append(SheetColumn(name, "number" if is_number else "key", tuple(values), meaning=meaning))
    title, sure = derivation.title or derivation.name, derivation.confidence
    said = "" if sure is None else shown(sure)
    notes, warnings = (tuple(dict.fromkeys(text for each in told for text in each))
                       for told in ([each.left_out for each in behind], [each.warnings for each in behind]))  # fmt: skip
    text = derivation.sql.strip()
    return Sheet(derivation.name, title, derivation.description, text, tuple(found), said, left_out=notes, warnings=warnings)


def _has_ends(name: str, columns: Mapping[str, Sequence[Any]]) -> bool:
    three = [name, f"{name}_low", f"{name}_high"]
    return all(each in columns and _are_numbers(columns[each]) for each in three)


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(value is None or (isinstance(value, int | float) and not isinstance(value, bool)) for value in values)


# ---- the dictionary


def dictionary(sheets: Sequence[Sheet]) -> str:
    """The data dictionary of a release as CSV: one line for every column of every file."""
    return text_of_csv(_DICTIONARY, [line for sheet in sheets for column in sheet.columns for line in _lines(sheet, column)])


def _lines(sheet: Sheet, column: SheetColumn) -> list[tuple[str, ...]]:
    file, labels = f"{sheet.name}.csv", "; ".join(f"{value} = {label}" for value, label in column.labels.items())
    is_public = column.kind == "key" and not column.noise
    laws, scales = _noise(column.noise)
    if not sheet.cost:
        laws = "" if is_public else "none added: derived from released tables"
    cost = "" if is_public else sheet.cost or "free"
    kind = "number without interval" if column.kind == "number" else column.kind
    sure = sheet.confidence if column.has_interval or column.ranks is not None else ""
    notes = "" if column.kind == "key" else "; ".join((*sheet.left_out, *sheet.warnings))
    first = (file, column.name, column.in_words, kind, sure, laws, scales, cost, labels, notes)
    if not column.has_interval:
        return [first]
    whole = "all intervals of the table hold at once" if sheet.is_simultaneous else "each interval by itself"
    about = f"{whole}, noise and rounding only" if sheet.cost else "as the SQL of the derived table works it out"
    ends = (("_low", "lower", column.ends[0]), ("_high", "upper", column.ends[1]))
    return [first, *((file, f"{column.name}{end}", f"{word} end of the interval of {column.name}; {about}",
                      "end of interval", sure, *_noise(noise), "", "", "") for end, word, noise in ends)]  # fmt: skip


def _noise(noise: Sequence[Noise]) -> tuple[str, str]:
    """All laws, each once, and the size of each noise."""
    return "; ".join(dict.fromkeys(each.what for each in noise)), "; ".join(each.scale for each in noise)
