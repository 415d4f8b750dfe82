"""Sums that floats cannot hold, many cells, frames of all makers, deep questions."""

import dataclasses
import decimal
import math
import random
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from fractions import Fraction

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlglot import exp

import discreet as dc
from discreet.engines import open_engine
from discreet.engines.duckdb.dialect import DUCKDB
from discreet.engines.reference.engine import Reference
from discreet.engines.sql.cells import gather
from discreet.engines.sql.layout import Field, Layout
from discreet.engines.sql.writer import to_sql
from discreet.engines.wanted import ByStep, ByValue, Grid, Measure, Wanted
from discreet.facts.make import facts_for_table
from discreet.facts.model import Boolean, Category, Date, Integer, Number, Source, Text, Timestamp
from discreet.questions.algebra import Apply, Column, Literal

X = Column("x")
COUNT = (Measure(0),)


def total(sums):
    return [
        [int(high) * 2**62 + int(low) for high, low in zip(*rows, strict=True)] for rows in zip(sums.high, sums.low, strict=True)
    ]


def test_2_to_the_53_one_thousand_and_twenty_five_times(facts, opened):
    grid = Grid(Fraction(2**23), 0, 2**30)
    with opened(facts(Number("x", Fraction(0), Fraction(2**53))), pa.table({"x": [2.0**53] * 1025})) as engine:
        assert total(engine.run(Wanted(None, (), (Measure(1, X, grid),))).take()) == [[2**30 * 1025]]


def test_sums_beyond_2_to_the_53_and_2_to_the_63_survive(facts, opened, same):
    values = [2.0**31, 2.0**31 - 1, 1.0, 0.0] * 1000
    declared = facts(Number("x", Fraction(0), Fraction(2**31)))
    grid = Grid(Fraction(1), 0, 2**31)
    wanted = Wanted(None, (), (Measure(1, X, grid), Measure(2, X, grid)))
    with opened(declared, pa.table({"x": values})) as engine:
        assert total(engine.run(wanted).take()) == [[sum(map(int, values))], [sum(int(x) ** 2 for x in values)]]
        assert sum(int(x) ** 2 for x in values) > 2**70
        same(engine, Reference(declared, [{"x": x} for x in values]), wanted)


@pytest.mark.parametrize("sum_", [0, 1, 2**62 - 1, 2**62, 2**63, 2**95, 2**95 + 1, 2**125 - 1])
def test_a_sum_leaves_the_engine_whole_however_large_it_is(sum_):
    high, low = (part.sql(dialect="duckdb") for part in DUCKDB.halves(exp.column("m0")))
    found = duckdb.sql(f"SELECT {high} AS h0, {low} AS l0 FROM (SELECT {sum_}::HUGEINT AS m0)").fetchnumpy()
    assert gather(Wanted(None, (), COUNT), found).whole().tolist() == [[sum_]]


def test_what_shares_a_cell_is_added_up_whole():
    key = ByValue(Column("g"), ("a",), other=True)
    parts = [2**62 - 1, 2**95 + 7, 2**118 + 2**62 - 1, 5] * 100  # together below 2^125
    found = {
        "k0": np.array([f"w{place}" for place in range(len(parts))], object),  # none is declared
        "h0": np.array([part >> 62 for part in parts], np.int64),
        "l0": np.array([part & (2**62 - 1) for part in parts], np.int64),
    }
    assert gather(Wanted(None, (key,), COUNT), found).whole().tolist() == [[0, sum(parts)]]


def test_an_inexact_column_never_becomes_a_sum():
    found = {"h0": np.array([1.0]), "l0": np.array([1], np.int64)}
    with pytest.raises(TypeError):
        gather(Wanted(None, (), COUNT), found)


def test_the_order_of_rows_does_not_matter(facts, opened):
    values = [0.1, 0.2, 0.3, 1e15, -1e15, 1e-15, 3.0] * 300
    shuffled = values[:]
    random.Random(1).shuffle(shuffled)
    declared = facts(Number("x", Fraction(-(10**15)), Fraction(10**15)))
    wanted = Wanted(
        None, (), (Measure(1, X, Grid(Fraction(2) ** 21, -(2**29), 2**29)), Measure(1, X, Grid(Fraction(1, 2**30), 0, 2**31)))
    )
    sums = []
    for order in (values, shuffled, sorted(values), values[::-1]):
        with opened(declared, pa.table({"x": order})) as engine:
            sums.append(total(engine.run(wanted).take()))
    assert all(one == sums[0] for one in sums)


def test_an_empty_table_has_every_cell_and_all_are_zero(facts, opened, tmp_path):
    declared = facts(Number("x", Fraction(0), Fraction(1)), Category("g", ("a", "b", "c"), other=True))
    pq.write_table(pa.table({"x": pa.array([], pa.float64()), "g": pa.array([], pa.string())}), tmp_path / "rows.parquet")
    key = ByValue(Column("g"), ("a", "b", "c"), other=True)
    measures = (Measure(0), Measure(0, X), Measure(1, X, Grid(Fraction(1, 4), 0, 4)), Measure(2, X, Grid(Fraction(1, 4), 0, 4)))
    with opened(declared, tmp_path / "rows.parquet") as engine:
        assert total(engine.run(Wanted(None, (key,), measures)).take()) == [[0] * 4] * 4
        assert total(engine.run(Wanted(None, (), measures)).take()) == [[0]] * 4


def test_the_last_key_moves_fastest(facts, opened):
    declared = facts(Category("g", ("a", "b")), Integer("n", 0, 2))
    keys = (ByValue(Column("g"), ("b", "a")), ByStep(Column("n"), Fraction(1), Fraction(0), 0, 3))
    table = pa.table({"g": ["a", "a", "b", "z", None, "a"], "n": [1, 1, 2, 0, 0, 7]})
    with opened(declared, table) as engine:
        assert total(engine.run(Wanted(None, keys, COUNT)).take()) == [[0, 0, 1, 0, 2, 1]]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["run", "numbers", "texts"])
def test_hundreds_of_thousands_of_cells(kind, facts, opened, tmp_path):
    size = 300_000
    values = (
        tuple(f"v{n}" for n in range(size))
        if kind == "texts"
        else tuple(range(0, size * (1 if kind == "run" else 3), 1 if kind == "run" else 3))
    )
    declared = facts(Category("g", values))
    rows = [values[0], values[0], values[-1], values[150_000], None, "other" if kind == "texts" else -5]
    pq.write_table(pa.table({"g": rows}), tmp_path / "rows.parquet")
    key = ByValue(Column("g"), tuple(value if kind == "texts" else Fraction(value) for value in values))
    with opened(declared, tmp_path / "rows.parquet") as engine:
        sums = engine.run(Wanted(None, (key,), COUNT)).take()
    assert sums.low.shape == (1, size)
    assert {int(place): int(sums.low[0, place]) for place in np.flatnonzero(sums.low)} == {0: 2, 150_000: 1, size - 1: 1}


@pytest.mark.parametrize("maker", ["pandas", "pandas objects", "polars", "polars lazy", "arrow", "batch", "reader"])
def test_frames_of_all_makers(maker, facts, opened, same, part):
    rows = [
        {"x": 1.5, "n": 3, "g": "a", "b": True, "d": date(2020, 1, 31), "t": datetime(2020, 1, 31, 12, 30), "w": "é'\""},  # noqa: DTZ001
        {"x": math.nan, "n": None, "g": None, "b": None, "d": None, "t": None, "w": None},
        {"x": math.inf, "n": -9, "g": "z", "b": False, "d": date(1900, 1, 1), "t": datetime(1969, 7, 20, 20, 17, 40, 1), "w": ""},  # noqa: DTZ001
        {"x": -1.0, "n": 99, "g": "b", "b": True, "d": date(2999, 1, 1), "t": datetime(2999, 1, 1), "w": "long text"},  # noqa: DTZ001
    ]
    declared = facts(
        Number("x", Fraction(0), Fraction(10)),
        Integer("n", 0, 10),
        Category("g", ("a", "b")),
        Boolean("b"),
        Date("d", date(2000, 1, 1)),
        Timestamp("t"),
        Text("w", 4),
    )
    kinds = {
        "x": pa.float64(),
        "n": pa.int64(),
        "g": pa.string(),
        "b": pa.bool_(),
        "d": pa.date32(),
        "t": pa.timestamp("us"),
        "w": pa.string(),
    }
    table = pa.table({name: pa.array([row[name] for row in rows], kind, from_pandas=False) for name, kind in kinds.items()})
    table = table.append_column("undeclared", pa.array([[1], [2], [3], [4]]))
    match maker:
        case "pandas":
            frame = table.to_pandas()
        case "pandas objects":
            frame = part("pandas").DataFrame(rows, dtype=object)
        case "polars" | "polars lazy":
            frame = part("polars").from_arrow(table)
            frame = frame.lazy() if maker == "polars lazy" else frame
        case "arrow":
            frame = table
        case "batch":
            frame = table.to_batches()[0]
        case _:
            frame = table.to_reader()
    grid = Grid(Fraction(1, 1024), 0, 10240)
    everything = Wanted(
        None,
        (ByValue(Column("g"), ("a", "b"), other=True),),
        (
            Measure(0),
            *(Measure(0, Column(name)) for name in kinds),
            Measure(1, X, grid),
            Measure(2, Column("n"), Grid(Fraction(1), 0, 10)),
            Measure(0, None, None, Apply("less", (Column("d"), Literal(date(2000, 1, 2))))),
            Measure(0, None, None, Apply("equal", (Column("t"), Literal(datetime(1969, 7, 20, 20, 17, 40, 1))))),  # noqa: DTZ001
            Measure(0, None, None, Apply("equal", (Column("w"), Literal("long")))),
            Measure(0, None, None, Column("b")),
        ),
    )
    with opened(declared, frame) as engine:
        same(engine, Reference(declared, rows), everything)


def test_a_frame_that_changes_later_changes_nothing(facts, opened, part):
    frame = part("pandas").DataFrame({"x": [1.0, 2.0]})
    with opened(facts(Number("x")), frame) as engine:
        frame.loc[0, "x"] = math.nan
        engine.check()
        assert total(engine.run(Wanted(None, (), (Measure(0, X),))).take()) == [[2]]


def test_columns_of_a_frame_are_found_by_their_exact_name(facts, opened, part):
    frame = part("pandas").DataFrame([[1.0, 2.0, 3.0]], columns=["x", "X", 'a"b'])
    declared = facts(Number("X"), Number('a"b'))
    grid = Grid(Fraction(1), 0, 9)
    with opened(declared, frame) as engine:
        found = engine.run(Wanted(None, (), (Measure(1, Column("X"), grid), Measure(1, Column('a"b'), grid)))).take()
        assert total(found) == [[2], [3]]


def test_exact_numbers_of_other_types_are_read_as_their_digits(facts, opened, same):
    values = [decimal.Decimal(text) for text in ("0.1", "123456789012345678901234567.123", "-0.001", "9007199254740993")]
    declared = facts(Number("a"), Number("b"), Number("c"))
    table = pa.table(
        {
            "a": pa.array(values, pa.decimal128(38, 3)),
            "b": pa.array([0, 2**64 - 1, 2**53 + 1, None], pa.uint64()),
            "c": pa.array([decimal.Decimal(n) / 100 for n in (10, 29, 57, 123456789)], pa.decimal128(15, 2)),
        }
    )
    rows = [{"a": str(a), "b": b, "c": str(c)} for a, b, c in zip(*(column.to_pylist() for column in table.columns), strict=True)]
    wanted = [
        Wanted(None, (ByValue(Column(name), tuple(Fraction(str(row[name])) for row in rows if row[name] is not None)),), COUNT)
        for name in "abc"
    ]
    with opened(declared, table) as engine:
        same(engine, Reference(declared, rows), *wanted)


def test_several_parquet_files_are_one_table(facts, opened, same, tmp_path):
    pq.write_table(pa.table({"x": [1.0, 2.0], "z": [1, 2]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"z": ["no number"], "x": [3.0]}), tmp_path / "b [1]*.parquet")
    declared = facts(Number("x", Fraction(0), Fraction(9)))
    with opened(declared, f"{tmp_path}/*.parquet") as engine:
        same(
            engine,
            Reference(declared, [{"x": x} for x in (1.0, 2.0, 3.0)]),
            Wanted(None, (), (Measure(1, X, Grid(Fraction(1), 0, 9)),)),
        )


@pytest.mark.parametrize("table", ["people", "main.people", "other.people"])
def test_a_table_in_a_duckdb_file(table, facts, opened, tmp_path):
    with duckdb.connect(tmp_path / "x.duckdb") as made:
        made.execute("CREATE TABLE people AS SELECT 1.0::DOUBLE AS x; CREATE SCHEMA other; CREATE VIEW seen AS FROM people")
        made.execute("CREATE TABLE other.people AS SELECT 1.0::DOUBLE AS x")
    with opened(facts(Number("x")), f"{tmp_path}/x.duckdb#{table}") as engine:
        assert total(engine.run(Wanted(None, (), COUNT)).take()) == [[1]]
        with pytest.raises(duckdb.Error):
            engine._connection.execute("INSERT INTO source.main.people VALUES (2)").fetchall()
    from discreet.errors import FactsError

    for wrong in ("nobody", "seen"):
        with pytest.raises(FactsError, match="no table called"):
            open_engine(facts(Number("x")), f"{tmp_path}/x.duckdb#{wrong}")


def test_many_questions_at_once(facts, opened):
    wanted = Wanted(None, (), (Measure(1, X, Grid(Fraction(1), 0, 100)),))
    with (
        opened(facts(Number("x", Fraction(0), Fraction(100))), pa.table({"x": [float(n % 101) for n in range(1010)]})) as engine,
        ThreadPoolExecutor(4) as threads,
    ):
        assert {str(total(found.take())) for found in threads.map(engine.run, [wanted] * 40)} == {"[[50500]]"}


@pytest.mark.parametrize("operation", ["divide", "remainder", "round", "multiply"])
def test_sql_grows_with_the_question_and_not_with_two_to_its_depth(operation, facts, opened, same):
    declared = facts(Number("x"))
    deep = X
    for _ in range(95):
        deep = Apply(operation, (deep,) if operation == "round" else (Literal(Fraction(3)), deep))
    wanted = Wanted(
        Apply("greater", (deep, Literal(Fraction(-1)))),
        (ByStep(deep, Fraction(1), Fraction(0), 0, 5),),
        (Measure(1, deep, Grid(Fraction(1, 4), 0, 100)), Measure(0, deep)),
    )
    assert len(to_sql(wanted, declared, Layout("data", {"x": Field("c0", "real")}), DUCKDB)) < 100_000
    rows = [{"x": x} for x in (0.0, 1.0, 2.5, math.nan, math.inf, None, 1e300)]
    with opened(declared, pa.table({"x": pa.array([row["x"] for row in rows], pa.float64())})) as engine:
        same(engine, Reference(declared, rows), wanted)


HOSTILE = [
    "'",
    '"',
    "';--",
    "\\",
    "\\'",
    "''",
    '"; DROP TABLE data; --',
    "/*",
    "*/",
    "$$",
    "\x00",
    "\n",
    "é",
    "👨‍👩‍👧",
    "\u2028",
    "%s",
    "{}",
    "?",
    "$1",
    ":a",
    "E'\\x27'",
    "\ufeff",
    "\ud800",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_breaks_out_of_its_quotes(text, facts, opened, same):
    declared = facts(
        Text(f"n{text}".encode("utf-8", "replace").decode()), Category("g", (text.encode("utf-8", "replace").decode() + "x", "b"))
    )
    column = Column(declared.columns[0].name)
    stored = text.encode("utf-8", "replace").decode()
    rows = [{column.name: stored, "g": declared.columns[1].values[0]}, {column.name: "b", "g": "b"}]
    table = pa.table({name: [row[name] for row in rows] for name in rows[0]})
    key = ByValue(Column("g"), declared.columns[1].values)
    equal = Apply("equal", (column, Literal(stored)))
    with opened(declared, table) as engine:
        same(
            engine,
            Reference(declared, rows),
            Wanted(None, (key,), (Measure(0, column), Measure(0, None, None, equal))),
            Wanted(None, (ByValue(column, (stored, "b")),), COUNT),
        )


def test_the_sql_of_a_plain_question_is_plain(facts):
    declared = facts(Category("g", (1, 2, 3)), Number("x", Fraction(0), Fraction(10)))
    layout = Layout("data", {"g": Field("c0", "whole"), "x": Field("c1", "real")})
    wanted = Wanted(
        None,
        (ByValue(Column("g"), (Fraction(1), Fraction(2), Fraction(3))),),
        (Measure(0), Measure(1, X, Grid(Fraction(1, 4), 0, 40))),
    )
    assert to_sql(wanted, declared, layout, DUCKDB) == (
        "SELECT k0 AS k0, m0 AS l0, CAST(m1 >> 62 AS BIGINT) AS h1, CAST(m1 & 4611686018427387903 AS BIGINT) AS l1 "
        'FROM (SELECT LEAST(GREATEST("c0", 0), 4) AS k0, COUNT(*) AS m0, COALESCE(SUM("t3"), 0) AS m1 '
        'FROM (SELECT s.*, CASE WHEN "t2" THEN "t1" ELSE CASE WHEN ("c1" < 0.0e0) THEN 0 '
        "WHEN (\"c1\" <= CAST('Infinity' AS DOUBLE)) THEN 40 END END AS t3 "
        'FROM (SELECT s.*, ("t1" BETWEEN 0 AND 40) AS t2 '
        'FROM (SELECT s.*, TRY_CAST(FLOOR((("c1" * 4.0e0) + 0.5e0)) AS BIGINT) AS t1 '
        "FROM data AS s) AS s) AS s) AS s GROUP BY k0) AS g"
    )


def test_a_question_may_be_wide(facts, opened, same):
    declared = facts(Number("x", Fraction(0), Fraction(100)))
    conditions = tuple(Apply("not_equal", (X, Literal(Fraction(n, 7)))) for n in range(600))
    rows = [{"x": float(n)} for n in range(50)]
    either = Apply("or", tuple(Apply("not", (condition,)) for condition in conditions))
    with opened(declared, pa.table({"x": [row["x"] for row in rows]})) as engine:
        measures = (Measure(0), Measure(0, None, None, either))
        same(engine, Reference(declared, rows), Wanted(Apply("and", conditions), (), measures))


def test_parquet_text_that_is_not_unicode_is_a_text_like_any_other(facts, opened, tmp_path):
    texts = pa.array([b"ok", b"\xff\xfebad", b"caf\xe9", None], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"w": texts}), tmp_path / "rows.parquet")
    with opened(facts(Text("w")), tmp_path / "rows.parquet") as engine:
        assert total(engine.run(Wanted(None, (), (Measure(0), Measure(0, Column("w"))))).take()) == [[4], [3]]


@pytest.mark.parametrize("odd", [math.nan, math.inf, -math.inf, 1e300])
def test_what_a_file_says_about_itself_does_not_switch_a_clamp_off(odd, facts, opened, same, tmp_path):
    rows = [{"x": float(n), "n": n} for n in range(100)] + [{"x": odd, "n": 7}]
    declared = facts(Number("x", Fraction(0), Fraction(100)), Integer("n", 0, 100))
    pq.write_table(pa.table({"x": [row["x"] for row in rows], "n": [row["n"] for row in rows]}), tmp_path / "rows.parquet")
    is_null = Apply("is_null", (X,))
    wanted = Wanted(None, (), (Measure(0, X), Measure(1, X, Grid(Fraction(1), 0, 100)), Measure(0, None, None, is_null)))
    with opened(declared, tmp_path / "rows.parquet") as engine:
        same(engine, Reference(declared, rows), wanted)


def test_the_text_of_a_question_does_not_depend_on_rows(facts, opened):
    declared = dataclasses.replace(facts(Number("x", Fraction(0), Fraction(1))))
    wanted = Wanted(None, (), (Measure(1, X, Grid(Fraction(1, 4), 0, 4)),))
    with opened(declared, pa.table({"x": [0.5]})) as one, opened(declared, pa.table({"x": pa.array([], pa.float64())})) as other:
        assert one._layout == other._layout
        assert to_sql(wanted, declared, one._layout, DUCKDB) == to_sql(wanted, declared, other._layout, DUCKDB)


@pytest.mark.parametrize("kind", ["DECIMAL(10,2)", "DECIMAL(15,2)", "DECIMAL(16,2)", "DECIMAL(20,0)", "DECIMAL(38,30)"])
def test_truth_values_that_are_stored_as_decimals_of_any_length_are_numbers(kind, tmp_path):
    file = tmp_path / "t.duckdb"
    with duckdb.connect(str(file)) as stored:
        values = "(VALUES ('1'), ('0'), ('1'), ('2'), (NULL)) AS v(x)"
        stored.execute(f"CREATE TABLE rows AS SELECT CAST(x AS {kind}) AS h FROM {values}")
    facts = facts_for_table(name="t", columns={"h": dc.boolean()}, unit="row", neighbours="add_remove", budget=1)
    engine = open_engine(facts, Source("duckdb", str(file), "rows"))
    is_true, is_false = Column("h"), Apply("not", (Column("h"),))
    assert [engine.run(Wanted(each, (), (Measure(0),))).take().whole().item() for each in (is_true, is_false)] == [2, 1]
    engine.close()
