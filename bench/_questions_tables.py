"""The tables of questions.py: Parquet files with a category of 50 values and a number, and what is public about them."""

from pathlib import Path

import duckdb

GROUPS = 50
QUESTION = "SELECT g, COUNT(*) AS n, SUM(x) AS s FROM t GROUP BY g"

FACTS = """\
[table]
name = "t"
source = "{name}.parquet"
version = "1"
unit = "row"
neighbours = "add_remove"
rows_about = {rows}

[budget]
epsilon = 1_000_000

[columns.g]
type = "category"
values = [{values}]

[columns.x]
type = "number"
lower = 0
upper = 100
"""


def make_table(folder: Path, name: str, rows: int) -> Path:
    """Write NAME.parquet and NAME.toml; the path of the facts."""
    made = f"SELECT CAST(floor(random() * {GROUPS}) AS INTEGER) AS g, random() * 100 AS x FROM range({rows})"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({made}) TO '{folder / name}.parquet' (FORMAT parquet)")
    facts = folder / f"{name}.toml"
    facts.write_text(FACTS.format(name=name, rows=rows, values=", ".join(map(str, range(GROUPS)))), encoding="utf-8")
    return facts


def without_privacy(facts: Path) -> str:
    """The question as DuckDB alone is asked."""
    return QUESTION.replace("FROM t", f"FROM read_parquet('{facts.with_suffix('.parquet')}')")
