"""Text that lines up on a terminal, and stays readable on one that knows ASCII only."""

import sys
import unicodedata
from functools import lru_cache

__all__ = ["can_show", "clean", "for_terminal", "harmless", "minute", "padded", "shortened", "width_of"]

_PLAIN = str.maketrans(
    {
        "±": "+/-", "ε": "epsilon", "δ": "delta", "ρ": "rho", "…": "...", "·": "|", "−": "-", "–": "-", "≈": "about", "∞": "inf",
        "─": "-", "█": "#", "░": ".",
    }
)  # fmt: skip


def can_show(letters: str) -> bool:
    """Whether standard output can encode ``letters``; nothing is known of an output without an encoding, which says yes."""
    return _encodes(getattr(sys.stdout, "encoding", None) or "utf-8", letters)


@lru_cache
def _encodes(encoding: str, letters: str) -> bool:
    try:
        letters.encode(encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def for_terminal(text: str, *, ascii_only: bool | None = None) -> str:
    """``text`` without what steers a terminal; in ASCII where standard output cannot show our letters, unless told otherwise."""
    text = harmless(text)
    plain = not can_show("ε±…·─█░≈") if ascii_only is None else ascii_only
    return text.translate(_PLAIN).encode("ascii", "replace").decode() if plain else text


def harmless(text: str) -> str:
    """``text`` in which every letter shows: lines and blanks stay, what moves the cursor or turns the text around does not."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter in "\n\t" or _is_blank(letter) else "\ufffd" for letter in text)


def _is_blank(letter: str) -> bool:
    return unicodedata.category(letter) == "Zs"


def clean(text: object) -> str:
    """One printable line: a name or label cannot move the cursor, turn the text around or break a table."""
    line = " ".join(str(text).split())
    return line if line.isprintable() else "".join(letter if letter.isprintable() else "\ufffd" for letter in line)


def width_of(text: str) -> int:
    """How many columns a terminal gives to ``text``."""
    return len(text) if text.isascii() else len(text) + sum(_columns(letter) - 1 for letter in text if letter > "\x7f")


def _columns(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def shortened(text: str, most: int) -> str:
    """``text``, cut with an ellipsis if it takes more than ``most`` columns."""
    if width_of(text) <= most:
        return text
    kept, room = "", most - 1
    for letter in text:
        room -= _columns(letter)
        if room < 0:
            break
        kept += letter
    return kept.rstrip() + "…"


def padded(text: str, width: int, *, right: bool = False) -> str:
    """``text`` with blanks up to ``width`` columns, at the right end of them if ``right``."""
    blanks = " " * max(0, width - width_of(text))
    return blanks + text if right else text + blanks


def minute(at: str) -> str:
    """A moment as ledgers write it, for people: 2026-11-16 17:40 UTC. A day stays one."""
    return f"{at[:16].replace('T', ' ')} UTC" if "T" in at else at
