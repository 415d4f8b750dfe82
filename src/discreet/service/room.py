"""Room in memory, counted in numbers: what is large is put together by few at a time, whoever they are.

By public numbers of plans alone, so that how long anybody waits here tells nothing about rows.
"""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

__all__ = ["Room"]


class Room:
    """For so many numbers at once; a few always have some. For threads."""

    def __init__(self, most: int, few: int) -> None:
        self._free = self._most = most
        self._few = few
        self._waiting: deque[object] = deque()  # in the order in which they came: else small ones would keep large ones out
        self._changed = Condition()

    @contextmanager
    def held(self, numbers: int) -> Iterator[None]:
        """Inside, there is room for so many; what is larger than all of it has all of it."""
        if numbers <= self._few:
            yield
            return
        wanted, turn = min(numbers, self._most), object()
        with self._changed:
            self._waiting.append(turn)
            self._changed.wait_for(lambda: self._waiting[0] is turn and self._free >= wanted)
            self._waiting.popleft()
            self._free -= wanted
            self._changed.notify_all()  # there may be room for the next as well
        try:
            yield
        finally:
            with self._changed:
                self._free += wanted
                self._changed.notify_all()
