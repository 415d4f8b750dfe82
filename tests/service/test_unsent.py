"""What large answers may wait for their readers."""

import asyncio

import pytest

from discreet.service.guard import Guard
from discreet.service.settings import Limits

LARGE = 200_000


class Reader:
    """Takes nothing of a response until it is let go."""

    def __init__(self):
        self.status, self.size, self.let_go = None, 0, asyncio.Event()

    async def send(self, message):
        if message["type"] == "http.response.start":
            self.status = message["status"]
        else:
            self.size += len(message["body"])
            await self.let_go.wait()


async def settled():
    for _ in range(20):
        await asyncio.sleep(0)


def served(who, sizes):
    """A guard before an application whose answers have these sizes, one after the other."""
    left = iter(sizes)

    async def app(scope, _receive, send):
        scope["state"]["analyst"] = who
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * next(left)})

    return app


async def nothing():
    return {"type": "http.request", "body": b"", "more_body": False}


def asked(guard, reader):
    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    return asyncio.create_task(guard(scope, nothing, reader.send))


@pytest.mark.parametrize("who", ["alice", ""])
def test_a_second_large_answer_waits_for_room_and_a_first_one_of_any_size_has_it(who):
    async def run():
        guard = Guard(served(who, [3 * LARGE, LARGE, 1000, 3 * LARGE]), Limits(unsent_bytes_of_one=2 * LARGE), secure=False)
        first, second, small, after = (Reader() for _ in range(4))
        tasks = [asked(guard, first)]
        await settled()
        tasks += [asked(guard, second), asked(guard, small)]
        await settled()
        assert (first.status, small.status, small.size) == (200, 200, 1000)
        assert second.status == (429 if who else 200)              # what is told without a token is small anyway
        for each in (first, second, small, after):
            each.let_go.set()
        await asyncio.gather(*tasks)
        await asked(guard, after)
        assert (first.size, after.status, after.size) == (3 * LARGE, 200, 3 * LARGE)

    asyncio.run(run())


def test_several_large_answers_that_fit_are_on_their_way_at_once():
    async def run():
        guard = Guard(served("alice", [LARGE] * 3), Limits(unsent_bytes_of_one=2 * LARGE), secure=False)
        readers = [Reader() for _ in range(3)]
        tasks = [asked(guard, each) for each in readers]
        await settled()
        assert [each.status for each in readers] == [200, 200, 429]
        for each in readers:
            each.let_go.set()
        await asyncio.gather(*tasks)

    asyncio.run(run())


def test_an_application_that_fails_after_its_head_is_told_as_a_crash():
    async def app(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise ValueError

    async def run():
        reader = Reader()
        reader.let_go.set()
        await asked(Guard(app, Limits(), secure=False), reader)
        assert reader.status == 500

    asyncio.run(run())
