"""DuckDB acts on no belief about what is stored: one row that changes a column's least or largest value changes nothing else.

Some releases of it hold COALESCE(ABS(x), 1) to be 1 wherever x has NULLs and its largest value is 0, and fold conditions, clamps
and groups by that. Here such a row comes to a table, or goes.
"""

import duckdb
import pytest

import discreet as dc
from discreet.testing import recorded

MANY = 130_000  # more than a row group, which a scan may pass over
COLUMNS = {"x": dc.number(-100, 0)}
ODD = "COALESCE(ABS(x), 1)"
QUESTIONS = [
    f"SELECT COUNT(*) AS n FROM t WHERE {ODD} > 5",
    f"SELECT COUNT(*) FILTER (WHERE {ODD} > 5) AS n, COUNT(*) AS m FROM t",
    f"SELECT BIN({ODD}, 1) AS b, COUNT(*) AS n FROM t GROUP BY b",
    f"SELECT SUM(LEAST({ODD}, 10)) AS s FROM t",
    f"SELECT SUM(CASE WHEN {ODD} > 10 THEN 10 ELSE 0 END) AS s FROM t",
    f"SELECT BIN({ODD}, 10) AS b, AVG(GREATEST({ODD}, 3)) AS m FROM t WHERE {ODD} <> 1 GROUP BY b",
]


@pytest.fixture(scope="module", params=["frame", "parquet", "duckdb"])
def tables(request, tmp_path_factory):
    """Two neighbouring tables, without and with a row at the upper bound."""
    folder = tmp_path_factory.mktemp("beliefs")
    made = "SELECT CASE WHEN i % 3 = 0 THEN NULL ELSE -90.0 - i % 5 END AS x FROM range({}) AS r(i)"
    found = []
    for name, more in (("without", ""), ("with", " UNION ALL SELECT 0.0")):
        with duckdb.connect(str(folder / f"{name}.duckdb")) as connection:
            connection.execute(f"CREATE TABLE t AS {made.format(MANY)}{more}")
            connection.execute(f"COPY t TO '{folder / name}.parquet' (FORMAT parquet)")
            frame = connection.execute("FROM t").df()
        source = {"frame": frame, "parquet": folder / f"{name}.parquet", "duckdb": f"{folder / name}.duckdb#t"}[request.param]
        found.append(dc.table(source, columns=COLUMNS, unit="row", neighbours="add_remove", budget=1000))
    return found


@pytest.mark.parametrize("sql", QUESTIONS)
def test_a_row_that_changes_what_is_known_of_its_column_moves_nothing_but_its_own_share(tables, sql):
    for before, after in zip(*(calls_on(table, sql) for table in tables), strict=True):
        assert abs(before.exact.astype(object) - after.exact.astype(object)).sum() <= before.mechanism.sensitivity


def calls_on(table, sql):
    """What noise was added to."""
    with recorded() as calls:
        table.ask(sql, epsilon=1)
    return calls
