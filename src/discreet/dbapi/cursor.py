"""A cursor: a question, and the rows of its answer."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from discreet.dbapi.exceptions import InterfaceError, NotSupportedError, ProgrammingError
from discreet.dbapi.types import TypeObject, type_of

if TYPE_CHECKING:
    from discreet.answers.answer import Answer
    from discreet.dbapi.connection import Connection

__all__ = ["Cursor"]

Row = tuple[Any, ...]
Described = tuple[str, TypeObject, None, None, None, None, bool]


class Cursor:
    """One question at a time. ``answer`` is the whole of what came back: intervals, cost, receipt."""

    arraysize = 1
    lastrowid = None

    def __init__(self, connection: "Connection") -> None:
        self.connection = connection
        self.answer: Answer | None = None
        self._rows: list[Row] | None = None
        self._place = 0
        self._columns: list[str] = []
        self._described: list[Described] | None = None
        self._is_closed = False

    @property
    def description(self) -> list[Described] | None:
        """Name, type, four times nothing, and whether it may be NULL, for each column; None before a question."""
        return self._described

    @property
    def rowcount(self) -> int:
        """How many rows the answer has; −1 before a question."""
        return -1 if self._rows is None else len(self._rows)

    @property
    def rownumber(self) -> int | None:
        """The place of the next row."""
        return None if self._rows is None else self._place

    def execute(self, operation: str, parameters: Sequence[Any] = (), **words: Any) -> Self:
        """Ask a question, at the price of the connection or at this one: ``execute(sql, epsilon="0.1")``. Charged first.

        ``intervals=True`` adds the ends of each number's interval as columns: n, n_low, n_high.
        """
        self._check()
        if isinstance(parameters, Mapping | str | bytes):
            raise ProgrammingError("parameters are given in their order, as a list: the style is qmark")
        self._rows = self._described = self.answer = None
        with_ends = bool(words.pop("intervals", self.connection.intervals))
        self.answer = self.connection.ask(operation, tuple(parameters), words)
        names = {each.name for each in self.answer.columns}
        columns = {name: values for name, values in self.answer.to_columns().items() if with_ends or name in names}
        self._rows, self._place = list(zip(*columns.values(), strict=True)), 0
        self._described = [(name, type_of(values), None, None, None, None, True) for name, values in columns.items()]
        return self

    def executemany(self, operation: str, seq_of_parameters: Sequence[Sequence[Any]]) -> None:  # noqa: ARG002
        """Refused: each would be charged, and only the last one's rows be there."""
        raise NotSupportedError("every question is charged and answered by itself; call execute for each")

    def fetchone(self) -> Row | None:
        """The next row; None after the last."""
        return next(iter(self.fetchmany(1)), None)

    def fetchmany(self, size: int | None = None) -> list[Row]:
        """The next rows, ``arraysize`` of them unless told otherwise."""
        rows = self._there()
        found = rows[self._place : self._place + (self.arraysize if size is None else size)]
        self._place += len(found)
        return found

    def fetchall(self) -> list[Row]:
        """All rows that are left."""
        return self.fetchmany(len(self._there()))

    def setinputsizes(self, sizes: Sequence[Any]) -> None:
        """Nothing has to be known before."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Nothing is cut."""

    def close(self) -> None:
        """The end of this cursor."""
        self._is_closed, self._rows = True, None

    def __iter__(self) -> Iterator[Row]:
        while (row := self.fetchone()) is not None:
            yield row

    def __enter__(self) -> Self:
        """``with connection.cursor() as cursor``: closed at the end."""
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _check(self) -> None:
        if self._is_closed:
            raise InterfaceError("this cursor is closed")
        self.connection.check()

    def _there(self) -> list[Row]:
        self._check()
        if self._rows is None:
            raise InterfaceError("there are no rows: execute a question first")
        return self._rows
