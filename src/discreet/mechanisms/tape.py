"""What mechanisms were given, written down; and a tape that gives a second table the outcomes of the first. Made-up tables only.

A registered table refuses to be asked while any of these is on (rule 32).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.mechanisms.observing import observer
from discreet.mechanisms.quantile import Ranking
from discreet.mechanisms.selects import Scored

__all__ = ["Call", "Tape", "among", "are_alike", "played", "recorded", "taped"]

Draw = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A mechanism as it was called, and what it was given: exact integers, places with their ranks, or units per key."""

    mechanism: Any
    exact: Any


@dataclass(frozen=True, slots=True)
class Tape:
    """The calls of one run and, for each, what came out."""

    calls: list[Call]
    released: list[Any]


@contextmanager
def recorded() -> Iterator[list[Call]]:
    """Inside, every call is written down with what it was given, so that two neighbouring tables can be compared."""
    calls: list[Call] = []

    def outcome(call: Call, draw: Draw) -> Any:
        calls.append(call)
        return draw()

    with _observing(outcome):
        yield calls


@contextmanager
def taped() -> Iterator[Tape]:
    """Inside, every call is written down with what it was given and what came out."""
    tape = Tape([], [])

    def outcome(call: Call, draw: Draw) -> Any:
        tape.calls.append(call)
        tape.released.append(draw())
        return _copy(tape.released[-1])

    with _observing(outcome):
        yield tape


@contextmanager
def played(tape: Tape) -> Iterator[list[Call]]:
    """Inside, every call gives what the tape has for the call in its place, as long as the two are alike.

    Another call than on the tape draws for itself, and whoever compares the calls will say so.
    """
    calls: list[Call] = []

    def outcome(call: Call, draw: Draw) -> Any:
        place = len(calls)
        calls.append(call)
        return _copy(tape.released[place]) if place < len(tape.calls) and are_alike(tape.calls[place], call) else draw()

    with _observing(outcome):
        yield calls


def are_alike(call: Call, other: Call) -> bool:
    """Whether two calls are the same in all that is public: the mechanism with its parameters, and among what it chooses."""
    return bool(call.mechanism == other.mechanism) and among(call) == among(other)


def among(call: Call) -> tuple[object, ...]:
    """What is public about what a mechanism was given: a shape, first and last place, or weights. Nothing, of unknown keys."""
    match call.exact:
        case Ranking(node=node):
            return node.first, node.last
        case Scored(whole=whole, weights=weights):
            return len(whole), None if weights is None else tuple(map(int, weights))
        case int() | np.ndarray() as numbers:
            return (*np.shape(numbers),)
        case _:
            return ()


@contextmanager
def _observing(outcome: Callable[[Call, Draw], Any]) -> Iterator[None]:
    inside = False

    def asked(mechanism: Any, exact: Any, draw: Draw) -> Any:
        nonlocal inside
        if inside:  # a choice that draws by another mechanism: part of the same call
            return draw()
        inside = True
        try:
            return outcome(Call(mechanism, exact), draw)
        finally:
            inside = False

    token = observer.set(asked)
    try:
        yield
    finally:
        observer.reset(token)


def _copy(outcome: Any) -> Any:
    return outcome.copy() if isinstance(outcome, np.ndarray) else outcome
