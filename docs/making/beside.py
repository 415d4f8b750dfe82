"""What stands beside the pages: the table of contents of a folder, and pages that are HTML already.

A folder's README.md is its first page, also where files are read without a site; here the other pages of the folder come below.
A link to an .html file opens that file, which is copied to where the link leads; any other file is offered for download.
"""

import shutil
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

BELOW = "\n\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"


class Opened(SphinxTransform):
    """Links to HTML files lead to them."""

    default_priority = 860

    def apply(self, **_words: object) -> None:
        """Called by Sphinx, page by page."""
        for link in list(self.document.findall(addnodes.download_reference)):
            target = str(link["reftarget"])
            if target.endswith(".html"):
                folder = Path(self.env.docname).parent
                self.env.metadata[self.env.docname].setdefault("opens", []).append((folder / target).as_posix())
                shown = nodes.reference("", "", *link.children, refuri=target, internal=True)
                link.replace_self(shown)


def _contents(_app: Sphinx, name: str, content: list[str]) -> None:
    if name.endswith("/README"):
        content[0] += BELOW


def _copied(app: Sphinx, error: Exception | None) -> None:
    for told in app.env.metadata.values() if error is None else ():
        for file in told.get("opens", ()):
            target = Path(app.outdir, file)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(Path(app.srcdir, file), target)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_transform(Opened)
    app.connect("source-read", _contents)
    app.connect("build-finished", _copied)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
