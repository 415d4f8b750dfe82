"""Responses that wait for their readers: whoever reads slowly fills the memory with no more than so many bytes."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from discreet.service.failures import Turned
from discreet.service.settings import Limits

__all__ = ["Unsent"]


class Unsent:
    """Bytes of large responses, by account. ``limits`` are those of one worker. What is told without a token is small."""

    def __init__(self, limits: Limits) -> None:
        self._most = limits.unsent_bytes_of_one
        self._waiting: Counter[str] = Counter()

    def refusal(self, who: str, size: int) -> Turned | None:
        """What somebody is told instead of one more response; None if there is room. One of any size always has room."""
        if not who or not self._waiting[who] or self._waiting[who] + size <= self._most:
            return None
        hint = "take those that are on their way first"
        return Turned(429, "rate", "too many large answers are on their way to you", hint, headers={"Retry-After": "5"})

    @contextmanager
    def waiting(self, who: str, size: int) -> Iterator[None]:
        """Inside, a response of somebody waits for them."""
        self._waiting[who] += size
        try:
            yield
        finally:
            self._waiting[who] -= size
            if not self._waiting[who]:
                del self._waiting[who]
