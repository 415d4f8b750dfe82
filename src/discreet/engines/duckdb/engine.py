"""DuckDB as an engine: a database in memory that reads one table, with its lookups, and nothing else."""

import shutil
import weakref
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from glob import escape
from tempfile import gettempdir
from threading import Lock
from typing import TYPE_CHECKING, Any

from discreet.cores import on_all_cores
from discreet.engines.duckdb.dialect import DUCKDB
from discreet.engines.duckdb.joins import cleared, look_at_companions, stored_companions, stored_lookups
from discreet.engines.duckdb.limits import limits
from discreet.engines.duckdb.loading import from_csv, from_duckdb, from_frame, from_parquet, look_at_csv, run
from discreet.engines.faults import GONE, guarded, in_time, noted
from discreet.engines.progress import followed, is_told
from discreet.engines.rules.lookups import lookup_files
from discreet.engines.sql.asking import Asking
from discreet.engines.sql.layout import Layout
from discreet.engines.sql.names import quoted_text
from discreet.engines.stamps import files_of, stamp
from discreet.engines.wanted import Candidates, Counts, CountsWanted, CutWanted, Engine, KeysWanted, Sums, UnitsWanted, Wanted
from discreet.errors import FactsError, SourceFault
from discreet.facts.model import Facts, Source
from discreet.private import Private
from discreet.processes import sweep, temporary_folder

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["DuckDB", "let_go", "started"]

_SETTINGS = {
    "allow_community_extensions": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    # what it believes about rows it folds conditions and clamps by, and where it is mistaken one row undoes those of all others
    "disabled_optimizers": "filter_pushdown,statistics_propagation",
    "ieee_floating_point_ops": "true",  # 1e308 * 10 is infinite and not an error
    "pandas_analyze_sample": "0",  # columns of Python objects are text, whatever the first of them look like
    "preserve_insertion_order": "false",
    "python_enable_replacements": "false",
}


class DuckDB:
    """One table of one version, in a DuckDB of its own.

    Opening looks at headers, schemas and public lookups, and at no row of a file: rows are read by the first question that is
    charged. It raises FactsError if the source does not have what the facts declare, and EngineFault if it can not be read.
    Once there is something to ask, the database reads the files of the source only, writes to a private folder only, and its
    settings are locked. Frames are copied when they are opened. ``tell`` puts the engine's own words into errors: for the
    terminal of whoever holds the data, and nobody else.
    """

    def __init__(
        self, facts: Facts, source: object, lookups: Mapping[str, object] | None = None, *, tell: bool = False
    ) -> None:
        self._facts = facts
        self._source = source
        self._given = lookups or {}
        self._tell = tell
        self._files = guarded(GONE, lambda: files_of(source) if isinstance(source, Source) else [], SourceFault, tell=tell)
        self._lookup_files = lookup_files(facts, self._given)
        self._watched = [*self._files, *(file for files in self._lookup_files.values() for file in files)]
        self._stamps = guarded(GONE, lambda: [stamp(file) for file in self._watched], SourceFault)
        self._layout: Layout | None = None  # None until the rows may be read
        self._reading = Lock()
        self._telling = Lock()  # the one connection that knows how far its query is
        self._is_spoilt = False  # True after reading ended half-way
        guarded("DuckDB could not be started", self._start, tell=tell)
        try:
            guarded("the source could not be read", self._look, tell=tell)
        except BaseException:
            self._let_go()
            raise

    def check(self) -> None:
        """Raises SourceFault if the source is gone or was written to; called before anything is charged."""
        if guarded(GONE, lambda: [stamp(file) for file in self._watched], SourceFault) != self._stamps:
            raise noted(SourceFault(GONE, cause="its files were written to"))

    def at_once(self) -> AbstractContextManager[Engine]:
        """The table itself: whether its files were written to meanwhile is looked at before and after."""
        return nullcontext(self)

    def run(self, wanted: Wanted) -> Private[Sums]:
        """The exact integers. Raises EngineFault, and no other error."""
        return guarded("DuckDB could not answer", lambda: Private(self._asking().sums(wanted)), tell=self._tell)

    def counts(self, wanted: CountsWanted | UnitsWanted | CutWanted) -> Private[Counts]:
        """How many rows lie where, how many units have how many, or too many. Raises EngineFault, and no other error."""
        return guarded("DuckDB could not answer", lambda: Private(self._asking().counts(wanted)))

    def keys(self, wanted: KeysWanted) -> Private[Candidates]:
        """The values that enough units have. Raises EngineFault, and no other error."""
        return guarded("DuckDB could not answer", lambda: Private(self._asking().candidates(wanted)))

    def close(self) -> None:
        """Let go of the data."""
        self._let_go()

    def _asking(self) -> Asking:
        layout = self._read()
        return Asking(self._facts, layout, self._lookups, DUCKDB, self._fetched)

    def _fetched(self, sql: str) -> dict[str, Any]:
        if is_told() and self._telling.acquire(blocking=False):
            try:
                with in_time(self._connection.interrupt), followed(self._connection.query_progress):
                    return _columns(self._connection.execute(sql))
            finally:
                self._telling.release()
        with self._connection.cursor() as cursor, in_time(cursor.interrupt):  # a connection runs one query at a time
            return _columns(cursor.execute(sql))

    def _start(self) -> None:
        """A database with nothing in it."""
        self._connection, folder = started()
        self._let_go = weakref.finalize(self, let_go, self._connection.close, folder)

    # ---- before the charge

    def _look(self) -> None:
        """Headers, schemas and lookups, which are public. Frames are rows that somebody holds already: they are copied."""
        if not self._facts.columns:
            raise FactsError("no column is declared", hint="declare the columns that may be asked about")
        connection, companions = self._connection, look_at_companions(self._facts, self._given, self._lookup_files)
        self._lookups = stored_lookups(connection, self._facts, self._given, self._lookup_files)
        if not isinstance(self._source, Source):
            self._read()
        elif self._source.kind == "csv":
            look_at_csv(self._facts, self._files)
        else:
            layout = self._table()  # a view: nothing but the schema is read
            if companions:  # their rows are read first
                cleared(connection)
            else:
                self._locked()
                self._layout = layout

    # ---- after it

    def _read(self) -> Layout:
        """How the rows are held; the first time they are read, by one thread at a time."""
        with self._reading:
            if self._layout is None:
                if self._is_spoilt:  # after Ctrl-C anything may be half made, or locked: nothing of it is used
                    self._start()
                    self._lookups = stored_lookups(self._connection, self._facts, self._given, self._lookup_files)
                self._is_spoilt = True
                try:
                    with in_time(self._connection.interrupt):
                        self._lookups |= stored_companions(self._connection, self._facts, self._given, self._lookup_files)
                        layout = self._table()
                        self._locked()
                except BaseException:
                    self._let_go()
                    raise
                self._layout, self._is_spoilt = layout, False
            return self._layout

    def _table(self) -> Layout:
        connection, facts, files = self._connection, self._facts, self._files
        match self._source:
            case Source(kind="csv"):
                return from_csv(connection, facts, files)
            case Source(kind="parquet"):
                layout = from_parquet(connection, facts, files)
                run(connection, "SET GLOBAL disable_parquet_prefetching = true")  # more memory, no less time
                return layout
            case Source(kind="duckdb", table=str(table)):
                return from_duckdb(connection, facts, files[0], table)
            case frame:
                return from_frame(connection, facts, frame)

    def _locked(self) -> None:
        """From here on the files of a Parquet source can be read, and nothing else; no setting can be changed."""
        is_parquet = isinstance(self._source, Source) and self._source.kind == "parquet"
        files = self._files if is_parquet else []
        allowed = [path for file in files for path in (str(file), escape(str(file)))]  # it asks for both
        run(self._connection, f"SET allowed_paths = [{', '.join(quoted_text(path) for path in allowed)}]")
        if is_told():  # of this connection alone: it then knows how far a query is; in a notebook that would want widgets
            run(self._connection, "SET enable_progress_bar = true")
            run(self._connection, "SET enable_progress_bar_print = false")
        run(self._connection, "SET enable_external_access = false")
        run(self._connection, "SET lock_configuration = true")


def _columns(found: "DuckDBPyConnection") -> dict[str, Any]:
    columns: dict[str, Any] = found.fetchnumpy()
    return columns


def started() -> tuple["DuckDBPyConnection", str]:
    """A database with nothing in it, and the folder that it writes to: nobody else's, and removed by ``let_go``."""
    import duckdb

    sweep("discreet-", gettempdir())  # what killed processes left
    folder = temporary_folder("discreet-", gettempdir())
    with on_all_cores():  # its threads begin here
        return duckdb.connect(":memory:", config={**_SETTINGS, **limits(), "temp_directory": folder}), folder


def let_go(close: Callable[[], None], folder: str) -> None:
    """Close a database and remove what it wrote."""
    close()
    shutil.rmtree(folder, ignore_errors=True)
