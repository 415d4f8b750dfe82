"""Two confidential tables of one database, registered, asked together, given a new version: as with files."""

import os
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests import postgres_server as pg
from tests.engines.spark_tables import connected

import discreet as dc
from discreet.curator import office, open_table
from discreet.errors import FactsError
from discreet.facts.file import check_facts

PEOPLE, VISITS = [(1, 30), (2, 40), (3, 50)], [(1, 7), (1, 8), (2, 9), (9, 1)]
QUESTION = "SELECT COUNT(*) AS n, SUM(visits.cost) AS s FROM people JOIN visits ON people.id = visits.id WHERE age < 45"
FACTS = """\
[table]
name = "{name}"
source = "{source}"
version = "1"
unit = {{ column = "id", max_rows = 5 }}
neighbours = "add_remove"
people = "patients"

[budget]
epsilon = 1_000_000_000

[columns.{column}]
type = "integer"
lower = 0
upper = 100
"""


def written(folder, people, visits):
    """The facts of both, the first joined with the second, which is registered."""
    joined = '[join.visits]\nfacts = "visits.toml"\n'
    (folder / "visits.toml").write_text(FACTS.format(name="visits", source=visits, column="cost"))
    (folder / "people.toml").write_text(FACTS.format(name="people", source=people, column="age") + joined)
    office.register(folder / "visits.toml")
    return folder / "people.toml"


@pytest.fixture
def in_postgres():
    names = [pg.stored({"id": "int4", column: "int8"}, rows) for column, rows in (("age", PEOPLE), ("cost", VISITS))]
    return [f"{pg.reader()}#{name}" for name in names]


@pytest.fixture
def on_spark(tmp_path):
    session, names = connected(), []
    for column, rows in (("age", PEOPLE), ("cost", VISITS)):
        names.append(f"default.{column}_{os.getpid()}_{time.monotonic_ns()}")
        (tmp_path / column).mkdir()
        columns = dict(zip(("id", column), map(list, zip(*rows, strict=True)), strict=True))
        pq.write_table(pa.table(columns), tmp_path / column / "rows.parquet")
        session.sql(f"CREATE TABLE {names[-1]} USING parquet LOCATION '{tmp_path / column}'")
    yield [f"spark:{name}" for name in names]
    for name in names:
        session.sql(f"DROP TABLE IF EXISTS {name}")
    session.client.close()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # pyspark's own, about pandas and sockets
@pytest.mark.parametrize("where", ["in_postgres", "on_spark"])
def test_two_tables_of_one_database_are_registered_and_asked_together(tmp_path, request, where):
    file = written(tmp_path, *request.getfixturevalue(where))
    assert not check_facts(file.read_text(), str(file))
    office.register(file)
    for version in ("1", "2"):
        with open_table(file) as curator:
            (row,) = curator.ask(QUESTION, epsilon=10**8).rows
        assert {name: round(value) for name, value in row.items()} == {"n": 3, "s": 24}, version
        if version == "1":
            file.write_text(file.read_text().replace('version = "1"', 'version = "2"'))
            office.new_version(file, reason="a later month")


def test_a_table_in_a_file_and_one_in_a_database_are_not_joined(tmp_path, in_postgres):
    (tmp_path / "people.csv").write_text("id,age\n1,30\n")
    file = written(tmp_path, "people.csv", in_postgres[1])
    for act in (office.register, dc.open):
        with pytest.raises(FactsError) as caught:
            act(file)
        assert act is dc.open or "visits is in a database, and the table is not" in str(caught.value)
