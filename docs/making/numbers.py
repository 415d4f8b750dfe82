"""The numbers of a figure as a table below it, folded: of every picture that has a file of numbers beside it.

Curves have hundreds of points. The table has some of each, evenly spaced, with the first and the last; the file has all.
"""

import csv
import itertools
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

MOST = 12                                             # rows of one series
HEADS = {"x": "x", "y": "y", "low": "from", "high": "to"}


class Tables(SphinxTransform):
    """A table after the line below each picture."""

    default_priority = 250                            # before pictures are copied and their names changed

    def apply(self, **_words: object) -> None:
        """Called by Sphinx, page by page."""
        for image in list(self.document.findall(nodes.image)):
            file = (Path(self.env.srcdir) / self.env.docname).parent / Path(image["uri"]).with_suffix(".csv")
            if file.suffix == ".csv" and file.exists():
                self.env.note_dependency(str(file))
                below = _line_below(image)
                place = below.parent.index(below) + 1
                below.parent.insert(place, nodes.raw("", table_of(file), format="html"))


def _line_below(image: nodes.Node) -> nodes.Element:
    """The line with the link to the numbers if there is one, or the picture's own."""
    own = image.parent
    place = own.parent.index(own) + 1
    after = own.parent[place] if place < len(own.parent) else own
    return after if after.astext().startswith("numbers") else own


def table_of(file: Path) -> str:
    """Some rows of each series of a figure, or all rows of a small file, as HTML."""
    with file.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    kept = [row for _, some in itertools.groupby(rows, _series) for row in thinned(list(some))]
    names = [name for name in rows[0] if any(row[name] for row in rows) and not (name == "plot" and _is_one(rows, name))]
    head = "".join(f"<th>{escape(HEADS.get(name, name))}</th>" for name in names)
    body = "".join(f"<tr>{''.join(f'<td>{escape(_short(row[name]))}</td>' for name in names)}</tr>\n" for row in kept)
    told = "" if len(kept) == len(rows) else f", {len(kept)} of {len(rows)} rows"
    return (
        f'<details class="numbers"><summary>the numbers as a table{told}</summary>\n'
        f'<div class="table-wrapper" tabindex="0"><table class="docutils"><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody>'
        "</table></div></details>\n"
    )


def _short(cell: str) -> str:
    """A number with six digits and a minus sign; words as they are."""
    try:
        return f"{float(cell):.6g}".replace("-", "−")
    except ValueError:
        return cell


def _series(row: dict[str, str]) -> tuple[str | None, str | None]:
    return row.get("plot"), row.get("series")


def _is_one(rows: list[dict[str, str]], name: str) -> bool:
    return len({row[name] for row in rows}) == 1


def thinned(rows: list[dict[str, str]], most: int = MOST) -> list[dict[str, str]]:
    """At most so many of them, evenly spaced, with both ends; names are never left out."""
    if len(rows) <= 2 * most or not rows[0].get("x", "").lstrip("-").replace(".", "").isdigit():
        return rows
    return [rows[round(place * (len(rows) - 1) / (most - 1))] for place in range(most)]


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_transform(Tables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
