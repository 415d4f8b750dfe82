"""No statement that goes to DuckDB can fail: whatever golden, random and extreme questions make of it, on every stored type."""

import re
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from tests.engines import recording, total
from tests.engines.rules_duckdb import DUCKDB
from tests.engines.sql_values import ROWS as MOST_ROWS
from tests.engines.sql_values import Value
from tests.laws import joins_at_random as joined
from tests.laws import questions_at_random as at_random
from tests.laws import test_extremes as law
from tests.laws import test_private_joins as private
from tests.laws import units_at_random as by_unit
from tests.laws import values_at_random as of_units
from tests.questions.conftest import gaps, keyed, members, people  # noqa: F401 - the facts that golden questions are about

import discreet as dc
from discreet.engines import open_engine
from discreet.errors import Refused
from discreet.facts.make import facts_for_table
from discreet.facts.model import Source
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.algebra import Caps
from discreet.questions.caps import with_caps
from discreet.questions.check import checked
from discreet.questions.sql import read_sql
from discreet.releasing.stages import released_from

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def record(monkeypatch):
    """What was found about the statements of every DuckDB that is opened from now on."""
    found = recording.Record()
    monkeypatch.setattr(duckdb, "connect", found.connect(duckdb.connect))
    law.worlds.engine_for.cache_clear()
    yield found
    law.worlds.engine_for.cache_clear()


def all_total(record, least):
    """Nothing was found, and not because nothing was looked at."""
    assert not record.problems, f"{len(record.problems)} of {record.statements}, such as {record.problems[0]}"
    assert record.statements >= least


def work_off(engine, facts, sql, caps=None, **price):
    """Read all that a question needs. Whether it was not refused."""
    try:
        question = read_sql(sql, facts)
        question = question if caps is None else checked(with_caps(question, caps), facts)
        plan = make_plan(question, facts, read_price(**price or {"epsilon": 1}))
    except Refused:
        return False
    if plan.vectors:
        released_from(plan, engine)
    return True


# ---- questions


GOLDEN = {"people": "questions.txt", "keyed": "key_questions.txt", "members": "unit_questions.txt", "gaps": "null_questions.txt"}


@pytest.mark.parametrize("name", GOLDEN)
def test_statements_of_golden_questions_are_total(name, request, record):
    facts = request.getfixturevalue(name)
    questions = re.findall(r"^=> (.*)$", (ROOT / "golden" / GOLDEN[name]).read_text(encoding="utf-8"), flags=re.MULTILINE)
    engine = open_engine(facts, pa.table({column.name: pa.array(["1", None], pa.string()) for column in facts.columns}))
    keys = ("Name,", '"Home Town",', "Children,", "Debt,")
    answered = 0
    for sql in questions:
        needs_delta = sql.startswith(tuple(f"SELECT {key}" for key in keys))
        answered += work_off(engine, facts, sql, epsilon="0.5", **({"delta": "0.01"} if needs_delta else {}))
    engine.close()
    assert answered >= 0.9 * len(questions)
    all_total(record, answered)


@pytest.mark.parametrize("stored", ["int8", "int64", "uint64", "double", "string"])
def test_statements_about_groups_from_0_are_total(stored, record):
    """Whole numbers outside of a key are brought beside it; no cast fails, which takes a hundred times as long."""
    columns = {"g": dc.category(*range(50)), "x": dc.number(0, 1)}
    facts = facts_for_table(name="t", columns=columns, unit="row", neighbours="add_remove", budget={"epsilon": 10**6})
    values = [0, 49, 50, 2**64 - 1, 2**63, None] if stored == "uint64" else [-1, 0, 49, 50, 127, None]
    stored_as = pa.array(values, "uint64" if stored == "uint64" else "int64").cast(stored)
    engine = open_engine(facts, pa.table({"g": stored_as, "x": pa.array([0.5] * 6)}))
    for sql in ("SELECT g, COUNT(*) AS n, AVG(x) AS m FROM t GROUP BY g", "SELECT SUM(x) AS s FROM t WHERE g IN (0, 1, 2)"):
        assert work_off(engine, facts, sql, epsilon="0.5")
    engine.close()
    all_total(record, 2)
    if stored.startswith("int"):  # else the time would tell how often it fails
        assert not any(each[0] == "TRY_CAST" for each in record.met if isinstance(each, tuple))


KEYED = "SELECT name, COUNT(*) AS n, AVG(y) AS m FROM t GROUP BY name"


def test_statements_of_random_questions_are_total(record):
    import pandas as pd

    @settings(max_examples=30, suppress_health_check=list(HealthCheck), database=None)
    @given(at_random.TABLES, at_random.questions())
    def total_for_rows(rows, sql):
        facts = at_random.facts_for("add_remove", len(rows))
        engine = open_engine(facts, pd.DataFrame(rows, dtype=object))
        work_off(engine, facts, sql)
        engine.close()

    total_for_rows()
    all_total(record, 50)


@pytest.mark.parametrize("per_unit", [(), by_unit.PER_UNIT], ids=["any", "constant"])
def test_statements_about_units_are_total(record, per_unit):
    import pandas as pd

    facts = by_unit.facts_for("add_remove", per_unit=per_unit)
    engine = open_engine(facts, pd.DataFrame([{**dict.fromkeys([*law.worlds.NAMES, "k"]), "who": "anna"}], dtype=object))

    values_of_units = of_units.questions() | of_units.questions_by_moving_keys()

    @settings(max_examples=30, suppress_health_check=list(HealthCheck), database=None)
    @given(by_unit.questions(), by_unit.questions_about_constants(), values_of_units, by_unit.CAPS)
    def total_for_units(sql, about_constants, about_values, caps):
        said = Caps(caps.get("max_rows"), caps.get("max_groups"), caps.get("max_rows_per_group"))
        work_off(engine, facts, about_constants if per_unit else sql, said)
        work_off(engine, facts, about_values)

    total_for_units()
    sizes = ("ROWS_PER_UNIT(0.5)", "GROUPS_PER_UNIT(0.5, BIN(x, 0.5))", "GROUPS_PER_UNIT(0.9, c)")
    for size in (*sizes, "AT_CAPS()", "AT_CAPS(BIN(x, 0.5))"):
        assert work_off(engine, facts, f"SELECT {size} AS n FROM t WHERE x > 0", Caps(2**31 - 1, 2, 3))
    engine.close()
    all_total(record, 30)


def test_statements_of_joins_are_total(record):
    import pandas as pd

    facts = private.facts_for("add_remove")
    rows = pd.DataFrame([{**dict.fromkeys(["x", "y", "k", "c", "s", "b", "name", "d"]), "who": "anna"}], dtype=object)
    columns = {"names": ["name", "w", "r"], "codes": ["code", "v", "g"], "visits": ["whom", "w", "r"]}
    engine = open_engine(
        facts, rows, {name: pd.DataFrame([dict.fromkeys(some)], dtype=object) for name, some in columns.items()}
    )

    @settings(max_examples=30, suppress_health_check=list(HealthCheck), database=None)
    @given(private.questions(), joined.joined(by_unit.questions()), by_unit.CAPS)
    def total_for_joins(two_tables, with_lookups, caps):
        said = Caps(caps.get("max_rows", 3), caps.get("max_groups"), caps.get("max_rows_per_group"))
        work_off(engine, facts, two_tables, said)
        work_off(engine, facts, with_lookups, said)

    total_for_joins()
    engine.close()
    all_total(record, 50)


def test_statements_of_extreme_questions_are_total(record):
    for number in range(80):
        asked, _ = law.asked_on(f"total {number}")
        law.outcome(asked, "bounds")
    for unit, sql, said in law.CHOSEN:
        law.outcome(law.extremes.Asked("chosen", unit, "add_remove", "", sql, {"epsilon": "0.001", **said}), "bounds")
    all_total(record, 70)
    casts = {kind for kind in record.met if isinstance(kind, tuple)}
    assert casts >= {
        ("CAST", "BIGINT"),
        ("CAST", "DOUBLE"),
        ("CAST", "TIMESTAMP"),
        ("TRY_CAST", "BIGINT"),
        ("TRY_CAST", "DOUBLE"),
    }


STORED = {
    "tiny": ("TINYINT", "integer"), "small": ("SMALLINT", "integer"), "whole": ("INTEGER", "integer"),
    "big": ("BIGINT", "integer"), "unsigned": ("UBIGINT", "integer"), "huge": ("HUGEINT", "integer"),
    "real": ("DOUBLE", "number"), "single": ("FLOAT", "number"), "money": ("DECIMAL(9,2)", "number"),
    "exact": ("DECIMAL(18,0)", "integer"), "long": ("DECIMAL(38,3)", "number"), "truth": ("BOOLEAN", "boolean"),
    "day": ("DATE", "date"), "moment": ("TIMESTAMP", "timestamp"), "seconds": ("TIMESTAMP_S", "timestamp"),
    "zoned": ("TIMESTAMPTZ", "timestamp"), "words": ("VARCHAR", "text"), "numeral": ("VARCHAR", "number"),
    "dated": ("VARCHAR", "date"), "timed": ("VARCHAR", "timestamp"), "said": ("VARCHAR", "boolean"),
    "counted": ("INTEGER", "category"), "named": ("VARCHAR", "category"), "many": ("INTEGER", "many"),
    "flag": ("INTEGER", "boolean"), "day_of": ("TIMESTAMP", "date"), "at": ("DATE", "timestamp"),
}  # fmt: skip
SPELT = {
    "marked": ("VARCHAR", "marked"), "worded": ("VARCHAR", "worded"), "coded": ("DOUBLE", "worded"),
    "formed": ("VARCHAR", "formed"), "formed_day": ("VARCHAR", "formed_day"), "clock": ("VARCHAR", "clock"),
    "clock_at": ("TIMESTAMPTZ", "clock"), "clock_day": ("TIMESTAMPTZ", "clock_day"),
}  # fmt: skip


def declared(kind):
    first, last = datetime(1970, 1, 1), datetime(2030, 1, 1)  # noqa: DTZ001 - no zone is stored
    soon, late = datetime(2010, 1, 1), datetime(2012, 1, 1)  # noqa: DTZ001 - of many years the steps of a zone are long to check
    return {
        "integer": dc.integer(-5, 120),
        "number": dc.number("-0.5", 10**6),
        "boolean": dc.boolean(),
        "text": dc.text(max_length=5),
        "date": dc.date(date(1999, 12, 31), date(2020, 2, 29)),
        "timestamp": dc.timestamp(first, last),
        "category": dc.category(1, 2, 3),
        "many": dc.category(*(n * n for n in range(12))),
        "marked": dc.number(-5, 10**6, decimal=",", thousands=" "),
        "worded": dc.boolean(true=["ja", 1], false=["nein", 2]),
        "formed": dc.timestamp(soon, late, format="%d-%b-%y %I:%M:%S.%f %p %z", zone="Europe/Berlin"),
        "formed_day": dc.date(format="%d/%m/%Y"),
        "clock": dc.timestamp(soon, late, zone="America/New_York"),
        "clock_day": dc.date(date(2018, 12, 31), date(2020, 2, 29), zone="Asia/Tokyo"),
    }[kind]


def about(name, kind):
    """Questions about a column of this kind."""
    yield f"SELECT COUNT({name}) AS n, COUNT(DISTINCT {name}) AS d FROM t"
    if kind in ("integer", "number", "marked"):
        yield f"SELECT SUM({name}) AS s, VAR_POP({name}) AS v, MEDIAN({name}) AS m FROM t WHERE {name} > 1"
    if kind in ("category", "many", "boolean", "integer", "worded"):
        yield f"SELECT {name}, COUNT(*) AS n FROM t GROUP BY {name}"
    if kind in ("date", "timestamp", "formed", "formed_day", "clock", "clock_day"):
        yield f"SELECT EXTRACT(YEAR FROM {name}) AS y, COUNT(*) AS n FROM t GROUP BY y"
        for constant in ("DATE '2005-06-07'", "TIMESTAMP '2005-06-07 08:09:10'"):
            yield f"SELECT COUNT(*) AS n FROM t WHERE {name} >= {constant}"
    if kind in ("category", "many", "number", "integer"):
        yield f"SELECT COUNT(*) AS n FROM t WHERE {name} = 1 OR {name} NOT IN (0.5, 4)"


@pytest.mark.parametrize("unit", ["row", "words", "real", "big", "day"])
def test_statements_on_every_stored_type_are_total(tmp_path, record, unit):
    file, stored = str(tmp_path / "stored.parquet"), STORED | (SPELT if unit in ("row", "words") else {})
    with duckdb.connect() as maker:
        columns = ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, (kind, _) in stored.items())
        maker._connection.execute(f"COPY (SELECT {columns}) TO '{file}' (FORMAT parquet)")
    assert pq.read_table(file).num_rows == 1
    made = {
        name: dc.category("1", "2") if name == "named" else declared(kind) for name, (_, kind) in stored.items() if name != unit
    }
    by = unit if unit == "row" else {"column": unit, "max_rows": 3, "max_groups": 2}
    budget = {"epsilon": 1000, "delta": "0.1"}
    declared_facts = facts_for_table(name="t", columns=made, unit=by, neighbours="add_remove", budget=budget)
    facts = replace(declared_facts, located=Source("parquet", file))
    engine = open_engine(facts)
    answered = sum(
        work_off(engine, facts, sql) for name, (_, kind) in stored.items() if name != unit for sql in about(name, kind)
    )
    engine.close()
    assert answered >= 50
    all_total(record, answered)


# ---- a checker that finds nothing would say nothing


@pytest.mark.parametrize("plant", [law.plant_plain_cast, law.plant_wide_sum])
def test_the_checker_finds_a_planted_cast_and_a_planted_sum(plant, monkeypatch, record):
    plant(monkeypatch)
    for unit, sql, said in law.CHOSEN:
        asked = law.extremes.Asked("chosen", unit, "add_remove", "", sql, {"epsilon": "0.001", **said})
        with suppress(law.Broken):  # mostly nothing fails on a table without rows: the text alone tells
            law.outcome(asked, "empty")
    assert any("as BIGINT" in problem or "BIGINT from" in problem for problem, _ in record.problems), record.problems


TABLE = "CREATE TABLE t (x BIGINT, h HUGEINT, r DOUBLE, v VARCHAR, d DATE, m TIMESTAMP, b BOOLEAN)"
KINDS = {"x": "BIGINT", "h": "HUGEINT", "r": "DOUBLE", "v": "VARCHAR", "d": "DATE", "m": "TIMESTAMP", "b": "BOOLEAN"}
MAX = 2**63 - 1
FAILING = [  # an expression, and a row on which DuckDB fails
    ("CAST(r AS BIGINT)", {"r": "1e19"}),
    ("CAST(r AS BIGINT)", {"r": "'nan'"}),
    ("CASE WHEN r > 0e0 THEN CAST(r AS BIGINT) END", {"r": "1e19"}),
    ("CASE WHEN r < 1e1 THEN 0 ELSE CAST(LEAST(r, 1e9) AS BIGINT) + 9223372036854775000 END", {"r": "1e9"}),
    ("CAST(h AS BIGINT)", {"h": "9223372036854775808"}),
    ("CAST(h >> 32 AS BIGINT)", {"h": "39614081257132168796771975168"}),
    ("x * x", {"x": "4294967296"}),
    ("x + 1", {"x": str(MAX)}),
    ("x - 1", {"x": str(-(2**63))}),
    ("-x", {"x": str(-(2**63))}),
    ("ABS(x)", {"x": str(-(2**63))}),
    ("x << 1", {"x": str(MAX)}),
    ("x // (x - x)", {"x": "1"}),
    ("SUM(h)", {"h": str(2**127 - 1)}),
    ("CAST(v AS BIGINT)", {"v": "'a'"}),
    ("CAST(v AS DOUBLE)", {"v": "'a'"}),
    ("CAST(v AS DATE)", {"v": "'a'"}),
    ("x = v", {"x": "1", "v": "'a'"}),
    ("CASE WHEN b THEN x ELSE v END", {"x": "1", "v": "'a'", "b": "TRUE"}),
    ("CAST(d AS TIMESTAMP)", {"d": "DATE '300000-01-01'"}),
    ("STRPTIME(v, '%Y')", {"v": "'a'"}),
    ("REPEAT(v, x)", {"v": "'a'", "x": str(MAX)}),
    ("MAKE_TIMESTAMP(x)", {"x": str(-(2**63))}),
    ("REGEXP_EXTRACT(v, v)", {"v": "'('"}),
]
FINE = [
    "CASE WHEN r BETWEEN -5e0 AND 9e18 THEN CAST(r AS BIGINT) END",
    "CASE WHEN r < -5e0 THEN 0 WHEN r > 9e18 THEN 1 ELSE CAST(r AS BIGINT) END",
    "CAST(LEAST(GREATEST(COALESCE(r, 0e0), -1e9), 1e9) AS BIGINT)",
    "TRY_CAST(r AS BIGINT)",
    "TRY_CAST(v AS DOUBLE)",
    "CAST(LEAST(GREATEST(h, -4), 100) AS BIGINT) * 9",
    "CASE WHEN x BETWEEN 0 AND 2147483648 THEN x * x END",
    "CAST(SUM(x) AS DOUBLE)",
    "CAST(SUM(CASE WHEN b THEN 1 END) >> 32 AS BIGINT)",
    "r * 1e308 + r / r - r % 0e0",
    "FLOOR(r) + ABS(-r)",
    "CAST(x AS DOUBLE) = r",
    "CASE WHEN d BETWEEN CAST('0001-01-01' AS DATE) AND CAST('9999-12-31' AS DATE) THEN CAST(d AS TIMESTAMP) END",
    "CASE WHEN d < CAST('1999-01-01' AS DATE) OR d > CAST('2999-01-01' AS DATE) THEN NULL ELSE CAST(d AS TIMESTAMP) END",
    "(x % 2147483647 + 2147483647) % 2147483647",
    "LEFT(TRIM(LOWER(v), ' '), 20) || MD5(v)",
    "CAST(m AS DATE) = d",
    "REGEXP_EXTRACT(v, '^(a|b)([0-9]{1,2})$', 2) || RIGHT('0' || v, 2)",
    "REPLACE(REPLACE(v, ' ', ''), ',', '.')",
    "CASE WHEN m BETWEEN CAST('0001-01-01 00:00' AS TIMESTAMP) AND CAST('9999-12-31 00:00' AS TIMESTAMP) THEN EPOCH_US(m) END",
    "CASE WHEN x BETWEEN -62135596800000000 AND 253402300799999999 THEN MAKE_TIMESTAMP(x) END",
]
ROWS = [
    {
        "x": str(-(2**63)),
        "h": str(-(2**127)),
        "r": "'-inf'",
        "v": "''",
        "d": "DATE '-infinity'",
        "m": "TIMESTAMP '-infinity'",
        "b": "TRUE",
    },
    {
        "x": str(MAX),
        "h": str(2**127 - 1),
        "r": "'nan'",
        "v": "'9e999'",
        "d": "DATE '5881580-07-10'",
        "m": "TIMESTAMP 'infinity'",
        "b": "FALSE",
    },
    {"r": "'inf'", "v": "'☃'", "d": "DATE '5877642-06-25 (BC)'", "m": "TIMESTAMP '290309-12-22 (BC) 00:00:00'"},
    {"x": "0", "h": "0", "r": "-0e0"},
]


def with_rows(*rows):
    connection = duckdb.connect(config={"ieee_floating_point_ops": "true"})
    connection.execute(TABLE)
    for row in rows:
        connection.execute(f"INSERT INTO t VALUES ({', '.join(row.get(name, 'NULL') for name in KINDS)})")
    return connection


def told(expression):
    return total.check(
        f"SELECT {expression} AS found FROM t", {"t": {name: DUCKDB.every(kind) for name, kind in KINDS.items()}}, DUCKDB
    )["found"]


@pytest.mark.parametrize(("expression", "row"), FAILING)
def test_what_fails_on_some_row_is_found(expression, row):
    with with_rows(row) as connection, pytest.raises(duckdb.Error):
        connection.execute(f"SELECT {expression} FROM t, range(2)").fetchall()
    with pytest.raises(total.NotTotal):
        told(expression)


@pytest.mark.parametrize("expression", FINE)
def test_what_never_fails_is_accepted_with_the_type_that_duckdb_gives_it(expression):
    with with_rows(*ROWS) as connection:
        connection.execute(f"SELECT {expression} FROM t").fetchall()
        ((_, kind, *_),) = connection.execute(f"DESCRIBE SELECT {expression} FROM t").fetchall()
    assert told(expression).kind == kind


STAGED = "SELECT SUM(CASE WHEN c THEN x * x END) AS s FROM (SELECT {}, (x BETWEEN 0 AND 9) AS c FROM t) AS s"


@pytest.mark.parametrize(("columns", "is_total"), [("*", True), ("x", True), ("x + 0 AS x", False), ("h AS x", False)])
def test_a_condition_in_a_column_of_its_own_tells_of_columns_that_came_along_unchanged_and_of_no_others(columns, is_total):
    tables = {"t": {"x": Value("BIGINT", -100, 2**62), "h": DUCKDB.every("BIGINT")}}
    if is_total:
        assert total.check(STAGED.format(columns), tables, DUCKDB)["s"].high == 81 * MOST_ROWS
    else:
        with pytest.raises(total.NotTotal):
            total.check(STAGED.format(columns), tables, DUCKDB)


def test_what_is_not_on_the_list_is_refused_even_if_it_never_fails():
    for expression in (
        "REVERSE(v)",
        "SQRT(r)",
        "LN(r)",
        "CAST(m AS VARCHAR)",
        "x::VARCHAR::BLOB",
        "RANDOM()",
        "(SELECT 1)",
        "1.5",
        "[x]",
    ):
        with pytest.raises(total.NotTotal):
            told(expression)


def test_engines_divide_by_zero_as_ieee_says():
    """The list relies on it: numbers with a point never fail."""
    facts = facts_for_table(name="t", columns={"x": declared("number")}, unit="row", neighbours="add_remove", budget=1)
    engine = open_engine(facts, pa.table({"x": [1.0]}))
    assert engine._connection.execute("SELECT current_setting('ieee_floating_point_ops')").fetchall() == [(True,)]
    engine.close()
