"""The records of the port are the tables of the file: same fields, same order, same keys, same kinds of values."""

from dataclasses import fields

import pytest

from discreet.ledger import ledger_in_memory, records
from discreet.ledger.records import Record
from discreet.ledger.sqlite.statements import TABLES, conditions

TYPES = {"INTEGER": (int, int | None, bool), "TEXT": (str, str | None), "REAL": (float,), "BLOB": (bytes,)}
OUTSIDE = {"migrations"}  # of the file itself


@pytest.fixture(scope="module")
def connection():
    ledger = ledger_in_memory()
    with ledger.store.database.reading() as found:
        yield found
    ledger.close()


def test_every_record_has_a_table_and_every_table_a_record(connection):
    kinds = {thing for name in records.__all__ if (thing := getattr(records, name)) is not Record}
    assert set(TABLES) == kinds
    found = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert set(TABLES.values()) == found - OUTSIDE


@pytest.mark.parametrize("kind", TABLES, ids=lambda kind: kind.__name__)
def test_the_fields_of_a_record_are_the_columns_of_its_table(connection, kind):
    columns = connection.execute(f"PRAGMA table_info({TABLES[kind]})").fetchall()
    names = [{"tbl": "table"}.get(name, name) for _, name, *_ in columns]
    assert [field.name for field in fields(kind)] == names
    keyed = sorted((place, name) for (*_, place), name in zip(columns, names, strict=True) if place)
    assert tuple(name for _, name in keyed) == kind.KEY
    for field, (_, _, sort, *_) in zip(fields(kind), columns, strict=True):
        assert field.type in TYPES[sort] or field.name == "currency"


def test_what_an_index_is_made_for_is_spelled_out_and_nothing_else_is():
    assert conditions(records.ChargeRecord, {"state": "running", "table": "t"}) == (" WHERE state = 'running' AND tbl = ?", ["t"])
    text, bound = conditions(records.EntryRecord, {"kind": ("version", "register")})
    assert (text, bound) == (" WHERE kind IN ('register', 'version')", [])
    with pytest.raises(AssertionError):
        conditions(records.ChargeRecord, {"state": "running' OR 1 --"})
    assert conditions(records.ChargeRecord, {"table": "t' OR 1 --"}) == (" WHERE tbl = ?", ["t' OR 1 --"])
