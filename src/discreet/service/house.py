"""What one worker has: the tables, the accounts, threads to work in, lines to wait in. Handlers get at everything through it."""

from asyncio import get_running_loop
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from math import ceil
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from discreet.curator.accounts import Account
from discreet.curator.asking import Curator
from discreet.curator.folder import Folder
from discreet.service.failures import Turned
from discreet.service.fair import Turns
from discreet.service.jobs import Jobs
from discreet.service.rates import Rates
from discreet.service.settings import Settings

__all__ = ["House"]

_SHOWN = 4  # answers that are put together at once: a million numbers take a gigabyte meanwhile
_DAY = 86_400.0  # seconds
_DOOR = 4  # threads that look tokens up, and do nothing else
_WRITERS = 2  # the same for who works on questions that were taken in, and what became of them
P = ParamSpec("P")
T = TypeVar("T")


class House:
    """Made when a worker begins, closed when it ends."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.limits = settings.limits.of_one(settings.workers)
        self.folder = Folder(settings.folder)
        self.requests = Rates(self.limits.requests_per_minute)
        self.guesses = Rates(self.limits.wrong_tokens_per_minute)
        self._numbers = Rates(self.limits.numbers_per_day_of_one, _DAY)
        self.known_marks: set[bytes] = set()  # digests of tokens that were let in here: guessing is not what they do
        self._inside: Counter[str] = Counter()
        self._door = ThreadPoolExecutor(_DOOR, "door")
        self._threads = ThreadPoolExecutor(self.limits.readings_at_once, "reading")
        self._books = ThreadPoolExecutor(_WRITERS, "keeping")
        waiting = self.limits.asks_waiting, self.limits.asks_waiting_of_one
        self._thoughts = Turns("thinking", self.limits.readings_at_once, *waiting)
        self._showing = Turns("showing", _SHOWN, *waiting)
        self.jobs = Jobs(self.folder, self.limits, self._thoughts, self._showing, self._books)

    async def account(self, token: str) -> Account:
        """Whose token this is. Raises TokenError. Threads that do nothing else look it up, whatever all others have to do."""
        return await get_running_loop().run_in_executor(self._door, self.folder.account, token)

    async def do(self, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Something short that waits for the ledger, or something of a data holder's, beside other requests."""
        return await get_running_loop().run_in_executor(self._threads, partial(verb, *args, **kwargs))

    def check_numbers(self, who: str, numbers: int) -> None:
        """Raises Turned if somebody asks for more numbers than the ledger keeps of them in a day: it keeps them for good."""
        if numbers and (seconds := self._numbers.take(who, numbers)):
            after = {"Retry-After": str(ceil(seconds))}
            raise Turned(429, "rate", "you have asked for what is kept of one in a day", "ask for fewer groups", headers=after)

    @asynccontextmanager
    async def counted(self, name: str) -> AsyncIterator[None]:
        """Inside, one more request of somebody is worked on. Raises Turned if there are too many."""
        if self._inside[name] >= self.limits.requests_at_once_of_one:
            raise Turned(429, "rate", "too many requests of yours at once", "wait for some", headers={"Retry-After": "1"})
        self._inside[name] += 1
        try:
            yield
        finally:
            self._inside[name] -= 1
            if not self._inside[name]:
                del self._inside[name]

    async def in_turn(self, account: Account, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """An answer that is there and may be large: analysts take turns, and nobody ever has all threads."""
        return await self._showing.run(account.name, 0.0, verb, *args, **kwargs)

    async def think(
        self, account: Account, table: str, verb: Callable[Concatenate[Curator, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Something about a table that reads no row, in turn as well. Raises Turned if too many wait, MissingError for a table
        that is not there, or not for them.
        """
        self._thoughts.lines.check_room(account.name)
        one_step = lambda: verb(self.folder.curator(table, account), *args, **kwargs)  # noqa: E731 - a thread for both
        return await self._thoughts.run(account.name, 0.0, one_step)

    async def table(self, account: Account, name: str) -> Curator:
        """The curator of a table that somebody may see. Raises MissingError: the same for what is not there."""
        return await self.do(self.folder.curator, name, account)

    async def facts_file(self, account: Account, name: str) -> Path:
        """The facts file of a table, for a data holder."""
        found = await self.do(self.folder.file, name, account)
        if not account.is_holder:
            raise holders_only()
        return found

    async def close(self) -> None:
        """Let running questions end for a while and let go of everything; or leave what is not over to be gone on with."""
        is_over = await self.jobs.end()
        self._books.shutdown(wait=False, cancel_futures=True)
        for threads in (self._door, self._threads, self._thoughts, self._showing):
            threads.shutdown(wait=is_over, cancel_futures=True)
        if is_over:  # else a table would be closed while it is read, and that pass for a fault: the process ends, as if killed
            self.folder.close()


def holders_only() -> Turned:
    """What whoever is no data holder is told."""
    return Turned(403, "access", "this is for the data holder", "ask the data holder")
