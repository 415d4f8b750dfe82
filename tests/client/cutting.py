"""Connections on loopback that are cut after so many bytes: of a request on its way to a service, or of what it responds."""

import asyncio
import json
import re
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from threading import Thread
from typing import Self
from uuid import uuid4

PRICE = Fraction(1, 1000)
COUNT = "SELECT COUNT(*) AS n FROM people"
KEY_SIZE = 16
AT_ONCE = 8  # connections
END = b"\r\n\r\n"
_OF_NOW = re.compile(rb"(?:date|content-length|x-request-id): [^\r]*|\"budget\".*", re.DOTALL)


@dataclass(frozen=True)
class Wished:
    """One question to a service at an address, as bytes: each key is bought anew."""

    address: str
    token: str

    def sent(self, key: str) -> bytes:
        """The request. It is as long whatever its key is, as long as keys are."""
        body = json.dumps({"sql": COUNT, "epsilon": str(PRICE), "anew": True})
        lines = ["POST /api/tables/people/ask HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {self.token}",
                 f"Idempotency-Key: {key}", "Connection: close", "Content-Type: application/json",
                 f"Content-Length: {len(body)}", "", body]
        return "\r\n".join(lines).encode()

    async def cut_request(self, key: str, size: int) -> None:
        """So many bytes of it arrive, and nobody waits for what is said to them."""
        _, writer = await self._connected()
        writer.write(self.sent(key)[:size])
        await _closed(writer)

    async def cut_response(self, key: str, size: int) -> bytes:
        """All of it arrives, and of the response so many bytes, which are told."""

        async def some(reader: asyncio.StreamReader) -> bytes:
            return await reader.readexactly(size)

        return await self._exchanged(self.sent(key), some)

    async def whole(self, key: str) -> bytes:
        """The whole response."""
        return await self._exchanged(self.sent(key), _all_of)

    async def table(self) -> bytes:
        """What is told of the table."""
        lines = ["GET /api/tables/people HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {self.token}",
                 "Connection: close", "", ""]
        return await self._exchanged("\r\n".join(lines).encode(), _all_of)

    async def _exchanged(self, sent: bytes, taken: Callable[[asyncio.StreamReader], Awaitable[bytes]]) -> bytes:
        """What is taken of a response, once it is more than that somebody is at work."""
        for _ in range(1000):
            reader, writer = await self._connected()
            writer.write(sent)
            try:
                found = await taken(reader)
            except asyncio.IncompleteReadError as short:
                found = short.partial
            await _closed(writer)
            if not found.startswith(b"HTTP/1.1 202 "):
                return found
            await asyncio.sleep(0.02)
        raise AssertionError("what was asked is never answered")

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        host, _, port = self.address.removeprefix("http://").rpartition(":")
        return await asyncio.open_connection(host, int(port))


async def _all_of(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(END)
    length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
    return head + await reader.readexactly(int(length))


async def _closed(writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):  # what was said meanwhile, and is not read any more, breaks it
        await writer.drain()
        writer.close()
        await writer.wait_closed()


def body_of(response: bytes) -> bytes:
    """What comes after the head; nothing where the head is not whole."""
    return response.partition(END)[2]


def new_key() -> str:
    """As long as any other."""
    return uuid4().hex[:KEY_SIZE]


def answers_to_cut_requests(wished: Wished, places: Iterable[int]) -> list[dict]:
    """For each place a question of its own is cut there, and asked again."""

    async def one(place: int) -> dict:
        key = new_key()
        await wished.cut_request(key, place)
        return read(await wished.whole(key))

    return _at_once(one, places)


def answers_to_cut_responses(wished: Wished, places: Sequence[int], questions: int) -> list[dict]:
    """So many questions share the places: one whose response was cut is asked again, and cut again so many bytes later."""

    async def one(first: int) -> dict:
        key = new_key()
        parts = [await wished.cut_response(key, place) for place in places[first::questions]]
        found = await wished.whole(key)
        for part in parts:
            assert is_part_of(part, found), len(part)
        return read(found)

    return _at_once(one, range(questions))


def is_part_of(part: bytes, response: bytes) -> bool:
    """Whether a response is the same as far as it goes: the same answer, whenever it was told, and whatever was left then."""
    known = _OF_NOW.sub(lambda found: bytes(len(found[0])), response)
    return all(one == other for one, other in zip(part, known, strict=False) if other)


def read(response: bytes) -> dict:
    """An answer; anything else is an error."""
    assert response.startswith(b"HTTP/1.1 200 "), response
    return json.loads(body_of(response))


def _at_once(verb: Callable, things: Iterable) -> list:
    """What becomes of each, some of them at a time."""

    async def all_of_them() -> list:
        places = asyncio.Semaphore(AT_ONCE)

        async def one(thing: object) -> object:
            async with places:
                return await verb(thing)

        return await asyncio.gather(*map(one, things))

    return asyncio.run(all_of_them())


class Repeating:
    """Says what a service has said, byte for byte, one connection after the other; every other time it is cut.

    ``heard`` are the requests that were answered by what is cut at ``places``, or by all of it.
    """

    def __init__(self, table: bytes, answer: bytes, places: Iterable[int]) -> None:
        self._table, self._answer = table, answer
        self._sizes = chain.from_iterable((place, len(answer)) for place in places)
        self.heard: list[bytes] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._thread = Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._thread.join(10)
        self._listening.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                with connection:
                    request = _heard(connection)
                    if request.startswith(b"GET "):
                        connection.sendall(self._table)
                    else:
                        self.heard.append(request)
                        connection.sendall(self._answer[: next(self._sizes)])


def _heard(connection: socket.socket) -> bytes:
    found, length = b"", None
    while length is None or len(body_of(found)) < length:
        if not (more := connection.recv(65_536)):
            raise ConnectionResetError
        found += more
        if END in found:
            length = int(found.lower().partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
    return found
