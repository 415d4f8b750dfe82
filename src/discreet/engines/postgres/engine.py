"""PostgreSQL as an engine: everything is pushed down, and only aggregates come back.

A question is one transaction on a connection of its own: read only, one snapshot, settings pinned, a limit of time. The table is
locked against changes of its columns and described again before a row of it is read.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from discreet.engines.faults import GONE, guarded, in_time, noted
from discreet.engines.postgres.beside import Beside, with_settled
from discreet.engines.postgres.catalogue import Table, described, is_rewritten
from discreet.engines.postgres.causes import cause_of, hint_for
from discreet.engines.postgres.connecting import begin, connected, hang_up, is_lost, looked_at, soon
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

_FAILED = "PostgreSQL could not answer"
_TRIES = 3  # at a moment that is after whatever was done to the columns


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
        if facts.budget.partition is not None:  # rule 13: who is in which cell may change between two questions
            raise FactsError("partition needs a source that can be pinned, and a live database cannot", hint="take partition out",
                             key="budget.partition")  # fmt: skip
        self._beside = Beside(facts, source, lookups or {})
        self._opened = self._looked(lambda connection: (self._described(connection), self._beside.described(connection)))
        self._layout = with_settled(facts, layout_of(facts, self._opened[0].name, self._opened[0].columns))
        self._stored = self._beside.stored(self._opened[1])

    def check(self) -> None:
        """Raises SourceFault if the table is gone or its columns are others; called before anything is charged."""
        self._looked(self._compare)

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
            with in_time(lambda: hang_up(connection)):
                return act(self.asking(connection))

        return guarded(_FAILED, work, tell=self._tell, sort=is_lost, why=cause_of)

    # ---- connections

    def _looked(self, act: Callable[["Connection[Any]"], T]) -> T:
        """What the catalogue says, before anything is charged: whatever fails is the source's fault."""
        try:
            return guarded(GONE, lambda: looked_at(self._source, act), SourceFault, tell=self._tell, why=cause_of)
        except SourceFault as fault:
            fault.hint = hint_for(fault.cause) if fault.told else ""
            raise

    @contextmanager
    def _snapshot(self) -> "Iterator[Connection[Any]]":
        """A connection inside one read-only transaction, whose table is as it was when it was opened."""
        connection = guarded(GONE, lambda: connected(self._source), SourceFault, tell=self._tell, why=cause_of)
        try:
            guarded(GONE, lambda: soon(connection, self._begin), SourceFault, tell=self._tell, why=cause_of)  # no row is read yet
            yield connection
        finally:
            connection.close()

    def _begin(self, connection: "Connection[Any]") -> None:
        """A moment at which the columns are what they were, and stay so until the transaction ends."""
        layouts = [self._layout, *(each.layout for each in self._stored.values() if each.layout is not None)]
        tables = [self._opened[0], *self._opened[1]]
        for _ in range(_TRIES):
            begin(connection)
            for layout in layouts:  # locks it, so that columns stay what they are from here on, and reads no row
                connection.execute(f"SELECT FROM {layout.relation} AS s LIMIT 0".encode())
            if not any(is_rewritten(connection, table) for table in tables):
                return self._compare(connection)
            connection.execute("ROLLBACK")  # the moment was before the lock: rows written since then would not be seen
        raise noted(SourceFault(GONE, cause="the table was rewritten again and again"))

    def _compare(self, connection: "Connection[Any]") -> None:
        """Raises SourceFault if the tables are not what was opened, or may not be asked any more."""
        cause = "it has other columns than when it was opened"
        try:
            is_same = (self._described(connection), self._beside.described(connection)) == self._opened
        except FactsError as error:
            is_same, cause = False, error.message
        if not is_same:
            raise noted(SourceFault(GONE, cause=cause))

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
