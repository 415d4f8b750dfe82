"""One hook for all that draws: noise that is added, a value or keys that are chosen. It is off but for tapes (tape.py)."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

__all__ = ["Observer", "observed", "observer"]

T = TypeVar("T")

Observer = Callable[[Any, Any, Callable[[], Any]], Any]  # a mechanism, what it was given, and what draws its outcome

observer: ContextVar[Observer | None] = ContextVar("observer", default=None)
"""What is asked for the outcome of every mechanism, if set. Only tape.py sets it, and registered tables then refuse questions."""


def observed(mechanism: object, exact: object, draw: Callable[[], T]) -> T:
    """The outcome of ``mechanism`` on ``exact``: what ``draw`` gives, or what a tape gives in its place."""
    asked = observer.get()
    if asked is None:
        return draw()
    outcome: T = asked(mechanism, exact, draw)
    return outcome
