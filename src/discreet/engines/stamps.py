"""The files of a source, and what tells whether they are still the same ones."""

from glob import glob
from hashlib import sha256
from pathlib import Path

from discreet.facts.model import Source

__all__ = ["files_of", "is_missing", "stamp", "stamps_of"]


def files_of(source: Source) -> list[Path]:
    """The files of a source, in a fixed order. Raises FileNotFoundError if there is none."""
    places = sorted(glob(source.place, recursive=True)) if source.glob else [source.place]  # noqa: PTH207 - absolute patterns
    found = [Path(place) for place in places]
    if not found or not all(file.is_file() for file in found):
        raise FileNotFoundError
    return found


def is_missing(source: Source) -> bool:
    """Whether a source of files has none, or lacks one."""
    try:
        files_of(source)
    except OSError:
        return source.kind in ("csv", "parquet", "duckdb")
    return False


def stamp(file: Path) -> tuple[int, int]:
    """Size and time of a file."""
    status = file.stat()
    return status.st_size, status.st_mtime_ns


def stamps_of(source: Source) -> list[list[str]]:
    """Name of every file and a hash of its size and time, as a ledger keeps them: a bare size would tell how many rows."""
    return [[file.name, sha256(repr(stamp(file)).encode()).hexdigest()] for file in files_of(source)]
