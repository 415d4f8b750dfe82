"""A page with sliders as one HTML file that opens from a folder: plain script, nothing fetched, values looked up."""

import json
from html import escape
from importlib.resources import files
from typing import Any

from discreet.plots.style import DASHES, SERIES

__all__ = ["slider_html", "stored_in"]

_START, _END = '<script type="application/json" id="values">', "</script>"


def slider_html(values: dict[str, Any]) -> str:
    """The file: words, values and the script that looks them up."""
    here = files("discreet.gallery")
    look, script = (here.joinpath(name).read_text(encoding="utf-8") for name in ("sliders.css", "sliders.js"))
    told = json.dumps(values | {"colours": SERIES, "dashes": DASHES}, ensure_ascii=False, separators=(",", ":"))
    told = told.replace("</", "<\\/")  # no text can end the script early
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(values["title"])}</title>\n'
        f"<style>\n{look}</style>\n</head>\n<body>\n<main>\n<h1>{escape(values['title'])}</h1>\n<p>{escape(values['about'])}</p>\n"
        '<form id="sliders"></form>\n<svg id="plot" role="img"></svg>\n<ul id="legend"></ul>\n'
        '<table><caption>What follows</caption><tbody id="outputs"></tbody></table>\n<p id="said" role="status"></p>\n'
        '<noscript><p>The sliders need a script; the page that they belong to has its numbers.</p></noscript>\n</main>\n'
        f"{_START}{told}{_END}\n<script>\n{script}</script>\n</body>\n</html>\n"
    )


def stored_in(html: str) -> dict[str, Any]:
    """The values that a page looks up."""
    start = html.index(_START) + len(_START)
    found: dict[str, Any] = json.loads(html[start : html.index(_END, start)])
    return found
