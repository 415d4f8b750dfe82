"""The SQL of a ledger's records: each kind has a table, whose columns are the fields in their order.

What stands in ``where`` are names of fields, from the code; values are bound, but for the few words that partial indexes are
made for, which SQLite finds only if they are spelled out.
"""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from functools import cache
from operator import attrgetter
from typing import Any

from discreet.ledger.port import Value
from discreet.ledger.records import (
    AccountRecord,
    AlarmRecord,
    AnalystRecord,
    AnswerRecord,
    AskedRecord,
    CellRecord,
    ChargeRecord,
    DocumentRecord,
    DrawRecord,
    EndRecord,
    EntryRecord,
    FilledRecord,
    GrantRecord,
    HistoryRecord,
    LimitRecord,
    LoginRecord,
    Record,
    ReleaseRecord,
    SourceFileRecord,
    SourceRecord,
    TableRecord,
    TotalRecord,
    ViewedRecord,
    ViewRecord,
)

__all__ = ["STATEMENTS", "Statements", "TABLES", "changes", "conditions", "equal", "select"]

TABLES: Mapping[type[Record], str] = {
    EntryRecord: "entries",
    AccountRecord: "accounts",
    TableRecord: "tables",
    TotalRecord: "totals",
    CellRecord: "cells",
    EndRecord: "ends",
    ChargeRecord: "charges",
    AnswerRecord: "answers",
    ReleaseRecord: "releases",
    DrawRecord: "draws",
    DocumentRecord: "documents",
    HistoryRecord: "history",
    ViewRecord: "views",
    FilledRecord: "filled",
    AskedRecord: "asked",
    ViewedRecord: "viewed",
    AnalystRecord: "analysts",
    AlarmRecord: "alarms",
    LoginRecord: "logins",
    GrantRecord: "grants",
    LimitRecord: "limits",
    SourceRecord: "sources",
    SourceFileRecord: "source_files",
}
_FEW = 8  # values that are bound one by one; SQLite has a limit, and a list costs more than these
_SPELLED_OUT = {(EntryRecord, "kind"), (ChargeRecord, "state")}


@cache
def select(table: str, *names: str) -> str:
    """The SELECT of some fields; conditions come after it."""
    return f"SELECT {', '.join(map(_column, names))} FROM {table}"


@cache
def equal(*names: str) -> str:
    """The WHERE of a statement that has one value for each of these fields."""
    return " WHERE " + " AND ".join(f"{_column(name)} = ?" for name in names)


@cache
def changes(*names: str) -> str:
    """The SET of a statement that gives these fields other values."""
    return ", ".join(f"{_column(name)} = ?" for name in names)


def conditions(kind: type[Record], where: Mapping[str, Value], below: int | None = None) -> tuple[str, list[str | int]]:
    """The WHERE of a statement, and what is bound in it."""
    texts: list[str] = [] if below is None else [f"{_column(kind.KEY[0])} < ?"]
    bound: list[str | int] = [] if below is None else [below]
    for name, value in where.items():
        column = _column(name)
        if value is None:
            continue
        if (kind, name) in _SPELLED_OUT:
            texts.append(f"{column} {_spelled(value)}")
        elif isinstance(value, str | int):
            texts.append(f"{column} = ?")
            bound.append(value)
        elif len(value) <= _FEW:
            texts.append(f"{column} IN ({', '.join('?' * len(value))})")
            bound.extend(value)
        else:  # one value to bind, however many they are
            texts.append(f"{column} IN (SELECT value FROM json_each(?))")
            bound.append(json.dumps(list(value)))
    return (f" WHERE {' AND '.join(texts)}" if texts else ""), bound


def _spelled(value: str | int | Collection[str] | Collection[int]) -> str:
    words = [value] if isinstance(value, str | int) else sorted(value)
    assert all(isinstance(word, str) and word.isalpha() for word in words)
    listed = ", ".join(f"'{word}'" for word in words)
    return f"= {listed}" if len(words) == 1 else f"IN ({listed})"


@dataclass(frozen=True, slots=True)
class Statements:
    """What is said of one kind of record; conditions come after it."""

    select: str
    delete: str
    in_order: str
    backwards: str
    insert: str
    upsert: str  # the old row is not deleted: others may refer to it
    update: str  # a WHERE by the key comes after it
    values: Callable[[Record], tuple[Any, ...]]
    flags: tuple[int, ...]  # which fields are true or false: SQLite has numbers for them


def _statements(kind: type[Record], table: str) -> Statements:
    columns, key = [_column(field.name) for field in fields(kind)], [_column(name) for name in kind.KEY]
    insert = f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})"
    changes = ", ".join(f"{column} = excluded.{column}" for column in columns if column not in key)
    return Statements(
        select=select(table, *(field.name for field in fields(kind))),
        delete=f"DELETE FROM {table}",
        in_order=f" ORDER BY {', '.join(key)}",
        backwards=" ORDER BY " + ", ".join(f"{column} DESC" for column in key),
        insert=insert,
        upsert=f"{insert} ON CONFLICT ({', '.join(key)}) DO " + (f"UPDATE SET {changes}" if changes else "NOTHING"),
        update=f"UPDATE {table} SET ",
        values=attrgetter(*(field.name for field in fields(kind))),
        flags=tuple(place for place, field in enumerate(fields(kind)) if field.type is bool),
    )


def _column(field: str) -> str:
    return "tbl" if field == "table" else field  # which is a word of SQL


STATEMENTS: Mapping[type[Record], Statements] = {kind: _statements(kind, table) for kind, table in TABLES.items()}
