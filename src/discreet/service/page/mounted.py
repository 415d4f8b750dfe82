"""The addresses of the page. They are the same for everybody: what a page shows it fetches from the API, with a token."""

from functools import cache
from pathlib import Path

from fastapi import APIRouter
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import Response

from discreet.plots.look import SHEETS, sheet
from discreet.service.failures import missing

__all__ = ["routes"]

routes = APIRouter(include_in_schema=False)
_HERE = Path(__file__).parent
_PAGES = {"": "signin.html", "ask": "ask.html", "holder": "holder.html", "register": "register.html", "version": "version.html",
          "report": "report.html"}  # fmt: skip
_KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@routes.get("/")
async def signin() -> Response:
    """Where people come in."""
    return _page("")


@routes.get("/ask")
async def ask() -> Response:
    """For analysts."""
    return _page("ask")


@routes.get("/holder")
async def holder() -> Response:
    """For data holders."""
    return _page("holder")


@routes.get("/register")
async def register() -> Response:
    """Where data holders add a table."""
    return _page("register")


@routes.get("/version")
async def version() -> Response:
    """Where data holders begin a version."""
    return _page("version")


@routes.get("/report")
async def report() -> Response:
    """All that was answered about a table, to be read or printed."""
    return _page("report")


@routes.get("/static/{name}")
async def static(name: str) -> Response:
    """Styles and modules: a fixed set of small files, read once."""
    found = _files().get(name)
    if found is None:
        raise missing()
    return Response(found, media_type=f"{_KINDS[Path(name).suffix]}; charset=utf-8")


def _page(name: str) -> Response:
    return Response(_pages()[name], media_type="text/html; charset=utf-8")


@cache
def _files() -> dict[str, bytes]:
    shared = {name: sheet(name).encode() for name in SHEETS}
    return shared | {file.name: file.read_bytes() for file in (_HERE / "static").iterdir() if file.suffix in _KINDS}


@cache
def _pages() -> dict[str, str]:
    made = Environment(loader=FileSystemLoader(_HERE / "templates"), autoescape=True, undefined=StrictUndefined)
    return {name: made.get_template(file).render() for name, file in _PAGES.items()}
