"""The log of a service: one line for each record, on stderr or in a file that may be moved away. No request fails for the log.

Errors that the server or the event loop come upon are told by kind and place alone: their text may quote anything.
"""

import logging
import sys
from contextlib import suppress
from copy import copy
from logging.handlers import WatchedFileHandler
from pathlib import Path

from discreet.errors import ParameterError

__all__ = ["LogFile", "check_log", "kind_and_place", "log_to"]

_OURS = "discreet"  # faults, with the references that clients are told, are logged by every room
_OTHERS = ("asyncio", "uvicorn.error")
_NAME = "discreet.service"


class LogFile(WatchedFileHandler):
    """A file that is opened again under its name if it was moved away; where that cannot be, the line goes to stderr."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line. Never raises."""
        try:
            super().emit(record)
        except OSError:  # it cannot be opened again: it is tried with the next line
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name for it
        """A line that the file did not take."""
        with suppress(Exception):  # there is nowhere left to say it
            sys.stderr.write(f"{self.format(record)}\n")
            sys.stderr.flush()


class _Line(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        told, error = copy(record), record.exc_info[1] if record.exc_info else None
        told.msg, told.args = record.getMessage().split("\n", 1)[0], ()
        if error is not None:  # which may be quoted in the message, too
            told.msg = f"an error of the server: {kind_and_place(error)}"
        told.exc_info = told.exc_text = told.stack_info = None
        return super().format(told)


def log_to(file: Path | None) -> None:
    """Let this process write its log to a file, or to stderr."""
    if any(each.get_name() == _NAME for each in logging.getLogger(_OURS).handlers):
        return
    handler = logging.StreamHandler(sys.stderr) if file is None else LogFile(file, encoding="utf-8", delay=True)
    handler.set_name(_NAME)
    handler.setFormatter(_Line("%(asctime)s %(levelname)s %(name)s %(message)s"))
    for name, least in ((_OURS, logging.INFO), *((each, logging.WARNING) for each in _OTHERS)):
        log = logging.getLogger(name)
        log.addHandler(handler)
        log.setLevel(least)
        log.propagate = False


def check_log(file: Path | None) -> None:
    """Raises ParameterError if the log cannot be written."""
    if file is None:
        return
    try:
        file.open("a", encoding="utf-8").close()
    except OSError as error:
        why, hint = (error.strerror or "it cannot be opened").lower(), "write another path after --log-file"
        raise ParameterError(f"{file} cannot be written: {why}", hint=hint) from None


def kind_and_place(error: BaseException) -> str:
    """All that the log says of an error that nobody foresaw: its text may quote anything."""
    trace, place = error.__traceback__, ""
    while trace is not None:
        place = f" at {trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__}{place}"
