"""A ledger's store in SQLite: records in and out of the tables of ``schema``, in the transactions of ``database``."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from sqlite3 import Connection
from typing import Any, TypeVar

from discreet.ledger.port import Value
from discreet.ledger.records import Record
from discreet.ledger.sqlite.database import Database
from discreet.ledger.sqlite.statements import STATEMENTS, TABLES, changes, conditions, equal, select
from discreet.ledger.sqlite.turns import about_sqlite

__all__ = ["SQLite"]

R = TypeVar("R", bound=Record)


class SQLite:
    """A store in a file, or in this process."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @contextmanager
    def reading(self) -> Iterator["_Rows"]:
        """One state of the ledger."""
        with self.database.reading() as connection:
            yield _Rows(connection)

    @contextmanager
    def writing(self) -> Iterator["_Rows"]:
        """A transaction: durable when it is left, undone if it is left by an error."""
        with self.database.writing() as connection:
            yield _Rows(connection)

    def notes(self) -> tuple[str, ...]:
        """A bug of this SQLite, which a ledger in a file is kept from."""
        return () if self.database.in_memory else about_sqlite()

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()


class _Rows:
    """A transaction, or one state, of the port."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def one(self, kind: type[R], /, **key: str | int) -> R | None:
        row = self._connection.execute(STATEMENTS[kind].select + equal(*key), tuple(key.values())).fetchone()
        return None if row is None else _record(kind, row)

    def each(
        self, kind: type[R], /, *, backwards: bool = False, most: int | None = None, below: int | None = None, **where: Value
    ) -> Iterator[R]:
        said, (text, bound) = STATEMENTS[kind], conditions(kind, where, below)
        order, limit = said.backwards if backwards else said.in_order, "" if most is None else f" LIMIT {int(most)}"
        return (_record(kind, row) for row in self._connection.execute(said.select + text + order + limit, bound))

    def parts(self, kind: type[Record], /, *names: str, **where: Value) -> Iterator[tuple[Any, ...]]:
        text, bound = conditions(kind, where)
        return iter(self._connection.execute(select(TABLES[kind], *names) + text + STATEMENTS[kind].in_order, bound))

    def clock(self) -> float:
        return time.time()

    def damages(self) -> list[str]:
        return [said for (said,) in self._connection.execute("PRAGMA integrity_check") if said != "ok"]

    def add(self, record: Record) -> None:
        said = STATEMENTS[type(record)]
        self._connection.execute(said.insert, said.values(record))

    def put(self, record: Record) -> None:
        said = STATEMENTS[type(record)]
        self._connection.execute(said.upsert, said.values(record))

    def change(self, record: Record, **fields: str | int | float | None) -> None:
        statement = STATEMENTS[type(record)].update + changes(*fields) + equal(*record.KEY)
        self._connection.execute(statement, (*fields.values(), *(getattr(record, name) for name in record.KEY)))

    def drop(self, kind: type[Record], /, **where: Value) -> int:
        text, bound = conditions(kind, where)
        return self._connection.execute(STATEMENTS[kind].delete + text, bound).rowcount


def _record(kind: type[R], row: tuple[Any, ...]) -> R:
    flags = STATEMENTS[kind].flags
    return kind(*(bool(value) if place in flags else value for place, value in enumerate(row))) if flags else kind(*row)
