"""The event loop of a worker. One of several leaves new connections to those that have time, while it has a request to work on.

All workers wait at one socket. A worker that is busy would take connections all the same, and whoever came by them would wait
behind its work while another worker is idle. How long it stays away tells nothing of rows: until a public number of milliseconds
is over, or its requests have ended, and one that reads rows ends at the public time of its question.
"""

from asyncio import SelectorEventLoop, Task, get_running_loop
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from errno import EMFILE, ENFILE, ENOBUFS, ENOMEM
from socket import socket
from ssl import SSLContext
from typing import Any

from discreet.service.settings import Limits

__all__ = ["Alone", "Loop", "working"]

_LEFT_TO_OTHERS = 0.03  # seconds: then a connection is taken again, busy as the worker is
_ARRIVING = 0.002  # seconds for the request of a new connection to begin: few, since whoever connects may say nothing
_LATE = 0.5  # seconds in which somebody has always waited: then more are taken at once, twice as many each time
_MOST = 32  # of them: that takes some milliseconds
_MOST_COMING = 256  # connections that speak no TLS yet; one that comes then takes the place of the one that came first
_NO_ROOM = 1.0  # seconds to wait where the system has no room for a connection
_DEFAULTS = Limits()
_FULL = {EMFILE, ENFILE, ENOBUFS, ENOMEM}


@contextmanager
def working() -> Iterator[None]:
    """Inside, this worker has a request to work on."""
    loop = get_running_loop()
    let_go = loop.held() if isinstance(loop, Loop) else lambda: None
    try:
        yield
    finally:
        let_go()


class Loop(SelectorEventLoop):
    """Asyncio's own, with doors for servers. They are open while nothing holds them shut, and never shut for long.

    Whoever does not begin to speak TLS within ``idle_seconds`` is hung up on.
    """

    def __init__(self, idle_seconds: float = _DEFAULTS.idle_seconds) -> None:
        super().__init__()
        self.idle_seconds = idle_seconds
        self._doors: list[_Door] = []
        self._holding: set[object] = set()
        self._moment = self.call_soon(lambda: None)  # at its end they are opened, whatever holds them

    async def create_server(  # type: ignore[override]
        self, protocol_factory: Callable[[], Any], *, sock: socket, ssl: SSLContext | None = None, backlog: int = 100
    ) -> "_Door":
        """Listen on a socket that is bound."""
        door = _Door(self, protocol_factory, sock, ssl)
        sock.setblocking(False)
        sock.listen(backlog)
        self._doors.append(door)
        if not self._holding:
            door.open()
        return door

    def held(self) -> Callable[[], None]:
        """Hold the doors shut, until what is returned is called or the moment is over that began when they were shut."""
        if not self._holding:
            self._moment.cancel()
            self._moment = self.call_later(_LEFT_TO_OTHERS, self._open)
            for door in self._doors:
                door.shut()
        mark = object()
        self._holding.add(mark)

        def let_go() -> None:
            if mark in self._holding:
                self._holding.discard(mark)
                if not self._holding:
                    self._open()

        return let_go

    def _open(self) -> None:
        """One that waits is taken now: if the next request were there first, the door would be shut before anybody looks."""
        self._moment.cancel()
        self._holding.clear()
        for door in self._doors:
            door.look()
        if not self._holding:
            for door in self._doors:
                door.open()


class Alone(Loop):
    """That of a worker that is the only one: it has nobody to leave connections to."""

    def held(self) -> Callable[[], None]:
        """Nothing is shut."""
        return lambda: None


class _Door:
    """A socket that many listen on; what uvicorn wants of a server."""

    def __init__(self, loop: Loop, made: Callable[[], Any], sock: socket, ssl: SSLContext | None) -> None:
        self.sockets = (sock,)
        self._loop, self._made, self._sock, self._ssl = loop, made, sock, ssl
        self._coming: dict[Task[Any], None] = {}  # in the order in which they came
        self._is_closed = self._is_full = False
        self._at_once = 1
        self._waited_since: float | None = None  # since when every look has found somebody

    def open(self) -> None:
        """Take connections."""
        if not self._is_closed and not self._is_full:
            self._loop.add_reader(self._sock, self.look)

    def shut(self) -> None:
        """Take none until it is opened."""
        if not self._is_closed:
            self._loop.remove_reader(self._sock)

    def look(self) -> None:
        """Take one of those that wait, if there is one: the next may be somebody else's. Take more if looks were too few to come
        to the last of them: many may connect and say nothing, while requests on kept connections leave but a moment to look.
        """
        if self._is_closed or self._is_full:
            return
        taken = 0
        while taken < self._at_once and self._take():
            taken += 1
        if taken:
            self._loop.call_later(_ARRIVING, self._loop.held())
        now = self._loop.time()
        if taken < self._at_once:  # nobody waits any more
            self._at_once, self._waited_since = 1, None
        elif self._waited_since is None:
            self._waited_since = now
        elif now - self._waited_since > _LATE:
            self._at_once = min(2 * self._at_once, _MOST)

    def _take(self) -> bool:
        try:
            connection, _ = self._sock.accept()
        except OSError as error:  # somebody else was faster, it has gone again, or there is no room
            if error.errno in _FULL:
                self._is_full = True
                self.shut()
                self._loop.call_later(_NO_ROOM, self._has_room)
            return False
        if len(self._coming) >= _MOST_COMING:
            first = next(iter(self._coming))
            del self._coming[first]
            first.cancel()
        task = self._loop.create_task(self._welcome(connection))
        self._coming[task] = None
        task.add_done_callback(lambda task: self._coming.pop(task, None))
        return True

    def _has_room(self) -> None:
        self._is_full = False
        self.open()

    async def _welcome(self, connection: socket) -> None:
        with suppress(OSError):  # it has gone, or speaks no TLS
            patience = self._loop.idle_seconds if self._ssl else None
            await self._loop.connect_accepted_socket(self._made, connection, ssl=self._ssl, ssl_handshake_timeout=patience)

    def close(self) -> None:
        """Take no more."""
        if not self._is_closed:
            self._is_closed = True
            self._loop.remove_reader(self._sock)
            self._sock.close()

    async def wait_closed(self) -> None:
        """Nothing is left to wait for."""
