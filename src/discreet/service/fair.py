"""A queue that is fair between analysts: each has lines of their own, and the lines take turns.

A place is held until the public time of a question is over, so that how long others wait tells nothing about rows. Nobody holds
more places with long questions than they leave to others' long ones, and one place is never held by a long one: whoever asks
something short does not wait for minutes. What is long follows from public times as well.
"""

from asyncio import Future, get_running_loop, shield
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from math import inf
from typing import ParamSpec, TypeVar

from discreet.service.failures import Turned

__all__ = ["Lines", "Turns"]

P = ParamSpec("P")
T = TypeVar("T")
Line = tuple[str, bool]  # whose it is, and whether it is that of their long questions


class Lines:
    """So many places, and who waits for them; what takes no more than ``short`` public seconds may have any of them. For one
    event loop. Without ``short`` nothing is known to be short, and all places are for what may be long."""

    def __init__(self, places: int, most: int, most_of_one: int, short: float = -inf) -> None:
        self._free = places
        self._for_long = places if short == -inf else max(1, places - 1)
        self._short = short
        self._most, self._most_of_one = most, most_of_one
        self._lines: OrderedDict[Line, deque[tuple[Future[None], float]]] = OrderedDict()
        self._held: Counter[Line] = Counter()
        self._aside: Counter[str] = Counter()  # who waits for something else than a place
        self._running: dict[object, tuple[Line, float]] = {}  # when each is over at the earliest, in the loop's time

    @property
    def waiting(self) -> int:
        """How many wait."""
        return sum(map(len, self._lines.values())) + self._aside.total()

    def check_room(self, who: str) -> None:
        """Raises Turned if somebody may not wait now."""
        if sum(len(self._lines.get((who, is_long), ())) for is_long in (False, True)) + self._aside[who] >= self._most_of_one:
            raise Turned(429, "rate", "too many of your questions are waiting", "wait for some", headers={"Retry-After": "5"})
        if self.waiting >= self._most:
            raise Turned(503, "busy", "too many questions are waiting", "try again in a while", headers={"Retry-After": "5"})

    @contextmanager
    def aside(self, who: str) -> Iterator[None]:
        """Inside, one more of somebody's waits for what is no place, and counts among those who wait."""
        self._aside[who] += 1
        try:
            yield
        finally:
            self._aside[who] -= 1
            if not self._aside[who]:
                del self._aside[who]

    def expected(self, who: str, seconds: float) -> float:
        """When a question of so many public seconds would be over: by public times alone."""
        if self._may_begin(self._line(who, seconds)):
            return seconds
        now, is_full = get_running_loop().time(), self._free == 0
        running = [max(0.0, end - now) for line, end in self._running.values() if is_full or line[1]]  # else long ones block it
        waiting = [each for line, queue in self._lines.items() if is_full or line[1] for _, each in queue]
        return seconds + (sum(running) + sum(waiting)) / max(1, len(running))

    @asynccontextmanager
    async def place(self, who: str, seconds: float) -> AsyncIterator[None]:
        """A place, when it is their turn."""
        line = self._line(who, seconds)
        await self._turn(line, seconds)
        mark = object()
        self._running[mark] = line, get_running_loop().time() + seconds
        try:
            yield
        finally:
            del self._running[mark]
            self._give_back(line)

    def _line(self, who: str, seconds: float) -> Line:
        return who, seconds > self._short

    def _may_begin(self, line: Line) -> bool:
        """Whether a place is free for the first of a line."""
        if self._free == 0 or not line[1]:
            return self._free > 0
        return self._held[line] < self._for_long - sum(held for (_, is_long), held in self._held.items() if is_long)

    async def _turn(self, line: Line, seconds: float) -> None:
        if self._may_begin(line):  # then nobody waits in it: whoever did would have begun
            self._take(line)
            return
        turn: Future[None] = get_running_loop().create_future()
        self._lines.setdefault(line, deque()).append((turn, seconds))
        try:
            await turn
        except BaseException:
            if turn.done() and not turn.cancelled():
                self._give_back(line)  # the place was given to somebody who has gone
            else:
                self._forget(line, turn)
            raise

    def _take(self, line: Line) -> None:
        self._free -= 1
        self._held[line] += 1

    def _give_back(self, line: Line) -> None:
        """Hand what is free to the first of the next line that may have it, which is then the last line."""
        self._free += 1
        self._held[line] -= 1
        if not self._held[line]:
            del self._held[line]
        while (following := next(filter(self._may_begin, self._lines), None)) is not None:
            queue = self._lines.pop(following)
            turn, _ = queue.popleft()
            if queue:
                self._lines[following] = queue
            if not turn.done():
                self._take(following)
                turn.set_result(None)

    def _forget(self, line: Line, turn: "Future[None]") -> None:
        left = deque(each for each in self._lines.get(line, ()) if each[0] is not turn)
        if left:
            self._lines[line] = left
        else:
            self._lines.pop(line, None)


class Turns:
    """Threads with lines before them: a thread for each place, so that whoever has a place never waits for a thread."""

    def __init__(self, name: str, places: int, most: int, most_of_one: int, short: float = -inf) -> None:
        self.lines = Lines(places, most, most_of_one, short)
        self._threads = ThreadPoolExecutor(places, name)

    async def run(self, who: str, seconds: float, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Something of somebody's, that takes so many public seconds, when it is their turn. A place is held to its end, unless
        this worker ends first."""
        async with self.lines.place(who, seconds):
            return await shield(get_running_loop().run_in_executor(self._threads, partial(verb, *args, **kwargs)))

    def shutdown(self, *, wait: bool, cancel_futures: bool = False) -> None:
        """No more threads for anybody."""
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
