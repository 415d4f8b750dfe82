"""Candidates for keys that no public list names, in plain Python: the values that enough units have, and how many do.

A unit that has more keys than it may be in keeps those whose MD5, salted, comes first (numbers: the smallest); that depends on
its own rows alone and is the same on every engine. Values below the public minimum do not leave the engine. Rules 24 and 25.
"""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import md5

import numpy as np

from discreet.engines.evaluate import evaluate
from discreet.engines.values import Value
from discreet.engines.wanted import Candidates, KeysWanted

__all__ = ["candidates", "in_order"]


def candidates(wanted: KeysWanted, rows: Sequence[Mapping[str, Value]], units: Sequence[str | None]) -> Candidates:
    """The same in plain Python; ``units`` has the unit of each row, or nothing if each is its own."""
    met: dict[object, set[Value]] = {}
    for place, row in enumerate(rows):
        unit: object = place if wanted.groups is None else units[place]
        if unit is None or (wanted.where is not None and evaluate(wanted.where, row) is not True):
            continue
        met.setdefault(unit, set()).add(evaluate(wanted.of, row))
    counts: dict[str | float, int] = {}
    for keys in met.values():
        some = [key for key in keys if isinstance(key, str | float)]
        for key in sorted(some, key=lambda each: _order(each, wanted.salt))[: wanted.groups]:
            counts[key] = counts.get(key, 0) + 1
    return in_order((key, count) for key, count in counts.items() if count >= wanted.at_least)


def _order(key: str | float, salt: str) -> tuple[str, str | float]:
    return (md5((key + salt).encode("utf-8", "replace"), usedforsecurity=False).hexdigest() if isinstance(key, str) else "", key)


def in_order(found: Iterable[tuple[str | float, int]]) -> Candidates:
    """The candidates in the order of their values."""
    ordered = sorted(found, key=lambda each: each[0])
    return Candidates(tuple(key for key, _ in ordered), np.array([count for _, count in ordered], np.int64))
