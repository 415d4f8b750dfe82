"""Parts of pages that are made from the program itself, so that they cannot go stale.

A line ``<!-- generated: commands -->`` in a page is replaced, while the site is built, by what ``SOURCES`` makes for that name.
"""

import re
from collections.abc import Callable

from sphinx.application import Sphinx

from making.commands import commands
from making.refusals import refusals
from making.routes import routes

SOURCES: dict[str, Callable[[], str]] = {"commands": commands, "refusals": refusals, "routes": routes}
MARK = re.compile(r"^<!-- generated: (\w+) -->$", re.MULTILINE)


def filled(text: str) -> str:
    """The page with its marked lines replaced."""
    return MARK.sub(lambda found: SOURCES[found[1]](), text)


def _fill(_app: Sphinx, _name: str, content: list[str]) -> None:
    content[0] = filled(content[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", _fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
