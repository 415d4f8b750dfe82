"""Text → tokens. Comments are skipped; whatever is outside the alphabet of the language is refused with its place."""

import re
from dataclasses import dataclass
from typing import Literal

from discreet.questions.places import Source, short

__all__ = ["MOST_BYTES", "TOO_LONG", "Token", "end_of_comment", "tokens"]

MOST_BYTES = 64 * 1024
TOO_LONG = f"the question has more than {MOST_BYTES:,} bytes"

_SHAPES = re.compile(
    r"""(?P<space>[\s\ufeff]+|--[^\n]*)
    |(?P<comment>/\*)
    |(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<word>[^\W\d]\w*)
    |(?P<text>'[^']*(?:''[^']*)*')
    |(?P<quoted>"[^"]*(?:""[^"]*)*")
    |(?P<symbol><=|>=|<>|!=|==|\|\||::|[=<>+\-*/%(),.;])""",
    re.VERBOSE,
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_COMMENT = re.compile(r"/\*|\*/")
_ALPHABET = """write words, numbers, 'texts', "names" and = <> < <= > >= + - * / % ( ) , . ;"""
_STRANGE = {
    "'": ("a text is not closed", "end it with '"),
    '"': ("a name is not closed", 'end it with "'),
    "`": ("names are not quoted with `", 'write "name"'),
    "[": ("[ is not in the language", 'write names as "name"'),
    "?": ("parameters are not in the language", "write the value itself"),
    "$": ("parameters are not in the language", "write the value itself"),
    ":": ("parameters are not in the language", "write the value itself"),
    "@": ("parameters are not in the language", "write the value itself"),
    "#": ("# is not in the language", "comments begin with --"),
}


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number, text, name in double quotes or symbol. ``text`` is without its quotes."""

    kind: Literal["word", "number", "text", "quoted", "symbol", "end"]
    text: str
    at: int

    @property
    def key(self) -> str:
        """What the grammar knows it by: a symbol, a word in capitals, or nothing."""
        if self.kind == "word":
            return self.text.upper() if self.text.isascii() else self.text
        return self.text if self.kind == "symbol" else ""

    def __str__(self) -> str:
        quote = {"text": "'", "quoted": '"'}.get(self.kind, "")
        return "the end" if self.kind == "end" else f"{quote}{short(self.text)}{quote}"


def tokens(source: Source) -> tuple[Token, ...]:
    """The tokens in order, with one of kind "end" last."""
    _check_size(source)
    found: list[Token] = []
    at, text = 0, source.text
    while at < len(text):
        shape = _SHAPES.match(text, at)
        if shape is None:
            message, hint = _STRANGE.get(text[at], (f"{text[at]!r} is not in the language", _ALPHABET))
            raise source.refused(at, message, hint)
        end = shape.end()
        if shape.lastgroup == "comment":
            closed = end_of_comment(text, at)
            if closed is None:
                raise source.refused(at, "a comment is not closed", "end it with */")
            end = closed
        elif shape.lastgroup != "space":
            _check_apart(source, shape.lastgroup, end)
            found.append(_token(shape))
        at = end
    return (*found, Token("end", "", len(text)))


def _check_size(source: Source) -> None:
    try:
        size = len(source.text.encode())
    except UnicodeEncodeError as error:
        raise source.refused(error.start, "the question is not valid Unicode", _ALPHABET) from None
    if size > MOST_BYTES:
        raise source.refused(0, TOO_LONG, "write a shorter one, or several")
    if control := _CONTROL.search(source.text):
        raise source.refused(control.start(), f"{control[0]!r} is not in the language", _ALPHABET)


def _check_apart(source: Source, shape: str | None, end: int) -> None:
    after = source.text[end : end + 1]
    if shape == "number" and (after == "_" or after.isalnum()):
        raise source.refused(end, f"{after!r} directly after a number", "write numbers as 1000, 0.5 or 1e6")
    if shape == "word" and after == '"':
        raise source.refused(end, "a name in quotes directly after a word", "put a space or an operator between them")


def end_of_comment(text: str, at: int) -> int | None:
    """Where a comment ends that begins at ``at``, with those inside it; None if it is not closed."""
    depth = 0
    for mark in _COMMENT.finditer(text, at):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    return None


def _token(shape: re.Match[str]) -> Token:
    text, at = shape[0], shape.start()
    match shape.lastgroup:
        case "text":
            return Token("text", text[1:-1].replace("''", "'"), at)
        case "quoted":
            return Token("quoted", text[1:-1].replace('""', '"'), at)
        case "number":
            return Token("number", text, at)
        case "word":
            return Token("word", text, at)
        case _:
            return Token("symbol", text, at)
