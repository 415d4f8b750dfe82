"""What to do instead, as data: text, and words that every interface writes in its own way.

``Remedy("write {within=500}")`` is the text "write within=500" wherever nobody asks for more; the command line says "write
--within 500". It is a str, so that it travels wherever hints do.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Remedy", "Word", "in_braces", "in_python", "on_command_line", "reworded", "said"]

_WORD = re.compile(r"\{([a-z_]+)(?:=([^{}]+))?\}")


@dataclass(frozen=True, slots=True)
class Word:
    """Something to say beside a question: its name, and its value as it is written in a file; None if it stands alone."""

    name: str
    value: str | None


class Remedy(str):
    """A hint whose words are known. They stand in braces: {within=500}, or {anew} for one that stands alone."""

    __slots__ = ("parts",)
    parts: tuple[str | Word, ...]

    def __new__(cls, text: str) -> "Remedy":
        """The text with its words in Python's way; ``said`` has them in another."""
        parts: list[str | Word] = []
        end = 0
        for found in _WORD.finditer(text):
            parts += [text[end : found.start()], Word(found[1], found[2])]
            end = found.end()
        parts.append(text[end:])
        made = super().__new__(cls, _together(parts, in_python))
        made.parts = tuple(parts)
        return made


def said(hint: str, way: Callable[[Word], str]) -> str:
    """The hint with its words in an interface's own way."""
    return _together(hint.parts, way) if isinstance(hint, Remedy) else hint


def reworded(hint: str, change: Callable[[str], str]) -> str:
    """The hint with its text changed, and not its words."""
    if not isinstance(hint, Remedy):
        return change(hint)
    return Remedy("".join(in_braces(part) if isinstance(part, Word) else change(part) for part in hint.parts))


def in_python(word: Word) -> str:
    """A keyword argument. Numbers that Python would round are texts."""
    if word.value is None:
        return f"{word.name}=True"
    return f"{word.name}={word.value!r}" if re.search("[e/]", word.value) else f"{word.name}={word.value}"


def on_command_line(word: Word) -> str:
    """An option."""
    option = f"--{word.name.replace('_', '-')}"
    return option if word.value is None else f"{option} {word.value}"


def in_braces(word: Word) -> str:
    """As a remedy is written, for another process to say in its own way."""
    return f"{{{word.name}}}" if word.value is None else f"{{{word.name}={word.value}}}"


def _together(parts: "list[str | Word] | tuple[str | Word, ...]", way: Callable[[Word], str]) -> str:
    return "".join(way(part) if isinstance(part, Word) else part for part in parts)
