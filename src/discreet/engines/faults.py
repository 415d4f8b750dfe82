"""The border that no engine error crosses: its text may quote a row. Only whoever holds the data is told it."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Event
from typing import TypeVar

from discreet.errors import DiscreetError, EngineFault, Fault
from discreet.overdue import if_overdue

__all__ = ["GONE", "MOST_SECONDS", "guarded", "in_time", "is_interruption", "noted", "unlogged", "words_of"]

MOST_SECONDS = 3600.0  # for one look at a table, whatever the question

GONE = "the source of the table is gone, or has changed since it was opened"  # all that whoever asks is told of either

T = TypeVar("T")
F = TypeVar("F", bound=Fault)

_AGAIN = 0.1  # seconds, until what has not stopped is interrupted again
_MOST_WORDS = 400  # letters of an engine's own words
_log = logging.getLogger("discreet")
_unlogged: ContextVar[bool] = ContextVar("unlogged", default=False)


def guarded(
    message: str,
    action: Callable[[], T],
    kind: type[EngineFault] = EngineFault,
    *,
    tell: bool = False,
    sort: Callable[[Exception], type[EngineFault] | None] = lambda _: None,
    why: Callable[[Exception], str] = lambda _: "",
) -> T:
    """What ``action`` returns. Its errors become a fault that neither quotes nor carries them; the log names their class.

    discreet's own errors say only what is public, and pass. With ``tell`` the fault has the engine's own words: for the terminal
    of whoever holds the data; nothing is logged then, and the fault has no number to look up. ``sort`` may name another kind,
    and ``why`` the cause in words of ours, which quote nothing.
    """
    try:
        return action()
    except DiscreetError:
        raise
    except Exception as error:  # noqa: BLE001 - any of them may quote a row
        if is_interruption(error):
            raise KeyboardInterrupt from None
        cause, words, kind = why(error) or type(error).__name__, words_of(error) if tell else "", sort(error) or kind
    fault = kind(message)
    fault.cause, fault.told = cause, words
    raise fault if words else noted(fault)  # outside the handler: inside, the error would come along as its context


def noted(fault: F) -> F:
    """The fault, with a line in the log by which it is found."""
    if not _unlogged.get():
        _log.error("fault %s: %s (%s)", fault.reference, fault.message, fault.cause)
    return fault


@contextmanager
def unlogged() -> Iterator[None]:
    """Faults in here are told to nobody: what is told afterwards has a reference of its own, and only that is logged."""
    token = _unlogged.set(True)
    try:
        yield
    finally:
        _unlogged.reset(token)


@contextmanager
def in_time(interrupt: Callable[[], object], seconds: float | None = None) -> Iterator[None]:
    """What runs inside is interrupted after a public time, far above what any accepted question takes (rule 17).

    Again and again until it ends: between two statements there is nothing to interrupt. Whatever it says then, it is a
    TimeoutError: a connection that was cut for it would pass for one that was lost.
    """
    late = Event()

    def watch(done: Event) -> None:
        late.set()
        while not done.is_set():
            with suppress(Exception):  # it ended at the same moment
                interrupt()
            done.wait(_AGAIN)

    try:
        with if_overdue(MOST_SECONDS if seconds is None else seconds, watch) as watching:
            yield
    except Exception as error:
        if not late.is_set() or is_interruption(error):
            raise
    finally:
        if watching.ident is not None:  # it was started: nothing that runs later is interrupted
            watching.join()
    if late.is_set():
        raise TimeoutError


def is_interruption(error: Exception) -> bool:
    """Ctrl-C, which DuckDB turns into an error of Python's; a limit of ours is an error of its own."""
    return type(error) is RuntimeError and "interrupted" in str(error).casefold()


def words_of(error: Exception) -> str:
    """What an engine says of an error, on one line that cannot move a cursor."""
    said = error.strerror or str(error) if isinstance(error, OSError) else str(error)
    text = said or type(error).__name__
    line = " ".join(text.split())
    shown = "".join(letter if letter.isprintable() else "\ufffd" for letter in line)
    return shown if len(shown) <= _MOST_WORDS else f"{shown[:_MOST_WORDS]}…"
