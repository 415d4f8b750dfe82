"""A queue that is fair between analysts: each has a line of their own, and the lines take turns.

A place is held until the public time of a question is over, so that how long others wait tells nothing about rows.
"""

from asyncio import Future, get_running_loop
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from discreet.service.failures import Turned

__all__ = ["Lines"]


class Lines:
    """So many places, and who waits for them. For one event loop."""

    def __init__(self, places: int, most: int, most_of_one: int) -> None:
        self._free = places
        self._places = places
        self._most, self._most_of_one = most, most_of_one
        self._lines: OrderedDict[str, deque[tuple[Future[None], float]]] = OrderedDict()
        self._running: dict[object, float] = {}  # when each is over at the earliest, in the loop's time

    @property
    def waiting(self) -> int:
        """How many wait."""
        return sum(map(len, self._lines.values()))

    def check_room(self, who: str) -> None:
        """Raises Turned if somebody may not wait now."""
        if len(self._lines.get(who, ())) >= self._most_of_one:
            raise Turned(429, "rate", "too many of your questions are waiting", "wait for some", headers={"Retry-After": "5"})
        if self.waiting >= self._most:
            raise Turned(503, "busy", "too many questions are waiting", "try again in a while", headers={"Retry-After": "5"})

    def expected(self, seconds: float) -> float:
        """When a question of so many public seconds would be over: by public times alone."""
        now = get_running_loop().time()
        ahead = sum(max(0.0, end - now) for end in self._running.values())
        ahead += sum(each for line in self._lines.values() for _, each in line)
        return seconds + (ahead / self._places if self._free == 0 else 0.0)

    @asynccontextmanager
    async def place(self, who: str, seconds: float) -> AsyncIterator[None]:
        """A place, when it is their turn."""
        await self._turn(who, seconds)
        mark = object()
        self._running[mark] = get_running_loop().time() + seconds
        try:
            yield
        finally:
            del self._running[mark]
            self._next()

    async def _turn(self, who: str, seconds: float) -> None:
        if self._free > 0:
            self._free -= 1
            return
        turn: Future[None] = get_running_loop().create_future()
        self._lines.setdefault(who, deque()).append((turn, seconds))
        try:
            await turn
        except BaseException:
            if turn.done() and not turn.cancelled():
                self._next()  # the place was given to somebody who has gone
            else:
                self._forget(who, turn)
            raise

    def _next(self) -> None:
        """Hand a place to the first of the next line, whose line is then the last one."""
        while self._lines:
            who, line = self._lines.popitem(last=False)
            turn, _ = line.popleft()
            if line:
                self._lines[who] = line
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

    def _forget(self, who: str, turn: "Future[None]") -> None:
        line = self._lines.get(who, deque())
        left = deque(each for each in line if each[0] is not turn)
        if left:
            self._lines[who] = left
        else:
            self._lines.pop(who, None)
