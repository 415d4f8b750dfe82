"""The values that a public lookup has, where its facts do not list them.

A lookup is public, and so is what is in it. Its categories may leave ``values`` out: they are read here, when a table is opened
or registered, and are part of the facts from then on, so that a lookup with other values has other facts than those registered.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from discreet.engines.duckdb.engine import let_go, started
from discreet.engines.duckdb.joins import stored_lookups
from discreet.engines.duckdb.loading import run
from discreet.engines.rules.lookups import lookup_files
from discreet.engines.sql.joining import Stored
from discreet.engines.sql.names import safe_name
from discreet.errors import FactsError
from discreet.facts.joins import LONGEST_TEXT, lacks_values
from discreet.facts.model import Category, Column, Facts, Lookup, Number, Text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["MOST_VALUES", "with_values", "wrong_lookups"]

MOST_VALUES = 100_000

_WHOLE = re.compile(r"(0|-?[1-9][0-9]{0,17})(\.0)?", re.ASCII)  # also as a frame with gaps stores it


def with_values(facts: Facts, given: Mapping[str, object]) -> Facts:
    """The facts with the values of all lookups; ``given`` has their rows where the facts do not say where they are.

    Raises FactsError if a lookup cannot be read, or has no value for such a column.
    """
    return replace(facts, joins=tuple(
        _filled(join, facts, given) if isinstance(join, Lookup) and any(map(lacks_values, join.columns)) else join
        for join in facts.joins
    ))  # fmt: skip


def wrong_lookups(facts: Facts) -> list[FactsError]:
    """What is wrong with the lookups of the facts, one thing for each; they are public, and read to their end."""
    found = []
    for join in (each for each in facts.joins if isinstance(each, Lookup)):
        try:
            with _stored(with_values(replace(facts, joins=(join,)), {}), {}):
                pass
        except FactsError as error:
            found.append(error)
    return found


@contextmanager
def _stored(facts: Facts, given: Mapping[str, object]) -> Iterator[tuple["DuckDBPyConnection", dict[str, Stored]]]:
    """The lookups in a database of their own."""
    connection, folder = started()
    try:
        yield connection, stored_lookups(connection, facts, given, lookup_files(facts, given))
    finally:
        let_go(connection.close, folder)


def _filled(join: Lookup, facts: Facts, given: Mapping[str, object]) -> Lookup:
    if type(given.get(join.name)).__name__ == "RecordBatchReader":
        hint = "give reader.read_all(), so that its values can be read first"
        raise FactsError(f"the lookup {join.name} can be read only once", hint=hint)
    return replace(join, columns=tuple(
        replace(column, values=_values(column.name, join, facts, given)) if isinstance(column, Category) and lacks_values(column)
        else column for column in join.columns
    ))  # fmt: skip


def _values(name: str, join: Lookup, facts: Facts, given: Mapping[str, object]) -> tuple[int | str, ...]:
    found = _stored_values(name, join, facts, given)
    whole = [_WHOLE.fullmatch(str(value)) for value in found]
    is_lost = not all(whole) and any(isinstance(value, float) for value in found)
    if not 0 < len(found) <= MOST_VALUES or is_lost:
        many = "no value" if not found else "values that are not whole" if is_lost else f"more than {MOST_VALUES:,} values"
        raise FactsError(f"the lookup {join.name} has {many} for {name!r}",
                         hint="write the values that questions may group by, or another type",
                         key=f"join.{join.name}.columns.{name}")  # fmt: skip
    if all(whole):
        return tuple(sorted({int(each[1]) for each in whole if each is not None}))
    return tuple(sorted(map(str, found)))


def _stored_values(name: str, join: Lookup, facts: Facts, given: Mapping[str, object]) -> list[str | float]:
    """What is stored as texts or whole numbers, or else what is stored as other numbers."""
    found, wrong = list[str | float](), list[FactsError]()
    for column in (Text(name, LONGEST_TEXT), Number(name)):
        try:
            found = found or _different(column, join, facts, given)
        except FactsError as error:
            wrong.append(error)
    if len(wrong) > 1:
        raise wrong[0]
    return found


def _different(column: Column, join: Lookup, facts: Facts, given: Mapping[str, object]) -> list[str | float]:
    """All values of one column of the lookup, read as this."""
    alone = replace(facts, joins=(replace(join, columns=(column,)),))
    name, most = safe_name(0), MOST_VALUES + 1
    with _stored(alone, given) as (connection, stored):
        distinct = f"SELECT DISTINCT {name} FROM {stored[join.name].table} WHERE {name} IS NOT NULL LIMIT {most}"
        return [value for (value,) in run(connection, distinct)]
