"""Output that cannot be written, by a full disk or because nobody reads it: what was paid for is kept, and that is said."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["NOBODY_READS", "NO_ROOM", "Unwritten", "told_if_unwritten"]

NO_ROOM, NOBODY_READS = 74, 141  # exit codes: as sysexits.h has it, and as a shell has it of a process that a closed pipe ended


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
