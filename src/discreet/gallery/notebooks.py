"""Notebooks from pages: the same text and the same code, without outputs.

    python -m discreet.gallery.notebooks docs/gallery examples

A block of Python becomes a cell, lines of a console block become ``!`` commands, and what a page shows as output is left out:
a notebook makes its own. Solutions are folded there too: their cells hide their source until they are opened.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

__all__ = ["main", "notebook_of", "write_notebooks"]

_BLOCK = re.compile(r"^```(python|console|text|sh)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_REFUSAL = re.compile(r"^(?:\w*Error|Refused): ", re.MULTILINE)  # the last thing that a block shows, maybe after others
_EVERY_VALUE = (
    "# show the value of every line, as at a prompt\n"
    "from IPython.core.interactiveshell import InteractiveShell\n\n"
    'InteractiveShell.ast_node_interactivity = "all"\n'
)
_KERNEL = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}

Cell = dict[str, Any]


def notebook_of(page: str, home: str = "../docs/gallery/") -> dict[str, Any]:
    """The notebook of one page; ``home`` is where its pictures and links lead from."""
    cells: list[Cell] = [_code(_EVERY_VALUE, hidden=True)]
    end, hidden = 0, False
    for block in _BLOCK.finditer(page):
        words = page[end : block.start()]
        hidden = _is_folded(hidden, words)
        cells += _words(words, home)
        cells += _cells_of(block, page, hidden=hidden)
        end = block.end()
    cells += _words(page[end:], home)
    for place, cell in enumerate(cells):
        cell["id"] = f"cell-{place:02d}"
    return {"cells": cells, "metadata": _KERNEL, "nbformat": 4, "nbformat_minor": 5}


def _is_folded(hidden: bool, words: str) -> bool:
    opened, closed = words.rfind("<details>"), words.rfind("</details>")
    return hidden if opened == closed else opened > closed


def _cells_of(block: re.Match[str], page: str, *, hidden: bool) -> list[Cell]:
    kind, text = block.groups()
    if kind == "text":
        return []
    if kind == "console":
        text = "".join(f"!{line[2:]}\n" for line in text.splitlines() if line.startswith("$ "))
    after = _BLOCK.match(page, block.end())
    return [_code(text, hidden=hidden, refuses=bool(after and after[1] == "text" and _REFUSAL.search(after[2])))]


def _code(text: str, *, hidden: bool = False, refuses: bool = False) -> Cell:
    metadata: dict[str, Any] = {"jupyter": {"source_hidden": True}} if hidden else {}
    if refuses:
        metadata["tags"] = ["raises-exception"]
    source = text.rstrip("\n").splitlines(keepends=True)
    return {"cell_type": "code", "execution_count": None, "metadata": metadata, "outputs": [], "source": source}


def _words(text: str, home: str) -> list[Cell]:
    """Markdown between blocks, with links that lead to where the page has them; folds become a heading."""
    text = re.sub(r"<details><summary>(.*?)</summary>", r"### \1", text).replace("</details>", "")
    text = re.sub(r"\]\((?!https?:)([^)]+)\)", lambda link: f"]({home}{link[1]})", text).strip("\n")
    return [{"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}] if text.strip() else []


def write_notebooks(pages: Path, folder: Path) -> list[Path]:
    """Write ``NN_*.ipynb`` for every numbered page."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for page in sorted(pages.glob("[0-9][0-9]_*.md")):
        target = folder / f"{page.stem}.ipynb"
        made = json.dumps(notebook_of(page.read_text(encoding="utf-8")), ensure_ascii=False, indent=1)
        target.write_text(f"{made}\n", encoding="utf-8", newline="\n")
        written.append(target)
    return written


def main(words: list[str]) -> None:
    """``PAGES FOLDER``."""
    for path in write_notebooks(Path(words[0]), Path(words[1])):
        sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
