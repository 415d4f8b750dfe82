"""On which line of a TOML text each key stands. tomllib reads the values and forgets where they were."""

import re
import tomllib
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["KeyPath", "key_text", "line_of", "line_of_endless_key", "lines_of"]

KeyPath = tuple[str | int, ...]  # ints are places in an array, from 0

_TOKEN = re.compile(
    r'''"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}'''  # texts over several lines
    r'''|"(?:\\.|[^"\\\n])*"|'[^'\n]*\''''
    r"""|\#[^\n]*|\n|[\[\]{}=,.]|[^\s\[\]{}=,.\#"']+|["']""",
    re.DOTALL,
)
_ENDS = frozenset("\n=,[]{}")  # after each of them another key or value begins
_MOST_POINTS = 50
_BARE = re.compile(r"[A-Za-z0-9_-]+")


class _Token(NamedTuple):
    text: str
    line: int


def line_of(lines: dict[KeyPath, int], path: KeyPath) -> int:
    """The line of a key; of what it would stand in, if it is missing."""
    while path not in lines:
        path = path[:-1]
    return lines[path]


def key_text(path: KeyPath) -> str:
    """A path as TOML writes it: columns."Marital Status".values[2]."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            quoted = part.replace("\\", "\\\\").replace('"', '\\"')
            text += ("." if text else "") + (part if _BARE.fullmatch(part) else f'"{quoted}"')
    return text


def line_of_endless_key(text: str) -> int | None:
    """The line of a dotted key with more parts than a document of ours can have: TOML readers take the square of their number."""
    points = 0
    for token in _tokens(text):
        points = points + 1 if token.text == "." else 0 if token.text in _ENDS else points
        if points > _MOST_POINTS:
            return token.line
    return None


def lines_of(text: str) -> dict[KeyPath, int]:
    """Every key, table and array item of a TOML document → its line, from 1. The document itself, (), is on line 1."""
    return _Finder(text).document()


def _tokens(text: str) -> Iterator[_Token]:
    line = 1
    for match in _TOKEN.finditer(text):
        if not match[0].startswith("#"):
            yield _Token(match[0], line)
        line += match[0].count("\n")


class _Finder:
    """Walks over the tokens once; one frame per level of nesting."""

    def __init__(self, text: str) -> None:
        self._rest = _tokens(text)
        self._lines: dict[KeyPath, int] = {(): 1}
        self._items: dict[KeyPath, int] = {}  # repeated table → its last item so far
        self._token: _Token | None = None
        self._next()

    def document(self) -> dict[KeyPath, int]:
        table: KeyPath = ()
        while self._token:
            if self._takes("\n"):
                continue
            if self._takes("["):
                table = self._header()
            else:
                self._entry(table)
            while self._token and self._token.text != "\n":  # nothing, in a sound document
                self._next()
        return self._lines

    def _header(self) -> KeyPath:
        """The table that a header opens; of a [[repeated]] one, its next item."""
        line = self._token.line if self._token else 1
        is_repeated = self._takes("[")
        path: KeyPath = ()
        for part in self._key(()):
            if path in self._items:
                path = (*path, self._items[path])  # what stands below a repeated table belongs to its last item
            path = (*path, part)
            self._lines.setdefault(path, line)
        if is_repeated and path:
            self._items[path] = self._items.get(path, -1) + 1
            path = (*path, self._items[path])
            self._lines[path] = line
        return path

    def _entry(self, table: KeyPath) -> None:
        path = self._key(table)
        if self._takes("="):
            self._value(path)

    def _key(self, table: KeyPath) -> KeyPath:
        """``table`` and the parts of a dotted key; the line of each part is kept."""
        path = table
        while self._token and self._token.text not in "=],}\n":
            if self._token.text != ".":
                path = (*path, _plain(self._token.text))
                self._lines.setdefault(path, self._token.line)
            self._next()
        return path

    def _value(self, path: KeyPath) -> None:
        if self._takes("{"):
            while self._token and not self._takes("}"):
                if not self._takes(",") and not self._takes("\n"):
                    self._entry(path)
                    self._leave_stray("]=")
        elif self._takes("["):
            place = 0
            while self._token and not self._takes("]"):
                if not self._takes(",") and not self._takes("\n"):
                    self._lines.setdefault((*path, place), self._token.line)
                    self._value((*path, place))
                    self._leave_stray("}=")
                    place += 1
        else:
            while self._token and self._token.text not in ",]}=\n":
                self._next()

    def _leave_stray(self, marks: str) -> None:
        while self._token and self._token.text in marks:
            self._next()

    def _takes(self, text: str) -> bool:
        if self._token is None or self._token.text != text:
            return False
        self._next()
        return True

    def _next(self) -> None:
        self._token = next(self._rest, None)


def _plain(text: str) -> str:
    """The part of a key that a token spells."""
    if text[0] not in "\"'":
        return text
    try:
        return str(tomllib.loads(f"key = {text}")["key"])
    except ValueError:
        return text
