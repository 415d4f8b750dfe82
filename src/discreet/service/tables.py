"""What is public about tables and budgets, as whoever asks may see it."""

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from discreet.answers.answer import BudgetState
from discreet.answers.bodies import budget_body
from discreet.answers.odds import odds_of
from discreet.answers.table_json import table_as_dict
from discreet.curator.accounts import Account
from discreet.curator.asking import Curator
from discreet.errors import DiscreetError
from discreet.service.document import BUDGET, ME, TABLE, TABLES, said
from discreet.service.door import Inside, Visitor
from discreet.service.house import House
from discreet.service.writing import told

__all__ = ["routes"]

routes = APIRouter(tags=["tables"])


@routes.get("/api/me", responses=said(ME))
async def me(visitor: Visitor, house: Inside) -> Response:
    """Who you are, which tables you may ask, and the public limits of the service."""
    tables = await house.do(house.folder.tables, visitor)
    limits = house.settings.limits.to_dict() | {"upload_bytes": house.settings.max_upload}
    return told({"name": visitor.name, "role": visitor.role, "tables": tables, "expires": visitor.expires, "limits": limits})


@routes.get("/api/tables", responses=said(TABLES, 503))
async def tables(visitor: Visitor, house: Inside) -> Response:
    """The tables that you may ask, each with what is left."""
    return told({"tables": await house.do(_listed, house, visitor)})


def _listed(house: House, visitor: Account) -> list[dict[str, Any]]:
    return [_line(house, visitor, name) for name in house.folder.tables(visitor)]


def _line(house: House, visitor: Account, name: str) -> dict[str, Any]:
    """One table; one that cannot be asked now is there as well."""
    try:
        curator = house.folder.curator(name, visitor)
    except DiscreetError as error:
        return {"name": name, "state": "stopped", "reason": error.message}
    facts = curator.facts
    return {"name": name, "description": facts.description, "version": facts.version, "people": facts.people,
            "budget": seen_by(visitor, curator).to_dict(), **_state(curator, visitor)}  # fmt: skip


@routes.get("/api/tables/{name}", responses=said(TABLE, 404, 503))
async def table(name: str, visitor: Visitor, house: Inside) -> Response:
    """All that is public about a table, in words too."""
    curator = await house.table(visitor, name)
    return told(await house.do(_described, curator, visitor))


def _described(curator: Curator, visitor: Account) -> dict[str, Any]:
    budget = seen_by(visitor, curator)
    return table_as_dict(curator.facts_for(visitor), budget.cap) | {"budget": budget_body(budget)} | _state(curator, visitor)


@routes.get("/api/tables/{name}/budget", responses=said(BUDGET, 404, 503))
async def budget(name: str, visitor: Visitor, house: Inside) -> Response:
    """What may be spent, is spent and is left: of the table, of its cells, and for you. Data holders see every analyst."""
    curator = await house.table(visitor, name)
    return told(await house.do(_budget, curator, visitor))


def _budget(curator: Curator, visitor: Account) -> dict[str, Any]:
    state = seen_by(visitor, curator)
    others: dict[str, Any] = {"analysts": {}} if visitor.is_holder else {}
    return {"cells": {}} | others | budget_body(state) | {"odds": odds_of(state.cap, curator.facts)} | _state(curator, visitor)


def seen_by(visitor: Account, curator: Curator) -> BudgetState:
    """Data holders see every analyst, whoever asks sees the table and themself."""
    return curator.budget if visitor.is_holder else curator.budget_for(visitor)


def _state(curator: Curator, visitor: Account) -> dict[str, Any]:
    """Whether it can be asked; if not, why, as far as they may know."""
    reason = curator.stopped_for(visitor)
    if reason is None:
        return {"state": "open"}
    return {"state": "stopped", "reason": reason.message} | ({"reference": reason.reference} if reason.reference else {})
