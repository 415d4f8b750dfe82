"""A connection to a service, for questions about all tables that are granted there."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from discreet.client.addresses import read_address, read_token
from discreet.client.table import WORDS, FarTable
from discreet.client.wire import Wire, path_of
from discreet.dbapi import exceptions
from discreet.dbapi.binding import bound, table_in
from discreet.dbapi.cursor import Cursor
from discreet.dbapi.exceptions import InterfaceError, NotSupportedError, as_the_standard_says
from discreet.errors import MissingError

if TYPE_CHECKING:
    from discreet.answers.answer import Answer

__all__ = ["Connection", "connect"]

_PRICE = ("epsilon", "delta", "rho", "within")


def connect(
    server: str, token: str | None = None, *, intervals: bool = False, timeout: float = 60.0,
    told: Callable[[str], None] | None = None, **price: Any,
) -> "Connection":  # fmt: skip
    """A connection to ``https://host``. ``epsilon="0.1"`` and the like are the price and the words of every question.

    The token is ``token``, or what DISCREET_TOKEN holds. With ``intervals``, numbers are followed by the ends of their intervals.
    """
    if unknown := set(price) - WORDS - {"rehearse"}:
        raise TypeError(f"connect() got an unexpected keyword argument {sorted(unknown)[0]!r}")
    with as_the_standard_says():
        place, _ = read_address(server, with_table=False)
        connection = Connection(Wire(place, read_token(token), timeout=float(timeout)), intervals, price, told)
        try:
            connection.tables()
        except MissingError:
            connection.close()
            hint = "write the address of the service alone: questions name the table" if place.path else "look at the address"
            raise MissingError(f"there is no service at {place}", hint=hint) from None
        except BaseException:
            connection.close()
            raise
    return connection


class Connection:
    """Questions about the tables of a service, at one price unless ``execute`` says another."""

    Warning = exceptions.Warning
    Error = exceptions.Error
    InterfaceError = exceptions.InterfaceError
    DatabaseError = exceptions.DatabaseError
    DataError = exceptions.DataError
    OperationalError = exceptions.OperationalError
    IntegrityError = exceptions.IntegrityError
    InternalError = exceptions.InternalError
    ProgrammingError = exceptions.ProgrammingError
    NotSupportedError = exceptions.NotSupportedError

    def __init__(
        self, wire: Wire, intervals: bool, price: Mapping[str, Any], told: Callable[[str], None] | None = None
    ) -> None:
        self.intervals = intervals
        self._wire: Wire | None = wire
        self._price, self._told = dict(price), told
        self._tables: dict[str, FarTable] = {}

    def tables(self) -> list[str]:
        """The tables that may be asked now."""
        found: list[str] = self.check().get(path_of("me"))["tables"]
        return found

    def table(self, name: str) -> FarTable:
        """One of them, with the verbs of ``dc.connect``."""
        if name not in self._tables:
            self._tables[name] = FarTable(self.check(), name, self._told)
        return self._tables[name]

    def ask(self, sql: str, parameters: Sequence[Any], words: Mapping[str, Any]) -> "Answer":
        """The answer to a question with its parameters; a price among ``words`` replaces that of the connection."""
        text = bound(sql, parameters)
        is_priced = any(name in words for name in _PRICE)
        kept = {name: value for name, value in self._price.items() if not (is_priced and name in _PRICE)}
        with as_the_standard_says():
            return self.table(table_in(text, self.tables())).ask(text, **(kept | dict(words)))

    def cursor(self) -> Cursor:
        """A new cursor."""
        self.check()
        return Cursor(self)

    def commit(self) -> None:
        """Nothing to do: what was charged is charged before it is answered."""
        self.check()

    def rollback(self) -> None:
        """Refused: nothing is ever refunded."""
        self.check()
        raise NotSupportedError("what was charged stays charged: there are no transactions")

    def check(self) -> Wire:
        """The way to the service. Raises InterfaceError if the connection is closed."""
        if self._wire is None:
            raise InterfaceError("this connection is closed")
        return self._wire

    def close(self) -> None:
        """The end of this connection."""
        if self._wire is not None:
            self._wire.close()
        self._wire = None

    def __enter__(self) -> Self:
        """``with dbapi.connect("https://…") as connection``: closed at the end."""
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()
