"""Quotes, questions and rehearsals over HTTP."""

from asyncio import Task, shield, wait
from datetime import UTC, datetime
from math import inf
from typing import Annotated

from fastapi import APIRouter, Header
from starlette.responses import Response

from discreet.answers.answer import Answer
from discreet.answers.bodies import answer_body, budget_body, quote_body
from discreet.curator.accounts import Account
from discreet.curator.asking import Curator
from discreet.curator.orders import Batch
from discreet.curator.taking import Taken
from discreet.errors import ParameterError
from discreet.service.bodies import AskAllBody, AskBody, QuoteBody, RehearseBody
from discreet.service.document import ANSWER, ANSWERS, PENDING, QUOTE, said
from discreet.service.door import Inside, Visitor
from discreet.service.failures import Turned
from discreet.service.house import House
from discreet.service.jobs import Job, answered, at_price, placed, read_again
from discreet.service.writing import told, turned

__all__ = ["delivered", "routes", "told_again"]

routes = APIRouter(tags=["asking"])
Key = Annotated[str | None, Header(alias="Idempotency-Key", min_length=1, max_length=200, pattern=r"^[\x21-\x7e]+$")]
_LARGE = 2000  # numbers of an answer, which take two or three milliseconds to be written: more are written in a thread
HTTP_500 = 500  # from here on it is ours
Prefer = Annotated[str | None, Header(max_length=200)]


@routes.post("/api/tables/{name}/quote", responses=said(QUOTE, 400, 404, 503))
async def quote(name: str, body: QuoteBody, visitor: Visitor, house: Inside) -> Response:
    """What a question would cost and how good its answer would be. Free; no row is read, and lack of budget is no error."""
    return await house.think(visitor, name, _quoted, body, visitor)


def _quoted(curator: Curator, body: QuoteBody, analyst: Account) -> Response:
    return told(quote_body(curator.quote(body.to_ask(analyst))))


@routes.post("/api/tables/{name}/rehearse", responses=said(ANSWER, 400, 404, 409, 503))
async def rehearse(name: str, body: RehearseBody, visitor: Visitor, house: Inside) -> Response:
    """An answer on made-up rows: free, and about nobody."""
    return await house.think(visitor, name, _rehearsed, body, visitor, house.limits.numbers_rehearsed)


def _rehearsed(curator: Curator, body: RehearseBody, analyst: Account, most: int) -> Response:
    answer = curator.rehearse(body.to_ask(analyst, rehearse=True), most)
    return told(answer_body(answer) | {"budget": budget_body(curator.budget_for(analyst))})


@routes.post("/api/tables/{name}/ask", responses=said(ANSWER, 400, 403, 404, 409, 500, 503) | {202: PENDING})
async def ask(name: str, body: AskBody, visitor: Visitor, house: Inside, key: Key = None, prefer: Prefer = None) -> Response:
    """Answer a question with noise worth its price. Charged first; what was bought before is free.

    With the same `Idempotency-Key` the same request is one, whatever became of the connection. What takes long by its public
    time, or waits long, is answered by 202 and a `Location` to look at; `Prefer: respond-async` asks for that in any case.
    """
    later = "respond-async" in (prefer or "")
    if key is not None:
        return await _with_key(house, name, body, visitor, key, later=later)
    job = await house.think(visitor, name, placed, body, visitor)
    if not job.seconds and not later:
        return await house.in_turn(visitor, _told_now, job)
    house.jobs.lines.check_room(visitor.name)
    house.check_numbers(visitor.name, job.numbers)
    if not later and not _is_long(house, job):
        return await _told(house, visitor, await shield(house.jobs.start_here(job)))
    taken = await house.do(house.folder.take_in, visitor, name, at_price(body, job))
    house.jobs.start(taken, job)
    return _pending(taken)


@routes.post("/api/tables/{name}/ask_all", responses=said(ANSWERS, 400, 403, 404, 409, 500, 503))
async def ask_all(name: str, body: AskAllBody, visitor: Visitor, house: Inside) -> Response:
    """Several questions for one price, charged together or not at all. Sent again it is free: what was bought is stored.

    The answers come after the public times of all of them, one after the other; there is no 202.
    """
    curator, batch, seconds, numbers = await house.think(visitor, name, _batch, body, visitor)
    house.jobs.lines.check_room(visitor.name)
    house.check_numbers(visitor.name, numbers)
    found = await house.jobs.together(visitor.name, seconds, numbers, curator, batch)
    return await house.in_turn(visitor, _all_written, found)


def _batch(curator: Curator, body: AskAllBody, analyst: Account) -> tuple[Curator, Batch, float, int]:
    batch = curator.batch(body.questions, **body.model_dump(exclude={"questions"}), analyst=analyst)
    seen = [curator.looked_up(order) for order in batch.orders]
    return curator, batch, sum(map(curator.seconds, seen)), sum(map(curator.numbers, seen))


def _all_written(found: list[Answer]) -> Response:
    return told({"answers": [answer_body(each) for each in found]})


async def _with_key(house: House, name: str, body: AskBody, visitor: Account, key: str, *, later: bool) -> Response:
    """A request that may have come before: it is written down before it is looked at."""
    await house.table(visitor, name)  # of a table that is not there for them nothing is written
    house.jobs.lines.check_room(visitor.name)
    try:
        taken = await house.do(house.folder.take_in, visitor, name, body.model_dump(), key=key)
    except ParameterError as error:
        raise Turned(422, "body", error.message, error.hint) from None
    if not taken.is_new:
        return await _again(house, visitor, taken)
    body, wish = read_again(taken.body or {})  # a worker that died may have turned a wish into a price
    with house.jobs.thinking(taken.id):
        try:
            job = await house.think(visitor, name, placed, body, visitor, wish)
            house.check_numbers(visitor.name, job.numbers)
            if body.within is not None and job.seconds:
                await house.do(house.folder.reword, taken.id, at_price(body, job))
        except Exception:
            await house.do(house.folder.forget, taken.id)  # nothing has happened: the key may be used again
            raise
        later |= _is_long(house, job)
        task = house.jobs.start(taken, job)
    if later:
        return _pending(taken)
    found = await _soon(house, taken, task)
    if found is None:
        return _pending(taken)
    if isinstance(found, Turned) and found.status < HTTP_500:
        await house.do(house.folder.forget, taken.id)  # refused, and told so: the key may be used again
    return await _told(house, visitor, found)


def _is_long(house: House, job: Job) -> bool:
    """Whether it is to be looked for later: by public times alone."""
    return house.jobs.expected(job.who, job.seconds) > house.limits.seconds_before_202


async def _soon(house: House, taken: Taken, task: "Task[Answer | Turned]") -> Answer | Turned | None:
    """What became of a question; None where it takes long, and waits for somebody's charge, whose public time is not known here,
    or is late, as what waits for room is."""
    while not (await wait([task], timeout=house.limits.seconds_before_202))[0]:
        if not 0 < house.jobs.left(taken.id) < inf:
            return None
    return task.result()


async def _again(house: House, visitor: Account, taken: Taken) -> Response:
    """The same request once more."""
    task = house.jobs.task(taken.id)
    if task is not None and house.jobs.left(taken.id) <= house.limits.seconds_before_202:
        found = await _soon(house, taken, task)
        return _pending(taken) if found is None else await _told(house, visitor, found)
    return await delivered(house, visitor, taken)


async def delivered(house: House, visitor: Account, taken: Taken) -> Response:
    """What became of a question, as far as that is known."""
    if taken.outcome is None:
        return _pending(taken)
    if "answer" in taken.outcome:
        is_free = bool(taken.outcome.get("free"))
        return await house.in_turn(visitor, told_again, house, visitor, taken.outcome["answer"], is_free=is_free)
    return told(taken.outcome.get("body", dict(taken.outcome)), taken.outcome.get("status", HTTP_500))


async def _told(house: House, visitor: Account, found: Answer | Turned) -> Response:
    """What is large is written in a thread, in turn: nobody else is answered as long as the loop of events writes."""
    if isinstance(found, Answer) and len(found.rows) * len(found.columns) > _LARGE:
        return await house.in_turn(visitor, _written, found)
    return _written(found)


def _written(found: Answer | Turned) -> Response:
    if isinstance(found, Turned):
        return turned(found)
    return told(answer_body(found), Content_Location=f"/api/answers/{found.id}")


def _told_now(job: Job) -> Response:
    """What is free."""
    return _written(answered(job))


def told_again(house: House, visitor: Account, identity: str, *, is_free: bool = False) -> Response:
    """An answer of theirs as it was shown when it was bought, or when it was free."""
    return _written(house.folder.answer(visitor, identity, is_free=is_free))


def _pending(taken: Taken) -> Response:
    """Where to look for what is not there yet."""
    at = datetime.fromtimestamp(taken.at, UTC).isoformat(timespec="seconds")
    body = {"id": taken.id, "state": "running", "table": taken.table, "at": at}
    return told(body, 202, Location=f"/api/answers/{taken.id}", Retry_After="1")
