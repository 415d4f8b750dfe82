"""Responses: JSON that any reader reads, with nothing that could be run.

What is large is written piece by piece: to write a list in one go stops every other thread for as long as that takes.
"""

import json
from collections.abc import Iterator
from typing import Any

from starlette.responses import Response

from discreet.service.failures import Turned

__all__ = ["json_bytes", "told", "turned"]

_PIECE = 256  # entries of a list that are written in one go


def json_bytes(content: object) -> bytes:
    """Compact JSON; whatever is no number of JSON's is text, or nothing."""
    return b"".join(_pieces(content)) if _is_long(content) else _whole(content)


def _whole(content: object) -> bytes:
    return json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=str).encode()


def _is_long(content: object) -> bool:
    """Whether there is a long list in it."""
    match content:
        case list() | tuple() if len(content) > _PIECE:
            return True
        case list() | tuple():
            return any(_is_long(each) for each in content if isinstance(each, dict | list | tuple))
        case dict():
            return any(_is_long(each) for each in content.values() if isinstance(each, dict | list | tuple))
        case _:
            return False


def _pieces(content: object) -> Iterator[bytes]:
    match content:
        case dict() if _is_long(content):
            mark = b"{"
            for name, value in content.items():
                yield mark + _whole(str(name)) + b":"
                yield from _pieces(value)
                mark = b","
            yield b"}"
        case list() | tuple() if len(content) > _PIECE:
            mark = b"["
            for start in range(0, len(content), _PIECE):
                yield mark + _whole(content[start : start + _PIECE])[1:-1]
                mark = b","
            yield b"]"
        case list() | tuple() if _is_long(content):
            mark = b"["
            for value in content:
                yield mark
                yield from _pieces(value)
                mark = b","
            yield b"]"
        case _:
            yield _whole(content)


def told(content: object, status: int = 200, **headers: str) -> Response:
    """A response that says something."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(json_bytes(content), status, named, media_type="application/json")


def turned(reason: Turned) -> Response:
    """A response that says what went wrong."""
    body: dict[str, Any] = reason.body
    return Response(json_bytes(body), reason.status, reason.headers, media_type="application/json")
