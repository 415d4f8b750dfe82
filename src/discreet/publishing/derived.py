"""Derived tables: SQL over what is released, and over tables derived before. Free, and the same on every run."""

import re
from collections.abc import Iterable, Sequence

from discreet.engines.duckdb.released import ReleasedDatabase
from discreet.errors import QuestionError
from discreet.publishing.release_file import Release
from discreet.publishing.sheets import Sheet, sheet_of_derived

__all__ = ["derived_from"]


def derived_from(release: Release, sheets: Sequence[Sheet]) -> list[Sheet]:
    """The derived tables, each over the released ones and those derived before it."""
    if not release.derived:
        return []
    database = ReleasedDatabase([sheet.to_released() for sheet in sheets])
    found: list[Sheet] = []
    try:
        for place, derivation in enumerate(release.derived):
            try:
                behind = [each for each in (*sheets, *found) if _reads(derivation.sql, each.name)]
                sheet = sheet_of_derived(derivation, database.derive(derivation.name, derivation.sql), behind)
                _check_derived(sheet, derivation.columns)
            except QuestionError as error:
                raise release.wrong(("derived", place, "sql"), error) from None
            found.append(sheet)
    finally:
        database.close()
    return found


def _reads(sql: str, name: str) -> bool:
    """Whether a table is named in the SQL, perhaps as a column of another: then a note too many is told."""
    return re.search(rf"\b{re.escape(name)}\b", sql, re.IGNORECASE) is not None


def _check_derived(sheet: Sheet, meanings: Iterable[str]) -> None:
    if any(column.has_interval for column in sheet.columns) and not sheet.confidence:
        raise QuestionError("it has intervals and does not say how sure they are",
                            hint="write confidence = 0.95, if that is what the SQL works out")  # fmt: skip
    names = list(sheet.to_columns())
    for each in meanings:
        if each not in names:
            raise QuestionError(f"there is no column {each!r}", hint=f"the columns are {', '.join(names)}")
