"""Acts of data holders about tables: what an analyst learns of these addresses is that they are not for them."""

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from discreet.curator import office
from discreet.curator.report import report_on
from discreet.service.bodies import FreezeBody, RaiseBody
from discreet.service.document import ALARMS, BUDGET, ENTRIES, FAULTS, REPORT, STOPS, VERIFIED, said
from discreet.service.door import Holder, Inside, Visitor
from discreet.service.house import House
from discreet.service.writing import told

__all__ = ["routes"]

routes = APIRouter(tags=["holding"])
Most = Annotated[int, Query(ge=1, le=1000)]


@routes.get("/api/tables/{name}/ledger", responses=said(ENTRIES, 404))
async def ledger(name: str, visitor: Visitor, house: Inside, most: Most = 100) -> Response:
    """The last entries of the ledger that are about a table, the newest last."""
    file = await house.facts_file(visitor, name)
    return told({"entries": await house.do(_entries, file, name, most)})


def _entries(file: Path, table: str, most: int) -> list[dict[str, Any]]:
    return [entry.to_dict() for entry in office.entries_about(file, table)][-most:]


@routes.get("/api/ledger/verification", responses=said(VERIFIED))
async def verification(holder: Holder, house: Inside) -> Response:
    """The chain and every total, worked out anew."""
    found = await house.do(office.verify, house.folder.path)
    return told(found.to_dict())


@routes.get("/api/faults", responses=said(FAULTS))
async def faults(holder: Holder, house: Inside, most: Most = 100) -> Response:
    """What failed after its charge, and what failed before it, such as sources that cannot be reached; newest first."""
    return told(await house.do(_faults, house.folder.path, most))


def _faults(folder: Path, most: int) -> dict[str, list[dict[str, Any]]]:
    after, before = office.faults(folder, most=most), office.uncharged(folder, most=most)
    return {"faults": [each.to_dict() for each in after], "uncharged": [each.to_dict() for each in before]}


@routes.post("/api/tables/{name}/freeze", responses=said(STOPS, 400, 404))
async def freeze(name: str, body: FreezeBody, visitor: Visitor, house: Inside) -> Response:
    """Nobody may ask the table, or one analyst may not."""
    file = await house.facts_file(visitor, name)
    await house.do(office.freeze, file, reason=body.reason, by=visitor.name, analyst=body.analyst)
    return await _stops(house, file)


@routes.post("/api/tables/{name}/unfreeze", responses=said(ALARMS, 400, 404))
async def unfreeze(name: str, body: FreezeBody, visitor: Visitor, house: Inside) -> Response:
    """Asking is allowed again. What had frozen it is told."""
    file = await house.facts_file(visitor, name)
    found = await house.do(office.unfreeze, file, reason=body.reason, by=visitor.name, analyst=body.analyst)
    return told({"alarms": [each.to_dict() for each in found]})


@routes.post("/api/tables/{name}/raise", responses=said(BUDGET, 400, 404, 409))
async def raise_(name: str, body: RaiseBody, visitor: Visitor, house: Inside) -> Response:
    """A higher cap; it is never lowered."""
    file = await house.facts_file(visitor, name)
    state = await house.do(office.raise_budget, file, body.budget(), reason=body.reason, by=visitor.name)
    return told(state.to_dict())


@routes.get("/api/tables/{name}/report", responses=said(REPORT, 404))
async def report(name: str, visitor: Visitor, house: Inside) -> Response:
    """All that was answered about a table, by whom and at what price; what is left; whether the ledger is consistent."""
    file = await house.facts_file(visitor, name)
    return told(await house.do(report_on, file))


async def _stops(house: House, file: Path) -> Response:
    found = await house.do(office.stops, file)
    return told({"stops": [each.to_dict() for each in found]})
