"""Tables that are larger than the memory that may be used: 200 million rows of Parquet under 2 GB, beside 20 million.

What one process may have is limited by the system, not by its own good will, and the most that it had is read from the system's
record. Times are told, and nothing is asserted about them.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import discreet as dc

pytestmark = pytest.mark.soak

HERE = Path(__file__).resolve().parent
PIECE, PIECES, GROUPS = int(os.environ.get("DISCREET_SOAK_ROWS", "20000000")), 10, 50
LIMIT = 2_000_000_000
ENGINE = "1000"  # MiB of these are for DuckDB's buffers; the rest is for Python, answers and what DuckDB does not count
QUESTION = "SELECT g, COUNT(*) AS n, SUM(x) AS s FROM t GROUP BY g"
FACTS = """\
[table]
name = "t"
source = "{source}"
version = "1"
unit = {unit}
neighbours = "add_remove"

[budget]
epsilon = 1_000_000

[columns.g]
type = "category"
values = {values}

[columns.x]
type = "number"
lower = 0
upper = 100
"""
UNITS = {
    "every row a unit": '"row"',
    "by unit": '{ column = "u", max_groups = 5, max_rows_per_group = 2 }',
}


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """A folder with ten files of 20 million rows each; the first of them is the smaller table."""
    if sys.platform != "linux":
        pytest.skip("missing part: Linux, whose limits of memory are asked for")
    folder = tmp_path_factory.mktemp("large")
    made = (
        f"SELECT CAST(floor(random() * {GROUPS}) AS INTEGER) AS g, random() * 100 AS x, "
        f"CAST(floor(random() * {PIECE * PIECES // 10}) AS BIGINT) AS u FROM range({PIECE})"
    )
    with duckdb.connect(config={"memory_limit": "1GB"}) as connection:
        for piece in range(PIECES):
            connection.execute(f"COPY ({made}) TO '{folder}/rows{piece}.parquet' (FORMAT parquet)")
    size = sum(file.stat().st_size for file in folder.glob("*.parquet"))
    print(f"\n  {PIECES} files of {PIECE:,} rows, {size / 1e9:.1f} GB")
    yield folder
    for file in folder.iterdir():
        if file.is_file():
            file.unlink()


def asked(folder, name, source, unit):
    facts = folder / name / "t.toml"
    facts.parent.mkdir()
    facts.write_text(FACTS.format(source=f"../{source}", unit=unit, values=list(range(GROUPS))), encoding="utf-8")
    dc.register(facts)
    command = [sys.executable, str(HERE / "large.py"), str(facts), QUESTION, str(LIMIT)]
    done = subprocess.run(command, env=os.environ | {"DISCREET_MEMORY": ENGINE}, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("what", UNITS)
def test_200_million_rows_are_asked_under_2_gigabytes(rows, what):
    few, many = (asked(rows, f"{what} {name}", source, UNITS[what]) for name, source in
                 (("few", "rows0.parquet"), ("many", "rows*.parquet")))  # fmt: skip
    each = [found["seconds"] / count * 1e9 for found, count in ((few, PIECE), (many, PIECE * PIECES))]
    print(f"\n  {what}: {PIECE:,} rows {few['seconds']:.2f} s, {PIECE * PIECES:,} rows {many['seconds']:.2f} s: "
          f"{each[0]:.2f} and {each[1]:.2f} ns a row, {each[1] / each[0]:.2f} times; most memory {few['most'] / 1e9:.2f} and "
          f"{many['most'] / 1e9:.2f} GB of {LIMIT / 1e9:g}; progress told {len(many['told'])} times: {many['told'][:12]}")
    assert many["most"] < LIMIT
    assert many["told"] or many["seconds"] < 2, "whoever waits is told how far it is"
    assert many["told"] == sorted(many["told"])
    if what == "every row a unit":
        assert abs(many["total"] - PIECE * PIECES) < 10_000                 # noise of 50 counts at ε = 1 beside 200 million
