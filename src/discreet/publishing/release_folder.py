"""A release as a folder that is there as a whole or not at all.

It is written beside its place and then renamed into it. A folder that holds something else is never touched.
"""

import json
import os
import shutil
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from discreet.curator.certificates import MANIFEST
from discreet.errors import ParameterError
from discreet.processes import sweep, temporary_folder

__all__ = ["check_place", "write_folder"]


def check_place(out: Path, digest: str) -> None:
    """Refuses a place where something else is, before anything is spent: only nothing, nothing in it, or the same release."""
    parent = out.resolve().parent
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise ParameterError(f"there is no folder {parent} to write to", hint="choose a place in a folder that is there")
    if not out.exists() and not out.is_symlink():
        return
    if not out.is_dir() or out.is_symlink():
        raise ParameterError(f"{out} is there and is not a folder", hint="choose another name after --out")
    if _holds(out) not in (None, digest):
        raise ParameterError(f"{out} holds something else than this release", hint="choose another folder, or move it away")


def _holds(out: Path) -> str | None:
    """The digest of the release that a folder holds, with nothing beside it; None if it is empty, else ''."""
    files = {file.relative_to(out).as_posix() for file in out.rglob("*") if not file.is_dir()}
    if not files:
        return None
    try:
        manifest = json.loads((out / MANIFEST).read_bytes())
        return str(manifest["digest"]) if files <= {MANIFEST, *manifest["files"]} else ""
    except (OSError, ValueError, TypeError, KeyError):
        return ""


def write_folder(out: Path, files: Mapping[str, bytes], digest: str) -> bool:
    """Put the files there, all at once; False if they are there already, to the letter."""
    if _is_same(out, files):
        return False
    check_place(out, digest)  # once more: asking may have taken a while
    place = out.resolve()
    try:
        beside = Path(temporary_folder(f".{place.name}-", place.parent))
        try:
            made = beside / "new"
            for name, content in files.items():
                _write(made / name, content)
            _put(made, place, beside / "old")
            sweep(f".{place.name}-", place.parent)  # what killed processes left; now that all is there
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        if _is_same(out, files):  # someone else was faster
            return False
        why = error.strerror or type(error).__name__
        hint = "make room or choose another folder, and publish again: the answers are kept, and free"
        raise ParameterError(f"{out} cannot be written: {why.lower()}", hint=hint) from None
    return True


def _put(made: Path, out: Path, old: Path) -> None:
    """Rename a folder into its place; what was there comes back if that fails."""
    if not out.exists():
        made.rename(out)
        return
    out.rename(old)
    try:
        made.rename(out)
    except OSError:
        old.rename(out)
        raise


def _is_same(out: Path, files: Mapping[str, bytes]) -> bool:
    there = {file.relative_to(out).as_posix(): file for file in out.rglob("*") if file.is_file()} if out.is_dir() else {}
    return set(there) == set(files) and all(sha256(there[name].read_bytes()).digest() == sha256(content).digest()
                                            for name, content in files.items())  # fmt: skip


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(opened.fileno())
