"""Spark that fails, stops or changes under a registered table: a fault with the charge kept, or the same integers."""

import os
import threading
import time
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines.live import CANARY, COUNT, ROWS, SUM, answers, charges, failed, refused, registered
from tests.engines.spark_tables import connected

import discreet as dc
from discreet.curator import office, open_table
from discreet.engines import faults
from discreet.engines.spark.engine import Spark
from discreet.facts.file import check_facts

pytestmark = pytest.mark.filterwarnings("ignore")  # pyspark's own, about pandas and sockets
ROOT = Path(__file__).parents[2]
SLOW = "SELECT SUM(a.id * b.id) AS l0 FROM RANGE(3000000) AS a CROSS JOIN RANGE(3000000) AS b"


@pytest.fixture(scope="module")
def spark():
    session = connected()
    yield session
    session.client.close()


def stored(session, folder, name):
    """A table of Parquet files in a folder."""
    columns = dict(zip(("x", "place", "name"), map(list, zip(*ROWS, strict=True)), strict=True))
    folder.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns), folder / "rows.parquet")
    session.sql(f"CREATE TABLE {name} USING parquet LOCATION '{folder}'")
    return name


@pytest.fixture
def name(spark, tmp_path):
    name = f"default.t_{os.getpid()}_{time.monotonic_ns()}"
    yield stored(spark, tmp_path / "rows", name)
    spark.sql(f"DROP TABLE IF EXISTS {name}")


@pytest.fixture
def file(tmp_path, name):
    return registered(tmp_path, f"spark:{name}")


@pytest.fixture
def curator(file):
    curator = open_table(file)
    yield curator
    curator.close()


@contextmanager
def instead(monkeypatch, act):
    """The next statement of a question is what ``act(engine)`` says, or none; those after it are as ever."""
    left, real = [act], Spark._fetched

    def fetched(engine, sql):
        first = left.pop()(engine) if left else None
        return real(engine, first or sql)

    monkeypatch.setattr(Spark, "_fetched", fetched)
    yield
    assert not left, "the question never read a row"


def meanwhile(act, seconds=2.0):
    """A statement that takes for ever, and what happens to it meanwhile."""

    def begin(engine):
        threading.Timer(seconds, lambda: act(engine)).start()
        return SLOW

    return begin


# ---- a Connect server that many use


def test_a_session_that_is_stopped_in_the_middle_keeps_the_charge_and_freezes_nobody(curator, file, monkeypatch, caplog):
    with instead(monkeypatch, meanwhile(lambda engine: engine._session.stop())):
        failed(curator, file, caplog, freezes=False)  # by what it says, or by the table that nobody finds after it
    answers(curator)  # in a session of its own


def test_a_statement_that_somebody_cancels_cannot_be_told_from_a_limit_and_is_an_alarm(curator, file, monkeypatch, caplog):
    with instead(monkeypatch, meanwhile(lambda engine: engine._session.interruptAll())):
        failed(curator, file, caplog, freezes=True)


def test_a_limit_of_time_is_an_alarm(curator, file, monkeypatch, caplog):
    def slow(_):
        monkeypatch.setattr(faults, "MOST_SECONDS", 1.0)
        return SLOW

    with instead(monkeypatch, slow):
        fault = failed(curator, file, caplog, freezes=True)
    assert fault.cause == "TimeoutError"


def test_an_error_about_a_row_is_an_alarm_and_is_never_quoted(curator, file, name, monkeypatch, caplog, capfd):
    with instead(monkeypatch, lambda _: f"SELECT CAST(name AS INT) AS l0 FROM {name}"):
        failed(curator, file, caplog, freezes=True)
    shown = capfd.readouterr()
    assert CANARY not in shown.out + shown.err
    answers(curator)


@pytest.mark.parametrize("act", ["DROP TABLE {}", "ALTER TABLE {} RENAME TO default.away"])
def test_a_table_that_goes_away_after_the_charge_is_nobodys_fault(curator, file, name, spark, monkeypatch, caplog, act):
    def change(engine):
        spark.sql(act.format(name))
        engine._session.catalog.clearCache()

    with instead(monkeypatch, change), pytest.raises(dc.SourceFault) as caught:
        curator.ask(SUM, epsilon="0.5", analyst="alice")
    assert not caught.value.freezes
    assert charges(file) == ([("faulted", 1)], Fraction(1, 2))
    assert office.alarms(file) == []
    assert office.verify(file).ok
    spark.sql("DROP TABLE IF EXISTS default.away")
    refused(file)


def test_a_file_that_is_lost_after_the_charge_is_nobodys_fault(curator, file, tmp_path, monkeypatch):
    with instead(monkeypatch, lambda _: (tmp_path / "rows" / "rows.parquet").unlink()), pytest.raises(dc.SourceFault) as caught:
        curator.ask(SUM, epsilon="0.5", analyst="alice")
    assert not caught.value.freezes
    assert charges(file) == ([("faulted", 1)], Fraction(1, 2))


def test_a_table_that_was_changed_since_it_was_registered_costs_nothing_or_is_read_as_it_is(file, name, spark, tmp_path):
    spark.sql(f"DROP TABLE {name}")
    refused(file)
    for kind in ("ARRAY<DOUBLE>", "BOOLEAN", "STRUCT<a: INT>", "MAP<STRING, INT>"):
        spark.sql(f"CREATE TABLE {name} (x {kind}, place INT, name STRING) USING parquet")
        refused(file, dc.SourceFault)
        spark.sql(f"DROP TABLE {name}")
    spark.sql(f"CREATE TABLE {name} (y DOUBLE, place INT, name STRING, hidden_disease INT) USING parquet")
    assert "hidden" not in str(refused(file, dc.SourceFault))
    spark.sql(f"DROP TABLE {name}")
    curator = open_table(file)
    for turn, kind in enumerate(("DECIMAL(38,10)", "FLOAT", "STRING")):
        view = f"CAST(x AS {kind}) AS x, place, name FROM parquet.`{tmp_path}/rows`"
        spark.sql(f"CREATE TABLE {name} USING parquet AS SELECT {view}")
        answers(curator, f"{SUM} AND x < {50 + turn}")
        spark.sql(f"DROP TABLE {name}")
    curator.close()


# ---- receipts, cells, keys


def test_receipts_of_a_table_and_of_a_frame_say_that_they_are_not_pinned(curator, spark):
    assert answers(curator).receipt["source"] == "not pinned"
    frame = spark.createDataFrame([(1.0,)], "x DOUBLE")
    held = dc.table(frame, columns={"x": dc.number(0, 10)}, unit="row", neighbours="add_remove", budget=1)
    assert held.ask(COUNT, epsilon="0.1").receipt["source"] == "not pinned"
    assert "lives in this process" in repr(held)
    held.close()


def test_a_table_on_spark_has_no_cells(file):
    text = file.read_text(encoding="utf-8").replace("[columns.x]", 'partition = "place"\n[columns.x]', 1)
    assert [each.message for each in check_facts(text, "t.toml") if each.key == "budget.partition"] == [
        "partition needs a source that can be pinned, and a live database cannot"
    ]


@pytest.mark.parametrize("declared", [dc.number(), dc.integer()])
def test_numbers_of_a_frame_that_no_list_names_are_refused_as_keys_before_the_charge(spark, declared):
    frame = spark.createDataFrame([(1.5, "a")], "x DOUBLE, who STRING")
    held = dc.table(frame, columns={"x": declared}, unit={"column": "who", "max_rows": 2, "max_groups": 2},
                    neighbours="add_remove", budget={"epsilon": 1, "delta": "0.01"})  # fmt: skip
    question = "SELECT x, COUNT(*) AS n FROM t GROUP BY x"
    for act in (held.quote, held.ask):
        with pytest.raises(dc.QuestionError, match="which Spark writes in its own way"):
            act(question, epsilon="0.5", delta="0.001")
    assert held.budget.spent.epsilon == 0
    held.close()
