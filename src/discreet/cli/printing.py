"""Plain lines and JSON for a terminal: whatever a name, a path or a question holds, it cannot move the cursor or turn a text."""

import json
from typing import Any

import typer

from discreet.plots.lettering import for_terminal

__all__ = ["json_text", "say"]


def say(text: str, *, err: bool = False, end: bool = True) -> None:
    """A line on standard output, or on stderr."""
    typer.echo(for_terminal(text, ascii_only=False), err=err, nl=end)


def json_text(told: object, **how: Any) -> str:
    """JSON in which every letter can be printed: any other is written by its number, and reads the same."""
    text = json.dumps(told, ensure_ascii=False, default=str, **how)
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter == "\n" else _by_number(letter) for letter in text)


def _by_number(letter: str) -> str:
    return json.dumps(letter)[1:-1] if ord(letter) != 0x7F else "\\u007f"
