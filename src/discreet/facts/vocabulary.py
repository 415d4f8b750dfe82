"""Every key that a facts file may have, and what to say about any other."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from types import MappingProxyType

__all__ = [
    "BUDGET", "COLUMN", "COMPANION", "CSV", "DECIMAL", "DOCUMENT", "ENCODINGS", "JOIN", "LOSS", "TABLE", "THOUSANDS",
    "UNIT", "an", "instead_of", "listed", "nearest",
]  # fmt: skip

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
        "number": ("type", "lower", "upper", "null", "null_label", "decimal", "thousands", "per_unit", "description"),
        "integer": ("type", "lower", "upper", "null", "null_label", "decimal", "thousands", "per_unit", "description"),
        "category": ("type", "values", "labels", "other", "null", "null_label", "per_unit", "description"),
        "boolean": ("type", "true", "false", "null", "null_label", "per_unit", "description"),
        "date": ("type", "lower", "upper", "format", "zone", "null", "null_label", "per_unit", "description"),
        "timestamp": ("type", "lower", "upper", "format", "zone", "null", "null_label", "per_unit", "description"),
        "text": ("type", "max_length", "null", "null_label", "per_unit", "description"),
    }
)
ENCODINGS = (
    "utf-8", "utf-16", "latin-1", "iso-8859-2", "iso-8859-15", "windows-1250", "windows-1251", "windows-1252", "mac-roman",
    "shift_jis", "euc-kr", "gb18030", "big5",
)  # fmt: skip
DECIMAL = (".", ",")
THOUSANDS = (",", ".", " ", "'", "_")  # a space is any of three, an apostrophe either of two
_HOMES = {
    "[table]": TABLE,
    "[csv]": CSV,
    "[budget]": BUDGET,
    "[columns.NAME]": (
        "type", "lower", "upper", "null", "null_label", "values", "labels", "other", "max_length", "decimal", "thousands", "true",
        "false", "format", "zone", "per_unit",
    ),
    "[join.NAME]": ("key", "max_matches"),
}


_MEANT = {  # what others call it
    "string": "text", "str": "text", "varchar": "text", "float": "number", "double": "number", "decimal": "number",
    "real": "number", "bigint": "integer", "datetime": "timestamp", "time": "timestamp", "enum": "category", "factor": "category",
}  # fmt: skip
_CLOSE = 0.65  # of all letters are the same in both words


def an(word: str) -> str:
    """a delta, an epsilon."""
    return f"{'an' if word[:1] in 'aeiou' else 'a'} {word}"


def listed(words: Iterable[str]) -> str:
    """a, b or c."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last


def nearest(word: str, choices: tuple[str, ...]) -> str:
    """What to write in place of a word that is none of these."""
    said = word.casefold()
    meant = [_MEANT[said]] if _MEANT.get(said) in choices else []
    begun = [choice for choice in choices if len(said) > 1 and choice.startswith(said)]
    close = meant or (begun if len(begun) == 1 else get_close_matches(said, choices, n=1, cutoff=_CLOSE))
    return f"write {close[0] if close else listed(choices)}"


def instead_of(key: str, known: tuple[str, ...]) -> str:
    """What to do about a key that is not known where it stands."""
    homes = [home for home, keys in _HOMES.items() if key in keys and keys != known]
    return f"write it under {homes[0]}" if homes else nearest(key, known)
