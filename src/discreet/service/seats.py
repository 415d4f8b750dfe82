"""A core for each worker, where the workers can be dealt out evenly over the cores: see ``discreet.cores``.

A seat is a name that one process of the system at a time can have. It is free again when the process ends, however it does, so
that whoever replaces a worker that died has its seat. One that begins before the old one ends finds none, and runs anywhere.
"""

import os
import socket
from contextlib import suppress
from pathlib import Path

from discreet.cores import all_cores, stay_on

__all__ = ["take_seat"]


def take_seat(workers: int) -> None:
    """Stay on a core of our own among so many workers of one service; nothing where they are no multiple of the cores."""
    cores = sorted(all_cores())
    if not cores or workers % len(cores):
        return
    with suppress(OSError):  # whoever runs us may have forbidden it
        room = Path("/proc/self/ns/pid").stat().st_ino  # several containers may share names of sockets, and have like processes
        seat = next((place for place in range(workers) if _is_taken(f"discreet-{room}-{os.getppid()}-{place}")), None)
        if seat is not None:
            stay_on(cores[seat % len(cores)])


def _is_taken(name: str) -> bool:
    """Whether a name is ours now: Linux has names of sockets that are in no folder. Nobody listens there."""
    held = socket.socket(socket.AF_UNIX)
    try:
        held.bind(f"\0{name}")
    except OSError:  # somebody else has it
        held.close()
        return False
    held.detach()  # it stays open as long as this process lives
    return True
