"""SQL over released tables: it reaches nothing else, and comes out the same on every run."""

from datetime import date

import numpy as np
import pytest

from discreet.engines.duckdb.released import ReleasedDatabase, ReleasedTable
from discreet.errors import QuestionError
from discreet.mechanisms import Laplace

TABLES = (
    ReleasedTable(
        "speed",
        {"zip": ["69501", "69601"], "slow": [1, 2], "slow_low": [0, None], "rate": [1.5, 2], "on": [True, None]},
        {"zip": "VARCHAR", "slow": "BIGINT", "slow_low": "BIGINT", "rate": "DOUBLE", "on": "BOOLEAN"},
    ),
    ReleasedTable("empty", {"k": [], "v": []}, {"k": "VARCHAR", "v": "BIGINT"}),
)


def derive(sql, tables=TABLES):
    database = ReleasedDatabase(tables)
    try:
        return database.derive("made", sql)
    finally:
        database.close()


WORKS = {
    "SELECT left(zip, 3) AS c, sum(slow) AS s FROM speed GROUP BY c ORDER BY c": {"c": ["695", "696"], "s": [1, 2]},
    "SELECT slow / 2 AS half, slow / 0 AS none, nullif(slow, 1) AS n FROM speed": {
        "half": [0.5, 1.0], "none": [None, None], "n": [None, 2]},
    "WITH a AS (SELECT max(slow) AS m FROM speed) SELECT m FROM a;": {"m": [2]},
    "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r": {"n": [1, 2, 3]},
    "SELECT a.zip FROM speed a JOIN SPEED b USING (zip) WHERE b.rate > 1.7": {"zip": ["69601"]},
    "SELECT zip, row_number() OVER (ORDER BY slow DESC) AS place FROM speed ORDER BY place": {
        "zip": ["69601", "69501"], "place": [1, 2]},
    "SELECT count(*) FILTER (WHERE slow > 1) AS n, round(avg(rate), 1) AS r FROM speed": {"n": [1], "r": [1.8]},
    "SELECT count(*) AS n FROM empty": {"n": [0]},
    "SELECT left(k, 3) AS l, v FROM empty": {"l": [], "v": []},
    "SELECT slow AS n FROM speed ORDER BY slow DESC -- a comment": {"n": [2, 1]},
    "SELECT i FROM range(2) t(i)": {"i": [0, 1]},
    "SELECT DATE '2020-02-29' AS d, \"on\" FROM speed": {"d": [date(2020, 2, 29)] * 2, "on": [True, None]},
    "SELECT CAST(slow AS DECIMAL(9, 2)) / 4 AS d FROM speed": {"d": [0.25, 0.5]},
}  # fmt: skip

HOSTILE = [
    "SELECT * FROM read_csv('{file}')",
    "SELECT * FROM read_text('{file}')",
    "SELECT * FROM read_blob('{file}')",
    "SELECT * FROM '{file}'",
    'SELECT * FROM "{file}"',
    "SELECT (SELECT content FROM read_text('{file}')) AS c FROM speed",
    "SELECT * FROM speed WHERE zip IN (SELECT content FROM read_text('{file}'))",
    "WITH a AS (FROM read_csv('{file}')) SELECT * FROM a",
    "SELECT * FROM glob('{file}')",
    "SELECT * FROM read_csv('http://localhost/x.csv')",
    "SELECT * FROM 'http://localhost/x.parquet'",
    "ATTACH '{file}' AS other",
    "COPY speed TO '{file}.out'",
    "COPY (SELECT 1) TO '{file}.out'",
    "EXPORT DATABASE '{file}.out'",
    "PRAGMA database_list",
    "CALL pragma_version()",
    "SET enable_external_access = true",
    "RESET lock_configuration",
    "INSTALL httpfs",
    "LOAD httpfs",
    "INSERT INTO speed VALUES ('1', 1, 1, 1)",
    "CREATE TABLE x AS SELECT 1",
    "SELECT 1 AS a; SELECT 2 AS b",
    "SELECT 1 AS a; COPY speed TO '{file}.out'",
    "EXPLAIN SELECT 1",
    "DESCRIBE speed",
    "SUMMARIZE speed",
    "SELECT getenv('HOME') AS h",
    "SELECT current_setting('home_directory') AS h",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM sqlite_master",
    "SELECT * FROM query('SELECT 1')",
    "SELECT * FROM query_table('speed')",
    "SELECT * FROM json_execute_serialized_sql('{{}}')",
    "SELECT * FROM main.speed",
    "SELECT * FROM TABLES",
    "",
    "nonsense",
]

UNSTEADY = [
    "random()", "uuid()", "gen_random_uuid()", "now()", "current_date", "current_timestamp", "CURRENT_TIME", "localtimestamp",
    "today()", "get_current_timestamp()", "txid_current()", "current_user", "session_user", "version()", "age(DATE '2020-01-01')",
    "nextval('x')", "pg_postmaster_start_time()", "setseed(0.5)", "sleep_ms(1)",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("sql", WORKS)
def test_one_select_over_released_tables_works(sql):
    assert derive(sql) == WORKS[sql]


@pytest.mark.slow
@pytest.mark.parametrize("sql", HOSTILE)
def test_nothing_else_does(tmp_path, sql):
    file = tmp_path / "canary.csv"
    file.write_text("zip\nZanzibarine\n", encoding="utf-8")
    with pytest.raises(QuestionError) as refused:
        derive(sql.format(file=file.as_posix()))
    assert "Zanzibarine" not in str(refused.value)
    assert [left.name for left in tmp_path.iterdir()] == ["canary.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("sql", [sql for sql in HOSTILE if "{file}" in sql and ";" not in sql])
def test_the_database_itself_refuses_files_too(tmp_path, sql, monkeypatch):
    # the second wall holds without the first
    file = tmp_path / "canary.csv"
    file.write_text("zip\nZanzibarine\n", encoding="utf-8")
    monkeypatch.setattr("discreet.engines.duckdb.released._check", lambda *_: None)
    with pytest.raises(QuestionError) as refused:
        derive(sql.format(file=file.as_posix()))
    assert "Zanzibarine" not in str(refused.value)
    assert [left.name for left in tmp_path.iterdir()] == ["canary.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("expression", UNSTEADY)
def test_what_depends_on_clock_chance_or_machine_is_refused(expression):
    with pytest.raises(QuestionError):
        derive(f"SELECT {expression} AS x FROM speed")


@pytest.mark.parametrize("sql", ["SELECT * FROM speed USING SAMPLE 1", "SELECT * FROM speed TABLESAMPLE 10%"])
def test_samples_are_refused(sql):
    with pytest.raises(QuestionError, match="sample"):
        derive(sql)


@pytest.mark.slow
@pytest.mark.parametrize(("sql", "message"), [
    ("SELECT nope FROM speed", "nope"),
    ("SELECT 1 AS a, 2 AS A", "one name"),
    ("SELECT [1, 2] AS l", "numbers, texts"),
    ("SELECT i FROM range(1000001) t(i)", "1000000 rows"),
    ("SELECT zip::INT / 'x'::INT AS q FROM speed", "does not work"),
])  # fmt: skip
def test_sql_that_cannot_be_a_table_is_refused_with_the_reason(sql, message):
    with pytest.raises(QuestionError, match=message):
        derive(sql)


def test_a_derived_table_keeps_its_types_and_its_order_for_those_after_it():
    database = ReleasedDatabase(TABLES)
    database.derive("first", "SELECT k, v FROM empty")
    database.derive("second", "SELECT zip FROM speed ORDER BY zip DESC")
    assert database.derive("third", "SELECT upper(k) AS k FROM first") == {"k": []}
    assert database.derive("fourth", "SELECT zip FROM second") == {"zip": ["69601", "69501"]}
    database.close()


@pytest.mark.slow
@pytest.mark.parametrize("parts", [2, 3, 4, 8, 48])
def test_errors_of_independent_counts_added_by_squares_cover_their_sum(parts):
    # what docs/publishing.md says and the county table of the broadband release rests on, by exact convolution
    law, reach = Laplace(epsilon="0.1", sensitivity=1), 1200           # beyond are e^-60 of them
    one = np.array([law.pmf(k) for k in range(-reach, reach + 1)])
    total = np.array([1.0])
    for _ in range(parts):
        total = np.convolve(total, one)
        middle = len(total) // 2
        total = total[max(0, middle - reach) : middle + reach + 1]
    away = np.abs(np.arange(len(total)) - len(total) // 2)
    for confidence in ("0.95", "0.975", "0.99"):
        low, high = law.interval(confidence)
        width = np.sqrt(parts) * (high - low) / 2
        assert total[away <= width].sum() >= float(confidence) - 1e-9
        assert total[away <= 0.75 * width].sum() < float(confidence)   # and are not much wider than they must be
