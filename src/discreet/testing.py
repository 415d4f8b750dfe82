"""Entropy that repeats itself and a record of what mechanisms were given, for docs and tests only.

Nothing in the flow imports this module, and no option, environment variable or file leads to it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import shake_256
from itertools import count
from pathlib import Path

from discreet.curator import Curator, curator_in_memory
from discreet.curator.opening import public_facts
from discreet.engines import open_engine
from discreet.errors import AccessError
from discreet.ledger import open_ledger, place_of
from discreet.ledger.registry import known
from discreet.mechanisms.tape import Call, recorded
from discreet.noise.keystream import Entropy, Keystream, source

__all__ = ["Call", "open_unregistered", "recorded", "repeatable", "seeded"]


def repeatable(label: str) -> Entropy:
    """A keystream whose keys follow from ``label``."""
    turns = count()
    return Keystream(lambda size: shake_256(f"{label}/{next(turns)}".encode()).digest(size))


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Inside, every release takes its noise from ``seed`` and its place in the order of releases: worthless as protection."""
    releases = count()
    token = source.set(lambda: repeatable(f"{seed}/{next(releases)}"))
    try:
        yield
    finally:
        source.reset(token)


def open_unregistered(path: str | Path) -> Curator:
    """The table of a facts file with a budget that lives in this process. Refused once the table is registered."""
    facts, place = public_facts(Path(path)), place_of(Path(path))
    if place.exists() and known(open_ledger(place), facts.name) is not None:
        raise AccessError(f"{facts.name} is registered", hint="open it with dc.open")
    return curator_in_memory(facts, open_engine(facts))
