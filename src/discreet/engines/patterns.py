"""The files of a pattern such as ``parts/**/*.csv``: as ``glob`` finds them, with an end to how far it walks."""

import os
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from glob import has_magic
from pathlib import Path

__all__ = ["MOST_FILES", "MOST_PLACES", "fixed_part", "matches"]

MOST_FILES = 10_000  # of one source
MOST_PLACES = 200_000  # files and folders that a pattern may pass on its way
_ESCAPED = re.compile(r"\[([*?[])\]")


def fixed_part(pattern: str) -> Path:
    """The folder in which all files of a pattern are."""
    found = Path()
    for part in Path(pattern).parts[:-1]:
        if (name := _literal(part)) is None:
            break
        found /= name
    return found


def matches(pattern: str) -> list[Path]:
    """The files of a pattern, sorted. Raises OSError where there are too many, or too much lies on the way."""
    start = fixed_part(pattern)
    return sorted(set(_Walk().below(start, Path(pattern).parts[len(start.parts) :])))


def _literal(part: str) -> str | None:
    """What a part of a pattern names, if that is one thing."""
    return None if has_magic(_ESCAPED.sub("", part)) else _ESCAPED.sub(r"\1", part)


class _Walk:
    """Counts what it passes."""

    def __init__(self) -> None:
        self._passed = self._found = 0

    def below(self, folder: Path, parts: tuple[str, ...]) -> Iterator[Path]:
        part, rest = parts[0], parts[1:]
        if part == "**" and rest:
            yield from self.below(folder, rest)
            for name in self._names(folder):
                if not name.startswith(".") and (folder / name).is_dir():
                    yield from self.below(folder / name, parts)
            return
        names = [known] if (known := _literal(part)) is not None else self._names(folder)
        for name in names:
            if known is None and (not fnmatchcase(name, part) or (name.startswith(".") and not part.startswith("."))):
                continue
            if rest:
                yield from self.below(folder / name, rest)
            elif os.path.lexists(folder / name):
                yield self._one(folder / name)

    def _names(self, folder: Path) -> Iterator[str]:
        try:
            entries = os.scandir(folder)
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return
        with entries:
            for entry in entries:
                self._passed += 1
                if self._passed > MOST_PLACES:
                    raise OSError(0, f"its pattern passes more than {MOST_PLACES:,} files and folders")
                yield entry.name

    def _one(self, file: Path) -> Path:
        self._found += 1
        if self._found > MOST_FILES:
            raise OSError(0, f"its pattern has more than {MOST_FILES:,} files")
        return file
