"""Questions that outlive their connections. Each is written down in the ledger, and worked off by a task that no connection owns.

A worker that is killed leaves some; whoever lives goes on with them. What was charged for one is not charged again: its id is the
key of its charge.
"""

import logging
from asyncio import Future, Task, create_task, get_running_loop, shield, sleep, wait
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Any, ParamSpec, TypeVar

from discreet.answers.answer import Answer, as_strings
from discreet.curator.accounts import Account
from discreet.curator.asking import Curator
from discreet.curator.folder import Folder
from discreet.curator.orders import Awaited, Batch, Crossed
from discreet.curator.taking import Taken, Wish, wish_from, wish_to
from discreet.errors import DiscreetError
from discreet.service.bodies import AskBody
from discreet.service.failures import Turned, as_turned, crashed
from discreet.service.fair import Turns
from discreet.service.room import Room
from discreet.service.settings import Limits

__all__ = ["Job", "Jobs", "answered", "at_price", "outcome_of", "placed", "read_again"]

P = ParamSpec("P")
T = TypeVar("T")

_AT_ONCE = 8  # that are taken over before any of them is begun
_LOOK = 2.0  # seconds between looks for what dead workers left
_GLANCE = 0.1  # seconds between looks at a charge that is waited for
_SOON = 0.1  # the same where there was more of it: other workers take some of it meanwhile
_WISHED = "wished"  # no word of a body, so that nobody can send it
_TO_WRITE = 1.0  # second, at least, to write down which questions were answered
_log = logging.getLogger("discreet.service")


@dataclass(frozen=True, slots=True)
class Job:
    """An order of somebody as it was looked up, and how long it takes in public."""

    curator: Curator
    seen: Crossed
    seconds: float  # 0 if it is free: nothing is read for it
    numbers: int  # that the ledger keeps of it; 0 likewise

    @property
    def who(self) -> str:
        """Whose line it waits in."""
        return self.seen.request.analyst

    def with_key(self, key: str) -> "Job":
        """The same, charged once under a key."""
        return replace(self, seen=self.seen.with_key(key))


def placed(curator: Curator, body: AskBody, account: Account, wish: Wish | None = None) -> Job:
    """A body as a job; ``wish`` is what its price was worked out for before. May refuse; reads no row."""
    order = curator.order(body.to_ask(account))
    seen = curator.looked_up(order if wish is None else replace(order, wish=wish))
    return Job(curator, seen, curator.seconds(seen), curator.numbers(seen))


def at_price(body: AskBody, job: Job) -> dict[str, Any]:
    """What another worker needs to go on with a job: a wish, and the price by now that it was turned into."""
    order = job.seen.order
    wished = {} if order.wish is None else {_WISHED: wish_to(order.wish)}
    return body.model_dump() | {"within": None} | as_strings(order.plan.price) | wished


def read_again(kept: Mapping[str, Any]) -> tuple[AskBody, Wish | None]:
    """A body as it came, or as ``at_price`` has left it."""
    words = dict(kept)
    wished = words.pop(_WISHED, None)
    return AskBody(**words), None if wished is None else wish_from(wished)


def outcome_of(reason: Turned) -> dict[str, Any]:
    """An error as it is kept, with its status."""
    return {"status": reason.status, "body": reason.body}


class Jobs:
    """What one worker works on.

    Questions sleep in their threads until their public times; what is written down of them has threads of its own, or that they
    are worked on would not be said in time, and others would take them for a dead worker's.
    """

    def __init__(self, folder: Folder, limits: Limits, thoughts: Turns, showing: Turns, books: ThreadPoolExecutor) -> None:
        self._folder = folder
        self._limits = limits
        self._thoughts = thoughts  # for what reads no row
        self._showing = showing  # for answers that are there already, and may be large
        self._books = books  # for who works on what, and what became of it: short, and nothing else
        waiting = limits.asks_waiting, limits.asks_waiting_of_one
        self._threads = Turns("asking", limits.asks_at_once, *waiting, limits.short_seconds)
        self.lines = self._threads.lines
        self._room = Room(limits.numbers_at_once, limits.numbers_rehearsed)
        self._thought_about: set[str] = set()  # taken in here, and not begun
        self._running: dict[str, Task[Answer | Turned]] = {}  # until it is written what became of them
        self._due: dict[str, float] = {}  # of these, when each would be over by public times alone, in the loop's time
        self._awaited: dict[int, Task[None]] = {}  # charges of others: one looks at each, for all who wait for it
        self._unwritten: set[Task[Any]] = set()  # of which nobody but this process knows
        self._answers: dict[str, Mapping[str, Any]] = {}  # outcomes to be written down
        self._writing: Task[None] | None = None
        self._looking: Task[None] | None = None
        self._until = inf  # when this worker ends, in the loop's time: known once it is told to

    @contextmanager
    def thinking(self, identity: str) -> Iterator[None]:
        """Inside, a question that was taken in is this worker's, though nothing works on it yet."""
        self._thought_about.add(identity)
        try:
            yield
        finally:
            self._thought_about.discard(identity)

    @property
    def _ours(self) -> list[str]:
        return [*self._running, *self._thought_about]

    def start(self, taken: Taken, job: Job) -> "Task[Answer | Turned]":
        """Work a question off that was taken in, whatever becomes of whoever asked."""
        return self._begun(taken, create_task(self._written_down(taken, job)))

    def _begun(self, taken: Taken, task: "Task[Answer | Turned]") -> "Task[Answer | Turned]":
        self._running[taken.id] = task
        task.add_done_callback(partial(self._ended, taken.id))
        return task

    def start_here(self, job: Job) -> "Task[Answer | Turned]":
        """The same for one that nobody can come back to by a key or an id: if this process dies, they ask again, and what was
        charged is gone on with."""
        return self._kept(create_task(self._worked(job)))

    def _kept(self, task: "Task[T]") -> "Task[T]":
        self._unwritten.add(task)
        task.add_done_callback(self._unwritten.discard)
        return task

    def task(self, identity: str) -> "Task[Answer | Turned] | None":
        """What works on a question here."""
        return self._running.get(identity)

    def left(self, identity: str) -> float:
        """In how many seconds what is worked on here would be over, by public times alone; never while it waits for a charge."""
        return self._due.get(identity, inf) - get_running_loop().time()

    def expected(self, who: str, seconds: float) -> float:
        """When a question of so many public seconds would be over, by public times alone: at once if it is free."""
        return self.lines.expected(who, seconds) if seconds else 0.0

    async def together(self, who: str, seconds: float, numbers: int, curator: Curator, batch: Batch) -> list[Answer]:
        """Several questions at once, in one place of somebody's line, to their end whatever becomes of the connection."""

        def verb() -> list[Answer]:
            with self._room.held(numbers):
                return curator.answer_all(batch, is_patient=False)

        task = create_task(self._not_in_the_way(who, curator, lambda: self._in_turn(who, seconds, verb)))
        return await shield(self._kept(task))

    async def _not_in_the_way(self, who: str, curator: Curator, begun: Callable[[], Awaitable[T]], identity: str = "") -> T:
        """What waits for somebody's running charge holds no place meanwhile, whatever the public time of that charge is."""
        while True:
            try:
                return await begun()
            except Awaited as reason:
                if identity:
                    self._due[identity] = inf  # when that charge is over is not known here
                with self.lines.aside(who):
                    await self._over(curator, reason.charge)

    async def _over(self, curator: Curator, charge: int) -> None:
        """Wait until nobody works on a charge any more."""
        if charge not in self._awaited:
            self._awaited[charge] = create_task(self._watched(curator, charge))
            self._awaited[charge].add_done_callback(lambda _: self._awaited.pop(charge))
        await shield(self._awaited[charge])

    async def _watched(self, curator: Curator, charge: int) -> None:
        with suppress(DiscreetError):  # a ledger that cannot be read is told by what begins again
            while await self._write(curator.is_worked_on, charge):
                await sleep(_GLANCE)

    async def _in_turn(self, who: str, seconds: float, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        turns = self._threads if seconds else self._showing  # what is free waits for nobody's public time
        return await turns.run(who, seconds, verb, *args, **kwargs)

    async def _worked(self, job: Job, identity: str = "") -> Answer | Turned:
        begun = partial(self._in_turn, job.who, job.seconds, self._answered, job)
        return await self._not_in_the_way(job.who, job.curator, begun, identity)

    def _answered(self, job: Job) -> Answer | Turned:
        with self._room.held(job.numbers):
            return answered(job, is_patient=False)

    async def _written_down(self, taken: Taken, job: Job) -> Answer | Turned:
        self._due[taken.id] = get_running_loop().time() + self.expected(job.who, job.seconds)
        found = await self._worked(job.with_key(taken.id), taken.id)
        return found if isinstance(found, Answer) else await self._turned_down(taken, found)

    async def _turned_down(self, taken: Taken, reason: Turned) -> Turned:
        await shield(self._write(self._folder.done, taken.id, outcome_of(reason)))
        return reason

    def _write(self, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Something about who works on what, or what became of it."""
        return get_running_loop().run_in_executor(self._books, partial(verb, *args, **kwargs))

    # ---- what was answered

    def _ended(self, identity: str, task: "Task[Answer | Turned]") -> None:
        """Have it written down: nobody waits for that, since whoever finds a dead worker's question finds its answer too."""
        found = None if task.cancelled() or task.exception() else task.result()
        if not isinstance(found, Answer):
            self._forget(identity)
            return
        self._answers[identity] = {"answer": found.id} | ({"free": True} if found.replayed else {})
        if self._writing is None or self._writing.done():
            self._writing = create_task(self._write_answers())

    def _forget(self, identity: str) -> None:
        self._running.pop(identity, None)
        self._due.pop(identity, None)

    async def _write_answers(self) -> None:
        """Those that come while some are written are written next, all at once."""
        while self._answers:
            answers, self._answers = self._answers, {}
            try:
                await self._write(self._folder.all_done, answers)
            except Exception as error:  # noqa: BLE001 - their leases end, and whoever goes on with them finds their answers
                _note(error)
            for identity in answers:
                self._forget(identity)

    # ---- what dead workers left

    def begin(self) -> None:
        """Say that this worker lives, as long as it does; and look for what others left, until it is told to end."""
        self._looking = create_task(self._look())

    async def _look(self) -> None:
        """Nothing that goes wrong ends it: else what this worker works on would be taken for a dead one's."""
        while True:
            pause = _LOOK
            try:
                if ours := self._ours:
                    await self._write(self._folder.renew, ours)
                left = [] if self._is_leaving else await self._write(self._folder.left_behind)
                for identity in [each for each in left if each not in self._ours][:_AT_ONCE]:  # ours was renewed too late
                    if self._is_leaving:
                        break
                    if (taken := await self._write(self._folder.take, identity)) is not None:
                        self._begun(taken, create_task(self._gone_on_with(taken)))
                pause = _SOON if len(left) > _AT_ONCE else _LOOK
            except Exception as error:  # noqa: BLE001 - it is looked at again soon
                _note(error)
            await sleep(pause)

    @property
    def _is_leaving(self) -> bool:
        return self._until < inf

    async def _gone_on_with(self, taken: Taken) -> Answer | Turned:
        job = await self._thoughts.run(taken.asker, 0.0, self._placed_again, taken)
        return await (self._turned_down(taken, job) if isinstance(job, Turned) else self._written_down(taken, job))

    def _placed_again(self, taken: Taken) -> Job | Turned:
        """A question as it was; one that cannot be gone on with is over."""
        try:
            account = self._folder.named(taken.asker)
            body, wish = read_again(taken.body or {})
            return placed(self._folder.curator(taken.table, account), body, account, wish)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told to whoever asked
            return as_turned(error)

    def leave(self) -> None:
        """This worker is told to end: it takes nothing over any more, and what runs has some seconds from now on."""
        self._until = min(self._until, get_running_loop().time() + self._limits.seconds_to_end)

    async def end(self) -> bool:
        """Wait until then for what runs; the rest is left to be gone on with. Whether nothing is left."""
        self.leave()
        time, left = get_running_loop().time, [*self._running.values(), *self._unwritten]
        while left and (seconds := self._until - time()) > 0:  # those that end may let others begin
            await wait(left, timeout=seconds)
            left = [each for each in (*self._running.values(), *self._unwritten) if not each.done()]
        for task in (*left, *self._awaited.values(), *([] if self._looking is None else [self._looking])):
            task.cancel()
        if self._writing is not None:  # whoever goes on with what is not written finds it answered
            await wait([self._writing], timeout=max(self._until - time(), _TO_WRITE))
        self._threads.shutdown(wait=not left, cancel_futures=True)
        return not left


def answered(job: Job, *, is_patient: bool = True) -> Answer | Turned:
    """What became of a job; every error is an outcome, but that somebody else's charge is to be waited for."""
    try:
        return job.curator.answer(job.seen.order, job.seen, is_patient=is_patient)
    except Awaited:
        raise
    except Exception as error:  # noqa: BLE001 - its text may quote anything
        return as_turned(error)


def _note(error: Exception) -> None:
    """What went wrong between this worker and the ledger: its kind, since its text may quote anything."""
    if isinstance(error, DiscreetError):
        _log.warning("what is worked on could not be written down or looked for: %s", type(error).__name__)
    else:
        crashed(error)
