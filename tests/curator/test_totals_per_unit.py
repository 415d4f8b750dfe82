"""Every form of totals per unit, at a price at which noise is nothing, is what DuckDB says of the same SQL."""

import re
from itertools import chain, product

import duckdb
import pandas as pd
import pytest

import discreet as dc

EACH = range(1200)
HOMES = [n * 31 % 60 for n in EACH]
ROWS = pd.DataFrame({
    "home": HOMES, "seg": ["ab"[home % 2] for home in HOMES], "ward": [n * 7 % 4 for n in EACH], "k": [n % 5 for n in EACH],
    "x": [None if n % 11 == 0 or home == 7 else n * 13 % 400 / 4 - 20 for n, home in zip(EACH, HOMES, strict=True)],
})  # fmt: skip
INNER = ["SUM(x)", "COUNT(*)", "COUNT(x)", "AVG(x)", "MIN(x)", "MAX(x)", "SUM(k) FILTER (WHERE k < 3)", "MAX(x) - MIN(x)"]
OUTER = ["COUNT(*)", "COUNT(s)", "SUM(CLAMP(s, -100, 400))", "AVG(CLAMP(s, -100, 400))", "VAR_POP(CLAMP(s, -100, 400))",
         "AVG(s > 20)", "COUNT(*) FILTER (WHERE s < 10)"]  # fmt: skip
KEYS = [("", ""), ("seg", "seg"), ("seg, ward", "ward"), ("ward", "")]  # inside beside the unit, and outside


@pytest.fixture(scope="module")
def sales():
    columns = {"seg": dc.category("a", "b", per_unit=True, null="drop"), "ward": dc.integer(0, 3, null="drop"),
               "x": dc.number(-20, 80), "k": dc.integer(0, 4)}  # fmt: skip
    unit = {"column": "home", "max_rows": 2}
    return dc.table(ROWS, name="sales", columns=columns, unit=unit, neighbours="add_remove", budget=10**18)


def by_duckdb(sql):
    """The same by DuckDB alone: CLAMP is what it stands for, and a sum bounded per unit is a subquery."""
    plain = re.sub(r"CLAMP\((.*?), (-?\d+), (\d+)\)", r"CASE WHEN \1 IS NULL THEN NULL ELSE LEAST(GREATEST(\1, \2), \3) END", sql)
    with duckdb.connect() as connection:
        connection.register("sales", ROWS.astype({"x": "float64"}))
        plain = plain.replace("AVG(s > 20)", "AVG(CASE WHEN s > 20 THEN 1.0 WHEN s <= 20 THEN 0.0 END)")
        return connection.execute(plain).fetchall()


def agree(sales, sql, plain=None):
    answer = sales.ask(sql, epsilon=10**12)
    found = sorted(tuple(row.values()) for row in answer.rows)
    wanted = sorted(by_duckdb(plain or sql))
    assert len(found) == len(wanted), sql
    for one, other in zip(chain(*found), chain(*wanted), strict=True):
        assert one == (pytest.approx(other, abs=2e-4, rel=1e-6) if isinstance(other, float) else other), sql


@pytest.mark.slow
@pytest.mark.parametrize(("inside", "outside"), KEYS)
def test_values_per_unit_are_those_of_duckdb(sales, inside, outside):
    for place, value in enumerate(INNER):
        where = " WHERE k <> 3" if place % 2 else ""
        keys = f"home, {inside}" if inside else "home"
        rows = f"(SELECT {keys}, {value} AS s FROM sales{where} GROUP BY {keys}) AS one"
        named = [f"{each} AS v{place}" for place, each in enumerate(OUTER)]
        by = f" GROUP BY {outside}" if outside else ""
        agree(sales, f"SELECT {', '.join([*([outside] if outside else []), *named])} FROM {rows}{by}")


@pytest.mark.slow
@pytest.mark.parametrize("ends", [(0, 300), (-100, 50), (20, 90)])
def test_sums_bounded_per_unit_are_those_of_duckdb(sales, ends):
    for key, only in product(("", "seg", "ward"), ("", " FILTER (WHERE k < 2)")):
        clamped = f"LEAST(GREATEST(SUM(x){only}, {ends[0]}), {ends[1]})"
        total = f"CASE WHEN COUNT(x){only} > 0 THEN {clamped} ELSE 0 END"
        keys, by = (f"{key}, ", f" GROUP BY {key}") if key else ("", "")
        rows = f"SELECT home, {keys}{total} AS t FROM sales GROUP BY {keys}home"
        plain = f"SELECT {keys}SUM(t) AS s FROM ({rows}){by}"
        agree(sales, f"SELECT {keys}SUM(x){only} PER UNIT BETWEEN {ends[0]} AND {ends[1]} AS s FROM sales{by}", plain)
