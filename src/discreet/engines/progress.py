"""How far a look at a table is, told to whoever holds the data and waits at a terminal.

It depends on rows, so that nobody else is ever told: a service and its analysts have no way to ask for it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Event, Thread

__all__ = ["followed", "is_told", "telling"]

Told = Callable[[float], object]  # a share of 100

_EVERY = 0.5  # seconds
_told: ContextVar[Told | None] = ContextVar("told", default=None)


@contextmanager
def telling(told: Told) -> Iterator[None]:
    """Inside, and in this thread, ``told`` hears how far long looks at a table are."""
    before = _told.set(told)
    try:
        yield
    finally:
        _told.reset(before)


def is_told() -> bool:
    """Whether anybody wants to know."""
    return _told.get() is not None


@contextmanager
def followed(share: Callable[[], float]) -> Iterator[None]:
    """Inside, ``share`` is asked twice a second and passed on; below 0 it is not known."""
    told, done = _told.get(), Event()
    if told is None:
        yield
        return

    def watch() -> None:
        while not done.wait(_EVERY):
            with suppress(Exception):  # what is looked at ended at the same moment
                if (now := share()) >= 0:
                    told(min(now, 100.0))

    watching = Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        done.set()
        watching.join()
