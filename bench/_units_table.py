"""The table of units.py: a Parquet file of people with ten rows on average, in 50 groups, and what is public about it."""

from pathlib import Path

GROUPS, ROWS_OF_UNIT, MOST_GROUPS, MOST_ROWS = 50, 10, 5, 2
FEW = 1_000_000
QUESTION = "SELECT g, COUNT(*) AS n, SUM(x) AS s FROM t GROUP BY g"

FACTS = """\
[table]
name = "t"
source = "{name}.parquet"
version = "1"
unit = {{ column = "person", max_groups = {groups}, max_rows_per_group = {rows} }}
neighbours = "add_remove"

[budget]
epsilon = 1_000_000

[columns.g]
type = "category"
values = [{values}]

[columns.x]
type = "integer"
lower = 0
upper = 100
"""


def make_table(folder: Path, name: str, rows: int) -> Path:
    """Write NAME.parquet and NAME.toml, and for few rows NAME.csv; the path of the facts."""
    import duckdb  # the peer that imports this module has none

    drawn = [f"CAST(floor(random() * {rows // ROWS_OF_UNIT}) AS BIGINT) AS person",
             f"CAST(floor(random() * {GROUPS}) AS INTEGER) AS g", "CAST(floor(random() * 101) AS INTEGER) AS x"]
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT {', '.join(drawn)} FROM range({rows})) TO '{folder / name}.parquet' (FORMAT parquet)")
        if rows <= FEW:
            connection.execute(f"COPY (FROM '{folder / name}.parquet') TO '{folder / name}.csv'")
    facts = folder / f"{name}.toml"
    values = ", ".join(map(str, range(GROUPS)))
    facts.write_text(FACTS.format(name=name, values=values, groups=MOST_GROUPS, rows=MOST_ROWS), encoding="utf-8")
    return facts
