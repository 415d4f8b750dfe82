"""Questions that outlive their connections. Each is written down in the ledger, and worked off by a task that no connection owns.

A worker that is killed leaves some; whoever lives goes on with them. What was charged for one is not charged again: its id is the
key of its charge.
"""

from asyncio import CancelledError, Task, create_task, get_running_loop, shield, sleep, wait
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from discreet.answers.answer import Answer, as_strings
from discreet.curator.accounts import Account
from discreet.curator.asking import Curator
from discreet.curator.folder import Folder
from discreet.curator.orders import Order
from discreet.curator.taking import Taken
from discreet.errors import DiscreetError
from discreet.service.bodies import AskBody
from discreet.service.failures import Turned, as_turned
from discreet.service.fair import Lines
from discreet.service.settings import Limits

__all__ = ["Job", "Jobs", "answer_body", "at_price", "outcome_of", "placed"]

_LOOK = 2.0  # seconds between looks for what dead workers left


@dataclass(frozen=True, slots=True)
class Job:
    """An order of somebody, and how long it takes in public."""

    curator: Curator
    order: Order
    seconds: float  # 0 if it is free: nothing is read for it

    @property
    def who(self) -> str:
        """Whose line it waits in."""
        return self.order.request.analyst


def placed(curator: Curator, body: AskBody, account: Account) -> Job:
    """A body as a job. May refuse; reads no row."""
    order = curator.order(body.to_ask(account))
    return Job(curator, order, curator.seconds(order))


def at_price(body: AskBody, job: Job) -> dict[str, Any]:
    """What another worker needs to go on with a job: a wish is the price by now that it was turned into."""
    return body.model_dump() | {"within": None} | as_strings(job.order.plan.price)


def answer_body(answer: Answer) -> dict[str, Any]:
    """The one answer shape, and what it answers."""
    columns = [each.to_dict() | {"drawn": each.is_drawn} for each in answer.columns]
    return answer.to_dict() | {"table": answer.table, "question": answer.question, "columns": columns}


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
        self._running: dict[str, Task[Answer | Turned]] = {}
        self._looking: Task[None] | None = None

    def start(self, taken: Taken, job: Job) -> "Task[Answer | Turned]":
        """Work a question off, whatever becomes of whoever asked."""
        task = create_task(self._worked(taken.id, replace(job, order=replace(job.order, key=taken.id))))
        self._running[taken.id] = task
        task.add_done_callback(lambda _: self._running.pop(taken.id, None))
        return task

    def task(self, identity: str) -> "Task[Answer | Turned] | None":
        """What works on a question here."""
        return self._running.get(identity)

    async def at_once(self, job: Job) -> Answer | Turned:
        """What is free: nothing has to be remembered of it."""
        return await get_running_loop().run_in_executor(self._threads, _answered, job)

    async def _worked(self, identity: str, job: Job) -> Answer | Turned:
        loop = get_running_loop()
        async with self.lines.place(job.who, job.seconds):
            found = await shield(loop.run_in_executor(self._threads, _answered, job))
            kept = outcome_of(found) if isinstance(found, Turned) else {"answer": found.id}
            await shield(loop.run_in_executor(self._threads, self._folder.done, identity, kept))
            return found

    # ---- what dead workers left

    def begin(self) -> None:
        """Say that this worker lives, and look for what others left, as long as it does."""
        self._looking = create_task(self._look())

    async def _look(self) -> None:
        loop = get_running_loop()
        while True:
            with suppress(DiscreetError):  # a ledger that is locked or gone is looked at again soon
                for taken, job in await loop.run_in_executor(self._threads, self._found, list(self._running)):
                    self.start(taken, job)
            await sleep(_LOOK)

    def _found(self, running: list[str]) -> list[tuple[Taken, Job]]:
        if running:
            self._folder.renew(running)
        taken = [self._folder.take(identity) for identity in self._folder.left_behind()]
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
        if self._running:
            _, left = await wait(list(self._running.values()), timeout=self._limits.seconds_to_end)
            for task in left:
                task.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)


def _answered(job: Job) -> Answer | Turned:
    """What became of a job; every error is an outcome."""
    try:
        return job.curator.answer(job.order)
    except Exception as error:  # noqa: BLE001 - its text may quote anything
        return as_turned(error)
