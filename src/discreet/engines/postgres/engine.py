"""PostgreSQL as an engine: everything is pushed down, and only aggregates come back.

A question is one transaction on a connection of its own: read only, one snapshot, settings pinned, a limit of time. The table is
locked against changes of its columns and described again before a row of it is read.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from discreet.engines import faults
from discreet.engines.faults import guarded, in_time
from discreet.engines.postgres.beside import Beside, with_settled
from discreet.engines.postgres.catalogue import Table, described
from discreet.engines.postgres.dialect import POSTGRES
from discreet.engines.postgres.fetching import fetched
from discreet.engines.postgres.stored import layout_of
from discreet.engines.sql.asking import Asking
from discreet.engines.sql.layout import Layout
from discreet.engines.wanted import Candidates, Counts, CountsWanted, CutWanted, Engine, KeysWanted, Sums, UnitsWanted, Wanted
from discreet.errors import FactsError, SourceFault
from discreet.facts.model import Facts, Source
from discreet.private import Private

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["Postgres"]

T = TypeVar("T")

_GONE = "the source of the table is gone, or has changed since it was opened"
_FAILED = "PostgreSQL could not answer"
_SETTINGS = {
    "search_path": "pg_catalog",  # no function or operator of anybody else is met
    "row_security": "off",  # what it would hide raises instead
    "standard_conforming_strings": "on",
    "extra_float_digits": "1",  # 0 writes float8 with 15 digits
    "timezone": "UTC",
    "datestyle": "ISO, YMD",
    "intervalstyle": "postgres",
    "bytea_output": "hex",
    "client_encoding": "UTF8",
    "lock_timeout": "60s",
    "idle_in_transaction_session_timeout": "600s",
    "jit": "off",  # compiling takes longer than what it saves on statements of ours
}
_LOST = ("08", "57P", "53300", "3D", "28")  # SQLSTATEs that begin so: no connection, a server that stops or is full, nobody there
_CHANGED = ("42P01", "42703", "42501", "42804", "42846", "42883", "3F000")  # what was there when it was opened is not any more


class Postgres:
    """One table in a PostgreSQL; opening looks at the catalogue and at public lookups, and at no row.

    Raises FactsError if the source does not have what the facts declare or may not be asked, SourceFault if it is not there.
    """

    def __init__(
        self, facts: Facts, source: Source, lookups: Mapping[str, object] | None = None, *, tell: bool = False
    ) -> None:
        self._facts, self._source, self._tell = facts, source, tell
        if not facts.columns:
            raise FactsError("no column is declared", hint="declare the columns that may be asked about")
        self._beside = Beside(facts, source, lookups or {})
        self._opened = self._looked(lambda connection: (self._described(connection), self._beside.described(connection)))
        self._layout = with_settled(facts, layout_of(facts, self._opened[0].name, self._opened[0].columns))
        self._stored = self._beside.stored(self._opened[1])

    def check(self) -> None:
        """Raises SourceFault if the table is gone or its columns are others; called before anything is charged."""
        now = self._looked(lambda connection: (self._described(connection), self._beside.described(connection)))
        if now != self._opened:
            raise SourceFault(_GONE)

    @contextmanager
    def at_once(self) -> Iterator[Engine]:
        """The table for several looks that belong together: all see the rows of one moment."""
        with self._snapshot() as connection:
            yield _Snapshot(self, connection)

    def run(self, wanted: Wanted) -> Private[Sums]:
        """The exact integers. Raises EngineFault, and no other error."""
        with self.at_once() as engine:
            return engine.run(wanted)

    def counts(self, wanted: CountsWanted | UnitsWanted | CutWanted) -> Private[Counts]:
        """How many rows lie where, how many units have how many, or too many. Raises EngineFault, and no other error."""
        with self.at_once() as engine:
            return engine.counts(wanted)

    def keys(self, wanted: KeysWanted) -> Private[Candidates]:
        """The values that enough units have. Raises EngineFault, and no other error."""
        with self.at_once() as engine:
            return engine.keys(wanted)

    @contextmanager
    def held(self) -> Iterator[tuple[Callable[[str], list[Any]], Layout]]:
        """A way to ask anything, and how the rows are held: for whoever holds the data, and called by the inspection alone."""
        with self._snapshot() as connection:
            yield lambda sql: connection.execute(sql.encode()).fetchall(), self._layout

    def close(self) -> None:
        """Nothing is held between questions."""

    def asking(self, connection: "Connection[Any]") -> Asking:
        """Questions over one connection."""
        return Asking(self._facts, self._layout, self._stored, POSTGRES, lambda sql: fetched(connection, sql))

    def answered(self, connection: "Connection[Any]", act: Callable[[Asking], T]) -> T:
        """What a question comes to; errors of the database become faults without its words."""
        def work() -> T:
            with in_time(connection.cancel):
                return act(self.asking(connection))

        return guarded(_FAILED, work, tell=self._tell, sort=_is_lost)

    # ---- connections

    def _looked(self, act: Callable[["Connection[Any]"], T]) -> T:
        """What the catalogue says, before anything is charged: whatever fails is the source's fault."""
        def work() -> T:
            connection = connected(self._source)
            try:
                return act(connection)
            finally:
                connection.close()

        return guarded(_GONE, work, SourceFault, tell=self._tell)

    @contextmanager
    def _snapshot(self) -> "Iterator[Connection[Any]]":
        """A connection inside one read-only transaction, whose table is as it was when it was opened."""
        connection = guarded(_GONE, lambda: connected(self._source), SourceFault, tell=self._tell)
        try:
            guarded(_GONE, lambda: self._begin(connection), tell=self._tell, sort=_is_lost)
            yield connection
        finally:
            connection.close()

    def _begin(self, connection: "Connection[Any]") -> None:
        layouts = [self._layout, *(each.layout for each in self._stored.values() if each.layout is not None)]
        connection.execute(f"SET statement_timeout = {int(faults.MOST_SECONDS * 1000)}")
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        for layout in layouts:  # locks it, so that columns stay what they are from here on, and reads no row
            connection.execute(f"SELECT FROM {layout.relation} AS s LIMIT 0".encode())
        if (self._described(connection), self._beside.described(connection)) != self._opened:
            raise SourceFault(_GONE)

    def _described(self, connection: "Connection[Any]") -> Table:
        assert self._source.table is not None
        return described(connection, self._source.table)


class _Snapshot:
    """The table at one moment."""

    def __init__(self, of: Postgres, connection: "Connection[Any]") -> None:
        self._of, self._connection = of, connection

    def check(self) -> None:
        """It was looked at when the transaction began."""

    @contextmanager
    def at_once(self) -> Iterator[Engine]:
        """The same moment."""
        yield self

    def run(self, wanted: Wanted) -> Private[Sums]:
        """The exact integers."""
        return Private(self._of.answered(self._connection, lambda asking: asking.sums(wanted)))

    def counts(self, wanted: CountsWanted | UnitsWanted | CutWanted) -> Private[Counts]:
        """How many rows lie where, how many units have how many, or too many."""
        return Private(self._of.answered(self._connection, lambda asking: asking.counts(wanted)))

    def keys(self, wanted: KeysWanted) -> Private[Candidates]:
        """The values that enough units have."""
        return Private(self._of.answered(self._connection, lambda asking: asking.candidates(wanted)))

    def close(self) -> None:
        """Whoever began the transaction ends it."""


def connected(source: Source) -> "Connection[Any]":
    """A connection with settings of ours, outside of any transaction. Passwords come from libpq's own places."""
    try:
        import psycopg
    except ModuleNotFoundError:
        raise FactsError("PostgreSQL needs the extra discreet[postgres]", hint="pip install 'discreet[postgres]'") from None
    connection = psycopg.connect(source.place, autocommit=True, prepare_threshold=None, connect_timeout=30,
                                 application_name="discreet")  # fmt: skip
    try:
        for name, value in _SETTINGS.items():
            connection.execute("SELECT set_config(%s, %s, false)", (name, value))
        connection.execute("SET default_transaction_read_only = on")
    except BaseException:
        connection.close()
        raise
    return connection


def _is_lost(error: Exception) -> type[SourceFault] | None:
    """A lost connection, a server that stops and a table that is gone are nobody's fault; all else may be about rows."""
    import psycopg

    if not isinstance(error, psycopg.Error):
        return None
    state = error.sqlstate or ""
    is_lost = state.startswith(_LOST) or state in _CHANGED or (not state and isinstance(error, psycopg.OperationalError))
    return SourceFault if is_lost else None
