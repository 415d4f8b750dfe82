"""Who is working on a charge, and whether they still live. A charge is resumed only after the death of its process (rule 15)."""

import os
import platform
from functools import lru_cache

from discreet.processes import boot, lives, started

__all__ = ["LEASE", "is_dead", "owner"]

LEASE = 60.0  # seconds; renewed while the work goes on


def owner() -> str:
    """This process: machine, boot, process and its start."""
    return _owner(os.getpid())


@lru_cache(maxsize=4)
def _owner(process: int) -> str:
    return "|".join((platform.node(), boot(), str(process), started(process)))


def is_dead(other: str, lease: float, clock: float) -> bool:
    """Whether the owner of a lease is gone: its process is not there any more, or it has not renewed its lease."""
    if clock > lease:
        return True
    if other == owner():
        return False
    node, since, process, begun = other.split("|")
    if node != platform.node():
        return False  # of another machine only the lease is known
    if since != boot():
        return True
    return not lives(int(process), begun)
