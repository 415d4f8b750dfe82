"""Spark as an engine: one table of a catalog, or one frame, which stay where they are and are read by every question.

Only SQL and frames are used, so that any session does, classic or Connect. What a session does otherwise is pinned in one of
ours (``sessions``). A frame is a query: it is worked out anew for every question, and nothing here keeps its rows.
"""

import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from discreet.engines.faults import GONE, guarded, in_time, noted
from discreet.engines.rules.values import nearest
from discreet.engines.spark.beside import beside_companion, sent_lookups, sent_values, with_settled
from discreet.engines.spark.dialect import SPARK
from discreet.engines.spark.kept import Moments, check_kept
from discreet.engines.spark.sessions import is_away, is_frame, is_stopped, let_go, own_session, session_of
from discreet.engines.spark.stored import Kind, kinds_of, reads_moments, selected
from discreet.engines.sql.asking import Asking
from discreet.engines.sql.layout import Layout
from discreet.engines.sql.reading import FEW, is_run, kind_of
from discreet.engines.wanted import Candidates, Counts, CountsWanted, CutWanted, Engine, KeysWanted, Sums, UnitsWanted, Wanted
from discreet.errors import EngineFault, FactsError, QuestionError, SourceFault
from discreet.facts.model import Category, Companion, Facts, Integer, Number, Source
from discreet.private import Private
from discreet.questions.algebra import Column

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Spark", "refusal"]

T = TypeVar("T")

_CANNOT = "Spark could not answer"


class Spark:
    """One table of one version on a cluster that somebody else runs.

    Opening looks at schemas and public lookups, and at no row. It raises FactsError if the source does not have what the facts
    declare or the session cannot be pinned, and EngineFault if there is no answer. ``tell`` puts the engine's own words into
    errors: for the terminal of whoever holds the data, and nobody else.
    """

    def __init__(
        self, facts: Facts, source: object, lookups: Mapping[str, object] | None = None, *, tell: bool = False
    ) -> None:
        self._facts, self._source, self._given, self._tell = facts, source, dict(lookups or {}), tell
        self._prefix = f"discreet_{uuid4().hex}"
        self._views: list[str] = []
        self._moments = Moments()
        self._of_frames: dict[str, list[Kind]] = {}  # columns by view: a frame keeps those that it was made with
        self._let_go: Callable[[], object] = lambda: None
        try:
            guarded("Spark could not be reached", self._open, SourceFault, tell=tell)  # no row is read yet
        except BaseException:
            self._let_go()
            raise

    def check(self) -> None:
        """Raises SourceFault if the table is gone or has other columns; called before anything is charged. No row is read."""
        if guarded(GONE, self._looked_at, SourceFault) != self._seen:
            raise noted(SourceFault(GONE, cause="it has other columns than when it was opened"))

    def run(self, wanted: Wanted) -> Private[Sums]:
        """The exact integers. Raises EngineFault, and no other error."""
        return self._guarded(lambda: Private(self._asking.sums(wanted)))

    def counts(self, wanted: CountsWanted | UnitsWanted | CutWanted) -> Private[Counts]:
        """How many rows lie where, how many units have how many, or too many. Raises EngineFault, and no other error."""
        return self._guarded(lambda: Private(self._asking.counts(wanted)))

    def keys(self, wanted: KeysWanted) -> Private[Candidates]:
        """The values that enough units have. Raises EngineFault; QuestionError for numbers of which a unit may have several."""
        of = self._facts.column(wanted.of.name) if isinstance(wanted.of, Column) else None
        if wanted.groups is not None and isinstance(of, Number | Integer) and not of.per_unit:  # planning refuses it for tables
            raise QuestionError(f"{of.name} is a number without a public list of values, which Spark writes in its own way",
                                hint=f"group by BIN({of.name}, width)")  # fmt: skip
        return self._guarded(lambda: Private(self._asking.candidates(wanted)))

    def at_once(self) -> AbstractContextManager[Engine]:
        """The table for several looks that belong together. Spark has no one moment for them: each sees the rows of its own."""
        return nullcontext(self)

    @contextmanager
    def held(self) -> Iterator[tuple[Callable[[str], list[Any]], Layout]]:
        """A way to ask anything, and how the rows are held: for whoever holds the data, and called by the inspection alone."""
        try:
            yield lambda sql: [tuple(row) for row in self._session.sql(sql).collect()], self._asking.layout
        finally:
            self.close()

    def close(self) -> None:
        """Let go of the data: the session of whoever gave it stays."""
        self._let_go()

    # ---- before the charge

    def _open(self) -> None:
        if not self._facts.columns:
            raise FactsError("no column is declared", hint="declare the columns that may be asked about")
        if self._facts.budget.partition is not None:  # rule 13: who is in which cell may change between two questions
            raise FactsError("partition needs a source that can be pinned, and Spark's cannot", hint="take partition out",
                             key="budget.partition")  # fmt: skip
        self._session = own_session(session_of(self._source))
        self._let_go = weakref.finalize(self, _let_go, self._session, self._views)
        self._companions = {join.name: join for join in self._facts.joins if isinstance(join, Companion)}
        self._relations = {"": self._relation(self._source)}
        for name, join in self._companions.items():
            self._relations[name] = self._relation(self._given.pop(name, join.facts.located), name)
        beside = sent_lookups(self._session, self._facts, self._given, self._prefix)
        self._seen = self._looked_at()
        for name, join in self._companions.items():
            beside[name] = beside_companion(join, self._layout(join.facts, name))
        layout = self._layout(self._facts, "")
        self._asking = Asking(self._facts, layout, beside, SPARK, self._fetched)

    def _relation(self, source: object, name: str = "") -> str:
        """What stands after FROM: a table by its name, or a frame under one that all sessions see."""
        if isinstance(source, Source) and source.kind == "spark" and source.table:
            return ".".join(f"`{part}`" for part in source.table.split("."))
        if is_frame(source):
            frame: Any = source
            view = f"{self._prefix}_{len(self._views)}"
            frame.createOrReplaceGlobalTempView(view)
            self._views.append(view)
            relation = f"global_temp.{view}"
            self._of_frames[relation] = kinds_of(self._session.table(relation).schema)
            return relation
        raise FactsError(f"{name} is not on Spark, and the table is", hint="keep both there", key=f"join.{name}")

    def _looked_at(self) -> dict[str, list[Kind]]:
        """The columns of all confidential tables, as they are now. Raises an error if nobody could read them."""
        if is_stopped(self._session):
            raise ConnectionError
        found = {}
        for name, relation in self._relations.items():
            found[name] = self._of_frames.get(relation) or self._kinds(relation)
            has_moments = reads_moments(self._companions[name].facts if name else self._facts, found[name])
            if relation not in self._of_frames:
                check_kept(self._session, relation, has_moments=has_moments)
            if has_moments:
                self._moments.check(self._session.table(relation))
        return found

    def _kinds(self, relation: str) -> list[Kind]:
        self._session.catalog.refreshTable(relation)  # else it would keep files that are gone
        return kinds_of(self._session.table(relation).schema)

    def _layout(self, facts: Facts, name: str) -> Layout:
        rows, fields, unit = selected(facts, self._seen[name], self._relations[name])
        return with_settled(facts, Layout(name or "data", fields, self._members(facts), unit, relation=rows))

    def _members(self, facts: Facts) -> dict[str, str]:
        """Views of the values of categories that have many of them."""
        found = {}
        for place, column in enumerate(facts.columns):
            if isinstance(column, Category) and (values := _values_of(column)):
                found[column.name] = f"{self._prefix}_{facts.name}_{place}"
                sent_values(self._session, found[column.name], column, values)
        return found

    # ---- after it

    def _guarded(self, action: Callable[[], T]) -> T:
        return guarded(_CANNOT, action, tell=self._tell, sort=self._sorted)

    def _sorted(self, error: Exception) -> type[EngineFault] | None:
        """A fault of the source, which freezes nobody, where Spark or the table is gone; None for all else."""
        return SourceFault if not isinstance(error, TimeoutError) and (is_away(error) or is_stopped(self._session)) else None

    def _fetched(self, sql: str) -> Mapping[str, NDArray[Any]]:
        tag = f"discreet-{uuid4().hex}"
        self._session.addTag(tag)
        try:
            with in_time(lambda: self._session.interruptTag(tag)):
                found = self._session.sql(sql).toArrow()
        finally:
            with suppress(Exception):
                self._session.removeTag(tag)
        return {name: _array(found.column(name)) for name in found.column_names}


def refusal(facts: Facts, source: Source) -> tuple[str, str] | None:
    """What is wrong with a table on Spark, and what to do instead; None if it can be asked. No row is read."""
    try:
        Spark(facts, source, tell=True).close()
    except FactsError as error:
        return error.message, error.hint
    except EngineFault as fault:
        return f"the source cannot be reached: {fault.told}", "write spark:catalog.table, as the session found here knows it"
    return None


def _let_go(session: "SparkSession", views: list[str]) -> None:
    for view in views:
        with suppress(Exception):
            session.catalog.dropGlobalTempView(view)
    let_go(session)


def _values_of(column: Category) -> list[str] | list[float]:
    """The declared values, each once, if there are too many to compare one by one."""
    if kind_of(column) == "text":
        texts = dict.fromkeys(value.encode("utf-8", "replace").decode() for value in column.values if isinstance(value, str))
        return list(texts) if len(texts) > FEW else []
    numbers = sorted({nearest(value) for value in column.values if isinstance(value, int)})
    return numbers if len(numbers) > FEW and not is_run(numbers) else []


def _array(column: Any) -> NDArray[Any]:
    """A column of Arrow as one of NumPy, masked where it is NULL; whole numbers stay whole."""
    is_null = column.is_null().to_numpy()
    if str(column.type) in ("int64", "int32", "double"):
        values: NDArray[Any] = column.fill_null(0).to_numpy()
    else:
        values = np.array(column.to_pylist(), dtype=object)
        if str(column.type) == "bool":
            values = np.array([bool(value) for value in values], dtype=bool)
    return np.ma.MaskedArray(values, is_null)
