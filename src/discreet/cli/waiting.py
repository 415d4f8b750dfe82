"""A sign of life on stderr, once something takes longer than a second and a person is watching."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.status import Status

__all__ = ["waiting"]

_AFTER = 1.0  # seconds


@contextmanager
def waiting(what: str) -> Iterator[Callable[[str], None]]:
    """Inside, ``what …`` turns on stderr from the first second on; never where stderr is no terminal.

    What is yielded says something else in its place.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    turning = _Turning(what)
    timer = Timer(_AFTER, turning.start)
    timer.daemon = True
    timer.start()
    try:
        yield turning.say
    finally:
        timer.cancel()
        turning.stop()


class _Turning:
    """Started by a timer and stopped by whoever waits; never started once stopped."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._lock = Lock()
        self._status: Status | None = None
        self._is_over = False

    def say(self, what: str) -> None:
        with self._lock:
            self._what = what
            if self._status is not None:
                self._status.update(self._words())

    def start(self) -> None:
        from rich.console import Console

        with self._lock:
            if not self._is_over:
                self._status = Console(stderr=True, markup=False).status(self._words(), spinner="line")
                self._status.start()

    def stop(self) -> None:
        with self._lock:
            self._is_over = True
            if self._status is not None:
                self._status.stop()

    def _words(self) -> str:
        from discreet.plots.lettering import for_terminal

        return for_terminal(f"{self._what} …")
