"""Made-up neighbouring tables to audit with: ordinary rows, odd values, and the constants that the question speaks of.

Nothing here opens a source: rows come from the facts alone (rule 32).
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from math import inf, nan
from typing import Any

import numpy as np

from discreet.engines.reference.made_up import made_up_rows
from discreet.engines.rules.values import Raw, nearest
from discreet.facts import model
from discreet.noise.keystream import Entropy, fresh

__all__ = ["Pair", "Row", "Sizes", "as_text", "made_up_pairs", "shrunk"]

Row = Mapping[str, Raw]

_POOL = 64  # ordinary rows to take from
_MOST_SHARED = 6
_UNIT, _ITS_SUCCESSOR = 99, 98  # the unit in which tables differ, and the one that replaces it
_LONG = 40  # letters of a text that are told
_CROWD = 1000  # the first of many units that are all alike
_ODD = (None, nan, inf, -inf, 1e308, -1e308, 5e-324, -0.0, 0, 1, -1, 2.0**53, 2.0**53 + 2, 2**63 - 1, -(2**63),
        "1e400", "-inf", "", "?", "7", "x")  # fmt: skip
_ODD_TEXTS = (None, "", "?", "%", "Alice", "'", "x" * 300)
_ODD_FLAGS = (None, True, False, "1", "no", "x")
_ODD_DAYS = (None, "2020-02-29", "0001-01-01", "9999-12-31", "x", date(2021, 3, 4))
_CONSTANT = re.compile(r"'((?:[^']|'')*)'|(?<![\w.])(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbouring tables: what they share, and the rows of the one unit in which they differ."""

    facts: model.Facts
    shared: tuple[Row, ...]
    one: tuple[Row, ...]
    other: tuple[Row, ...]

    @property
    def tables(self) -> tuple[list[Row], list[Row]]:
        """Both tables, the differing rows last."""
        return [*self.shared, *self.one], [*self.shared, *self.other]

    def sized(self) -> "Pair":
        """The same, with a public size that is right for it."""
        facts = self.facts
        if facts.rows is not None:
            facts = replace(facts, rows=len(self.shared) + len(self.one))
        if facts.units is not None and isinstance(facts.unit, model.ByColumn):
            others = {row.get(facts.unit.column) for row in self.shared} - {None}
            facts = replace(facts, units=1 + len(others))
        return replace(self, facts=facts)


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large made-up tables become: rows of the unit that differs, where it may have several, and units that are alike."""

    rows_of_unit: int = 5
    crowd: int = 12


class _Dice:
    """Choices from the keystream, a block at a time."""

    def __init__(self, entropy: Entropy) -> None:
        self._entropy = entropy
        self._left: list[int] = []

    def below(self, count: int) -> int:
        if not self._left:
            words = np.empty(1024, np.uint64)
            self._entropy.fill(words)
            self._left = words.tolist()
        return self._left.pop() * count >> 64

    def of(self, choices: Sequence[Any]) -> Any:
        return choices[self.below(len(choices))]


def made_up_pairs(facts: model.Facts, question: str, count: int, sizes: Sizes | None = None) -> Iterator[Pair]:
    """``count`` pairs of neighbouring tables under the relation of the facts."""
    dice, sizes = _Dice(fresh()), sizes or Sizes()
    maker = _Maker(facts, question, dice)
    for _ in range(count):
        shared = maker.shared(sizes)
        one, other = maker.unit(_UNIT, shared, sizes), maker.unit(_ITS_SUCCESSOR, shared, sizes)
        other = other if facts.neighbours == "change_one" else ()
        yield Pair(facts, shared, *((other, one) if dice.below(2) else (one, other))).sized()


class _Maker:
    """Makes rows: ordinary ones of which about every second value is replaced by an odd one."""

    def __init__(self, facts: model.Facts, question: str, dice: _Dice) -> None:
        self._dice, self._pool = dice, made_up_rows(facts, _POOL)
        self._odd = {column.name: _odd_values(column, _constants(question)) for column in facts.columns}
        self._unit = None if isinstance(facts.unit, model.EachRow) else facts.unit.column

    def shared(self, sizes: Sizes) -> tuple[Row, ...]:
        """A few units of all kinds, and half of the time a crowd of units that are alike; some rows belong to no unit."""
        few = [self._owned(self._row(), self._dice.below(4) or None) for _ in range(self._dice.below(_MOST_SHARED + 1))]
        if self._dice.below(2):
            return tuple(few)
        one = self._row()
        return (*few, *(self._owned(one, _CROWD + place) for place in range(1 + self._dice.below(sizes.crowd))))

    def unit(self, name: int, shared: Sequence[Row], sizes: Sizes) -> tuple[Row, ...]:
        """All rows of one unit: different ones, or one over and over; half of the time like some that are there already."""
        one = self._changed(self._dice.of(shared)) if shared and self._dice.below(2) else self._row()
        if self._unit is None:
            return (one,)
        count, is_same = 1 + self._dice.below(sizes.rows_of_unit), self._dice.below(2)
        return tuple(self._owned(one if is_same else self._row(), name) for _ in range(count))

    def _row(self) -> Row:
        return {name: self._value(name) if self._dice.below(2) else value for name, value in self._dice.of(self._pool).items()}

    def _changed(self, row: Row) -> Row:
        return {name: value if self._dice.below(4) else self._value(name) for name, value in row.items()}

    def _value(self, name: str) -> Raw:
        value: Raw = self._dice.of(self._odd.get(name, _ODD_TEXTS))
        return value

    def _owned(self, row: Row, unit: int | None) -> Row:
        return row if self._unit is None else {**row, self._unit: unit}


def _odd_values(column: model.Column, constants: Sequence[Raw]) -> list[Raw]:
    """Values that a column may hold and should survive: bounds, what lies beyond them, what is not of its kind."""
    match column:
        case model.Number(lower=lower, upper=upper) | model.Integer(lower=lower, upper=upper):
            ends = [nearest(end) for end in (lower, upper) if end is not None]
            return [*_ODD, *constants, *ends, *ends, *ends, *(end - 1 for end in ends), *(end + 1 for end in ends)]
        case model.Category(values=values):
            return [*values, *values[:1], *values[-1:], None, "", "?", "zzz", 10**6, *constants]
        case model.Boolean():
            return list(_ODD_FLAGS)
        case model.Date(lower=lower, upper=upper) | model.Timestamp(lower=lower, upper=upper):
            days: list[Raw] = [end for end in (lower, upper) if end is not None]
            beyond: list[Raw] = [day + timedelta(days=1) for day in days if isinstance(day, date) and day.year < 9999]
            return [*_ODD_DAYS, *days, *beyond, *(each for each in constants if isinstance(each, str))]
        case model.Text():
            return [*_ODD_TEXTS, *(each for each in constants if isinstance(each, str))]


def _constants(question: str) -> list[Raw]:
    """The texts and numbers of a question, and numbers beside them."""
    found: list[Raw] = []
    for text, number in _CONSTANT.findall(question):
        if number:
            found += [float(number) + step for step in (-1, 0, 1)]
        else:
            found.append(text.replace("''", "'"))
    return found[:60]


# ---- smaller counterexamples


def shrunk(pair: Pair, fails: Callable[[Pair], bool], most: int = 300) -> Pair:
    """A smaller pair that still fails: fewer rows, then emptier cells. ``fails`` is asked at most ``most`` times."""
    left = [most]

    def still(candidate: Pair) -> bool:
        left[0] -= 1
        return left[0] >= 0 and fails(candidate)

    for part in ("shared", "one", "other"):
        pair = _fewer_rows(pair, part, still)
    for part in ("shared", "one", "other"):
        for place in range(len(getattr(pair, part))):
            pair = _emptier(pair, part, place, still)
    return pair


def _fewer_rows(pair: Pair, part: str, still: Callable[[Pair], bool]) -> Pair:
    """Without as many rows of a part as can be spared, many at once first; the unit that differs keeps one."""
    least = 0 if part == "shared" else 1
    size = len(getattr(pair, part))
    while size:
        place = 0
        while place < len(rows := getattr(pair, part)):
            fewer: dict[str, Any] = {part: rows[:place] + rows[place + size :]}
            if len(fewer[part]) >= least and still(less := replace(pair, **fewer).sized()):
                pair = less
            else:
                place += size
        size //= 2
    return pair


def _emptier(pair: Pair, part: str, place: int, still: Callable[[Pair], bool]) -> Pair:
    rows: tuple[Row, ...] = getattr(pair, part)
    unit = pair.facts.unit.column if isinstance(pair.facts.unit, model.ByColumn) else None
    names = [name for name in rows[place] if name != unit]

    def without(kept: Row) -> Pair:
        changed: dict[str, Any] = {part: (*rows[:place], kept, *rows[place + 1 :])}
        return replace(pair, **changed)

    row = rows[place]
    if still(without(bare := {name: value for name, value in row.items() if name == unit})):
        return without(bare)
    for name in names:
        less = {each: value for each, value in row.items() if each != name}
        if still(without(less)):
            row = less
    return without(row)


def as_text(value: Raw) -> str:
    """A value as it is told."""
    if isinstance(value, str) and len(value) > _LONG:
        return f"{value[:_LONG]!r}… ({len(value)} letters)"
    return value.isoformat() if isinstance(value, date | datetime) else repr(value)
