"""For whoever runs the service: whether it lives, whether it can answer, and numbers for a monitor. Public facts alone."""

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from time import monotonic

from fastapi import APIRouter, Request
from starlette.responses import Response

from discreet.curator.accounts import Account
from discreet.errors import DiscreetError
from discreet.service.document import HEALTH, METRICS, READY, said
from discreet.service.door import Inside, Visitor
from discreet.service.failures import unreadable
from discreet.service.house import House, holders_only
from discreet.service.tables import seen_by
from discreet.service.writing import told

__all__ = ["Counts", "routes", "written"]

routes = APIRouter(tags=["watching"])
Counts = Counter[tuple[str, str, int]]  # requests by method, route and status
_LASTS = 1.0  # seconds for which what was found is told again: anybody may ask
_FORM = "text/plain; version=0.0.4; charset=utf-8"
Sample = tuple[dict[str, str], float]


@routes.get("/api/health", responses={200: HEALTH})
async def health() -> Response:
    """That this worker lives. Needs no token, and looks at nothing."""
    return told({"status": "ok"})


@routes.get("/api/ready", responses=said(READY))
async def ready(request: Request, house: Inside) -> Response:
    """That the ledger can be read, so that questions can be answered; 503 if not. Needs no token."""
    at, is_ready = getattr(request.app.state, "was_ready", (0.0, False))
    if monotonic() - at > _LASTS:
        is_ready = await house.do(_is_ready, house)
        request.app.state.was_ready = monotonic(), is_ready
    if not is_ready:
        raise unreadable()
    return told({"status": "ready"})


def _is_ready(house: House) -> bool:
    try:
        house.folder.names()
    except DiscreetError:
        return False
    return True


@routes.get("/metrics", response_class=Response, responses=said(METRICS))
async def metrics(request: Request, visitor: Visitor, house: Inside) -> Response:
    """Numbers in the text format of Prometheus: for data holders, and for accounts that the service was told may see them."""
    if not visitor.is_holder and visitor.name not in house.settings.metrics:
        raise holders_only()
    budgets = await house.do(_budgets, house, visitor)
    counts: Counts = getattr(request.app.state, "counts", None) or Counter()
    return Response("\n".join(_lines(house, counts, budgets)) + "\n", media_type=_FORM)


def _lines(house: House, counts: Counts, budgets: dict[str, list[Sample]]) -> Iterator[str]:
    requests = [({"method": method, "route": route, "status": str(status)}, float(many))
                for (method, route, status), many in sorted(counts.items())]  # fmt: skip
    yield from written("discreet_requests_total", "counter", "Requests to this worker.", requests)
    yield from written("discreet_questions_waiting", "gauge", "Questions that wait for a place in this worker.",
                       [({}, float(house.jobs.lines.waiting))])  # fmt: skip
    yield from written("discreet_table_open", "gauge", "Whether a table can be asked.", budgets["open"])
    yield from written("discreet_budget", "gauge", "The budget of a table, rounded.", budgets["budget"])


def _budgets(house: House, visitor: Account) -> dict[str, list[Sample]]:
    """What is public about budgets, of the tables that an account may see."""
    found: dict[str, list[Sample]] = {"open": [], "budget": []}
    for name in house.folder.tables(visitor):
        try:
            curator = house.folder.curator(name, visitor)
            state, stopped = seen_by(visitor, curator).to_dict(), curator.stopped_for(visitor)
        except DiscreetError:
            found["open"].append(({"table": name}, 0.0))
            continue
        found["open"].append(({"table": name}, float(stopped is None)))
        found["budget"] += [({"table": name, "kind": kind, "part": part}, float(Fraction(amount)))
                            for kind in ("cap", "spent", "remaining") for part, amount in state[kind].items()]  # fmt: skip
    return found


def written(name: str, kind: str, what: str, samples: Iterable[Sample]) -> Iterator[str]:
    """One metric as Prometheus reads it."""
    yield f"# HELP {name} {what}"
    yield f"# TYPE {name} {kind}"
    for labels, value in samples:
        named = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        yield f"{name}{{{named}}} {value:.12g}" if named else f"{name} {value:.12g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
