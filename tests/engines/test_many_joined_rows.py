"""Joins may make of 2^33 rows more than 2^33: sums of those rest on no such number."""

import pytest
from tests.engines import sql_values
from tests.engines.statements import Record, Written
from tests.engines.test_total_sql import work_off

from discreet.engines.postgres.dialect import POSTGRES
from discreet.engines.spark.dialect import SPARK
from discreet.facts import parse_facts
from discreet.questions.algebra import Caps

FACTS = """
[table]
name = "t"
source = "t.csv"
unit = {unit}
neighbours = "add_remove"
[budget]
epsilon = 1e9
[columns.x]
type = "number"
lower = -1
upper = 1
[columns.i]
type = "integer"
lower = 0
upper = 6
[join.codes]
source = "codes.csv"
key = {{ i = "code" }}
max_matches = {matches}
[join.codes.columns.v]
type = "number"
lower = 0
upper = 1
"""
ROWS = [
    "SELECT SUM(x) AS s, COUNT(v) AS n, VAR_POP(v) AS w FROM t JOIN codes ON t.i = codes.code",
    "SELECT i, SUM(v) AS s, CORR(x, v) AS r FROM t LEFT JOIN codes ON t.i = codes.code GROUP BY i",
]
UNITS = [
    "SELECT SUM(x) PER UNIT BETWEEN -5 AND 5 AS s FROM t JOIN codes ON t.i = codes.code",
    "SELECT i, SUM(v) PER UNIT BETWEEN 0 AND 5 AS s FROM t JOIN codes ON t.i = codes.code GROUP BY i PER UNIT 2 GROUPS",
    "SELECT AVG(CLAMP(s, 0, 9)) AS m FROM (SELECT who, SUM(v) AS s FROM t JOIN codes ON t.i = codes.code GROUP BY who)",
]
CUT = "SELECT SUM(v) AS s FROM t JOIN codes ON t.i = codes.code"


def problems(dialect, unit, questions, matches=1_000_000, caps=None):
    record = Record(dialect)
    facts = parse_facts(FACTS.format(unit=unit, matches=matches), "t.toml")
    engine = Written(record, facts, [], {"codes": [{"code": 1, "v": 0.5}]})
    assert all(work_off(engine, facts, sql, caps, epsilon="10") for sql in questions)
    assert record.statements >= len(questions)
    return record.problems


@pytest.mark.parametrize("dialect", ["postgres", "spark"])
@pytest.mark.parametrize(("unit", "questions"), [('"row"', ROWS), ('{ column = "who" }', UNITS)], ids=["rows", "units"])
def test_sums_of_joined_rows_hold_for_any_number_of_them(dialect, unit, questions, monkeypatch):
    monkeypatch.setattr(sql_values, "ROWS", 1 << 62)
    assert not problems(dialect, unit, questions)


@pytest.mark.parametrize("dialect", ["postgres", "spark"])
def test_a_cap_times_the_matches_is_what_places_are_numbered_for(dialect):
    """p * most of 2^33 rows, each of which a join made a million of, has more than 64 bits."""
    found = []
    for matches in (1, 1000):
        record = Record(dialect)
        facts = parse_facts(FACTS.format(unit='{ column = "who" }', matches=matches), "t.toml")
        engine = Written(record, facts, [], {"codes": [{"code": 1, "v": 0.5}]})
        assert work_off(engine, facts, CUT, Caps(1 << 20, None, None), epsilon="10")
        wide = "NUMERIC" if dialect == "postgres" else "DECIMAL(38, 0)"
        found.append(any("CAST(ROW_NUMBER() OVER (PARTITION BY w_u ORDER BY" in sql and wide in sql for sql in record.seen))
    assert found == [False, True]


def test_a_row_that_stays_one_row_is_summed_as_without_a_join():
    record = Record("spark")
    facts = parse_facts(FACTS.format(unit='"row"', matches=1), "t.toml")
    engine = Written(record, facts, [], {"codes": [{"code": 1, "v": 0.5}]})
    assert work_off(engine, facts, CUT, None, epsilon="10")
    assert all("SUM(CAST(" not in sql for sql in record.seen)
    for dialect in (SPARK, POSTGRES):
        assert type(dialect.for_joined) is not type(dialect)
