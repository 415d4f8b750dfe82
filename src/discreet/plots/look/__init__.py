"""How everything looks that a browser shows: one set of tokens and one of components, for the page and for what is published."""

from functools import cache
from pathlib import Path

__all__ = ["SHEETS", "sheet"]

SHEETS = ("tokens.css", "page.css")  # colors and sizes; what is built from them


@cache
def sheet(name: str) -> str:
    """One of the style sheets."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
