"""Output that cannot be written, by a full disk or because nobody reads it: what was paid for is kept, and that is said."""

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from discreet.errors import ParameterError

__all__ = ["FULL", "NOBODY_READS", "NO_ROOM", "Unwritten", "file_unwritten", "stand_ins", "told_if_unwritten"]

NO_ROOM, NOBODY_READS = 74, 141  # exit codes: as sysexits.h has it, and as a shell has it of a process that a closed pipe ended
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # what a full disk says


class Unwritten(Exception):
    """Standard output took no more; ``hint`` says what became of what it would have shown."""

    def __init__(self, exit_code: int, message: str, hint: str) -> None:
        super().__init__(message)
        self.exit_code, self.message, self.hint = exit_code, message, hint


@contextmanager
def told_if_unwritten(kept: str) -> Iterator[None]:
    """Inside, everything is printed, to the last letter; if it cannot be, the command ends with ``kept``."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise Unwritten(NOBODY_READS, "nobody reads the output", kept) from None
    except SystemExit as left:  # the printing libraries leave by it when the reader has gone
        if left.code in (0, None):
            raise
        raise Unwritten(NOBODY_READS, "nobody reads the output", kept) from None
    except OSError as error:
        why = (error.strerror or type(error).__name__).lower()
        raise Unwritten(NO_ROOM, f"the output could not be written: {why}", kept) from None


def file_unwritten(error: OSError, message: str, hint: str) -> Unwritten | ParameterError:
    """What to say of a file that was not written: no room ends as on standard output, any other reason is a wrong path."""
    why = error.strerror or type(error).__name__
    if error.errno in FULL:
        return Unwritten(NO_ROOM, f"{message}: {why.lower()}", hint)
    return ParameterError(f"{message}: {why}", hint=hint)


# ---- streams that are closed


class _Closed(io.TextIOBase):
    """Standard output that was closed before we began, as by ``>&-``."""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:  # noqa: ARG002 - none of it
        raise OSError(errno.EBADF, "standard output is closed")


def stand_ins() -> None:
    """Streams in place of those that are closed: Python has None there, and the next file to be opened would get their number."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the process ends
