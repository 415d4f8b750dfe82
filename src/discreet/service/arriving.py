"""Bodies on their way: how large they may be, how long they are waited for, and how many from one address."""

from asyncio import Timeout, timeout
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.types import Message, Receive, Scope

from discreet.service.failures import Turned
from discreet.service.settings import Limits

__all__ = ["Bodies", "again"]


class Bodies:
    """Those that are read whole before anybody looks at them: all but uploads. ``limits`` are those of one worker."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._arriving: defaultdict[str, dict[Timeout, None]] = defaultdict(dict)  # by address, oldest first

    async def whole(self, scope: Scope, receive: Receive) -> bytes | None:
        """The whole body, which is small; None if whoever sent it has gone. Raises Turned if it is too large or too late."""
        most, parts, size = self._limits.body_bytes, [], 0
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > most:
            raise _too_large(most)
        try:
            async with timeout(self._limits.body_seconds) as patience:
                with self._waiting(scope, patience):
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
            hint = f"send it at once: {self._limits.body_seconds:g} seconds are waited"
            raise Turned(408, "body", "the body did not arrive", hint, headers={"Connection": "close"}) from None

    @contextmanager
    def _waiting(self, scope: Scope, patience: Timeout) -> Iterator[None]:
        """Inside, a body is waited for. Nobody's token was looked at by then, so that addresses are told apart: where too many
        come from one, the one that was waited for longest is not waited for any more.
        """
        address = (scope.get("client") or ("",))[0]
        if len(arriving := self._arriving[address]) >= self._limits.bodies_of_one_address:
            longest = next(iter(arriving))
            del arriving[longest]
            if not longest.expired():
                longest.reschedule(0)
        arriving[patience] = None
        try:
            yield
        finally:
            self._arriving[address].pop(patience, None)
            if not self._arriving[address]:
                del self._arriving[address]


def again(body: bytes, receive: Receive) -> Receive:
    """A body that was read, for whoever reads it next; after it, whatever comes."""
    left = [body]

    async def read() -> Message:
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return read


def _too_large(most: int) -> Turned:
    return Turned(413, "too_large", f"a body has {most:,} bytes at most", "send less", headers={"Connection": "close"})
