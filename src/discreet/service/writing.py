"""Responses: JSON that any reader reads, with nothing that could be run."""

import json
from typing import Any

from starlette.responses import Response

from discreet.service.failures import Turned

__all__ = ["json_bytes", "told", "turned"]


def json_bytes(content: object) -> bytes:
    """Compact JSON; whatever is no number of JSON's is text, or nothing."""
    return json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=str).encode()


def told(content: object, status: int = 200, **headers: str) -> Response:
    """A response that says something."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(json_bytes(content), status, named, media_type="application/json")


def turned(reason: Turned) -> Response:
    """A response that says what went wrong."""
    body: dict[str, Any] = reason.body
    return Response(json_bytes(body), reason.status, reason.headers, media_type="application/json")
