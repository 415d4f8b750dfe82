"""Tables from files and frames: what a source looks like changes nothing about how it is answered."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as dc
from discreet.engines.reference.engine import Reference
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.sql import read_sql
from discreet.testing import recorded

FACTS = """
[table]
name = "t"
source = "{source}"
unit = "row"
neighbours = "add_remove"
[budget]
epsilon = 100
{extra}
[columns.x]
type = "number"
lower = 0
upper = 100
[columns.c]
type = "category"
values = [1, 2]
[columns.name]
type = "text"
"""
QUESTION = "SELECT c, COUNT(*) AS n, SUM(x) AS s FROM t GROUP BY c"


@pytest.fixture
def opened(tmp_path):
    """``opened("t.csv", bytes)`` is a curator of that file."""

    def make(source, content=None, extra=""):
        if content is not None:
            (tmp_path / source).write_bytes(content)
        (tmp_path / "t.toml").write_text(FACTS.format(source=source, extra=extra))
        return dc.testing.open_unregistered(tmp_path / "t.toml")

    return make


def exact(curator, sql=QUESTION):
    """The exact integers that the mechanisms were given."""
    with recorded() as calls:
        curator.ask(sql, epsilon=1)
    return [np.asarray(call.exact).tolist() for call in calls]


PLAIN = b"x,c,name\n1,1,a\n2.5,2,b\n,1,c\n7,1,d\n"
SAME = {
    "CRLF": PLAIN.replace(b"\n", b"\r\n"),
    "bare CR": PLAIN.replace(b"\n", b"\r"),
    "byte order mark": b"\xef\xbb\xbf" + PLAIN,
    "quoted header": PLAIN.replace(b"x,c,name", b'"x","c","name"'),
    "columns in another order": b"name,x,c\na,1,1\nb,2.5,2\nc,,1\nd,7,1\n",
    "a column nobody declared": b"x,c,name,z\n1,1,a,9\n2.5,2,b,9\n,1,c,9\n7,1,d,9\n",
    "no newline at the end": PLAIN[:-1],
    "missing as ?": PLAIN.replace(b"\n,1,c", b"\n?,1,c"),
    "missing as NaN": PLAIN.replace(b"\n,1,c", b"\nnan,1,c"),
    "a ragged row, too short": PLAIN.replace(b"7,1,d\n", b"7,1\n"),
    "a ragged row, too long": PLAIN.replace(b"7,1,d\n", b"7,1,d,9,9\n"),
    "a word for a number": PLAIN.replace(b"\n,1,c", b"\nseven,1,c"),
}


@pytest.mark.slow
@pytest.mark.parametrize("how", list(SAME))
def test_a_csv_file_means_the_same_however_it_is_written(opened, how):
    assert exact(opened("t.csv", SAME[how])) == exact(opened("t.csv", PLAIN))


@pytest.mark.slow
@pytest.mark.parametrize("huge", [b"1e400", b"inf", b"101", b"99999999999999999999"])
def test_what_is_beyond_a_bound_is_the_bound(opened, huge):
    beyond, bound = (PLAIN.replace(b"7,1,d", number + b",1,d") for number in (huge, b"100"))
    assert exact(opened("t.csv", beyond)) == exact(opened("t.csv", bound))


@pytest.mark.slow
def test_parquet_duckdb_and_frames_give_the_same_integers_as_csv(tmp_path, opened):
    expected = exact(opened("t.csv", PLAIN))
    frame = pd.DataFrame({"x": [1, 2.5, None, 7], "c": [1, 2, 1, 1], "name": list("abcd")})
    frame.to_parquet(tmp_path / "t.parquet")
    assert exact(opened("t.parquet")) == expected
    frame.iloc[:2].to_parquet(tmp_path / "part-1.parquet")
    frame.iloc[2:].to_parquet(tmp_path / "part-2.parquet")
    assert exact(opened("part-*.parquet")) == expected
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE people AS SELECT * FROM frame")
    assert exact(opened("t.duckdb#people")) == expected
    columns = {"x": dc.number(0, 100), "c": dc.category(1, 2), "name": dc.text()}
    for each in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        table = dc.table(each, columns=columns, unit="row", neighbours="add_remove", budget=100)
        assert exact(table) == expected


@pytest.mark.slow
@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -float("inf"), 1e300, None])
@pytest.mark.parametrize("statistics", [True, False])
def test_one_odd_row_in_parquet_is_read_by_the_rules_whatever_the_files_statistics_say(tmp_path, opened, odd, statistics):
    x = [float(value % 100) for value in range(5000)]
    frame = {"x": [*x[:-1], odd], "c": [1, 2] * 2500, "name": ["a"] * 5000}
    pq.write_table(pa.table(frame), tmp_path / "t.parquet", write_statistics=statistics)
    table = opened("t.parquet")
    rows = [{name: values[i] for name, values in frame.items()} for i in range(5000)]
    filtered = "SELECT COUNT(x) AS n, AVG(x) AS m FROM t WHERE x <= 100"
    for sql in (QUESTION, filtered, "SELECT COUNT(*) AS n FROM t WHERE x IS NULL"):
        plan = make_plan(read_sql(sql, table.facts), table.facts, read_price(epsilon=1))
        one, other = table.desk.engine.run(plan.wanted).take(), Reference(table.facts, rows).run(plan.wanted).take()
        assert np.array_equal(one.high, other.high)
        assert np.array_equal(one.low, other.low)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "value", "odd"),
    [
        (dc.date(), pd.Timestamp("2020-01-01"), "unknown"),
        (dc.timestamp(), pd.Timestamp("2020-01-01", tz="UTC"), pd.Timestamp("2020-01-01")),
        (dc.timestamp(), pd.Timestamp("2020-01-01", tz="UTC"), pd.Timestamp("2020-01-01", tz="Europe/Paris")),
        (dc.timestamp(), pd.Timestamp("2020-01-01"), None),
        (dc.number(0, 10), 1.5, "seven"),
        (dc.integer(0, 10), 7, None),
        (dc.category(1, 2), 2, "two"),
        (dc.boolean(), True, 3),
        (dc.text(), "a", 7),
    ],
)
def test_one_odd_row_in_a_frame_does_not_change_how_the_others_are_read(column, value, odd):
    frames = [pd.DataFrame({"v": [value] * 100}), pd.DataFrame({"v": [value] * 100 + [odd]})]
    found = []
    for frame in frames:
        table = dc.table(frame, columns={"v": column}, unit="row", neighbours="add_remove", budget=9)
        found.append(exact(table, "SELECT COUNT(v) AS n FROM t")[0][0][0][0])
    assert found[0] == 100
    assert found[1] in (100, 101)


def test_a_quote_in_a_file_of_one_column_swallows_no_other_row(tmp_path):
    facts = FACTS.partition("[columns.x]")[0].format(source="t.csv", extra="") + '[columns.n]\ntype = "text"\n'
    (tmp_path / "t.toml").write_text(facts)
    plain = b"n\n" + b"x\n" * 1000 + b'x"\n' + b"\n" * 1001
    for content in (plain, plain.replace(b"n\n", b'n\n"x\n', 1)):
        (tmp_path / "t.csv").write_bytes(content)
        curator = dc.testing.open_unregistered(tmp_path / "t.toml")
        assert exact(curator, "SELECT COUNT(*) AS v FROM t WHERE n = 'x'") == [[[[1000]]]]


def test_a_declared_column_that_the_header_lacks_is_refused_with_its_name(opened):
    with pytest.raises(dc.FactsError, match="name"):
        opened("t.csv", b"x,c\n1,1\n")


def test_sums_beyond_the_integers_of_a_float_survive():
    columns = {"k": dc.integer(0, 2**31), "x": dc.number(2**53, 2**53 + 2)}
    frame = pd.DataFrame({"k": [2**31 - 1] * 100_000, "x": [float(2**53 + 2)] * 100_000})
    table = dc.table(frame, columns=columns, unit="row", neighbours="add_remove", budget=100)
    assert exact(table, "SELECT SUM(k) AS s FROM t") == [[[[(2**31 - 1) * 100_000]]]]


def test_the_order_of_rows_changes_nothing():
    values = [0.1, 1e16, -1e16, 3.3, 1e-9] * 50
    columns = {"x": dc.number(-(10**16), 10**16)}
    tables = [pd.DataFrame({"x": values}), pd.DataFrame({"x": values[::-1]})]
    found = [dc.table(t, columns=columns, unit="row", neighbours="add_remove", budget=100) for t in tables]
    assert exact(found[0], "SELECT AVG(x) AS m FROM t") == exact(found[1], "SELECT AVG(x) AS m FROM t")


def test_the_engine_reaches_nothing_but_its_source(tmp_path, opened):
    curator = opened("t.csv", PLAIN)
    (tmp_path / "secret.csv").write_text("a\n1\n")
    curator.ask(QUESTION, epsilon=1)
    connection = curator.desk.engine._connection
    for sql in (
        f"SELECT * FROM read_csv('{tmp_path / 'secret.csv'}')",
        f"COPY (SELECT 1) TO '{tmp_path / 'out.csv'}'",
        f"ATTACH '{tmp_path / 'x.duckdb'}'",
        "SET enable_external_access = true",
        "INSTALL httpfs",
    ):
        with pytest.raises(duckdb.Error):
            connection.execute(sql)


HOSTILE = [
    "SELECT COUNT(*) FROM t; DROP TABLE t",
    "SELECT * FROM t",
    "SELECT COUNT(*) FROM (SELECT * FROM t)",
    "SELECT COUNT(*) OVER () FROM t",
    "SELECT COUNT(*) FROM read_csv('/etc/passwd')",
    "SELECT error('x') FROM t",
    "ATTACH 'x'",
    "SELECT SUM(my_function(x)) FROM t",
    "SELECT COUNT(*) FROM t -- WHERE x > 1\n; SELECT 1",
    "SELECT SUM(y) FROM t",
    "SELECT SUM(name) FROM t",
    "(" * 10_000,
    "SELECT COUNT(*) FROM t WHERE x = '" + "a" * 1_000_000 + "'",
    "",
]


@pytest.mark.parametrize("sql", HOSTILE, ids=lambda sql: sql[:30])
def test_hostile_text_is_refused_before_any_charge(opened, sql):
    curator = opened("t.csv", PLAIN)
    with pytest.raises(dc.QuestionError):
        curator.ask(sql, epsilon=1)
    assert curator.budget.spent == dc.Pure(epsilon=0)
