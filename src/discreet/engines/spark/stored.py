"""Spark's column types, and how each is handed to the reader: selected by place, so that no name can be mistaken for another."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from discreet.engines.rules.spellings import MOST_CHARACTERS
from discreet.engines.sql.layout import Field, Stored
from discreet.engines.sql.names import UNIT, safe_name
from discreet.engines.sql.reading import check_stored, kind_of
from discreet.errors import FactsError
from discreet.facts.model import ByColumn, Facts

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

__all__ = ["Kind", "kinds_of", "reads_moments", "selected"]

Kind = tuple[str, str]  # the name of a column and its type

_PLACE = "p{}"  # what the columns of a source are called once they have lost their names
_AS_TEXT = "CAST({} AS STRING)"
_TEXT = "MAKE_VALID_UTF8({})"  # what is stored are bytes, and what leaves are letters
_MARK = "not UTF-8: "
_UNIT = (  # no two are one: what is not as it is stored begins with the mark, and then says all of its bytes
    f"CASE WHEN OCTET_LENGTH({{0}}) > {MOST_CHARACTERS} THEN NULL WHEN IS_VALID_UTF8({{0}}) AND NOT STARTSWITH({{0}}, '{_MARK}') "
    f"THEN {{0}} ELSE '{_MARK}' || HEX(CAST({{0}} AS BINARY)) END"
)
_TYPES: dict[str, tuple[Stored, str]] = {
    **dict.fromkeys(("tinyint", "smallint", "int"), ("whole", "CAST({} AS BIGINT)")),  # 32 bits would overflow
    "bigint": ("whole", "{}"),
    "float": ("real", "CAST({} AS DOUBLE)"),
    "double": ("real", "{}"),
    "boolean": ("truth", "{}"),
    "date": ("day", "{}"),
    "timestamp_ntz": ("moment", "{}"),
    "timestamp": ("instant", "CAST({} AS TIMESTAMP_NTZ)"),  # by the session's clock, which is UTC
    "void": ("text", _AS_TEXT),
}


def kinds_of(schema: "StructType") -> list[Kind]:
    """Names and types, in their order; CHAR and VARCHAR as they were declared."""
    found = []
    for field in schema.fields:
        declared = (field.metadata or {}).get("__CHAR_VARCHAR_TYPE_STRING", "")
        kind = declared if declared.startswith("char") else field.dataType.simpleString()
        found.append((field.name, kind))
    return found


def reads_moments(facts: Facts, kinds: Sequence[Kind]) -> bool:
    """Whether columns are read that are stored as moments."""
    names = {column.name for column in facts.columns} | ({facts.unit.column} if isinstance(facts.unit, ByColumn) else set())
    return any(name in names and kind.startswith("timestamp") for name, kind in kinds)


def selected(facts: Facts, kinds: Sequence[Kind], source: str) -> tuple[str, dict[str, Field], Field | None]:
    """A SELECT in parentheses that has the declared columns under safe names, and what they, and the unit, then are.

    ``source`` is what stands after FROM. Raises FactsError if a column is missing or cannot hold what is declared.
    """
    names = [column.name for column in facts.columns]
    unit = facts.unit.column if isinstance(facts.unit, ByColumn) else None
    places = _places([*names, *([unit] if unit is not None else [])], kinds)
    outputs, fields = [], {}
    for number, column in enumerate(facts.columns):
        stored, form = _stored_as(column.name, kinds[places[column.name]][1], is_truth=kind_of(column) == "truth")
        check_stored(column, stored)
        outputs.append(f"{form.format(_PLACE.format(places[column.name]))} AS {safe_name(number)}")
        fields[column.name] = Field(safe_name(number), stored)
    found = None
    if unit is not None:
        stored, form = _unit_as(unit, kinds[places[unit]][1])
        outputs.append(f"{form.format(_PLACE.format(places[unit]))} AS {UNIT}")
        found = Field(UNIT, stored)
    every = ", ".join(_PLACE.format(number) for number in range(len(kinds)))
    return f"(SELECT {', '.join(outputs)} FROM {source} AS r({every}))", fields, found


def _places(names: Sequence[str], kinds: Sequence[Kind]) -> dict[str, int]:
    there = [name for name, _ in kinds]
    for name in names:
        if there.count(name) == 1:
            continue
        if name in there:
            raise FactsError(f"the source has several columns {name!r}", hint="give each a name of its own")
        alike = [each for each in there if each.casefold() == name.casefold()]
        hint = f"it has {alike[0]!r}: write it the same way" if alike else "write the names as the source has them"
        raise FactsError(f"the source has no column {name!r}", hint=hint)
    return {name: there.index(name) for name in names}


def _stored_as(name: str, kind: str, *, is_truth: bool = False) -> tuple[Stored, str]:
    if kind in _TYPES:
        return _TYPES[kind]
    if (text := _text_as(kind)) is not None:
        return "text", _TEXT.format(text)
    if decimal := re.fullmatch(r"decimal\((\d+),(\d+)\)", kind):
        digits, after_point = int(decimal[1]), int(decimal[2])
        if after_point == 0 and digits <= 18:
            return "whole", "CAST({} AS BIGINT)"
        return ("real", "CAST({} AS DOUBLE)") if is_truth else ("text", _AS_TEXT)  # 1.00 is true, and no word
    raise FactsError(
        f"column {name!r} is stored as {_bare(kind)}, which has no values to ask about",
        hint="take it out of the facts, or store numbers, texts, dates or truth values",
    )


def _text_as(kind: str) -> str | None:
    """The bytes of a text, whatever its type adds to them; None for what is no text."""
    if kind == "string":
        return "{0}"
    if kind.startswith("string collate"):
        return "COLLATE({0}, 'UTF8_BINARY')"  # else texts could be equal that are not the same
    return "RTRIM(' ', {0})" if kind.startswith("char(") else None  # blanks at the end are padding


def _unit_as(name: str, kind: str) -> tuple[Stored, str]:
    """What tells units apart: texts by their bytes, since what is not UTF-8 may become one text where it is made valid."""
    if kind in ("float", "double"):
        raise FactsError(
            f"the unit {name!r} is stored as {kind}, and Spark writes such numbers in its own way",
            hint="store it as text or as whole numbers", key="table.unit",
        )  # fmt: skip
    if (text := _text_as(kind)) is not None:
        return "text", _UNIT.format(text)
    if kind.startswith("decimal("):
        return "text", f"REGEXP_REPLACE({_AS_TEXT}, '[.]0*$', '')"  # 12.00 is the unit 12
    try:
        stored, form = _stored_as(name, kind)
    except FactsError:
        raise FactsError(
            f"the unit {name!r} is stored as {_bare(kind)}, some values of which cannot be told apart",
            hint="store it as text or as whole numbers", key="table.unit",
        ) from None  # fmt: skip
    return (stored, form) if stored in ("text", "whole") else ("text", f"CAST({form} AS STRING)")


def _bare(kind: str) -> str:
    return re.split(r"[(<]", kind)[0]
