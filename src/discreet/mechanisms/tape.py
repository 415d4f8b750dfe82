"""What mechanisms were given, written down; and a tape that gives a second table the outputs of the first. Made-up tables only.

A registered table refuses to be asked while either is on (rule 32).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.mechanisms.noisy import AddsNoise, observer
from discreet.noise.draws import draw, draw_exactly_one
from discreet.noise.keystream import fresh

__all__ = ["Call", "Tape", "played", "recorded", "taped"]


@dataclass(frozen=True, slots=True)
class Call:
    """A mechanism as it was called, and the exact integers (or the ranking) that it was given."""

    mechanism: Any
    exact: Any


@dataclass(frozen=True, slots=True)
class Tape:
    """The calls of one run and, for each, what was released."""

    calls: list[Call]
    released: list[Any]


@contextmanager
def recorded() -> Iterator[list[Call]]:
    """Inside, every release is written down with what it was given, so that two neighbouring tables can be compared."""
    calls: list[Call] = []
    token = observer.set(lambda mechanism, exact: calls.append(Call(mechanism, exact)))
    try:
        yield calls
    finally:
        observer.reset(token)


@contextmanager
def taped() -> Iterator[Tape]:
    """Inside, every release is written down with what it was given and what came out."""
    tape = Tape([], [])

    def tell(mechanism: AddsNoise, exact: Any) -> object:
        tape.calls.append(Call(mechanism, exact))
        tape.released.append(_noisy(mechanism, exact))
        return tape.released[-1]

    token = observer.set(tell)
    try:
        yield tape
    finally:
        observer.reset(token)


@contextmanager
def played(tape: Tape) -> Iterator[list[Call]]:
    """Inside, every release gives what the tape has for the call in its place, as long as the mechanism and the shape agree."""
    calls: list[Call] = []

    def tell(mechanism: AddsNoise, exact: Any) -> object:
        place = len(calls)
        calls.append(Call(mechanism, exact))
        if place < len(tape.calls) and np.shape(tape.released[place]) == np.shape(exact):
            return tape.released[place]
        return None  # another call than on the tape: fresh noise, and whoever compares the calls will say so

    token = observer.set(tell)
    try:
        yield calls
    finally:
        observer.reset(token)


def _noisy(mechanism: AddsNoise, exact: Any) -> Any:
    law = mechanism.law
    if isinstance(exact, int):
        return exact + draw_exactly_one(law, fresh())
    assert isinstance(exact, np.ndarray)
    if exact.dtype == object:
        entropy = fresh()
        return exact + np.array([draw_exactly_one(law, entropy) for _ in range(exact.size)], dtype=object).reshape(exact.shape)
    return exact + draw(law, exact.size, fresh()).reshape(exact.shape)
