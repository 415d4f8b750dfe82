"""What is to happen to work that takes long: one thread waits for all of it, and starts others only for what is overdue.

A thread for every piece of work costs as much as a small question.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from threading import Condition, Event, Thread
from time import monotonic

__all__ = ["if_overdue"]


class _Watch:
    """What is due when, and the thread that waits for the first of it."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._due: dict[Thread, float] = {}
        self._next = inf  # when the thread will look again
        self._waiting: Thread | None = None

    def add(self, late: Thread, seconds: float) -> None:
        with self._changed:
            self._due[late] = monotonic() + seconds
            if self._waiting is None or not self._waiting.is_alive():
                self._waiting = Thread(target=self._wait, daemon=True)
                self._waiting.start()
            elif self._due[late] < self._next:
                self._changed.notify()

    def remove(self, late: Thread) -> None:
        with self._changed:
            self._due.pop(late, None)

    def _wait(self) -> None:
        with self._changed:
            while True:
                now = monotonic()
                for late in [late for late, due in self._due.items() if due <= now]:
                    del self._due[late]
                    late.start()
                self._next = min(self._due.values(), default=inf)
                self._changed.wait(None if self._next == inf else self._next - now)


class _Watches:
    """The watch of this process: a child of fork has no thread of its parent's, and perhaps a lock that nobody opens."""

    now = _Watch()

    @classmethod
    def renew(cls) -> None:
        cls.now = _Watch()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Watches.renew)


@contextmanager
def if_overdue(seconds: float, act: Callable[[Event], None]) -> Iterator[Thread]:
    """Once so many ``seconds`` have passed inside, ``act`` runs in a thread of its own, which is given.

    It is handed an event that is set at the end of what runs inside. Nobody waits for it.
    """
    done, watch = Event(), _Watches.now
    late = Thread(target=act, args=(done,), daemon=True)
    try:
        watch.add(late, seconds)
        yield late
    finally:
        done.set()
        watch.remove(late)
