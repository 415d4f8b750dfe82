"""The connection of one client, with an end to patience: whoever does not say what they want is not waited for."""

from asyncio import Transport
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from discreet.service.settings import Limits
from discreet.service.writing import json_bytes

__all__ = ["Patient"]

_WRONG = {"error": "body", "message": "this is not HTTP", "hint": "see /api/docs"}


class Patient(H11Protocol):
    """HTTP/1.1. The head of a request has some seconds to arrive, on a new connection and on an old one."""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Begin to watch."""
        super().connection_made(transport)
        self._seen: Any = None  # the request that was there when it was looked at last
        self._watch()

    def _watch(self) -> None:
        if not self.transport.is_closing():
            self._watching = self.loop.call_later(Limits().idle_seconds, self._look)

    def _look(self) -> None:
        is_idle = self.cycle is None or self.cycle.response_complete
        if is_idle and self.cycle is self._seen:  # nothing came, or half of a head
            self.transport.close()
            return
        self._seen = self.cycle
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is there any more."""
        self._watching.cancel()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - what was wrong with it may be long
        """Say in the one shape that this is no request."""
        headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
        for event in (h11.Response(status_code=400, headers=headers), h11.Data(data=json_bytes(_WRONG)), h11.EndOfMessage()):
            if (output := self.conn.send(event)) is not None:
                self.transport.write(output)
        self.transport.close()
