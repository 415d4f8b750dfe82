"""How much of the machine an engine may use: public numbers, the same for every question and every table.

Half of the memory that this process may have, 32 GiB of temporary files, and as many threads as there are processors, at most
16; the workers of a service, ``DISCREET_WORKERS`` of them, share the memory. Whoever runs discreet may write other
numbers into the environment: ``DISCREET_MEMORY`` and ``DISCREET_DISK`` in MiB, ``DISCREET_THREADS``. None of them changes an
answer or what it costs.
"""

import os
from pathlib import Path

from discreet.cores import all_cores
from discreet.errors import ParameterError

__all__ = ["limits"]

_DISK = 32 * 1024  # MiB
_MOST_THREADS = 16
_SMALLEST = 256  # MiB: below it no question of some size is answered
_CGROUP = Path("/sys/fs/cgroup/memory.max")
_USUAL = 8 * 1024  # MiB, where a system does not say how much it has


def limits() -> dict[str, str]:
    """Memory, disk and threads, as DuckDB's settings."""
    workers = _whole("DISCREET_WORKERS", 1)
    return {
        "memory_limit": f"{_whole('DISCREET_MEMORY', max(_SMALLEST, _memory() // 2 // workers))}MiB",
        "max_temp_directory_size": f"{_whole('DISCREET_DISK', _DISK)}MiB",
        "threads": str(_whole("DISCREET_THREADS", min(_MOST_THREADS, _processors()))),
    }


def _whole(name: str, otherwise: int) -> int:
    written = os.environ.get(name, "").strip()
    if not written:
        return otherwise
    if not (written.isascii() and written.isdigit()) or not 0 < int(written) < 1 << 30:
        raise ParameterError(f"{name} is {written[:20]!r}, not a whole number above 0", hint=f"write {name}={otherwise}")
    return int(written)


def _memory() -> int:
    """The memory of this machine or of its container, in MiB."""
    try:
        whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    except (AttributeError, OSError, ValueError):  # Windows has no sysconf
        return _USUAL
    try:
        return min(whole, int(_CGROUP.read_text(encoding="ascii")) >> 20)
    except (OSError, ValueError):  # no container, or one without a limit
        return whole


def _processors() -> int:
    return len(all_cores()) or os.cpu_count() or 1
