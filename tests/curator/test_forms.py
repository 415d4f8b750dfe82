"""What analysts write, asked at a price that leaves no noise, against plain DuckDB on the same rows."""

import random
from datetime import date, datetime, timedelta

import duckdb
import pandas as pd
import pytest

import discreet as dc

ROWS = 300


@pytest.fixture(scope="module")
def rows():
    draw = random.Random(15)
    first, start = date(2019, 1, 1), datetime(2020, 1, 1)  # noqa: DTZ001 - what is stored has no zone
    return pd.DataFrame(
        {
            "x": [draw.uniform(-5, 10) for _ in range(ROWS)],
            "y": [draw.uniform(1, 100) for _ in range(ROWS)],
            "z": [draw.choice([1.0, 20.0, 30.0, None]) for _ in range(ROWS)],
            "k": [draw.randrange(7) for _ in range(ROWS)],
            "s": [draw.choice(["Ann", "bob", "CÉe", None]) for _ in range(ROWS)],
            "name": [draw.choice(["Alice", "12", "2020-01-31", "x%y", "2.5", "ALINA", None]) for _ in range(ROWS)],
            "d": [first + timedelta(draw.randrange(1000)) for _ in range(ROWS)],
            "m": [start + timedelta(minutes=draw.randrange(500_000)) for _ in range(ROWS)],
            "b": [draw.random() < 0.5 for _ in range(ROWS)],
        }
    )


@pytest.fixture
def table(rows):
    columns = {
        "x": dc.number(-5, 10), "y": dc.number(1, 100), "z": dc.number(0, 50), "k": dc.integer(0, 6),
        "s": dc.category("Ann", "bob", "CÉe"), "name": dc.text(max_length=20), "d": dc.date(date(2019, 1, 1), date(2021, 12, 31)),
        "m": dc.timestamp(datetime(2020, 1, 1), datetime(2020, 12, 31)), "b": dc.boolean(),  # noqa: DTZ001
    }  # fmt: skip
    return dc.table(rows, columns=columns, unit="row", neighbours="add_remove", budget=10**15)


ONE_ROW = {  # what is asked, and in SQL of DuckDB where that is written otherwise
    "AVG(SQRT(x))": "AVG(SQRT(GREATEST(x, 0)))",
    "AVG(LN(y))": "",
    "AVG(EXP(x / 5))": "",
    "SUM(POWER(x, 2))": "",
    "SUM(POW(y, 0.5))": "",
    "AVG(POWER(y, -1))": "",
    "COUNT(*) FILTER (WHERE LOWER(s) = 'ann')": "",
    "COUNT(*) FILTER (WHERE UPPER(s) = 'BOB')": "",
    "COUNT(*) FILTER (WHERE name ILIKE 'aLI%')": "",
    "COUNT(*) FILTER (WHERE name NOT ILIKE 'aLI%')": "",
    "SUM(LENGTH(name))": "",
    "SUM(LENGTH(s))": "",
    "COUNT(*) FILTER (WHERE SUBSTR(name, 1, 2) = 'Al')": "",
    "COUNT(*) FILTER (WHERE SUBSTRING(name FROM 2 FOR 3) = 'lic')": "",
    "COUNT(*) FILTER (WHERE LEFT(name, 1) = 'A')": "",
    "COUNT(*) FILTER (WHERE STARTS_WITH(name, 'x%'))": "",
    "SUM(LEAST(GREATEST(CAST(name AS DOUBLE), 0), 100))": "SUM(LEAST(GREATEST(c, 0), 100)) FILTER (WHERE c IS NOT NULL)",
    "COUNT(name::DATE)": "COUNT(TRY_CAST(name AS DATE))",
    "SUM(k::DOUBLE)": "",
    "COUNT(*) FILTER (WHERE CAST(k AS TEXT) = '3')": "",
    "SUM(CAST(y AS INTEGER))": "",
    "AVG(EXTRACT(WEEK FROM d))": "",
    "AVG(DAYOFWEEK(d))": "",
    "AVG(EXTRACT(ISOYEAR FROM d))": "",
    "AVG(EXTRACT(ISODOW FROM m))": "",
    "AVG(QUARTER(d))": "",
    "AVG(DATE_PART('doy', d))": "",
    "COUNT(*) FILTER (WHERE DATE_TRUNC('month', d) = DATE '2020-02-01')": "",
    "COUNT(*) FILTER (WHERE DATE_TRUNC('week', m) = DATE '2020-02-03')": "",
    "COUNT(*) FILTER (WHERE DATE_TRUNC('hour', m) < TIMESTAMP '2020-02-03 10:00:00')": "",
    "COUNT(*) FILTER (WHERE CAST(m AS DATE) >= DATE '2020-02-03')": "",
    "COUNT(*) FILTER (WHERE IF(b, 1, 2) = 2)": "",
    "COUNT_IF(z > 15)": "",
    "COUNT_IF(z > 15) FILTER (WHERE b)": "",
    "SUM(z > 15)": "COUNT_IF(z > 15)",
    "AVG(z > 15)": "AVG(CAST(z > 15 AS INTEGER))",
    "AVG(z IS NULL)": "AVG(CAST(z IS NULL AS INTEGER))",
    "AVG(b)": "AVG(CAST(b AS INTEGER))",
    "COUNT(*) FILTER (WHERE z > 15) / COUNT(*)": "",
    "100.0 * COUNT(*) FILTER (WHERE z > 15) / NULLIF(COUNT(*), 0)": "",
    "ROUND(SUM(CASE WHEN z > 15 THEN 1 END) / COUNT(*) * 100, 1)": "",
    "COUNT(*) FILTER (WHERE b AND z > 15) / COUNT(*) FILTER (WHERE b)": "",
}


GROUPED = {
    "SELECT k, s, COUNT(*) AS n FROM t WHERE s IS NOT NULL GROUP BY ALL": "",
    "SELECT k AS kind, AVG(x) AS m FROM t GROUP BY 1": "",
    "SELECT k AS kind, AVG(x) AS m FROM t GROUP BY kind": "",
    "SELECT k, COUNT(*) / SUM(COUNT(*)) OVER () AS p FROM t GROUP BY k ORDER BY p DESC LIMIT 8": "",
    "SELECT k, 100 * SUM(y) / SUM(SUM(y)) OVER () AS p FROM t GROUP BY k": "",
    "SELECT CASE WHEN x < 0 THEN 'low' WHEN x < 5 THEN 'mid' ELSE 'high' END AS band, COUNT(*) AS n FROM t GROUP BY band": "",
    "SELECT CASE WHEN x < 0 THEN 'low' WHEN x < 5 THEN 'mid' END AS band, COUNT(*) AS n FROM t GROUP BY 1": "",
    "SELECT CASE k WHEN 1 THEN 0.5 WHEN 2 THEN 0.5 ELSE 7 END AS w, b, COUNT(*) AS n FROM t GROUP BY ALL": "",
    "SELECT COALESCE(s, 'unknown') AS who, COUNT(*) AS n FROM t GROUP BY who": "",
    "SELECT IF(x > 3, 1, 0) AS late, AVG(y) AS m FROM t GROUP BY late": "",
    "SELECT x > 3 AS late, COUNT(*) AS n FROM t GROUP BY late HAVING COUNT(*) > 0.5": "",
    "SELECT DATE_TRUNC('month', d) AS month, COUNT(*) AS n FROM t GROUP BY month HAVING COUNT(*) > 0.5":
        "SELECT strftime(DATE_TRUNC('month', d), '%Y-%m-%d') AS month, COUNT(*) AS n FROM t GROUP BY month",
    "SELECT DATE_TRUNC('week', m) AS w, COUNT(*) AS n FROM t GROUP BY 1 HAVING COUNT(*) > 0.5":
        "SELECT strftime(DATE_TRUNC('week', m), '%Y-%m-%d') AS w, COUNT(*) AS n FROM t GROUP BY w",
    "SELECT DATE_TRUNC('hour', m) AS h, COUNT(*) AS n FROM t GROUP BY 1 HAVING COUNT(*) > 0.5":
        "SELECT strftime(DATE_TRUNC('hour', m), '%Y-%m-%d %H:%M:%S') AS h, COUNT(*) AS n FROM t GROUP BY h",
    "SELECT EXTRACT(WEEK FROM d) AS w, COUNT(*) AS n FROM t GROUP BY w HAVING COUNT(*) > 0.5": "",
    "SELECT WIDTH_BUCKET(x, 0, 10, 5) AS w, COUNT(*) AS n FROM t GROUP BY w HAVING COUNT(*) > 0.5":
        "SELECT CAST(CASE WHEN x < 0 THEN 0 ELSE FLOOR(x / 2) + 1 END AS INTEGER) AS w, COUNT(*) AS n FROM t GROUP BY w",
    "SELECT LENGTH(name) AS w, COUNT(*) AS n FROM t WHERE name IS NOT NULL GROUP BY w HAVING COUNT(*) > 0.5": "",
    "SELECT k % 3 AS w, COUNT(*) AS n FROM t GROUP BY w": "",
    "SELECT LOWER(s) AS w, COUNT(*) AS n FROM t WHERE s <> 'CÉe' GROUP BY w HAVING COUNT(*) > 0.5": "",
}


@pytest.mark.slow
def test_questions_by_groups_are_those_of_plain_sql(rows, table):
    for sql, same in GROUPED.items():
        released = [tuple(row.values()) for row in table.ask(sql, epsilon=10**12).rows]
        found = [row for row in released if row[-1] is not None and abs(row[-1]) > 1e-9]  # empty groups are released too
        plain = duckdb.query_df(rows, "t", same or sql).fetchall()
        told = sorted(found, key=lambda row: str(row[:-1])), sorted(plain, key=lambda row: str(row[:-1]))
        assert [row[:-1] for row in told[0]] == [row[:-1] for row in told[1]], sql
        assert [float(row[-1]) for row in told[0]] == pytest.approx([float(row[-1]) for row in told[1]], rel=1e-6), sql


@pytest.mark.parametrize("neighbours", ["add_remove", "change_one"])
def test_a_share_is_planned_as_the_mean_that_it_is(rows, neighbours):
    columns, size = {"z": dc.number(0, 50), "b": dc.boolean()}, {"rows": ROWS} if neighbours == "change_one" else {}
    table = dc.table(rows[["z", "b"]], columns=columns, unit="row", neighbours=neighbours, budget=10**6, **size)
    mean = table.quote("SELECT AVG(CASE WHEN z > 15 THEN 1 ELSE 0 END) AS v FROM t WHERE b", epsilon=1, assuming=100)
    for share in (
        "COUNT(*) FILTER (WHERE z > 15) / COUNT(*)",
        "SUM(CASE WHEN z > 15 THEN 1 ELSE 0 END) / COUNT(*)",
        "COUNT_IF(z > 15) / COUNT(*)",
    ):
        quote = table.quote(f"SELECT {share} AS v FROM t WHERE b", epsilon=1, assuming=100)
        assert quote.to_dict() == mean.to_dict()
    apart = "COUNT(*) FILTER (WHERE z > 15) / COUNT(*) FILTER (WHERE z < 20)"  # the rows above are not among those below
    assert len(table.quote(f"SELECT {apart} AS v FROM t", epsilon=1, assuming=100).to_dict()["split"]) == 2


@pytest.mark.slow
def test_functions_of_rows_are_those_of_plain_sql(rows, table):
    plain = duckdb.from_df(rows.assign(c=pd.to_numeric(rows["name"], errors="coerce")))
    forms = list(ONE_ROW.items())
    asked = table.ask("SELECT " + ", ".join(f"{form} AS v{n}" for n, (form, _) in enumerate(forms)) + " FROM t", epsilon=10**12)
    (expected,) = plain.aggregate(", ".join(same or form for form, same in forms)).fetchall()
    found = [asked.rows[0][f"v{n}"] for n in range(len(forms))]
    wrong = {
        form: (one, other)
        for (form, _), one, other in zip(forms, found, expected, strict=True)
        if one != pytest.approx(float(other), abs=1e-4, rel=1e-6)
    }
    assert not wrong
