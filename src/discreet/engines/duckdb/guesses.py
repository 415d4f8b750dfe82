"""What the cells of a column seem to be, and how they seem to be written: for a draft that a person looks over.

Nothing of a cell leaves here: a guess is a type, and a spelling out of lists that are in this file.
"""

import re
from collections.abc import Iterable
from itertools import product

from discreet.engines.rules.moments import DAY, MOMENT, ZONED, moment_in
from discreet.engines.rules.spellings import FALSE, NUMBER, TRUE, number_pattern, unmarked
from discreet.engines.rules.values import MISSING
from discreet.facts.draft import Drafted, Spelling
from discreet.facts.model import Timestamp

__all__ = ["guess_stored", "guessed", "is_data"]

_NUMBER, _DAY, _MOMENT, _ZONED = map(re.compile, (NUMBER, DAY, MOMENT, ZONED))
_WORDS = {*TRUE, *FALSE} - {"0", "1"}
_PAIRS = (
    ("y", "n"), ("j", "n"), ("ja", "nein"), ("ja", "nee"), ("ja", "nej"), ("oui", "non"), ("o", "n"), ("s", "n"), ("si", "no"),
    ("sí", "no"), ("sì", "no"), ("sim", "não"), ("on", "off"), ("vrai", "faux"), ("wahr", "falsch"),
)  # fmt: skip
_MARKS = ((".", ","), (",", ""), (",", "."), (".", " "), (",", " "), (".", "'"), (",", "'"))  # decimal and thousands
_DAYS = (
    "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%d/%m/%y", "%m/%d/%y", "%d.%m.%y",
    "%d-%b-%Y", "%d-%b-%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d/%b/%Y",
)  # fmt: skip
_TIMES = (
    " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p", ", %H:%M", "T%H:%M:%S", ":%H:%M:%S %z", " %H:%M:%S %z",
)  # fmt: skip
_STORED: tuple[tuple[str, str], ...] = (  # how the name of a DuckDB type begins
    ("BOOL", "boolean"), ("DATE", "date"), ("TIMESTAMP", "timestamp"), ("FLOAT", "number"), ("DOUBLE", "number"),
    ("DECIMAL", "number"), ("INT", "integer"), ("BIGINT", "integer"), ("TINYINT", "integer"), ("SMALLINT", "integer"),
    ("UINT", "integer"), ("UBIGINT", "integer"), ("UTINYINT", "integer"), ("USMALLINT", "integer"), ("HUGEINT", "integer"),
)  # fmt: skip
_IN_ZONE = Spelling("zone", '"UTC"', 'whose clocks count: what has an offset is moved there; or such as "Europe/Berlin"')


def is_data(name: str) -> bool:
    """Whether a field of the first line cannot be meant as a name."""
    trimmed = name.strip()
    return any(form.fullmatch(trimmed) for form in (_NUMBER, _DAY, _MOMENT, _ZONED)) and not trimmed.isalpha()


def guess_stored(name: str, kind: str) -> Drafted:
    """A column by the type that it is stored as."""
    found = next((guess for start, guess in _STORED if kind.startswith(start)), "text")
    return Drafted(name, found, (_IN_ZONE,) if "WITH TIME ZONE" in kind else ())


def guessed(name: str, cells: Iterable[str]) -> Drafted:
    """A column with the narrowest type that reads every cell; text if there is none to read."""
    seen = {cell.strip(" ") for cell in cells} - set(MISSING)
    if not seen:
        return Drafted(name, "text")
    for guess in (_number, _truth, _moment):
        if (found := guess(name, seen)) is not None:
            return found
    return Drafted(name, "text")


def _number(name: str, seen: set[str]) -> Drafted | None:
    if all(_NUMBER.fullmatch(cell) for cell in seen):
        return Drafted(name, _integer_or_not(seen))
    for decimal, thousands in _MARKS:
        pattern = re.compile(number_pattern(decimal, thousands))
        if all(pattern.fullmatch(cell) for cell in seen):
            plain = {unmarked(cell, decimal, thousands) or "" for cell in seen}
            said = [Spelling("thousands", f'"{thousands}"', f"1{thousands}200 is 1200")] if thousands else []
            said += [Spelling("decimal", f'"{decimal}"', f"1{decimal}5 is one and a half")] if decimal != "." else []
            return Drafted(name, _integer_or_not(plain), tuple(said))
    return None


def _integer_or_not(numerals: set[str]) -> str:
    return "integer" if all(cell.lstrip("+-").isdigit() for cell in numerals) else "number"


def _truth(name: str, seen: set[str]) -> Drafted | None:
    words = {cell.lower() for cell in seen}
    if words <= _WORDS:
        return Drafted(name, "boolean")
    for yes, no in _PAIRS:
        if words == {yes, no}:
            return Drafted(name, "boolean", (Spelling("true", f'["{yes}"]'), Spelling("false", f'["{no}"]')))
    return None


def _moment(name: str, seen: set[str]) -> Drafted | None:
    if all(_DAY.fullmatch(cell) for cell in seen):
        return Drafted(name, "date")
    if all(_MOMENT.fullmatch(cell) or _ZONED.fullmatch(cell) for cell in seen):
        return Drafted(name, "timestamp", (_IN_ZONE,) if any(map(_ZONED.fullmatch, seen)) else ())
    if found := [each for each in _DAYS if _reads(each, seen)]:
        return Drafted(name, "date", (_format(found),))
    if found := [day + clock for day, clock in product(_DAYS, _TIMES) if _reads(day + clock, seen)]:
        return Drafted(name, "timestamp", (_format(found), *((_IN_ZONE,) if "%z" in found[0] else ())))
    return None


def _reads(written: str, seen: set[str]) -> bool:
    column = Timestamp("", format=written)
    return all(moment_in(column, cell) is not None for cell in seen)


def _format(found: list[str]) -> Spelling:
    """The one that reads all cells; where there are two, a person knows which."""
    if len(found) == 1:
        return Spelling("format", f'"{found[0]}"')
    return Spelling("format", '"TODO"', " or ".join(f'"{each}"' for each in found) + ": both read all that was looked at")
