"""Applications whose loop of events stands still: for good once somebody comes, or for long before they begin."""

import asyncio
import time
from typing import Any


async def _lives(receive: Any, send: Any, seconds: float = 0.0) -> None:
    await receive()
    await asyncio.sleep(seconds)
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await send({"type": "lifespan.shutdown.complete"})


async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Stands still with the first request."""
    if scope["type"] == "lifespan":
        scope["state"]["leave"] = lambda: None
        await _lives(receive, send)
    else:
        time.sleep(120)


async def slow(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Takes its time to begin."""
    await _lives(receive, send, 120)
