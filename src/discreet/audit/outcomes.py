"""What one call of a mechanism gave, whatever it is: numbers, keys, a size, a shape, or an error."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.errors import ParameterError

__all__ = ["Hung", "Raised", "error_of", "key_texts", "numbers_of", "outcome_of", "shape_of", "size_of"]

_LONGEST = 160  # characters of a text that are told


@dataclass(frozen=True, slots=True)
class Raised:
    """A call that ended in an error instead of an outcome."""

    kind: str
    message: str


class Hung(ParameterError):
    """A call that did not come back in time: not an outcome, and the end of the audit."""


def error_of(outcome: object) -> str:
    """The error, or ``none``."""
    return f"{outcome.kind}: {outcome.message}"[:_LONGEST] if isinstance(outcome, Raised) else "none"


def outcome_of(outcome: object) -> str:
    """The whole outcome as text."""
    return "error" if isinstance(outcome, Raised) else repr(_plain(outcome))[:_LONGEST]


def shape_of(outcome: object) -> str:
    """What kind of thing it is, and how many are in it."""
    match outcome:
        case Raised():
            return "error"
        case np.ndarray():
            return f"array {outcome.shape}"
        case bool() | int() | float() | np.generic():
            return "number"
        case Mapping() | list() | tuple() | set() | frozenset():
            return f"{type(outcome).__name__} of {len(outcome)}"
        case _:
            return type(outcome).__name__


def size_of(outcome: object) -> float:
    """How many are in it, or how long it is; NaN of what has no size."""
    return float(len(outcome)) if isinstance(outcome, Mapping | list | tuple | set | frozenset | str | bytes) else math.nan


def key_texts(outcome: object) -> frozenset[str]:
    """The keys of a mapping and the members of a set, as texts."""
    return frozenset(map(repr, outcome)) if isinstance(outcome, Mapping | set | frozenset) else frozenset()


def numbers_of(outcome: object, most: int) -> dict[str, float]:
    """Every number in an outcome, by a name that says where it is."""
    plain = _plain(outcome)
    if isinstance(plain, bool | int | float):
        return {"value": _float(plain)}
    if isinstance(plain, Mapping):
        named = [(f"value[{str(key)[:40]!r}]", value) for key, value in plain.items()]
    elif isinstance(plain, list | tuple):
        named = [(f"value[{place}]", value) for place, value in enumerate(_flat(plain))]
    else:
        return {}
    return {name: _float(value) for name, value in named[:most] if isinstance(value, bool | int | float | np.number)}


def _plain(outcome: object) -> object:
    return outcome.tolist() if isinstance(outcome, np.ndarray | np.generic) else outcome


def _flat(values: Sequence[object]) -> list[object]:
    found: list[object] = []
    for value in values:
        found.extend(_flat(value) if isinstance(value, list | tuple) else [value])
    return found


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
