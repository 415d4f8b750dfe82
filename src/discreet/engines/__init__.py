"""Exact integers: what planning wants, computed from the rows by an engine."""

from collections.abc import Mapping
from pathlib import Path

from discreet.engines.spark.sessions import is_frame
from discreet.engines.wanted import Engine
from discreet.errors import FactsError, ParameterError
from discreet.facts.joins import lacks_values
from discreet.facts.locations import parse_source
from discreet.facts.model import Facts, Source

__all__ = ["as_source", "open_engine", "with_lookup_values"]


def open_engine(
    facts: Facts, source: object = None, lookups: Mapping[str, object] | None = None, *, tell: bool = False
) -> Engine:
    """An engine that holds the table of ``facts``: at ``source`` if given (a path, a Source, or a frame in memory).

    ``lookups`` likewise, by the name of their join, where the facts do not say where they are. ``tell`` is for whoever holds the
    data: errors have the engine's own words.

    Raises FactsError if the source does not have what the facts declare, EngineFault if it can not be read.
    """
    match facts.located if source is None else as_source(source):
        case None:
            raise FactsError("the facts name no source", hint="give the table's rows, or write source = \"…\" in the facts")
        case Source(kind="postgresql") as found:
            from discreet.engines.postgres.engine import Postgres

            return Postgres(facts, found, {name: as_source(each) for name, each in (lookups or {}).items()}, tell=tell)
        case found if is_frame(found) or (isinstance(found, Source) and found.kind == "spark"):
            from discreet.engines.spark.engine import Spark

            return Spark(facts, found, {name: as_source(each) for name, each in (lookups or {}).items()}, tell=tell)
        case found:
            from discreet.engines.duckdb.engine import DuckDB

            return DuckDB(facts, found, {name: as_source(each) for name, each in (lookups or {}).items()}, tell=tell)


def with_lookup_values(facts: Facts, lookups: Mapping[str, object] | None = None) -> Facts:
    """The facts with the values of public lookups that leave them out; ``lookups`` as those of an engine. Raises FactsError."""
    if not any(lacks_values(column) for join in facts.joins for column in join.columns):
        return facts
    from discreet.engines.duckdb.lookup_values import with_values

    return with_values(facts, {name: as_source(each) for name, each in (lookups or {}).items()})


def as_source(source: object) -> object:
    """A place as a Source; what is in memory as it is. Raises FactsError."""
    if not isinstance(source, str | Path):
        return source
    try:
        return parse_source(str(source), Path.cwd())
    except ParameterError as error:
        raise FactsError(error.message, hint=error.hint) from None
