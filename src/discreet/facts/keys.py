"""Every key that a facts file may have, and what to say about any other."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from types import MappingProxyType

__all__ = ["BUDGET", "COLUMN", "COMPANION", "CSV", "DOCUMENT", "JOIN", "LOSS", "TABLE", "UNIT", "instead_of", "listed", "nearest"]

DOCUMENT = ("table", "csv", "budget", "columns", "join")
TABLE = (
    "name", "source", "version", "unit", "neighbours", "rows", "units", "rows_about", "people", "description",
)  # fmt: skip
UNIT = ("column", "max_rows", "max_groups", "max_rows_per_group")
CSV = ("delimiter", "quote", "header", "encoding", "names")
JOIN = ("source", "key", "max_matches", "columns", "csv")
COMPANION = ("facts",)
LOSS = ("epsilon", "delta", "rho")
BUDGET = (*LOSS, "accounting", "partition", "per_analyst", "max_epsilon_per_question", "expires")
COLUMN: Mapping[str, tuple[str, ...]] = MappingProxyType(  # by the column's type
    {
        "number": ("type", "lower", "upper", "null", "per_unit", "description"),
        "integer": ("type", "lower", "upper", "null", "per_unit", "description"),
        "category": ("type", "values", "labels", "other", "per_unit", "description"),
        "boolean": ("type", "null", "per_unit", "description"),
        "date": ("type", "lower", "upper", "per_unit", "description"),
        "timestamp": ("type", "lower", "upper", "per_unit", "description"),
        "text": ("type", "max_length", "per_unit", "description"),
    }
)
_HOMES = {
    "[table]": TABLE,
    "[csv]": CSV,
    "[budget]": BUDGET,
    "[columns.NAME]": ("type", "lower", "upper", "null", "values", "labels", "other", "max_length", "per_unit"),
    "[join.NAME]": ("key", "max_matches"),
}


def listed(words: Iterable[str]) -> str:
    """a, b or c."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def nearest(word: str, choices: tuple[str, ...]) -> str:
    """What to write in the place of a word that is none of these."""
    close = get_close_matches(word.casefold(), choices, n=1)
    return f"write {close[0] if close else listed(choices)}"


def instead_of(key: str, known: tuple[str, ...]) -> str:
    """What to do about a key that is not known where it stands."""
    homes = [home for home, keys in _HOMES.items() if key in keys and keys != known]
    return f"write it under {homes[0]}" if homes else nearest(key, known)
