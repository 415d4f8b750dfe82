"""The files of a source, what they look like from outside, and what is in them: bytes, never parsed.

A look (size, time, inode and time of change of every file) decides when the bytes are digested again, and nothing else.
"""

import time
from dataclasses import dataclass
from errno import ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR
from hashlib import sha256
from pathlib import Path

from discreet.engines.patterns import fixed_part, matches
from discreet.facts.model import Source

__all__ = ["Look", "Seen", "digest_of", "files_of", "is_missing", "look_at", "old_stamps", "seen_in", "stamp"]

_BUFFER = 1 << 18
_TRIES = 3
_TICK = 50_000_000  # nanoseconds: two writes within one tick of a file system's clock look the same

Look = tuple[tuple[str, int, int, int, int], ...]  # of each file: name, size, time, inode, time of change


@dataclass(frozen=True, slots=True)
class Seen:
    """A source as it was found: its look, and the digest of every file by its name. Of a database, which table in it."""

    look: Look
    files: tuple[tuple[str, str], ...]
    table: str | None = None


def files_of(source: Source) -> list[Path]:
    """The files of a source, in a fixed order. Raises FileNotFoundError if there is none, OSError if there are too many."""
    found = matches(source.place) if source.glob else [Path(source.place)]
    if not found or not all(file.is_file() for file in found):
        raise FileNotFoundError
    return found


def is_missing(source: Source) -> bool:
    """Whether a source of files has none, or lacks one; not if what is there cannot be looked at."""
    try:
        files_of(source)
    except OSError as error:
        return source.kind in ("csv", "parquet", "duckdb") and error.errno in (None, ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP)
    return False


def look_at(source: Source) -> Look:
    """What a source looks like from outside. Raises OSError if it is gone."""
    return tuple((name, *_facts_of(file)) for name, file in _named(source))


def seen_in(source: Source) -> Seen:
    """A source with the digests of its files. Raises OSError if it is gone, or is written to all the while."""
    for _ in range(_TRIES):
        look = look_at(source)
        _let_the_clock_tick(look)
        files = tuple((name, digest_of(file)) for name, file in _named(source))
        if look_at(source) == look:
            return Seen(look, files, source.table)
    raise BlockingIOError("somebody is writing to it")


def digest_of(file: Path) -> str:
    """The SHA-256 of a file's bytes."""
    found, buffer = sha256(), bytearray(_BUFFER)
    view = memoryview(buffer)
    with file.open("rb", buffering=0) as stream:
        while size := stream.readinto(buffer):
            found.update(view[:size])
    return found.hexdigest()


def stamp(file: Path) -> tuple[int, ...]:
    """What tells whether a file that is held open is still the one that was opened."""
    return _facts_of(file)


def old_stamps(source: Source) -> list[list[str]]:
    """Name of every file and a hash of its size and time, as ledgers kept them before contents were digested."""
    return [[file.name, sha256(repr(_facts_of(file)[:2]).encode()).hexdigest()] for file in files_of(source)]


def _facts_of(file: Path) -> tuple[int, int, int, int]:
    status = file.stat()
    return status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns


def _named(source: Source) -> list[tuple[str, Path]]:
    """The files of a source by names that a copy of its folder has too; a DuckDB file with what was not yet written into it."""
    files = files_of(source)
    if source.glob:
        start = fixed_part(source.place)
        return [(file.relative_to(start).as_posix(), file) for file in files]
    wal = Path(f"{source.place}.wal")
    return [("", files[0]), *([(".wal", wal)] if source.kind == "duckdb" and wal.exists() else [])]


def _let_the_clock_tick(look: Look) -> None:
    """Wait until a write that comes after the look cannot have the time of one before it."""
    now = time.time_ns()
    ages = [now - each for _, _, modified, _, changed in look for each in (modified, changed)]
    age = min((each for each in ages if each >= 0), default=_TICK)  # a time that was set ahead says nothing
    if age < _TICK:
        time.sleep((_TICK - age) / 1e9)
