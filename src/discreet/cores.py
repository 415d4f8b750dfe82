"""Which cores this process runs on. Threads run where the one runs that started them, unless they are told otherwise.

A process whose threads hand work to each other is quicker on one core, where as many others are busy: what is handed over begins
at once there, while on another core it waits behind whatever that one does. An engine's own threads are to be spread all the
same. Only Linux is told; elsewhere nothing here has an effect.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import ClassVar

__all__ = ["all_cores", "on_all_cores", "stay_on"]


class _Known:
    """What this process had before it was told to stay on one."""

    cores: ClassVar[frozenset[int]] = frozenset()


def all_cores() -> frozenset[int]:
    """The cores that this process may use, whether or not it stays on one of them; none where the system tells of none."""
    return _Known.cores or _now()


def stay_on(core: int) -> None:
    """Keep this thread on a core, and with it all that it starts."""
    _Known.cores = all_cores()
    _move({core})


@contextmanager
def on_all_cores() -> Iterator[None]:
    """Inside, this thread and what it starts may run on any core."""
    now = _now()
    if now == all_cores():
        yield
        return
    _move(all_cores())
    try:
        yield
    finally:
        _move(now)


if sys.platform == "linux":

    def _now() -> frozenset[int]:
        return frozenset(os.sched_getaffinity(0))

    def _move(cores: set[int] | frozenset[int]) -> None:
        with suppress(OSError):  # not allowed here, or none of them is there any more: it stays where it is
            os.sched_setaffinity(0, cores)

else:

    def _now() -> frozenset[int]:
        return frozenset()

    def _move(cores: set[int] | frozenset[int]) -> None:
        pass
