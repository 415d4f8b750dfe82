"""Formats of dates and times: a small part of strptime's codes, that means the same on every engine.

    %Y 2013   %y 13   %m 7 or 07   %b Jul   %B July   %d 1 or 01
    %H 0–23   %I 1–12 with %p AM or PM   %M %S 5 or 05   %f up to nine digits   %z Z, +0200, +02:00   %% a percent sign

Every other character stands for itself. Names are English, in any case. Years of two digits are 1969 to 2068.
"""

import re

from discreet.errors import ParameterError
from discreet.facts.values import said, text

__all__ = ["CODES", "format_text", "pieces"]

CODES = ("%Y", "%y", "%m", "%b", "%B", "%d", "%H", "%I", "%p", "%M", "%S", "%f", "%z")

_PIECES = re.compile(r"%.|[^%]+|%\Z", re.DOTALL)
_LONGEST = 64
_CLASHES = (("%Y", "%y"), ("%m", "%b", "%B"), ("%H", "%I"))  # one of each at most
_NEEDS = {"%I": ("%p",), "%p": ("%I",), "%M": ("%H", "%I"), "%S": ("%M",), "%f": ("%S",), "%z": ("%H", "%I")}
_EXAMPLE = 'write a format such as "%d/%m/%Y" or "%Y-%m-%d %H:%M:%S"'


def pieces(written: str) -> tuple[str, ...]:
    """The codes of a format and the texts between them, in order."""
    return tuple(_PIECES.findall(written))


def format_text(value: object, key: str) -> str:
    """A format that reads days, and perhaps times of day."""
    written = text(value, key)
    if not written.isprintable() or len(written) > _LONGEST:
        raise ParameterError(f"{key} is {said(written)}, not a short text of one line", hint=_EXAMPLE)
    codes = [piece for piece in pieces(written) if piece.startswith("%") and piece != "%%"]
    if not codes:
        raise ParameterError(f"{key} is {said(written)}, which has no codes", hint=_EXAMPLE)
    for place, code in enumerate(codes):
        if code not in CODES:
            raise ParameterError(f"{key} has {code}, which is not read", hint=f"write codes of {' '.join(CODES)}, and %% for %")
        if code in codes[:place]:
            raise ParameterError(f"{key} has {code} twice", hint="write each code once")
    _check_together(set(codes), key)
    return written


def _check_together(codes: set[str], key: str) -> None:
    for clash in _CLASHES:
        if len(both := [code for code in clash if code in codes]) > 1:
            raise ParameterError(f"{key} has {both[0]} beside {both[1]}", hint="write one of the two")
    for what, some in (("a year", ("%Y", "%y")), ("a month", ("%m", "%b", "%B")), ("a day", ("%d",))):
        if not codes & set(some):
            raise ParameterError(f"{key} has no code for {what}", hint=f"write {' or '.join(some)} where it stands")
    for code, needs in _NEEDS.items():
        if code in codes and not codes & set(needs):
            found, instead = f"{key} has {code} without {' or '.join(needs)}", f"write {needs[0]} too, or take {code} out"
            raise ParameterError(found, hint=instead)
