"""The application: routes behind a guard, one shape for everything that goes wrong."""

import logging
from asyncio import create_task, sleep, to_thread
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.responses import Response

from discreet.errors import DiscreetError
from discreet.service import answers, asking, holding, people, tables, uploads, watching
from discreet.service.docs_page import STYLE, page_of
from discreet.service.document import ERROR
from discreet.service.failures import TRIED_AGAIN, Turned, as_turned, missing
from discreet.service.guard import Guard
from discreet.service.house import House
from discreet.service.logs import kind_and_place
from discreet.service.page import mounted
from discreet.service.settings import Settings
from discreet.service.writing import json_bytes, turned

__all__ = ["document_of", "make_app", "make_guarded"]

_DESCRIPTION = "Questions about confidential tables, answered with noise and with error bars, until their budget is spent."
_log = logging.getLogger("discreet.service")
_ROOMS = (tables, asking, answers, holding, people, uploads, watching)


def make_guarded(settings: Settings) -> Guard:
    """The application of one worker, behind its guard."""
    secure = settings.behind_proxy or settings.tls_cert is not None
    app = make_app(settings)
    guard = Guard(app, settings.limits.of_one(settings.workers), secure=secure)
    app.state.counts = guard.counts
    return guard


def make_app(settings: Settings) -> FastAPI:
    """The application without its guard."""

    @asynccontextmanager
    async def living(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
        app.state.house = None
        opening = None if await _opened(app, settings) else create_task(_open(app, settings))

        def leave() -> None:
            if app.state.house is not None:
                app.state.house.jobs.leave()

        try:
            yield {"leave": leave}  # for the server, which hears first that it is to end
        finally:
            if opening is not None:
                opening.cancel()
            await _close(app)

    app = FastAPI(
        title="discreet", version=version("discreet"), description=_DESCRIPTION, lifespan=living,
        openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False,
    )  # fmt: skip
    for room in (*_ROOMS, mounted):
        app.include_router(room.routes)
    app.add_api_route("/api/openapi.json", _document, include_in_schema=False)
    app.add_api_route("/api/docs", _page, include_in_schema=False)
    app.add_api_route("/api/docs.css", _style, include_in_schema=False)
    app.add_exception_handler(Turned, _turned)
    app.add_exception_handler(DiscreetError, _turned)
    app.add_exception_handler(Exception, _turned)
    app.add_exception_handler(RequestValidationError, _wrong_body)
    app.add_exception_handler(HTTPException, _http)
    return app


async def _opened(app: FastAPI, settings: Settings) -> bool:
    """Whether the folder could be opened. Whatever is in the way may be over in a while: until then everybody is told 503."""
    try:
        house = await to_thread(House, settings)  # beside those who are told so
    except Exception as error:  # noqa: BLE001 - a worker that ended for it would take the others along
        why = error.message if isinstance(error, DiscreetError) else kind_and_place(error)
        _log.error("the folder cannot be opened, and is tried again: %s", why)
        return False
    app.state.house = house
    house.jobs.begin()
    return True


async def _open(app: FastAPI, settings: Settings) -> None:
    """Until it is."""
    await sleep(TRIED_AGAIN)
    while not await _opened(app, settings):
        await sleep(TRIED_AGAIN)
    _log.warning("the folder is open")


async def _close(app: FastAPI) -> None:
    if app.state.house is None:
        return
    try:
        await app.state.house.close()
    except Exception as error:  # noqa: BLE001 - it is the end in any case
        _log.error("the folder was not closed: %s", kind_and_place(error))


async def _document(request: Request) -> Response:
    return _written_once(request.app, "document", json_bytes, "application/json")


async def _page(request: Request) -> Response:
    return _written_once(request.app, "page", lambda made: page_of(made).encode(), "text/html")


def _written_once(app: FastAPI, name: str, written: Callable[[dict[str, Any]], bytes], media_type: str) -> Response:
    """Something of the document, which anybody may ask for as often as they like."""
    if not hasattr(app.state, name):
        setattr(app.state, name, written(document_of(app)))
    return Response(getattr(app.state, name), media_type=media_type)


async def _style(_: Request) -> Response:
    return Response(STYLE, media_type="text/css")


def document_of(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document."""
    if app.openapi_schema is None:
        made = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        schemas = made["components"]["schemas"]
        schemas["Error"] = ERROR
        for unused in ("HTTPValidationError", "ValidationError"):
            schemas.pop(unused, None)
        app.openapi_schema = made
    return app.openapi_schema


async def _turned(_: Request, error: Exception) -> Response:
    return turned(as_turned(error))


async def _wrong_body(request: Request, error: Exception) -> Response:
    """Where a body is wrong, and not what was in it."""
    assert isinstance(error, RequestValidationError)
    if error.body is not None and not request.headers.get("content-type", "").partition(";")[0].strip().lower().endswith("json"):
        hint = "write the header Content-Type: application/json"
        return turned(Turned(422, "body", "the body is not said to be JSON, so it was not read", hint))
    problems = [{"key": ".".join(map(str, each["loc"]))[:200], "message": _sentence(each)} for each in error.errors()[:20]]
    first = problems[0] if problems else {"key": "body", "message": "it cannot be read"}
    return turned(Turned(422, "body", f"{first['key']}: {first['message']}", "see /api/docs", problems=problems))


def _sentence(problem: dict[str, Any]) -> str:
    kinds = {"missing": "is missing", "extra_forbidden": "is not known here", "json_invalid": "is not JSON",
             "model_attributes_type": "is no JSON object", "too_many": "has more words than can be meant"}  # fmt: skip
    kind = str(problem["type"])
    return kinds.get(kind, f"is not what is expected ({kind.replace('_', ' ')})")


async def _http(_: Request, error: Exception) -> Response:
    """What the framework turns down by itself."""
    assert isinstance(error, HTTPException)
    match error.status_code:
        case 404:
            return turned(missing())
        case 405:
            allowed = {"Allow": error.headers["Allow"]} if error.headers and "Allow" in error.headers else {}
            return turned(Turned(405, "method", "this address takes other methods", "see /api/docs", headers=allowed))
        case _:
            return turned(Turned(422, "body", "the body cannot be read", "send JSON as /api/docs shows it"))
