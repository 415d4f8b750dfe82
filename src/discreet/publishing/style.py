"""How the page of a release looks: the tokens and components that all pages share, and what only a release has."""

import re
from functools import cache
from pathlib import Path

from discreet.plots.look import SHEETS, sheet

__all__ = ["style"]

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


@cache
def style() -> str:
    """One style sheet, to stand inside the page, without its comments and indents."""
    own = Path(__file__).with_name("release.css").read_text(encoding="utf-8")
    told = _COMMENT.sub("", "\n".join([*map(sheet, SHEETS), own]))
    return "\n".join(line for each in told.splitlines() if (line := each.strip()))
