"""A page that is mentioned by its file name, such as ``noise.md`` or ``docs/proofs/units.md`` written as code, is linked to."""

import re
from pathlib import PurePosixPath

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

_FILE = re.compile(r"(docs/)?([\w/-]+)\.md")


class Mentions(SphinxTransform):
    """File names of pages become links to them."""

    default_priority = 830

    def apply(self, **_words: object) -> None:
        """Called by Sphinx, page by page."""
        here = self.env.docname
        for code in list(self.document.findall(nodes.literal)):
            found = _FILE.fullmatch(code.astext())
            if not found or any(isinstance(code.parent, kind) for kind in (nodes.reference, nodes.title, addnodes.pending_xref)):
                continue
            near = (PurePosixPath(here).parent / found[2]).as_posix()
            page = near if not found[1] and near in self.env.found_docs else found[2]
            if page in self.env.found_docs and page != here:
                link = addnodes.pending_xref("", refdomain="std", reftype="doc", refdoc=here, reftarget=f"/{page}",
                                             refexplicit=True, refwarn=True)  # fmt: skip
                code.replace_self(link)
                link += code


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_transform(Mentions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
