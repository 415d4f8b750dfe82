"""Who is working on a charge, and whether they still live. A charge is resumed only after the death of its process (rule 15)."""

import os
import platform
import sys
from functools import lru_cache
from pathlib import Path

__all__ = ["LEASE", "is_dead", "owner"]

LEASE = 60.0  # seconds; renewed while the work goes on


def owner() -> str:
    """This process: machine, boot, process and its start."""
    return _owner(os.getpid())


@lru_cache(maxsize=4)
def _owner(process: int) -> str:
    return "|".join((platform.node(), _boot(), str(process), _started(process)))


def is_dead(other: str, lease: float, clock: float) -> bool:
    """Whether the owner of a lease is gone: its process is not there any more, or it has not renewed its lease."""
    if clock > lease:
        return True
    if other == owner():
        return False
    node, boot, process, started = other.split("|")
    if node != platform.node():
        return False  # of another machine only the lease is known
    if boot != _boot():
        return True
    return not _lives(int(process), started)


def _lives(process: int, started: str) -> bool:
    if sys.platform == "win32":  # asking would interrupt it: the lease decides
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return _started(process) == started


def _boot() -> str:
    place = Path("/proc/sys/kernel/random/boot_id")
    return place.read_text(encoding="ascii").strip() if place.exists() else ""


def _started(process: int) -> str:
    """When a process began, in clock ticks: its number alone may belong to another one by now. A zombie has ended."""
    place = Path(f"/proc/{process}/stat")
    try:
        words = place.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "ended" if words[0] in ("Z", "X") else words[19]
