"""Which process made something, whether it still lives, and what it left behind if it does not.

A process is told by its machine, the boot of that machine, its number and its start. Temporary folders carry all four in their
names, so that what a killed process left can be swept by the next one, and nothing that somebody still uses.
"""

import os
import platform
import re
import shutil
import sys
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp

__all__ = ["boot", "lives", "started", "sweep", "temporary_folder"]


def lives(process: int, begun: str) -> bool:
    """Whether a process of this machine and boot, which began then, is still there."""
    if sys.platform == "win32":  # asking would interrupt it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return started(process) == begun


def boot() -> str:
    """The boot of this machine; '' where it has no name."""
    place = Path("/proc/sys/kernel/random/boot_id")
    return place.read_text(encoding="ascii").strip() if place.exists() else ""


def started(process: int) -> str:
    """When a process began, in clock ticks: its number alone may belong to another one by now. A zombie has ended."""
    place = Path(f"/proc/{process}/stat")
    try:
        words = place.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "ended" if words[0] in ("Z", "X") else words[19]


def temporary_folder(prefix: str, inside: str | Path) -> str:
    """A new folder for this process and its user only."""
    return mkdtemp(prefix=f"{prefix}{_mark(os.getpid())}-", dir=inside)


def sweep(prefix: str, inside: str | Path) -> None:
    """Remove the temporary folders of that prefix whose process is dead. Whatever is in doubt stays."""
    with suppress(OSError), os.scandir(inside) as found:
        left = [each.path for each in found if each.name.startswith(prefix) and _is_left(each, prefix)]
        for path in left:
            shutil.rmtree(path, ignore_errors=True)


def _is_left(entry: "os.DirEntry[str]", prefix: str) -> bool:
    found = re.match(r"(\d+)-(\d*)-([0-9a-f]{6})-([0-9a-f]{6})-.", entry.name.removeprefix(prefix))
    if found is None or sys.platform == "win32":
        return False
    process, begun, machine, since = found.groups()
    if machine != _short(platform.node()):
        return False  # its processes cannot be seen from here
    if not entry.is_dir(follow_symlinks=False) or entry.stat(follow_symlinks=False).st_uid != os.geteuid():
        return False
    return since != _short(boot()) or not lives(int(process), begun)


@lru_cache(maxsize=4)
def _mark(process: int) -> str:
    return f"{process}-{started(process)}-{_short(platform.node())}-{_short(boot())}"


def _short(name: str) -> str:
    return sha256(name.encode()).hexdigest()[:6]
