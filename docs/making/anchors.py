"""An anchor, and a place in index and search, for every name that a table of the reference explains.

The reference lists names in the first cells of tables, as code: ``| `max_rows` | rows of a unit, at most |``. Each becomes
``#SECTION-max_rows``, so that it can be linked to, and is found by the search under its own name.
"""

import re
from collections.abc import Iterator

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

__all__ = ["Anchors", "name_of"]

_PYTHON = re.compile(r"dc\.\w+")
_NAME = re.compile(r"(?:GET|POST|PUT|DELETE|PATCH) /\S+|%\w|-*[\w.]+(?:-\w+)*")


def name_of(code: str) -> str | None:
    """The name that a piece of code begins with: ``dc.table`` of ``dc.table(frame, …)``, ``LIKE`` of ``x LIKE 'N%'``."""
    if written := re.match(r"x (I?LIKE)\b", code):
        return written[1]
    found = _NAME.match(code)
    return found[0] if found else None


class Anchors(SphinxTransform):
    """Names in the tables of the reference get ids and entries in the index."""

    default_priority = 840                            # sections have their ids; the index is collected at 850

    def apply(self, **_words: object) -> None:
        """Called by Sphinx, page by page."""
        if not self.env.docname.startswith("reference/") or self.env.docname == "reference/http":  # there headings are the names
            return
        self.named: set[str] = set()
        for table in list(self.document.findall(nodes.table)):
            home = _section(table)
            entries = [("single", name, self._anchor(code, home, name), "main", None)
                       for code, name in _names(table)]
            _noted(table, entries)
        for code in [] if self.env.docname != "reference/python" else list(self.document.findall(nodes.literal)):
            if (found := _PYTHON.match(code.astext())) and found[0] not in self.named:   # one that no table has in front
                _noted(code.parent, [("single", found[0], self._anchor(code, _section(code), found[0]), "main", None)])

    def _anchor(self, code: nodes.literal, home: str, name: str) -> str:
        wanted = f"{home}-{re.sub(r'[^A-Za-z0-9_.-]+', '-', name).strip('-')}"
        while wanted in self.document.ids:
            wanted += "-"
        code["ids"].append(wanted)
        self.named.add(name)
        self.document.ids[wanted] = code
        return wanted


def _noted(node: nodes.Element, entries: list[tuple[str, str, str, str, None]]) -> None:
    """Entries of the index, in front of what they lead to."""
    if entries and node.parent is not None:
        node.parent.insert(node.parent.index(node), addnodes.index(entries=entries))


def _section(node: nodes.Node) -> str:
    while node.parent is not None and not isinstance(node, nodes.section):
        node = node.parent
    ids = node["ids"] if isinstance(node, nodes.section) else []
    return str(ids[0]) if ids else "page"


def _names(table: nodes.table) -> Iterator[tuple[nodes.literal, str]]:
    """Code in the first cells, and in those behind an empty column, where two tables stand side by side."""
    heads = [entry.astext() for head in table.findall(nodes.thead) for entry in head.findall(nodes.entry)]
    firsts = [0, *(place + 1 for place, head in enumerate(heads) if not head)]
    for body in table.findall(nodes.tbody):
        for row in body.findall(nodes.row):
            cells = list(row.findall(nodes.entry))
            for code in (code for place in firsts if place < len(cells) for code in cells[place].findall(nodes.literal)):
                if name := name_of(code.astext()):
                    yield code, name


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_transform(Anchors)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
