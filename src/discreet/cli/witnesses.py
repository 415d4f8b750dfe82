"""The file that a witness is kept in: renewed only by a ledger that has come from it, whole or not at all."""

import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import mkstemp
from typing import Any

from discreet.cli.ledgers import read_document
from discreet.cli.options import out_file
from discreet.cli.printing import json_text
from discreet.cli.unwritten import file_unwritten

__all__ = ["keep_witness", "witness_in", "witness_text"]


def witness_in(path: Path) -> dict[str, Any] | None:
    """The witness that is to be renewed; None if there is no file, or nothing in it."""
    is_kept = out_file(path).is_file() and path.stat().st_size > 0
    return read_document(path, "a witness") if is_kept else None


def witness_text(note: Mapping[str, Any]) -> str:
    """A witness as it is printed and kept."""
    return json_text(dict(note), indent=2, sort_keys=True)


def keep_witness(note: Mapping[str, Any], path: Path) -> None:
    """Write it. The one before stays where that fails: it may be the only one."""
    try:
        if path.exists() and not path.is_file():  # a terminal or a pipe, say
            path.write_text(f"{witness_text(note)}\n", encoding="utf-8")
            return
        target = path.resolve()
        handle, beside = mkstemp(prefix=f".{target.name}-", dir=target.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(f"{witness_text(note)}\n")
                stream.flush()
                os.fsync(stream.fileno())
            Path(beside).chmod(target.stat().st_mode & 0o777 if target.exists() else 0o644)
            Path(beside).replace(target)
        finally:
            Path(beside).unlink(missing_ok=True)
    except OSError as error:
        raise file_unwritten(error, f"cannot write {path}", "write a path that you may write to") from None
