"""A client that costs little: requests are bytes, and connections are kept for a while.

Not for good: whichever worker has time takes a new one, so that all of them have some.
"""

import asyncio
import json
from typing import Any

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter, list[None]]  # the list grows with each request

USES = 20


class Light:
    """For many requests at once to one service, in one event loop; so many on each connection."""

    def __init__(self, address: str, uses: int = USES) -> None:
        host, _, port = address.removeprefix("http://").rpartition(":")
        self._place = host, int(port)
        self._uses = uses
        self._idle: list[Connection] = []

    async def post(self, path: str, body: object, token: str, key: str = "") -> tuple[int, dict[str, Any]]:
        """Status and body of the response. Raises OSError or EOFError if the connection is cut before it is there."""
        text = json.dumps(body)
        named = f"Idempotency-Key: {key}\r\n" if key else ""
        head = f"POST {path} HTTP/1.1\r\nHost: {self._place[0]}\r\nAuthorization: Bearer {token}\r\n{named}"
        sent = f"{head}Content-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode()
        connection: Connection = self._idle.pop() if self._idle else (*await asyncio.open_connection(*self._place), [])
        reader, writer, uses = connection
        try:
            writer.write(sent)
            told = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 120)
            length = int(told.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
            found = json.loads(await reader.readexactly(length))
        except BaseException:
            writer.close()
            raise
        uses.append(None)
        self._keep(connection)
        return int(told.split(b" ", 2)[1]), found

    def _keep(self, connection: Connection) -> None:
        if len(connection[2]) < self._uses:
            self._idle.append(connection)
        else:
            connection[1].close()

    async def close(self) -> None:
        """Let go of all connections."""
        for _, writer, _ in self._idle:
            writer.close()
        self._idle.clear()
