"""Questions that outlive their connections. Each is written down in the ledger, and worked off by a task that no connection owns.

A worker that is killed leaves some; whoever lives goes on with them. What was charged for one is not charged again: its id is the
key of its charge.
"""

from asyncio import CancelledError, Future, Task, create_task, get_running_loop, shield, sleep, wait
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ParamSpec, TypeVar

from discreet.answers.answer import Answer, as_strings
from discreet.curator.accounts import Account
from discreet.curator.asking import Curator
from discreet.curator.folder import Folder
from discreet.curator.orders import Crossed
from discreet.curator.taking import Taken
from discreet.errors import DiscreetError
from discreet.service.bodies import AskBody
from discreet.service.failures import Turned, as_turned
from discreet.service.fair import Lines
from discreet.service.settings import Limits

__all__ = ["Job", "Jobs", "at_price", "outcome_of", "placed"]

P = ParamSpec("P")
T = TypeVar("T")

_AT_ONCE = 8  # that are taken over before any of them is begun
_LOOK = 2.0  # seconds between looks for what dead workers left


@dataclass(frozen=True, slots=True)
class Job:
    """An order of somebody as it was looked up, and how long it takes in public."""

    curator: Curator
    seen: Crossed
    seconds: float  # 0 if it is free: nothing is read for it

    @property
    def who(self) -> str:
        """Whose line it waits in."""
        return self.seen.request.analyst

    def with_key(self, key: str) -> "Job":
        """The same, charged once under a key."""
        return replace(self, seen=self.seen.with_key(key))


def placed(curator: Curator, body: AskBody, account: Account) -> Job:
    """A body as a job. May refuse; reads no row."""
    seen = curator.looked_up(curator.order(body.to_ask(account)))
    return Job(curator, seen, curator.seconds(seen))


def at_price(body: AskBody, job: Job) -> dict[str, Any]:
    """What another worker needs to go on with a job: a wish is the price by now that it was turned into."""
    return body.model_dump() | {"within": None} | as_strings(job.seen.order.plan.price)


def outcome_of(reason: Turned) -> dict[str, Any]:
    """An error as it is kept, with its status."""
    return {"status": reason.status, "body": reason.body}


class Jobs:
    """What one worker works on."""

    def __init__(self, folder: Folder, lines: Lines, limits: Limits) -> None:
        self._folder = folder
        self.lines = lines
        self._limits = limits
        self._threads = ThreadPoolExecutor(limits.asks_at_once, "asking")
        self._running: dict[str, Task[Answer | Turned]] = {}  # until it is written what became of them
        self._unwritten: set[Task[Any]] = set()  # of which nobody but this process knows
        self._answers: dict[str, str] = {}  # to be written down
        self._writing: Task[None] | None = None
        self._looking: Task[None] | None = None

    def start(self, taken: Taken, job: Job) -> "Task[Answer | Turned]":
        """Work a question off that was taken in, whatever becomes of whoever asked."""
        task = create_task(self._worked(job.with_key(taken.id), taken.id))
        self._running[taken.id] = task
        task.add_done_callback(lambda _: self._ended(taken.id))
        return task

    def start_here(self, job: Job) -> "Task[Answer | Turned]":
        """The same for one that nobody can come back to by a key or an id: if this process dies, they ask again, and what was
        charged is gone on with."""
        task = create_task(self._worked(job))
        self._unwritten.add(task)
        task.add_done_callback(self._unwritten.discard)
        return task

    def task(self, identity: str) -> "Task[Answer | Turned] | None":
        """What works on a question here."""
        return self._running.get(identity)

    async def at_once(self, job: Job) -> Answer | Turned:
        """What is free: nothing has to be remembered of it."""
        return await self._run(_answered, job)

    async def together(self, who: str, seconds: float, verb: Callable[[], T]) -> T:
        """Several questions at once, in one place of somebody's line, to their end whatever becomes of the connection."""
        task = create_task(self._in_turn(who, seconds, verb))
        self._unwritten.add(task)
        task.add_done_callback(self._unwritten.discard)
        return await shield(task)

    async def _in_turn(self, who: str, seconds: float, verb: Callable[[], T]) -> T:
        async with self.lines.place(who, seconds):
            return await shield(self._run(verb))

    async def _worked(self, job: Job, identity: str | None = None) -> Answer | Turned:
        async with self.lines.place(job.who, job.seconds):
            found = await shield(self._run(_answered, job))
        if isinstance(found, Turned) and identity is not None:
            await shield(self._run(self._folder.done, identity, outcome_of(found)))
        return found

    def _run(self, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        return get_running_loop().run_in_executor(self._threads, partial(verb, *args, **kwargs))

    # ---- what was answered

    def _ended(self, identity: str) -> None:
        """Have it written down: nobody waits for that, since whoever finds a dead worker's question finds its answer too."""
        task = self._running[identity]
        found = None if task.cancelled() or task.exception() else task.result()
        if not isinstance(found, Answer):
            del self._running[identity]
            return
        self._answers[identity] = found.id
        if self._writing is None or self._writing.done():
            self._writing = create_task(self._write())

    async def _write(self) -> None:
        """Those that come while some are written are written next, all at once."""
        while self._answers:
            answers, self._answers = self._answers, {}
            with suppress(DiscreetError):  # whoever goes on with them finds their answers
                await self._run(self._folder.all_done, answers)
            for identity in answers:
                self._running.pop(identity, None)

    # ---- what dead workers left

    def begin(self) -> None:
        """Say that this worker lives, and look for what others left, as long as it does."""
        self._looking = create_task(self._look())

    async def _look(self) -> None:
        while True:
            found: list[tuple[Taken, Job]] = []
            with suppress(DiscreetError):  # a ledger that is locked or gone is looked at again soon
                found = await self._run(self._found, list(self._running))
            for taken, job in found:
                self.start(taken, job)
            await sleep(0 if len(found) == _AT_ONCE else _LOOK)

    def _found(self, running: list[str]) -> list[tuple[Taken, Job]]:
        if running:
            self._folder.renew(running)
        taken = [self._folder.take(identity) for identity in self._folder.left_behind()[:_AT_ONCE]]  # others may take the rest
        jobs = [(each, self._placed_again(each)) for each in taken if each is not None]
        return [(each, job) for each, job in jobs if job is not None]

    def _placed_again(self, taken: Taken) -> Job | None:
        """A question as it was; one that cannot be gone on with is over."""
        try:
            account = self._folder.named(taken.asker)
            return placed(self._folder.curator(taken.table, account), AskBody(**dict(taken.body or {})), account)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told to whoever asked
            self._folder.done(taken.id, outcome_of(as_turned(error)))
            return None

    async def end(self) -> None:
        """Wait a while for what runs; the rest is left to be gone on with."""
        if self._looking is not None:
            self._looking.cancel()
            with suppress(CancelledError):
                await self._looking
        if running := [*self._running.values(), *self._unwritten]:
            _, left = await wait(running, timeout=self._limits.seconds_to_end)
            for task in left:
                task.cancel()
        if self._writing is not None:
            await self._writing
        self._threads.shutdown(wait=False, cancel_futures=True)


def _answered(job: Job) -> Answer | Turned:
    """What became of a job; every error is an outcome."""
    try:
        return job.curator.answer(job.seen.order, job.seen)
    except Exception as error:  # noqa: BLE001 - its text may quote anything
        return as_turned(error)
