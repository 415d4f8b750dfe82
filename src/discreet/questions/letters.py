"""Letters in one case: A to Z and no others, since engines disagree about the others."""

from string import ascii_lowercase, ascii_uppercase
from typing import Literal

__all__ = ["in_case"]

_TO = {
    "lower": str.maketrans(ascii_uppercase, ascii_lowercase),
    "upper": str.maketrans(ascii_lowercase, ascii_uppercase),
}


def in_case(text: str, how: Literal["lower", "upper"]) -> str:
    """The text with the letters A to Z in one case."""
    return text.translate(_TO[how])
