"""What stands before every route: numbers of requests at once; ids, headers and the log of what came in.

The log has no address as it was written and nothing of bodies: what somebody asks is between them and the ledger.
"""

import json
import logging
from asyncio import CancelledError
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from time import monotonic
from typing import Any
from uuid import uuid4

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from discreet.service.arriving import Bodies, again
from discreet.service.failures import Turned, as_turned
from discreet.service.loops import working
from discreet.service.settings import Limits
from discreet.service.unsent import Unsent
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
_PART = 65_536  # bytes of a response that are handed over at once; for the next, the server waits until most of them were taken
_log = logging.getLogger("discreet.service.access")


@dataclass(slots=True)
class _Visit:
    """What the log will say of one request."""

    id: str = field(default_factory=lambda: uuid4().hex[:16])
    began: float = field(default_factory=monotonic)
    status: int = 0
    sent: int = 0
    start: Message = field(default_factory=dict)  # of the response, until it is sent
    is_counted: bool = False  # among those that are worked on

    @property
    def is_told(self) -> bool:
        """Whether its response has begun to be sent."""
        return bool(self.status) and not self.start


class Guard:
    """Wraps the application. ``secure`` says that whoever comes speaks TLS, here or to a proxy."""

    def __init__(self, app: ASGIApp, limits: Limits, *, secure: bool) -> None:
        self._app = app
        self._limits = limits
        headers = _HEADERS | ({"strict-transport-security": "max-age=31536000"} if secure else {})
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]
        self._worked_on = 0
        self._bodies = Bodies(limits)
        self._unsent = Unsent(limits)
        self.counts: Counter[tuple[str, str, int]] = Counter()  # requests by method, pattern of the address and status

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        visit = _Visit()
        scope.setdefault("state", {})["visit"] = visit.id
        outward = self._outward(visit, scope, send)
        try:
            await self._let_in(scope, receive, outward, visit)
        except CancelledError:  # the time of running questions is over, and so is this worker's
            if not visit.is_told:
                await turned(_ending())(scope, receive, outward)
        except Exception as error:  # noqa: BLE001 - the last place that can turn it into a response
            if not visit.is_told:  # else it was told already, and is only passed on
                await turned(as_turned(error))(scope, receive, outward)
        finally:
            self._uncount(visit)
            self._note(scope, visit)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send, visit: _Visit) -> None:
        if scope["path"].rstrip("/") == _UPLOADS:  # whose route counts what comes, and waits for it
            self._count(visit)
            await self._app(scope, receive, send)
            return
        body = await self._bodies.whole(scope, receive)
        if body is not None:  # from here on: whoever does not send what they promised keeps nobody out
            self._count(visit)
            with working():
                await self._app(scope, again(body, receive), send)

    def _count(self, visit: _Visit) -> None:
        """It is worked on from now on, until its response begins: who takes their time to read it is not in the way of others."""
        if self._worked_on >= self._limits.requests_at_once:
            raise Turned(503, "busy", "too many requests at once", "try again in a second", headers={"Retry-After": "1"})
        self._worked_on += 1
        visit.is_counted = True

    def _uncount(self, visit: _Visit) -> None:
        self._worked_on -= visit.is_counted
        visit.is_counted = False

    def _outward(self, visit: _Visit, scope: Scope, send: Send) -> Send:
        async def outward(message: Message) -> None:
            if message["type"] == "http.response.start":
                visit.status = message["status"]
                visit.start = message  # it is sent with what follows it, which may have no room
                self._uncount(visit)
                return
            size = len(message.get("body", b""))
            if size <= _PART:
                await onward(message)
                return
            who = scope.get("state", {}).get("analyst", "")
            if visit.start and (refusal := self._unsent.refusal(who, size)) is not None:
                await turned(refusal)(scope, _nothing, outward)
                return
            with self._unsent.waiting(who, size):
                await onward(message)

        async def onward(message: Message) -> None:
            if visit.start:
                start, visit.start = visit.start, {}
                kept = [(name, value) for name, value in start["headers"] if name.decode("latin-1").lower() not in _HEADERS]
                await send({**start, "headers": [*kept, *self._headers, (b"x-request-id", visit.id.encode())]})
            for part in _parts(message):
                visit.sent += len(part.get("body", b""))
                await send(part)

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


def _ending() -> Turned:
    hint = "send it again: what was charged is gone on with"
    return Turned(503, "busy", "the service is being ended", hint, headers={"Retry-After": "5", "Connection": "close"})


def _parts(message: Message) -> Iterator[Message]:
    """A message whose body is cut, so that of what nobody takes only a part is written."""
    whole = memoryview(message.get("body", b""))
    if len(whole) <= _PART:
        yield message
        return
    for begin in range(0, len(whole), _PART):
        end = begin + _PART
        yield {**message, "body": bytes(whole[begin:end]), "more_body": end < len(whole) or message.get("more_body", False)}


async def _nothing() -> Message:
    return {"type": "http.disconnect"}
