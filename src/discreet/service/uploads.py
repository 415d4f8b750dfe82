"""Tables that data holders bring: a file is streamed into the folder, facts are checked, and then registered."""

import os
from asyncio import timeout
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

from fastapi import APIRouter, Query, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from discreet.curator import brought, intake
from discreet.service.bodies import FactsBody, RegisterBody, VersionBody
from discreet.service.document import CHECKED, DRAFT, REGISTERED, UPLOADED, VERSION, said
from discreet.service.door import Holder, Inside, Visitor
from discreet.service.failures import Turned
from discreet.service.house import House
from discreet.service.writing import told

__all__ = ["routes"]

routes = APIRouter(tags=["bringing"])
_BYTES = {"application/octet-stream": {"schema": {"type": "string", "format": "binary", "examples": ["age\n34\n51\n"]}}}
_TAKEN = {"requestBody": {"required": True, "content": _BYTES}}
Name = Annotated[str, Query(max_length=100, description="The name of the file in the folder.")]


@routes.post("/api/uploads", responses=said(UPLOADED, 400, 408, 409), openapi_extra=_TAKEN)
async def upload(request: Request, name: Name, holder: Holder, house: Inside) -> Response:
    """Put a CSV, Parquet or DuckDB file into the folder. Nobody can ask it yet.

    Nothing that is there is written over, but an upload that no facts speak of and that was never registered.
    """
    target = house.folder.path / intake.upload_name(name)
    declared = request.headers.get("content-length", "0")
    if not declared.isdigit() or int(declared) > house.settings.max_upload:
        raise _too_large(house)
    if not await house.do(brought.is_free, target):
        raise _there()
    beside = target.with_name(f".upload-{uuid4().hex}")
    try:
        size = await _streamed(request, beside, house)
        await house.do(brought.put, beside, target)
    except FileExistsError:
        raise _there() from None
    except OSError:
        raise Turned(503, "busy", "the file cannot be written", "make room in the folder") from None
    finally:
        beside.unlink(missing_ok=True)
    return told({"file": name, "bytes": size})


async def _streamed(request: Request, beside: Path, house: House) -> int:
    size, chunks = 0, request.stream()
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        while True:
            try:
                async with timeout(house.limits.idle_seconds):
                    chunk = await anext(chunks, None)
            except (TimeoutError, ClientDisconnect):
                raise Turned(408, "body", "the file did not arrive", "send it again", headers={"Connection": "close"}) from None
            if chunk is None:
                break
            size += len(chunk)
            if size > house.settings.max_upload:
                raise _too_large(house)
            await house.do(file.write, chunk)
        await house.do(_kept, file)
    return size


def _kept(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


@routes.get("/api/uploads/{file}/draft", responses=said(DRAFT, 400))
async def draft(file: str, holder: Holder, house: Inside) -> Response:
    """Facts to write on: the names and types of the columns. What protects people is left for a person to write."""
    return told({"facts": await house.do(intake.draft, house.folder.path, file)})


@routes.post("/api/check", responses=said(CHECKED, 400))
async def check(body: FactsBody, holder: Holder, house: Inside) -> Response:
    """Everything that is wrong with facts, and if nothing is, what analysts will see. No row is read."""
    return told((await house.do(intake.check, house.folder.path, body.facts)).to_dict())


@routes.post("/api/register", responses=said(REGISTERED, 400))
async def register(body: RegisterBody, holder: Holder, house: Inside) -> Response:
    """Open the budget of a new table. Nobody may ask it before it is granted to them."""
    done = await house.do(
        intake.register, house.folder.path, body.facts, separate=body.separate, reason=body.reason, anyway=body.anyway
    )
    return told({"table": done.table, "version": done.version, "budget": done.budget.to_dict(), "already": done.already,
                 "warnings": list(done.warnings), "question": done.question})  # fmt: skip


@routes.post("/api/tables/{name}/version", responses=said(VERSION, 400, 404))
async def version(name: str, body: VersionBody, visitor: Visitor, house: Inside) -> Response:
    """Begin a new version of a table with new facts, whose source was uploaded under another name. Its budget stays."""
    file = await house.facts_file(visitor, name)
    label = await house.do(
        intake.new_version, house.folder.path, file, body.facts, reason=body.reason, no_unit_in_both=body.no_unit_in_both,
        separate=body.separate, anyway=body.anyway, after=body.after,
    )  # fmt: skip
    return told({"table": name, "version": label})


@routes.get("/api/tables/{name}/facts", responses=said(DRAFT, 404))
async def facts(name: str, visitor: Visitor, house: Inside) -> Response:
    """The facts file of a table as it stands, for the data holder: to look at, or to begin a version from."""
    file = await house.facts_file(visitor, name)
    return told({"facts": await house.do(file.read_text, encoding="utf-8")})


def _too_large(house: House) -> Turned:
    most = house.settings.max_upload
    return Turned(413, "too_large", f"a file has {most:,} bytes at most", "send less", headers={"Connection": "close"})


def _there() -> Turned:
    return Turned(409, "parameter", "a file of that name is there already", "give it another name")
