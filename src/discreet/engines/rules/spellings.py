"""How texts spell numbers and truth values: patterns that every engine reads alike.

No look-around and no back-references, so that RE2, PostgreSQL and Java read them as Python does.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from discreet.facts import model

__all__ = [
    "FALSE", "MOST_CHARACTERS", "NUMBER", "TRUE", "Truths", "any_case", "marks_of", "number_pattern", "trimmed", "truths",
    "unmarked",
]  # fmt: skip

MOST_CHARACTERS = 65_536  # spaces included, of what may spell anything: engines need several times the memory to look at a text

TRUE = ("1", "t", "true", "yes")
FALSE = ("0", "f", "false", "no")

_MARKS = {" ": " \u00a0\u202f", "'": "'\u2019"}  # what is meant by a mark between thousands
_EXPONENT = r"([eE][+-]?[0-9]{1,5})?"
_ENDLESS = r"|[+-]?[iI][nN][fF]([iI][nN][iI][tT][yY])?"
_WHOLE = re.compile(r"-?[0-9]{1,15}")


def number_pattern(decimal: str = ".", thousands: str = "") -> str:
    """What is read as a number. Marks between thousands are all there or not at all, the last of them before three digits.

    At most 64 digits on each side of the point: then the sign of the exponent alone tells what is too large from what is too
    small.
    """
    digits = "[0-9]{1,64}"
    if thousands:
        mark = f"[{''.join(marks_of(thousands))}]"
        digits = rf"([0-9]{{1,64}}|[0-9]{{1,3}}({mark}[0-9]{{2,3}}){{0,19}}{mark}[0-9]{{3}})"
    return rf"[+-]?({digits}([{decimal}][0-9]{{0,64}})?|[{decimal}][0-9]{{1,64}}){_EXPONENT}{_ENDLESS}"


NUMBER = number_pattern()


def trimmed(text: str) -> str:
    """A text without the spaces around it; '' if it is too long to spell anything."""
    return text.strip(" ") if len(text) <= MOST_CHARACTERS else ""


def marks_of(thousands: str) -> str:
    """The characters that may stand between thousands."""
    return _MARKS.get(thousands, thousands)


def unmarked(text: str, decimal: str = ".", thousands: str = "") -> str | None:
    """A numeral as Python and SQL write it; None if it is none."""
    if not _number(decimal, thousands).fullmatch(text):
        return None
    for mark in marks_of(thousands):
        text = text.replace(mark, "")
    return text.replace(decimal, ".")


@lru_cache(maxsize=64)
def _number(decimal: str, thousands: str) -> re.Pattern[str]:
    return re.compile(number_pattern(decimal, thousands))


@dataclass(frozen=True, slots=True)
class Truths:
    """Patterns of what is true and of what is false, and the numbers among them."""

    true: str
    false: str
    true_numbers: tuple[int, ...]
    false_numbers: tuple[int, ...]


@lru_cache(maxsize=64)
def truths(column: model.Boolean) -> Truths:
    """What is read as true and as false in a column."""
    yes, no = (column.true, column.false) if column.true else (TRUE, FALSE)
    return Truths(any_case(yes), any_case(no), _numbers(yes), _numbers(no))


def any_case(words: Iterable[model.Scalar]) -> str:
    """A pattern of words whose letters from a to z may be capitals."""
    return "|".join("".join(map(_letter, str(word))) for word in words)


def _letter(letter: str) -> str:
    return f"[{letter.lower()}{letter.upper()}]" if letter.isascii() and letter.isalpha() else re.escape(letter)


def _numbers(words: Iterable[model.Scalar]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(int(word) for word in words if _WHOLE.fullmatch(str(word))))
