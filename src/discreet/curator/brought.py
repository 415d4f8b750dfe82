"""Files that were uploaded and never registered: whoever left the form may bring the same file again.

A file beside each one tells which file it was. Only that file is ever replaced: not one that was put there by hand, not one that
a facts file speaks of, and not one that was registered, whatever facts files say today.
"""

import json
import os
import re
from fnmatch import fnmatch
from pathlib import Path

from discreet.facts.file import parse_facts
from discreet.facts.model import Companion, Facts

__all__ = ["is_free", "put", "used"]

_QUOTED = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'")


def is_free(target: Path) -> bool:
    """Whether a file of that name may be put there."""
    return not os.path.lexists(target) or _is_left(target)


def put(beside: Path, target: Path) -> None:
    """Give an upload its name, in the place of one that was left. Raises FileExistsError where anything else is."""
    try:
        os.link(beside, target)  # unlike a move it never replaces
    except FileExistsError:
        if not _is_left(target):
            raise
        try:
            _note(target).unlink()  # first: of two who come at once, one finds no note and is turned away
        except FileNotFoundError:
            raise FileExistsError(target.name) from None
        beside.replace(target)
    _note(target).write_text(_which(target), encoding="utf-8")


def used(folder: Path, text: str) -> None:
    """The files of these facts belong to a table from now on."""
    facts = parse_facts(text, str(folder / "facts.toml"))
    for name in _names(facts):
        _note(folder / name).unlink(missing_ok=True)


def _names(facts: Facts) -> list[str]:
    sources = [facts.located, *(each.facts.located if isinstance(each, Companion) else each.located for each in facts.joins)]
    return [Path(each.place).name for each in sources if each is not None]


def _is_left(target: Path) -> bool:
    try:
        known = _note(target).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return not target.is_symlink() and known == _which(target) and not _is_named(target)


def _is_named(target: Path) -> bool:
    """Whether a facts file, finished or not, speaks of the file, by its name or by a pattern."""
    name = target.name.casefold()
    for file in target.parent.glob("*.toml"):
        text = file.read_text(encoding="utf-8", errors="replace").casefold()
        said = (one or other for one, other in _QUOTED.findall(text))
        if name in text or any(fnmatch(name, Path(each).name) for each in said if each):
            return True
    return False


def _note(target: Path) -> Path:
    return target.with_name(f".brought-{target.name}")


def _which(target: Path) -> str:
    found = target.stat()
    return json.dumps([found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns])
