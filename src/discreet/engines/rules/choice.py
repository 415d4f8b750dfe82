"""Which rows and groups of a unit stay where it has too many: a function of its own rows and of a fixed key, and of nothing else.

A unit has a number N: itself if it is a whole number of 18 digits at most, else taken from the MD5 of its text. Mixed with the
key it gives h = (N * FACTOR + key) mod PRIME, and from h come

- the offset r = h mod n at which n rows are thinned to m: in their order, row p = 1, ..., n stays if
  floor((p * m + r) / n) > floor(((p - 1) * m + r) / n). Exactly m stay, evenly spread, each as often as any other;
- the groups that stay. Of a question with FEW cells or fewer they are thinned as rows are, in the order of their cells: the
  cells of a unit are then the bits of one number, so that an engine can know them before it adds anything up. The offset is of
  the high bits, h >> 15: with that of the rows, each group would always keep the same of them. Of a question with more cells
  they have an order of their own: cell c comes by (z^5 mod PRIME) >> 15, z = (h + (c + 1) * STEP) mod PRIME, then by c; the
  first ``groups`` stay. z → z^5 is one to one modulo PRIME and far from linear, so that every group is left out about equally
  often. A key that no list names has no cell: its own number modulo PRIME is in the place of c, and the last word is the key's.

The order of rows is that of the values of the columns that the question reads, NULL first; rows that are tied are the same to the
question, so that it makes no difference which of them stays. All of this is whole-number arithmetic below 2^63.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import md5, sha256
from itertools import groupby
from math import isnan

from discreet.engines.rules.values import MISSING, SAFE, Raw, Value
from discreet.engines.wanted import Bound, CountsWanted, KeysWanted, Wanted
from discreet.questions.algebra import Column
from discreet.questions.walk import every

__all__ = [
    "DIGITS",
    "FACTOR",
    "FEW",
    "GROUP_SHIFT",
    "LONGEST",
    "MOST_DIGITS",
    "PRIME",
    "Placed",
    "STEP",
    "columns_read",
    "group_order",
    "kept",
    "key_for",
    "mixed",
    "number_of",
    "number_of_key",
    "settled",
    "stays",
    "unit_of",
]

PRIME = (1 << 31) - 1
FACTOR, STEP = 1_103_515_245, 747_796_405  # below PRIME, with no small relation between them
DIGITS = r"0|-?[1-9][0-9]{0,17}"  # of a whole number, written as it is printed
LONGEST = 19  # characters, of these
MOST_DIGITS = 10**18 - 1  # the largest of these

FEW = 62  # cells, as bits of a number below 2^62
GROUP_SHIFT = 15  # the high bits of h, for groups: rows are thinned by h itself, which is for small numbers its low ones

_DIGITS = re.compile(DIGITS)

Row = Mapping[str, Value]
Placed = tuple[str, int, Row]  # unit, cell, row


def key_for(table: str) -> int:
    """The key of a table's choices, fixed for its life."""
    return int(sha256(table.encode()).hexdigest(), 16) % PRIME


def columns_read(wanted: Wanted | CountsWanted | KeysWanted) -> frozenset[str]:
    """The names of all columns that the question reads, except that of the unit."""
    read = [wanted.where, *([] if isinstance(wanted, KeysWanted) else [key.of for key in wanted.keys])]
    match wanted:
        case Wanted(measures=measures):
            read += [part for measure in measures for part in (measure.of, measure.and_of, measure.filter)]
        case CountsWanted(of=of, filter=condition):
            read += [of, condition]
        case KeysWanted(of=of):
            read.append(of)
    named = frozenset(one.name for part in read if part is not None for one in every(part) if isinstance(one, Column))
    return named | wanted.also_read if isinstance(wanted, Wanted) else named


# ---- the unit


def unit_of(raw: Raw) -> str | None:
    """What tells a unit apart, as text: whole numbers are their digits. None drops the row."""
    match raw:
        case None:
            return None
        case bool():
            return str(raw).lower()  # as databases write it
        case float():
            return None if isnan(raw) else str(int(raw)) if raw.is_integer() and abs(raw) <= SAFE else repr(raw)
        case str():
            return None if raw in MISSING else raw
        case _:
            return str(raw)


def number_of(unit: str) -> int:
    """The number of a unit."""
    if _DIGITS.fullmatch(unit):
        return int(unit)
    return int(md5(unit.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:15], 16)


def mixed(unit: str, key: int) -> int:
    """h, from 0 to PRIME - 1."""
    return (number_of(unit) % PRIME * FACTOR + key) % PRIME


def group_order(h: int, cell: int) -> int:
    """Where a cell is in the order of a unit's groups, from 0 to 2^16 - 1."""
    z = (h + (cell + 1) * STEP) % PRIME
    return ((z * z % PRIME) ** 2 % PRIME * z % PRIME) >> 15


def number_of_key(key: str | float) -> int:
    """What is in the place of a cell where no list names a unit's keys, from 0 to PRIME - 1."""
    return number_of(key if isinstance(key, str) else unit_of(key) or "") % PRIME


def stays(place: int, rows: int, most: int, h: int) -> bool:
    """Whether the row at ``place`` = 1, ..., ``rows`` is one of the ``most`` that stay."""
    offset = h % rows
    return rows <= most or (place * most + offset) // rows > ((place - 1) * most + offset) // rows


# ---- what is constant per unit


def settled(rows: Sequence[Row], units: Sequence[str | None], columns: Sequence[str]) -> list[Row]:
    """The rows with one value of these columns for each unit: the least that it has, NULL only if it has no other."""
    least: dict[tuple[str | None, str], Value] = {}
    for row, unit in zip(rows, units, strict=True):
        for name in columns:
            met, value = least.get((unit, name)), row[name]
            least[unit, name] = value if met is None else met if value is None else min(met, value)
    return [{**row, **{name: least[unit, name] for name in columns}} for row, unit in zip(rows, units, strict=True)]


# ---- row by row


def kept(placed: Iterable[Placed], bound: Bound, columns: Sequence[str], cells: int) -> list[Placed]:
    """The rows that stay, of a question with so many cells."""
    ordered = sorted(placed, key=lambda one: (one[0], _rank(one[2], columns)))
    of_units = groupby(ordered, key=lambda one: one[0])
    return [one for unit, rows in of_units for one in _of_unit(unit, list(rows), bound, cells)]


def _rank(row: Row, columns: Sequence[str]) -> list[tuple[bool, Value]]:
    return [(row[name] is not None, row[name] if row[name] is not None else 0.0) for name in columns]


def _of_unit(unit: str, rows: list[Placed], bound: Bound, cells: int) -> list[Placed]:
    """What stays of one unit, whose rows are in their order, and stay in it."""
    h = mixed(unit, bound.key)
    if bound.groups is not None:
        stay = _groups({cell for _, cell, _ in rows}, bound.groups, h, cells)
        rows = [one for one in rows if one[1] in stay]
    if bound.rows_per_group is not None:
        sizes, places = Counter(cell for _, cell, _ in rows), Counter[int]()
        rows = [one for one in rows if stays(_next(places, one[1]), sizes[one[1]], bound.rows_per_group, h)]
    if bound.rows is not None:
        rows = [one for place, one in enumerate(rows, 1) if stays(place, len(rows), bound.rows, h)]
    return rows


def _groups(of_unit: set[int], most: int, h: int, cells: int) -> set[int]:
    """Those of a unit's cells that stay."""
    if cells > FEW:
        return set(sorted(of_unit, key=lambda cell: (group_order(h, cell), cell))[:most])
    return {cell for place, cell in enumerate(sorted(of_unit), 1) if stays(place, len(of_unit), most, h >> GROUP_SHIFT)}


def _next(places: Counter[int], cell: int) -> int:
    places[cell] += 1
    return places[cell]
