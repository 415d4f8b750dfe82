"""PostgreSQL gives the integers of the reference engine: random tables and questions, every stored type, nasty values."""

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests import postgres_server as pg
from tests.engines import test_same_integers as at_random
from tests.engines import test_units as of_units

from discreet.engines.reference import Reference

FEW = settings(max_examples=12, suppress_health_check=list(HealthCheck))
pytestmark = pytest.mark.slow


def several(data, columns):
    """The language has no NUL in texts, and PostgreSQL neither."""
    return [each for each in at_random.several(data, columns) if "\\x00" not in repr(each)]


def without_nul(rows):
    return [{name: pg.without_nul(value) for name, value in row.items()} for row in rows]


@FEW
@given(data=st.data())
def test_random_questions_on_typed_tables(data, facts, same):
    declared = facts()
    table, rows = at_random.tables(data, declared.columns)
    engine = pg.opened(declared, pg.stored_table(table))
    same(engine, Reference(declared, without_nul(rows)), *several(data, declared.columns))


@FEW
@given(data=st.data())
def test_random_questions_on_texts(data, facts, same):
    declared = facts()
    row = st.fixed_dictionaries({column.name: st.none() | at_random.written(column) for column in declared.columns})
    rows = without_nul(data.draw(st.lists(row, min_size=0 if data.draw(st.integers(0, 5)) == 0 else 15, max_size=25)))
    table = pa.table({column.name: pa.array([row[column.name] for row in rows], pa.string()) for column in declared.columns})
    same(pg.opened(declared, pg.stored_table(table)), Reference(declared, rows), *several(data, declared.columns))


@pytest.mark.parametrize("kind", ["texts", "whole numbers"])
def test_units_choose_the_same_rows_and_groups(facts, kind):
    rows, declared = of_units.made(of_units.UNITS[kind]), of_units.declared(facts)
    table = pa.Table.from_pylist(rows)
    of_units.agree(pg.opened(declared, pg.stored_table(table)), Reference(declared, rows))
