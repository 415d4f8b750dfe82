"""Accounts, for data holders: each act is a signed entry that names who did it."""

from pathlib import Path
from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from discreet.curator import accounts
from discreet.service.bodies import AddBody, GrantBody, LimitBody, RotateBody
from discreet.service.document import ACCOUNT, ACCOUNTS, TOKEN, said
from discreet.service.door import Holder, Inside
from discreet.service.writing import told

__all__ = ["routes"]

routes = APIRouter(tags=["accounts"])
_AS_IT_IS = RotateBody()


@routes.get("/api/analysts", responses=said(ACCOUNTS))
async def listed(holder: Holder, house: Inside) -> Response:
    """All accounts with their tables and limits, and those that were revoked. No token is ever told again."""
    found = await house.do(accounts.listed, house.folder.path)
    return told({"analysts": [each.to_dict() for each in found]})


@routes.post("/api/analysts", responses=said(TOKEN, 400))
async def add(body: AddBody, holder: Holder, house: Inside) -> Response:
    """A new account. Its token is told this once: only a hash is kept."""
    return told(await house.do(_added, house.folder.path, body, holder.name))


def _added(folder: Path, body: AddBody, by: str) -> dict[str, Any]:
    role = "holder" if body.holder else "analyst"
    token = accounts.add(folder, body.name, role, expires=body.expires, tables=body.tables, by=by)  # type: ignore[arg-type]
    return _told(folder, body.name, token)


def _rotated(folder: Path, name: str, expires: str | None, by: str) -> dict[str, Any]:
    return _told(folder, name, accounts.rotate(folder, name, expires=expires, by=by))


def _told(folder: Path, name: str, token: str) -> dict[str, Any]:
    return {"name": name, "token": token, "expires": accounts.named(folder, name).expires}


@routes.post("/api/analysts/{name}/grant", responses=said(ACCOUNT, 400))
async def grant(name: str, body: GrantBody, holder: Holder, house: Inside) -> Response:
    """They may ask these tables from now on."""
    return told((await house.do(accounts.grant, house.folder.path, name, body.tables, by=holder.name)).to_dict())


@routes.post("/api/analysts/{name}/ungrant", responses=said(ACCOUNT, 400))
async def ungrant(name: str, body: GrantBody, holder: Holder, house: Inside) -> Response:
    """These tables are not there for them from now on."""
    return told((await house.do(accounts.ungrant, house.folder.path, name, body.tables, by=holder.name)).to_dict())


@routes.post("/api/analysts/{name}/limit", responses=said(ACCOUNT, 400))
async def limit(name: str, body: LimitBody, holder: Holder, house: Inside) -> Response:
    """What they may spend on a table, beside what its facts say: the stricter counts."""
    done = await house.do(accounts.limit, house.folder.path, name, body.table, body.budget(), by=holder.name)
    return told(done.to_dict())


@routes.post("/api/analysts/{name}/rotate", responses=said(TOKEN, 400))
async def rotate(name: str, holder: Holder, house: Inside, body: RotateBody = _AS_IT_IS) -> Response:
    """A new token. The old one ends at once, in every worker. Its last day stays, unless another is given."""
    return told(await house.do(_rotated, house.folder.path, name, body.expires, holder.name))


@routes.post("/api/analysts/{name}/revoke", responses=said(ACCOUNT, 400))
async def revoke(name: str, holder: Holder, house: Inside) -> Response:
    """The end of an account, at once and for good."""
    await house.do(accounts.revoke, house.folder.path, name, by=holder.name)
    return told((await house.do(accounts.named, house.folder.path, name)).to_dict())
