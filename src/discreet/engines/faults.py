"""The border that no engine error crosses: its text may quote a row."""

import logging
from collections.abc import Callable
from typing import TypeVar

from discreet.errors import DiscreetError, EngineFault

__all__ = ["guarded"]

T = TypeVar("T")

_log = logging.getLogger("discreet")


def guarded(message: str, action: Callable[[], T]) -> T:
    """What ``action`` returns. Its errors become an EngineFault that neither quotes nor carries them; the log names their class.

    discreet's own errors say only what is public, and pass.
    """
    try:
        return action()
    except DiscreetError:
        raise
    except Exception as error:  # noqa: BLE001 - any of them may quote a row
        kind = type(error).__name__
    fault = EngineFault(message)
    fault.cause = kind
    _log.error("fault %s: %s (%s)", fault.reference, message, kind)
    raise fault  # outside the handler: inside, the error would come along as its context
