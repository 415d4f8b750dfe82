"""Columns of a table in PostgreSQL, for whoever holds the data: by its catalogue alone, no row is read."""

from typing import TYPE_CHECKING, Any

from discreet.engines.faults import guarded
from discreet.engines.postgres.catalogue import described
from discreet.engines.postgres.causes import cause_of, hint_for
from discreet.engines.postgres.connecting import looked_at
from discreet.engines.postgres.engine import Postgres
from discreet.engines.postgres.stored import Described
from discreet.errors import EngineFault, FactsError
from discreet.facts.draft import Drafted
from discreet.facts.model import Facts, Source

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["columns_at", "refusal"]

_GUESSES = {"int2": "integer", "int4": "integer", "int8": "integer", "float4": "number", "float8": "number", "numeric": "number",
            "bool": "boolean", "date": "date", "timestamp": "timestamp", "timestamptz": "timestamp"}  # fmt: skip
_TEXTS = ("text", "varchar", "bpchar", "name", "uuid")


def refusal(facts: Facts, source: Source) -> tuple[str, str] | None:
    """What is wrong with a source in PostgreSQL, and what to do instead; None if it can be asked."""
    try:
        Postgres(facts, source, tell=True)
    except FactsError as error:
        return error.message, error.hint
    except EngineFault as fault:
        return f"the source cannot be reached: {fault.told}", hint_for(fault.cause)
    return None


def columns_at(source: Source) -> list[Drafted]:
    """The columns of a table that facts can declare, by their types."""
    def columns(connection: "Connection[Any]") -> tuple[Described, ...]:
        return described(connection, str(source.table)).columns

    try:
        found = guarded("the source cannot be reached", lambda: looked_at(source, columns), tell=True, why=cause_of)
    except EngineFault as fault:
        fault.hint = hint_for(fault.cause)
        raise
    return [Drafted(each.name, "text" if each.is_enum else _GUESSES.get(each.type, "text"))
            for each in found if each.is_enum or each.type in _GUESSES or each.type in _TEXTS]  # fmt: skip
