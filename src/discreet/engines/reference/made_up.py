"""Rows made up from the facts alone, to try questions on: no data is touched and no source is needed.

Every value is drawn by itself, uniformly from what its column declares, and is NULL once in twenty. Where a bound is missing, a
range of about a hundred (numbers) or of ten years (days, moments) stands in for it. Answers about such rows tell their shape,
their names and how wide their intervals are, and nothing about the table. Lookups are made up too: most of a few values that a
key may have are in them, some as often as may be, so that made-up rows meet some, several or none.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from typing import assert_never

import numpy as np

from discreet.engines.reference.engine import Reference
from discreet.engines.rules.values import Raw, nearest, read
from discreet.engines.wanted import Engine
from discreet.exact import exact_whole
from discreet.facts import model
from discreet.facts.joins import key_column
from discreet.noise.keystream import Entropy, fresh

__all__ = ["MOST_ROWS", "Rehearsal", "made_up_lookups", "made_up_rows", "rehearsal"]

MOST_ROWS = 10_000  # rows are Python objects here, and more would teach no more
_USUAL_ROWS = 1000
_ONE_IN = 20  # values is NULL
_ROWS_OF_UNIT = 3  # where units have many
_WIDE = 100  # is a range of numbers that lacks a bound
_LONG = timedelta(days=3652)
_FIRST_DAY = date(2020, 1, 1)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_WORD = 6  # letters at most
_KEYS = 16  # values of a key
_MOST_MATCHES = 100
_OF_COMPANION = 300  # rows of another confidential table: of units 0 to 99
_MOMENT = timedelta(microseconds=1)

Draws = Sequence[int]  # 64 fair bits for each row


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """Made-up rows behind an engine, and the facts that go with them: a public size is theirs, not the table's.

    ``rows`` is how many there are, ``meant`` how many the asker or the facts spoke of.
    """

    facts: model.Facts
    engine: Engine
    rows: int
    meant: int

    @property
    def note(self) -> str:
        """What to say beside every answer."""
        fewer = f"; {self.meant:,} were meant, and a rehearsal has {MOST_ROWS:,} at most" if self.rows < self.meant else ""
        return f"a rehearsal on {self.rows:,} rows made up from the facts: nothing here is about the table{fewer}"


def rehearsal(facts: model.Facts, count: int | None = None) -> Rehearsal:
    """An engine over made-up rows: ``count`` of them, else as many as the facts say, else 1 000; never above 10 000."""
    meant = _meant(facts, count)
    rows = min(meant, MOST_ROWS)
    theirs = replace(facts, rows=rows) if facts.rows is not None else facts  # else means would divide by another size
    theirs = replace(theirs, units=-(-rows // _ROWS_OF_UNIT)) if facts.units is not None else theirs
    return Rehearsal(theirs, Reference(theirs, made_up_rows(facts, rows), made_up_lookups(facts)), rows, meant)


def made_up_rows(facts: model.Facts, count: int | None = None) -> list[dict[str, Raw]]:
    """Rows as ``Reference`` takes them, 10 000 at most."""
    size = min(_meant(facts, count), MOST_ROWS)
    entropy = fresh()
    met = {join.column for join in facts.joins if isinstance(join, model.Lookup)}
    columns = {column.name: _values(column, size, entropy, of_key=column.name in met) for column in facts.columns}
    if isinstance(facts.unit, model.ByColumn):
        columns[facts.unit.column] = [i // _ROWS_OF_UNIT for i in range(size)]
    return [{name: values[i] for name, values in columns.items()} for i in range(size)]


def made_up_lookups(facts: model.Facts) -> dict[str, list[dict[str, Raw]]]:
    """Lookups as ``Reference`` takes them, with no more rows of a key than declared."""
    entropy = fresh()
    found = {join.name: _lookup_rows(join, facts, entropy) for join in facts.joins if isinstance(join, model.Lookup)}
    companions = [join for join in facts.joins if isinstance(join, model.Companion)]
    return found | {join.name: made_up_rows(join.facts, _OF_COMPANION) for join in companions}


def _lookup_rows(join: model.Lookup, facts: model.Facts, entropy: Entropy) -> list[dict[str, Raw]]:
    ours = next(column for column in facts.columns if column.name == join.column)
    theirs, often = key_column(join, facts), min(join.max_matches, _MOST_MATCHES)
    different = {found: raw for raw in _key_values(ours) if (found := read(theirs, raw)) is not None}
    present = list(different.values())[: max(1, 3 * len(different) // 4)]
    keys = [key for place, key in enumerate(present) for _ in range(1 if place % 2 else often)]
    columns = {column.name: _values(column, len(keys), entropy) for column in join.columns} | {join.match: keys}
    return [{name: values[i] for name, values in columns.items()} for i in range(len(keys))]


def _key_values(column: model.Column) -> list[Raw]:
    """A few values of a key, the same every time: rows and lookups draw from them alike."""
    make = _maker(column)
    return [make((2 * place + 1) * (1 << 64) // (2 * _KEYS)) for place in range(_KEYS)]


def _meant(facts: model.Facts, count: int | None) -> int:
    if count is not None:
        return exact_whole(count, "count", at_least=1)
    return facts.rows or facts.rows_about or _USUAL_ROWS


def _values(column: model.Column, size: int, entropy: Entropy, *, of_key: bool = False) -> list[Raw]:
    """One column; that of a join's key takes one of a few values."""
    some = _key_values(column) if of_key else []
    make = (lambda draw: some[_below(len(some), draw)]) if of_key else _maker(column)
    draws, nulls = _draws(size, entropy), _draws(size, entropy)
    return [None if _below(_ONE_IN, null) == 0 else make(draw) for draw, null in zip(draws, nulls, strict=True)]


def _draws(size: int, entropy: Entropy) -> Draws:
    words = np.empty(size, np.uint64)
    entropy.fill(words)
    return [int(word) for word in words]


def _below(count: int, draw: int) -> int:
    """One of 0 … count - 1, each as likely as the other but for one part in 2^64 / count."""
    return draw * count >> 64


def _maker(column: model.Column) -> Callable[[int], Raw]:
    """What turns 64 bits into a value of the column."""
    match column:
        case model.Number(lower=lower, upper=upper):
            low, high = _range(lower, upper)
            return lambda draw: nearest(low + (high - low) * Fraction(draw, (1 << 64) - 1))
        case model.Integer(lower=lower, upper=upper):
            first, last = (int(end) for end in _range(lower, upper))
            return lambda draw: first + _below(last - first + 1, draw)
        case model.Category(values=values, other=other):
            choices = (*values, _undeclared(values)) if other else values
            return lambda draw: choices[_below(len(choices), draw)]
        case model.Boolean():
            return lambda draw: _below(2, draw) == 1
        case model.Date(lower=lower, upper=upper):
            start, end = _days(lower, upper)
            return lambda draw: start + timedelta(days=_below((end - start).days + 1, draw))
        case model.Timestamp(lower=lower, upper=upper):
            begin, close = _moments(lower, upper)
            return lambda draw: begin + _below((close - begin) // _MOMENT + 1, draw) * _MOMENT
        case model.Text(max_length=length):
            return lambda draw: _word(draw, min(_WORD, length))
        case _:
            assert_never(column)


def _range(lower: Fraction | int | None, upper: Fraction | int | None) -> tuple[Fraction | int, Fraction | int]:
    if lower is None:
        return (0, _WIDE) if upper is None else (upper - _WIDE, upper)
    return lower, lower + _WIDE if upper is None else upper


def _undeclared(values: tuple[model.Scalar, ...]) -> model.Scalar:
    numbers = [value for value in values if isinstance(value, int)]
    return max(numbers) + 1 if numbers else max((str(value) for value in values), key=len) + "+"


def _days(lower: date | None, upper: date | None) -> tuple[date, date]:
    first = lower or (_FIRST_DAY if upper is None else date.fromordinal(max(1, upper.toordinal() - _LONG.days)))
    return first, upper or date.fromordinal(min(date.max.toordinal(), first.toordinal() + _LONG.days))


def _moments(lower: datetime | None, upper: datetime | None) -> tuple[datetime, datetime]:
    first, last = _days(lower and lower.date(), upper and upper.date())
    return lower or datetime.combine(first, time.min), upper or datetime.combine(last, time.max)


def _word(draw: int, longest: int) -> str:
    """A few letters: the lowest bits say how many, the others which."""
    length, rest = 1 + draw % max(1, longest), draw >> 8
    letters = []
    for _ in range(length):
        rest, place = divmod(rest, len(_LETTERS))
        letters.append(_LETTERS[place])
    return "".join(letters)
