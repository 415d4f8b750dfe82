"""Connections to a PostgreSQL, and transactions with settings of ours; none of them can keep anybody waiting for ever.

Settings are made inside of a transaction and end with it: a pooler may give every transaction another session of the server, and
whatever one of them is left with to others. Passwords come from libpq's own places, and are in no address.
"""

import os
import socket
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from discreet.engines import faults
from discreet.engines.faults import in_time
from discreet.errors import FactsError, SourceFault
from discreet.facts.model import Source

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["begin", "connected", "hang_up", "is_lost", "looked_at", "soon"]

T = TypeVar("T")

_SETTINGS = {
    "search_path": "pg_catalog",  # no function or operator of anybody else is met
    "row_security": "off",  # what it would hide raises instead
    "standard_conforming_strings": "on",
    "transform_null_equals": "off",  # else x = NULL is x IS NULL, and constants may come to NULL
    "array_nulls": "on",  # else NULL in an array is a word
    "extra_float_digits": "1",  # 0 writes float8 with 15 digits
    "timezone": "UTC",
    "datestyle": "ISO, YMD",
    "intervalstyle": "postgres",
    "bytea_output": "hex",
    "client_encoding": "UTF8",
    "gin_fuzzy_search_limit": "0",  # else an index may leave out rows by chance
    "exit_on_error": "off",  # else what fails passes for a connection that was lost
    "lock_timeout": "60s",
    "idle_in_transaction_session_timeout": "600s",
    "jit": "off",  # compiling takes longer than what it saves on statements of ours
    "join_collapse_limit": "8",  # so many tables are put into the best order, and each of 20 long lists of values is one
    "from_collapse_limit": "8",
    "geqo": "on",
    "geqo_threshold": "12",
    "geqo_effort": "5",
    "geqo_pool_size": "0",
    "geqo_generations": "0",
    "geqo_selection_bias": "2",
    "geqo_seed": "0",
}
_LATER = {"transaction_timeout": "0"}  # of 17 and later: a role's own would end a question before the limit of ours
_IF_ABLE = {"client_connection_check_interval": "5s"}  # what nobody waits for any more is not worked out, where that can be told
_PIN = """
SELECT pg_catalog.set_config(s.name, s.value, true)
FROM ROWS FROM (pg_catalog.unnest(%s::pg_catalog.text[]), pg_catalog.unnest(%s::pg_catalog.text[])) AS s (name, value)
"""
_ALIVE = {"keepalives_idle": "60", "keepalives_interval": "10", "keepalives_count": "6"}  # seconds; an address may say others
# SQLSTATEs that begin so: no connection, a server that stops or is full, nobody there; what a standby takes back while it follows
# (a transaction that only reads has no other conflict), a transaction that was left alone for long, as by a machine that slept
_LOST = ("08", "57P", "53300", "3D", "28", "40001", "25P03", "25P04")
_CHANGED = ("42P01", "42703", "42501", "42804", "42846", "42883", "3F000")  # what was there when it was opened is not any more
_CONNECT = 30  # seconds
SOON = 120.0  # seconds for what reads no row: twice what a lock is waited for


def connected(source: Source) -> "Connection[Any]":
    """A connection, outside of any transaction."""
    try:
        import psycopg
        from psycopg.conninfo import conninfo_to_dict
    except ModuleNotFoundError:
        raise FactsError("PostgreSQL needs the extra discreet[postgres]", hint="pip install 'discreet[postgres]'") from None
    said = _ALIVE | conninfo_to_dict(source.place)
    alive: dict[str, Any] = {name: said[name] for name in _ALIVE}
    return psycopg.connect(
        source.place, autocommit=True, prepare_threshold=None, connect_timeout=_CONNECT, application_name="discreet",
        client_encoding="UTF8", **alive,
    )  # fmt: skip


def begin(connection: "Connection[Any]") -> None:
    """A transaction that sees one moment, may only read, and has settings of ours and a limit of time until it ends."""
    import psycopg

    settings = _SETTINGS | {"statement_timeout": str(int(faults.MOST_SECONDS * 1000))}
    if connection.info.server_version >= 170000:
        settings |= _LATER
    try:
        _begin(connection, settings | _IF_ABLE)
    except psycopg.errors.InvalidParameterValue:  # on some systems a server cannot tell whether somebody still waits
        connection.execute("ROLLBACK")
        _begin(connection, settings)


def _begin(connection: "Connection[Any]", settings: Mapping[str, str]) -> None:
    connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    connection.execute(_PIN, (list(settings), list(settings.values())))


def looked_at(source: Source, act: Callable[["Connection[Any]"], T]) -> T:
    """What the catalogue says, on a connection of its own."""
    def look(connection: "Connection[Any]") -> T:
        begin(connection)
        return act(connection)

    connection = connected(source)
    try:
        return soon(connection, look)
    finally:
        connection.close()


def soon(connection: "Connection[Any]", act: Callable[["Connection[Any]"], T]) -> T:
    """What reads no row, and therefore takes no time."""
    with in_time(lambda: hang_up(connection), SOON):
        return act(connection)


def hang_up(connection: "Connection[Any]") -> None:
    """End whatever a connection waits for; the server notices within seconds. Asking it to cancel would wait for it once more."""
    with socket.socket(fileno=os.dup(connection.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)


def is_lost(error: Exception) -> type[SourceFault] | None:
    """A lost connection, a server that stops and a table that is gone are nobody's fault; all else may be about rows."""
    import psycopg

    if not isinstance(error, psycopg.Error):
        return None
    state = error.sqlstate or ""
    found = state.startswith(_LOST) or state in _CHANGED or (not state and isinstance(error, psycopg.OperationalError))
    return SourceFault if found else None
