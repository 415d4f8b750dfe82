"""The last of what was found out by number, for several threads: what is there may have gone a moment later."""

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

__all__ = ["Remembered"]

T = TypeVar("T")


class Remembered(Generic[T]):
    """So many of them at most; what came first is forgotten first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: dict[int, T] = {}
        self._lock = Lock()

    def get(self, number: int) -> T | None:
        """What is known about a number; None if nothing is."""
        with self._lock:
            return self._known.get(number)

    def keep(self, number: int, what: T) -> T:
        """Remember this about a number, and give it back."""
        with self._lock:
            if number not in self._known and len(self._known) >= self._most:
                self._known.pop(next(iter(self._known)))
            self._known[number] = what
        return what

    def of(self, number: int, find: Callable[[int], T]) -> T:
        """What is known about a number, or else is found out now; outside of the lock, perhaps by several threads at once."""
        known = self.get(number)
        return self.keep(number, find(number)) if known is None else known
