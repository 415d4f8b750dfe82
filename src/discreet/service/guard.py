"""What stands before every route: sizes, times, numbers of requests at once; ids, headers and the log of what came in.

The log has no address as it was written and nothing of bodies: what somebody asks is between them and the ledger.
"""

import json
import logging
from asyncio import timeout
from collections import Counter
from dataclasses import dataclass, field
from time import monotonic
from typing import Any
from uuid import uuid4

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from discreet.service.failures import Turned, as_turned
from discreet.service.loops import working
from discreet.service.settings import Limits
from discreet.service.writing import turned

__all__ = ["Guard", "POLICY"]

POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; "
          "form-action 'self'; base-uri 'none'; frame-ancestors 'none'")  # fmt: skip
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})  # others count as one: anybody makes them up
_HEADERS = {
    "content-security-policy": POLICY,
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_UPLOADS = "/api/uploads"
_log = logging.getLogger("discreet.service.access")


@dataclass(slots=True)
class _Visit:
    """What the log will say of one request."""

    id: str = field(default_factory=lambda: uuid4().hex[:16])
    began: float = field(default_factory=monotonic)
    status: int = 0
    sent: int = 0


class Guard:
    """Wraps the application. ``secure`` says that whoever comes speaks TLS, here or to a proxy."""

    def __init__(self, app: ASGIApp, limits: Limits, *, secure: bool) -> None:
        self._app = app
        self._limits = limits
        headers = _HEADERS | ({"strict-transport-security": "max-age=31536000"} if secure else {})
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]
        self._inside = 0
        self.counts: Counter[tuple[str, str, int]] = Counter()  # requests by method, pattern of the address and status

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        visit = _Visit()
        scope.setdefault("state", {})["visit"] = visit.id
        outward = self._outward(visit, send)
        self._inside += 1
        try:
            await self._let_in(scope, receive, outward)
        except TimeoutError:
            raise  # of a reader who takes nothing: the connection is closed
        except Exception as error:  # noqa: BLE001 - the last place that can turn it into a response
            if not visit.status:  # else it was told already, and is only passed on
                await turned(as_turned(error))(scope, receive, outward)
        finally:
            self._inside -= 1
            self._note(scope, visit)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._inside > self._limits.requests_at_once:
            raise Turned(503, "busy", "too many requests at once", "try again in a second", headers={"Retry-After": "1"})
        if scope["path"].rstrip("/") == _UPLOADS:  # whose route counts what comes, and waits for it
            await self._app(scope, receive, send)
            return
        body = await self._body(scope, receive)
        if body is not None:
            with working():  # from here on: whoever does not send what they promised keeps nobody out
                await self._app(scope, _again(body, receive), send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """The whole body, which is small; None if whoever sent it has gone."""
        most, parts, size = self._limits.body_bytes, [], 0
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > most:
            raise _too_large(most)
        try:
            async with timeout(self._limits.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > most:
                        raise _too_large(most)
                    if not message.get("more_body"):
                        return b"".join(parts)
        except TimeoutError:
            seconds = f"{self._limits.body_seconds:g}"
            raise Turned(408, "body", f"the body did not arrive within {seconds} seconds", "send it at once",
                         headers={"Connection": "close"}) from None  # fmt: skip

    def _outward(self, visit: _Visit, send: Send) -> Send:
        async def outward(message: Message) -> None:
            if message["type"] == "http.response.start":
                visit.status = message["status"]
                kept = [(name, value) for name, value in message["headers"] if name.decode("latin-1").lower() not in _HEADERS]
                message = dict(message) | {"headers": [*kept, *self._headers, (b"x-request-id", visit.id.encode())]}
            visit.sent += len(message.get("body", b""))
            async with timeout(self._limits.send_seconds):
                await send(message)

        return outward

    def _note(self, scope: Scope, visit: _Visit) -> None:
        state, route = scope.get("state", {}), scope.get("route")
        told: dict[str, Any] = {
            "request": visit.id, "method": scope["method"] if scope["method"] in _METHODS else "?",
            "route": getattr(route, "path", "none"), "status": visit.status, "ms": round((monotonic() - visit.began) * 1000),
            "bytes": visit.sent, "analyst": state.get("analyst", ""),
        }  # fmt: skip
        self.counts[told["method"], told["route"], visit.status] += 1
        _log.info("%s", json.dumps(told))


def _too_large(most: int) -> Turned:
    return Turned(413, "too_large", f"a body has {most:,} bytes at most", "send less", headers={"Connection": "close"})


def _again(body: bytes, receive: Receive) -> Receive:
    """A body that was read, for whoever reads it next; after it, whatever comes."""
    left = [body]

    async def read() -> Message:
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return read
