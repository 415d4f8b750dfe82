"""What somebody was answered before: theirs alone, and free."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from discreet.curator.accounts import Account
from discreet.plots.charts import svg_of
from discreet.service.asking import delivered, told_again
from discreet.service.document import ANSWER, HISTORY, PENDING, RECEIPT, SVG, said
from discreet.service.door import Inside, Visitor
from discreet.service.failures import Turned, missing
from discreet.service.house import House
from discreet.service.writing import told

__all__ = ["routes"]

routes = APIRouter(tags=["answers"])
Short = Annotated[str | None, Query(max_length=200)]
_WAITING = "ask-"  # how the id of a question begins that was taken in


@routes.get("/api/answers", responses=said(HISTORY, 404))
async def answers(
    visitor: Visitor, house: Inside, before: Short = None, most: Annotated[int, Query(ge=1, le=100)] = 50
) -> Response:
    """Your history, the newest first; `before` is the id of the last one of the page before."""
    found = await house.do(house.folder.history, visitor, most, before)
    return told({"answers": [each.to_dict() for each in found]})


@routes.get("/api/answers/{id}", responses=said(ANSWER, 400, 404, 409) | {202: PENDING})
async def answer(id: str, visitor: Visitor, house: Inside) -> Response:  # noqa: A002 - as the address calls it
    """An answer of yours as it was shown; or 202 while it is worked on."""
    if id.startswith(_WAITING):
        return await delivered(house, visitor, await house.do(house.folder.asked, visitor, id))
    return await house.in_turn(visitor, told_again, house, visitor, id)


@routes.get("/api/answers/{id}/receipt", responses=said(RECEIPT, 400, 404))
async def receipt(id: str, visitor: Visitor, house: Inside) -> Response:  # noqa: A002
    """The signed certificate of an answer of yours."""
    return await house.in_turn(visitor, _receipt, house, visitor, id)


def _receipt(house: House, visitor: Account, identity: str) -> Response:
    found = house.folder.answer(visitor, identity)
    if found.receipt is None:
        raise missing()
    return told(dict(found.receipt))


@routes.get("/api/answers/{id}/chart.svg", response_class=Response, responses=said(SVG, 400, 404))
async def chart(id: str, visitor: Visitor, house: Inside) -> Response:  # noqa: A002
    """A chart of an answer of yours with its intervals."""
    return await house.in_turn(visitor, _chart, house, visitor, id)


def _chart(house: House, visitor: Account, identity: str) -> Response:
    drawn = svg_of(house.folder.answer(visitor, identity))
    if drawn is None:
        raise Turned(503, "busy", "charts are not drawn here", "the data holder installs discreet[plots]")
    return Response(drawn, media_type="image/svg+xml")
