"""How tables on Spark are kept: what could make it fail on a single row is refused before a row is read."""

import os
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc
from tests.engines.live import facts_at, refused, registered
from tests.engines.spark_tables import connected

import discreet as dc
from discreet.curator import office
from discreet.engines.spark.engine import Spark
from discreet.errors import FactsError
from discreet.facts.model import ByColumn, Integer, Source, Timestamp

pytestmark = pytest.mark.filterwarnings("ignore")  # pyspark's own, about pandas and sockets
FAR = 10**16  # milliseconds: Spark counts microseconds, in 64 bits


@pytest.fixture(scope="module")
def spark():
    session = connected()
    yield session
    session.client.close()


@pytest.fixture
def name(spark):
    name = f"default.kept_{os.getpid()}_{time.monotonic_ns()}"
    yield name
    for what in ("VIEW", "TABLE"):
        try:
            spark.sql(f"DROP {what} IF EXISTS {name}")
        except Exception:  # noqa: BLE001 - it is the other
            continue


COLUMNS = "x DOUBLE, place INT, name STRING"


def test_views_are_refused(spark, name, tmp_path):
    """One row of which x is no number would make a question fail that reads it, and WHERE would choose for whom."""
    spark.sql(f"CREATE TABLE {name}_t ({COLUMNS}) USING parquet")
    spark.sql(f"CREATE VIEW {name} AS SELECT CAST(name AS DOUBLE) AS x, place, name FROM {name}_t")
    try:
        with pytest.raises(FactsError, match="is a view"):
            office.register(facts_at(tmp_path, f"spark:{name}"))
        office.register(facts_at(tmp_path, f"spark:{name}_t"))
    finally:
        spark.sql(f"DROP TABLE {name}_t")


@pytest.mark.parametrize("kept", ["csv OPTIONS (mode 'FAILFAST')", "json", "parquet", "orc"])
def test_only_formats_are_accepted_of_which_every_value_can_be_read(spark, name, tmp_path, kept):
    spark.sql(f"CREATE TABLE {name} ({COLUMNS}) USING {kept}")
    file = facts_at(tmp_path, f"spark:{name}")
    if kept in ("parquet", "orc"):
        office.register(file)
        return
    with pytest.raises(FactsError, match=f"is kept as {kept[:3]}"):
        office.register(file)


def test_a_table_that_has_become_a_view_costs_nothing(spark, name, tmp_path):
    spark.sql(f"CREATE TABLE {name} ({COLUMNS}) USING parquet")
    file = registered(tmp_path, f"spark:{name}")
    spark.sql(f"DROP TABLE {name}")
    spark.sql(f"CREATE VIEW {name} AS SELECT CAST(1 AS DOUBLE) AS x, 1 AS place, 'a' AS name")
    assert isinstance(refused(file, dc.SourceFault), dc.SourceFault)


@pytest.mark.parametrize("zone", [None, "UTC"])
@pytest.mark.parametrize("place", ["table", "frame"])
def test_moments_in_milliseconds_are_refused_before_a_row_is_read(spark, name, tmp_path, facts, zone, place):
    """A single moment beyond the year 290 000 would make every question fail that reads its column."""
    for unit, moment in (("us", 10**15), ("ms", FAR)):
        folder = tmp_path / unit
        folder.mkdir()
        columns = {"x": [1], "moment": pa.array([moment], pa.int64()).cast(pa.timestamp(unit, zone))}
        pq.write_table(pa.table(columns), folder / "rows.parquet")
        spark.sql(f"CREATE TABLE {name} USING parquet LOCATION '{folder}'")
        source = Source("spark", name, name) if place == "table" else spark.read.parquet(str(folder))
        reading = Timestamp("moment")
        opened = [(facts(Integer("x", 0, 9)), True), (facts(Integer("x", 0, 9), reading), unit == "us"),
                  (facts(Integer("x", 0, 9), unit=ByColumn("moment")), unit == "us")]  # fmt: skip
        for declared, is_fine in opened:
            if is_fine:
                Spark(declared, source).close()
            else:
                with pytest.raises(FactsError, match="in milliseconds"):
                    Spark(declared, source)
        spark.sql(f"DROP TABLE {name}")


@pytest.mark.parametrize("called", ["moment", "Moment", "written"])
@pytest.mark.parametrize("place", ["table", "frame"])
def test_whatever_a_column_in_milliseconds_is_called_in_its_file(spark, name, tmp_path, facts, called, place):
    """Spark finds columns of files in whatever case, and a frame calls them as it likes."""
    columns = {"x": [1], called: pa.array([FAR], pa.int64()).cast(pa.timestamp("ms"))}
    pq.write_table(pa.table(columns), tmp_path / "rows.parquet")
    if place == "table":
        spark.sql(f"CREATE TABLE {name} (x BIGINT, moment TIMESTAMP) USING parquet LOCATION '{tmp_path}'")
        source = Source("spark", name, name)
    else:
        source = spark.read.parquet(str(tmp_path)).withColumnRenamed(called, "moment")
    with pytest.raises(FactsError, match="in milliseconds"):
        Spark(facts(Integer("x", 0, 9), Timestamp("moment")), source)
    Spark(facts(Integer("x", 0, 9)), source).close()


@pytest.mark.parametrize("place", ["table", "frame"])
def test_moments_in_orc_are_refused_before_a_row_is_read(spark, name, tmp_path, facts, place):
    """They have 64 bits of seconds there, and Spark's of microseconds."""
    columns = {"x": [1], "moment": pa.array([10**14], pa.int64()).cast(pa.timestamp("s"))}
    orc.write_table(pa.table(columns), str(tmp_path / "rows.orc"))
    if place == "table":
        spark.sql(f"CREATE TABLE {name} (x BIGINT, moment TIMESTAMP) USING orc LOCATION '{tmp_path}'")
    source = Source("spark", name, name) if place == "table" else spark.read.orc(str(tmp_path))
    with pytest.raises(FactsError, match="moments in ORC"):
        Spark(facts(Integer("x", 0, 9), Timestamp("moment")), source)
    Spark(facts(Integer("x", 0, 9)), source).close()


def test_a_file_that_comes_later_is_looked_at_before_the_next_charge(spark, name, tmp_path, facts):
    folder = tmp_path / "rows"
    folder.mkdir()
    for unit, moment in (("us", 10**15), ("ms", FAR)):
        columns = {"x": [1], "moment": pa.array([moment], pa.int64()).cast(pa.timestamp(unit))}
        pq.write_table(pa.table(columns), folder / f"{unit}.parquet")
        if unit == "us":
            spark.sql(f"CREATE TABLE {name} USING parquet LOCATION '{folder}'")
            engine = Spark(facts(Integer("x", 0, 9), Timestamp("moment")), Source("spark", name, name))
            engine.check()
    with pytest.raises(FactsError, match="in milliseconds"):
        engine.check()
    engine.close()
