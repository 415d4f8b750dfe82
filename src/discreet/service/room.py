"""Room in memory, counted in numbers: what is large is put together by few at a time, whoever they are.

By public numbers of plans alone, so that how long anybody waits here tells nothing about rows.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

__all__ = ["Room"]


class Room:
    """For so many numbers at once; a few always have some. For threads."""

    def __init__(self, most: int, few: int) -> None:
        self._free = self._most = most
        self._few = few
        self._changed = Condition()

    @contextmanager
    def held(self, numbers: int) -> Iterator[None]:
        """Inside, there is room for so many; what is larger than all of it has all of it."""
        wanted = 0 if numbers <= self._few else min(numbers, self._most)
        with self._changed:
            self._changed.wait_for(lambda: self._free >= wanted)
            self._free -= wanted
        try:
            yield
        finally:
            with self._changed:
                self._free += wanted
                self._changed.notify_all()
