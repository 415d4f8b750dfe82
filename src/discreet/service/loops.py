"""The event loop of a worker among several: while a thread of it works, it leaves new connections to those that have time.

All workers wait at one socket. A worker that is busy would take connections all the same, and whoever came by them would wait
behind its work while another worker is idle. How long it stays away tells nothing of rows: until a public number of milliseconds
is over, or a thread has ended, and one that reads rows ends at the public time of its question.
"""

from asyncio import AbstractEventLoop, Future, SelectorEventLoop, Task
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from errno import EMFILE, ENFILE, ENOBUFS, ENOMEM
from socket import socket
from ssl import SSLContext
from typing import Any

__all__ = ["Loop"]

_LEFT_TO_OTHERS = 0.03  # seconds: then it takes connections again, busy as it is
_NO_ROOM = 1.0  # seconds to wait where the system has no room for a connection
_FULL = {EMFILE, ENFILE, ENOBUFS, ENOMEM}


class Loop(SelectorEventLoop):
    """Asyncio's own, with doors for servers."""

    def __init__(self) -> None:
        super().__init__()
        self._doors: list[_Door] = []
        self._working = 0

    async def create_server(  # type: ignore[override]
        self, protocol_factory: Callable[[], Any], *, sock: socket, ssl: SSLContext | None = None, backlog: int = 100
    ) -> "_Door":
        """Listen on a socket that is bound."""
        door = _Door(self, protocol_factory, sock, ssl, self._is_working)
        sock.setblocking(False)
        sock.listen(backlog)
        self._doors.append(door)
        door.open()
        return door

    def run_in_executor(self, executor: Executor | None, func: Callable[..., Any], *args: Any) -> "Future[Any]":  # type: ignore[override]
        """Have a thread do something; as long as one does, doors are shut for a moment."""
        future = super().run_in_executor(executor, func, *args)
        self._working += 1
        if self._working == 1:
            for door in self._doors:
                door.shut(_LEFT_TO_OTHERS)
        future.add_done_callback(self._rested)
        return future

    def _is_working(self) -> bool:
        return self._working > 0

    def _rested(self, _: "Future[Any]") -> None:
        self._working -= 1
        if not self._working:
            for door in self._doors:
                door.open()


class _Door:
    """A socket that many listen on; what uvicorn wants of a server."""

    def __init__(
        self, loop: AbstractEventLoop, made: Callable[[], Any], sock: socket, ssl: SSLContext | None, is_busy: Callable[[], bool]
    ) -> None:
        self.sockets = (sock,)
        self._is_busy = is_busy
        self._loop, self._made, self._sock, self._ssl = loop, made, sock, ssl
        self._again = loop.call_soon(lambda: None)
        self._coming: set[Task[Any]] = set()
        self._is_closed = False

    def open(self) -> None:
        """Take connections."""
        self._again.cancel()
        if not self._is_closed:
            self._loop.add_reader(self._sock, self._let_in)

    def shut(self, seconds: float) -> None:
        """Take none for so long, or until it is opened."""
        if not self._is_closed:
            self._loop.remove_reader(self._sock)
            self._again.cancel()
            self._again = self._loop.call_later(seconds, self.open)

    def _let_in(self) -> None:
        """One of those that wait: the next may be somebody else's."""
        try:
            connection, _ = self._sock.accept()
        except OSError as error:  # somebody else was faster, it has gone again, or there is no room
            if error.errno in _FULL:
                self.shut(_NO_ROOM)
            return
        if self._is_busy():  # and nobody else had time for it
            self.shut(_LEFT_TO_OTHERS)
        task = self._loop.create_task(self._welcome(connection))
        self._coming.add(task)
        task.add_done_callback(self._coming.discard)

    async def _welcome(self, connection: socket) -> None:
        with suppress(OSError):  # it has gone, or speaks no TLS
            await self._loop.connect_accepted_socket(self._made, connection, ssl=self._ssl)

    def close(self) -> None:
        """Take no more."""
        if not self._is_closed:
            self._is_closed = True
            self._again.cancel()
            self._loop.remove_reader(self._sock)
            self._sock.close()

    async def wait_closed(self) -> None:
        """Nothing is left to wait for."""
