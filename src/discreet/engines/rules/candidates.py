"""Candidates for keys that no public list names, in plain Python: the values that enough units have, and how many do.

A unit that has more keys than it may be in keeps those that come first in an order of its own, by the rules of ``choice``; that
depends on its own rows alone and is the same on every engine. Values below the public minimum do not leave it. Rules 24 and 25.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from discreet.engines.rules.choice import group_order, mixed, number_of_key
from discreet.engines.rules.evaluate import evaluate
from discreet.engines.rules.values import Value
from discreet.engines.wanted import Candidates, KeysWanted

__all__ = ["candidates", "in_order"]


def candidates(wanted: KeysWanted, rows: Sequence[Mapping[str, Value]], units: Sequence[str | None]) -> Candidates:
    """The same in plain Python; ``units`` has the unit of each row, or nothing if each is its own."""
    met: dict[str, set[Value]] = {}
    for place, row in enumerate(rows):
        unit = str(place) if wanted.groups is None else units[place]
        if unit is None or (wanted.where is not None and evaluate(wanted.where, row) is not True):
            continue
        met.setdefault(unit, set()).add(evaluate(wanted.of, row))
    counts: dict[str | float, int] = {}
    for unit, keys in met.items():
        for key in _kept(unit, [key for key in keys if isinstance(key, str | float)], wanted):
            counts[key] = counts.get(key, 0) + 1
    return in_order((key, count) for key, count in counts.items() if count >= wanted.at_least)


def _kept(unit: str, keys: Sequence[str | float], wanted: KeysWanted) -> Sequence[str | float]:
    """The keys that one unit counts for."""
    if wanted.groups is None or len(keys) <= wanted.groups:
        return keys
    h = mixed(unit, wanted.key)
    return sorted(keys, key=lambda key: (group_order(h, number_of_key(key)), number_of_key(key), key))[: wanted.groups]


def in_order(found: Iterable[tuple[str | float, int]]) -> Candidates:
    """The candidates in the order of their values."""
    ordered = sorted(found, key=lambda each: each[0])
    return Candidates(tuple(key for key, _ in ordered), np.array([count for _, count in ordered], np.int64))
