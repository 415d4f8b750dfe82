"""The connection of one client, with an end to patience: whoever does not say what they want, or does not take what they asked
for, is not waited for. There are so many connections and no more: where another comes, those waited for longest make room.
"""

import sys
from asyncio import TimerHandle, Transport
from contextlib import suppress
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from discreet.service.settings import Limits
from discreet.service.writing import json_bytes

__all__ = ["Patient"]

_WRONG = {"error": "body", "message": "this is no request that is read",
          "hint": "HTTP/1.1 with a Content-Length, 100 headers and 16 KiB of them at most, and an address of 4 KiB"}  # fmt: skip
_HELD = 65_536  # bytes of a response that wait for their reader before the next are handed over; TLS alone would hold 512 KiB
_HEAD = 16_384  # bytes of a head, for which h11 takes some milliseconds
_READ = 4_096  # bytes that are looked at in one go
_HEADERS = 100  # in one head
_TARGET = 4_096  # bytes of an address, with what stands behind its question mark
_LET_GO = 16  # one of so many connections, each time that there are too many: to look for them takes a while


class _Strict(h11.Connection):
    """No request that takes long to be looked at, whoever sends it: many headers, a long address, a body in countless pieces."""

    def next_event(self) -> Any:
        """As h11 says it, or RemoteProtocolError."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = [name for name, _ in event.headers]
            if len(names) > _HEADERS or len(event.target) > _TARGET or b"transfer-encoding" in names:
                raise h11.RemoteProtocolError("more than is read")
        return event


class Patient(H11Protocol):
    """HTTP/1.1. The head of a request has some seconds to arrive, on a new connection and on an old one; each part of a response
    has some to be taken. ``limits`` are those of one worker.
    """

    def __init__(self, *args: Any, limits: Limits | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._limits = limits or Limits()
        self.conn = _Strict(h11.SERVER, _HEAD)

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Begin to watch."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=_HELD)
        self._waiting_since = self._moved = self.loop.time()  # for a head; and when anything came or was taken
        self._is_leaving = False  # closed, and there is something left that was not taken
        self._taking: TimerHandle | None = None
        self._watching = self.loop.call_later(self._limits.idle_seconds, self._look)
        self._make_room()

    def _look(self) -> None:
        """Hang up if no head came, or half of one; and for good if what was left to take then was not taken since."""
        if self._is_leaving:
            self.transport.abort()
            return
        seconds = self._limits.idle_seconds
        if self.transport.is_closing():
            self._is_leaving = True
        elif self.cycle is None or self.cycle.response_complete:
            left = self._waiting_since + seconds - self.loop.time()
            if left <= 0:
                self.transport.close()
                self._is_leaving = True
            else:
                seconds = left
        self._watching = self.loop.call_later(seconds, self._look)

    def _make_room(self) -> None:
        """Hang up on those that were waited for longest, or on this one if all are worked on."""
        everybody: set[Any] = self.connections
        most = min(self._limits.connections, _files() // 2)
        if len(everybody) <= most:
            return
        awaited = sorted((each for each in everybody if each is not self and not each.is_worked_on), key=lambda each: each.moved)
        for each in awaited[: 1 + most // _LET_GO] or [self]:
            everybody.discard(each)
            each.transport.abort()

    @property
    def is_worked_on(self) -> bool:
        """Whether the request is whole, and its response has not begun."""
        return self.cycle is not None and not self.cycle.more_body and not self.cycle.response_started

    @property
    def moved(self) -> float:
        """When something came from the client, or was taken."""
        return self._moved

    def data_received(self, data: bytes) -> None:
        """The client says something, of which up to 256 KiB come at once: h11 does not ask how long a head is that is whole."""
        self._moved = self.loop.time()
        for begin in range(0, len(data), _READ):
            if not self.transport.is_closing():
                super().data_received(data[begin : begin + _READ])

    def on_response_complete(self) -> None:
        """The next head is waited for."""
        self._waiting_since = self._moved = self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """The client has something to take."""
        super().pause_writing()
        self._moved = self.loop.time()
        self._taking = self.loop.call_later(self._limits.send_seconds, self.transport.abort)  # to close would be to wait for them

    def resume_writing(self) -> None:
        """The client has taken it."""
        super().resume_writing()
        self._moved = self.loop.time()
        self._stop_waiting()

    def _stop_waiting(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is there any more."""
        self._watching.cancel()
        self._stop_waiting()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - what was wrong with it may be long
        """Say in the one shape that this is no request."""
        headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
        for event in (h11.Response(status_code=400, headers=headers), h11.Data(data=json_bytes(_WRONG)), h11.EndOfMessage()):
            if (output := self.conn.send(event)) is not None:
                self.transport.write(output)
        self.transport.close()


def _files() -> int:
    """How many files this process may have open."""
    with suppress(ImportError, OSError):
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if most != resource.RLIM_INFINITY:
            return most
    return sys.maxsize
