"""Public lookups as rows of values that were read already: for engines elsewhere, which are sent them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from discreet.engines.duckdb.engine import let_go, started
from discreet.engines.duckdb.joins import stored_lookups
from discreet.engines.duckdb.loading import run
from discreet.engines.rules.lookups import facts_of, lookup_files
from discreet.engines.sql.joining import KEY
from discreet.engines.sql.names import safe_name
from discreet.facts.joins import key_column
from discreet.facts.model import Column, Facts, Lookup

__all__ = ["Public", "public_lookups"]


@dataclass(frozen=True, slots=True)
class Public:
    """A lookup: its columns, what it is found by, and its rows, which have the key once more at their end, to compare."""

    join: Lookup
    columns: Sequence[Column]
    key: Column
    rows: Sequence[Sequence[Any]]

    @property
    def names(self) -> list[str]:
        """What the columns of a row are called in an engine."""
        return [*(safe_name(place) for place in range(len(self.columns))), KEY]


def public_lookups(facts: Facts, given: Mapping[str, object], most: int) -> dict[str, Public]:
    """Every public lookup by its name, ``most`` + 1 rows at most.

    Raises FactsError if one cannot be read, or has a key too often.
    """
    public = replace(facts, joins=tuple(join for join in facts.joins if isinstance(join, Lookup)))
    if not public.joins:
        return {}
    connection, folder = started()
    try:
        found = {}
        for name, stored in stored_lookups(connection, public, given, lookup_files(public, given)).items():
            join = stored.join
            assert isinstance(join, Lookup)
            columns = facts_of(join, facts).columns
            shown = ", ".join([*(safe_name(place) for place in range(len(columns))), KEY])
            rows = run(connection, f"SELECT {shown} FROM {stored.table} LIMIT {most + 1}")
            found[name] = Public(join, columns, key_column(join, facts), rows)
        return found
    finally:
        let_go(connection.close, folder)
