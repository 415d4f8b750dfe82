"""A crowd of clients in a process of its own: ADDRESS CLIENTS SECONDS, its token on stdin. Prints JSON.

It shares the cores with what it measures, so it does little: requests are bytes, of responses only status and length are read.
First everybody gets a quote and asks, as fast as they can; then, at half of the rate at which they were answered, questions and
as many quotes arrive at random times, whether or not those before them are answered, three times as long. Each request is on a
connection of its own, here and there: people ask now and then, and nobody keeps a connection for that long. When they come is
drawn anew each time.
"""

import asyncio
import gc
import json
import os
import random
import sys
import time
from itertools import count

QUESTION = "SELECT AVG(income) AS m FROM people WHERE age < 70 AND income > {}"
PRICE = "0.001"
OK = b"200"
TIMES = 3


class Crowd:
    """Whoever asks one service; whichever worker has time takes a connection."""

    def __init__(self, address: str, token: str, first: int) -> None:
        host, _, port = address.removeprefix("http://").rpartition(":")
        self._place = host, int(port)
        self._head = f"HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        self._fresh = count(first)
        self.errors = 0

    async def sent(self, verb: str) -> float:
        """Seconds until the whole answer to a new question is there; an error is counted."""
        body = json.dumps({"sql": QUESTION.format(next(self._fresh)), "epsilon": PRICE})
        request = f"POST /api/tables/people/{verb} {self._head}Content-Length: {len(body)}\r\n\r\n{body}".encode()
        start = time.perf_counter()
        try:
            reader, writer = await asyncio.open_connection(*self._place)
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
            await reader.readexactly(int(length))
            writer.close()
            self.errors += head.split(b" ", 2)[1] != OK
        except (OSError, asyncio.IncompleteReadError):
            self.errors += 1
        return time.perf_counter() - start

    async def as_fast_as_they_can(self, clients: int, seconds: float) -> float:
        """Answers a second."""
        start, done = time.perf_counter(), 0

        async def client() -> None:
            nonlocal done
            while time.perf_counter() < start + seconds:
                await self.sent("quote")
                await self.sent("ask")
                done += 1

        await asyncio.gather(*(client() for _ in range(clients)))
        return done / (time.perf_counter() - start)

    async def at_random(self, rate: float, seconds: float) -> dict[str, list[float]]:
        """Seconds of quotes and of questions, so many of each arriving in a second."""
        taken: dict[str, list[float]] = {"quote": [], "ask": []}
        draw, tasks = random.Random(), set()
        due = start = time.perf_counter()

        async def one(verb: str, late: float) -> None:
            taken[verb].append(late + await self.sent(verb))

        while (due := due + draw.expovariate(2 * rate)) < start + seconds:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            late = max(0.0, time.perf_counter() - due)  # whoever comes late through us has waited as well
            task = asyncio.create_task(one(draw.choice(["quote", "ask"]), late))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        await asyncio.gather(*tasks)
        return taken


async def main() -> None:
    address, clients, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    crowd = Crowd(address, sys.stdin.readline().strip(), 10_000)
    await asyncio.gather(*(crowd.sent("ask") for _ in range(clients)))  # which warms up
    capacity = await crowd.as_fast_as_they_can(clients, seconds / 3)
    begun = sum(os.times()[:2])
    taken = [await crowd.at_random(capacity / 2, seconds) for _ in range(TIMES)]
    own = (sum(os.times()[:2]) - begun) / sum(len(found) for each in taken for found in each.values())
    print(json.dumps({"capacity": capacity, "taken": taken, "errors": crowd.errors, "own": own}))


if __name__ == "__main__":
    gc.disable()
    asyncio.run(main())
