"""Connections to a PostgreSQL, with settings of ours; none of them can keep anybody waiting for ever.

Passwords come from libpq's own places, and are in no address.
"""

import os
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from discreet.engines.faults import in_time
from discreet.errors import FactsError, SourceFault
from discreet.facts.model import Source

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["connected", "hang_up", "is_lost", "soon"]

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
    "lock_timeout": "60s",
    "idle_in_transaction_session_timeout": "600s",
    "client_connection_check_interval": "5s",  # what nobody waits for any more is not worked out to its end
    "jit": "off",  # compiling takes longer than what it saves on statements of ours
}
_ALIVE = {"keepalives_idle": "60", "keepalives_interval": "10", "keepalives_count": "6"}  # seconds; an address may say others
_LOST = ("08", "57P", "53300", "3D", "28")  # SQLSTATEs that begin so: no connection, a server that stops or is full, nobody there
_CHANGED = ("42P01", "42703", "42501", "42804", "42846", "42883", "3F000")  # what was there when it was opened is not any more
_CONNECT = 30  # seconds
SOON = 120.0  # seconds for what reads no row: twice what a lock is waited for


def connected(source: Source) -> "Connection[Any]":
    """A connection with settings of ours, outside of any transaction."""
    try:
        import psycopg
        from psycopg.conninfo import conninfo_to_dict
    except ModuleNotFoundError:
        raise FactsError("PostgreSQL needs the extra discreet[postgres]", hint="pip install 'discreet[postgres]'") from None
    said = _ALIVE | conninfo_to_dict(source.place)
    alive: dict[str, Any] = {name: said[name] for name in _ALIVE}
    connection = psycopg.connect(
        source.place, autocommit=True, prepare_threshold=None, connect_timeout=_CONNECT, application_name="discreet",
        **alive,
    )  # fmt: skip
    try:
        soon(connection, _set)
    except BaseException:
        connection.close()
        raise
    return connection


def _set(connection: "Connection[Any]") -> None:
    for name, value in _SETTINGS.items():
        connection.execute("SELECT set_config(%s, %s, false)", (name, value))
    connection.execute("SET default_transaction_read_only = on")


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
