"""Filters on bounded columns, beside DuckDB without privacy

Ten million rows in a Parquet file. A condition such as `age >= 20` on a column whose declared bounds hold 20 is written without
the clamp, since clamping would change nothing about it; DuckDB then reads it as it reads its own. Both are asked in turn in one
process, discreet at a new price each time. *Best* is the shortest of several runs after one that warms up.
"""

import tempfile
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
from _record import Row, Times, clocked, record, target

import discreet as dc

ROWS, REPEATS = 10_000_000, 30
QUESTIONS = {
    "count": ("SELECT COUNT(*) AS n FROM t WHERE age >= 20", 1.3),
    "count and sum": ("SELECT COUNT(*) AS n, SUM(x) AS s FROM t WHERE age >= 20", 1.45),
}
FACTS = f"""\
[table]
name = "t"
source = "t.parquet"
version = "1"
unit = "row"
neighbours = "add_remove"
rows_about = {ROWS}

[budget]
epsilon = 1_000_000

[columns.age]
type = "integer"
lower = 0
upper = 110

[columns.x]
type = "number"
lower = 0
upper = 100
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        facts = made(Path(folder))
        found = {name: measured(facts, sql) for name, (sql, _) in QUESTIONS.items()}
    targets = [target(f"{name} of {ROWS:,} rows with a filter, beside DuckDB", ratio(found[name][0]), at_most=most, unit="×")
               for name, (_, most) in QUESTIONS.items()]  # fmt: skip
    record("filters", {"Targets": targets, "Filters": [told(name, *each) for name, each in found.items()]},
           packages=("discreet", "duckdb", "numpy"))  # fmt: skip


def made(folder: Path) -> Path:
    """A registered table; the path of its facts."""
    rows = f"SELECT CAST(floor(random() * 100) AS INTEGER) AS age, random() * 100 AS x FROM range({ROWS})"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({rows}) TO '{folder / 't.parquet'}' (FORMAT parquet)")
    facts = folder / "t.toml"
    facts.write_text(FACTS, encoding="utf-8")
    dc.register(facts)
    return facts


def measured(facts: Path, sql: str) -> tuple[dict[str, Times], dict[str, Times]]:
    """Seconds by the clock, and of processors."""
    alone = sql.replace("FROM t", f"FROM read_parquet('{facts.with_suffix('.parquet')}')")
    with closing(dc.open(facts)) as curator, duckdb.connect() as connection:
        return clocked({"discreet": asked(curator, sql), "DuckDB": lambda: connection.execute(alone).fetchall()}, repeats=REPEATS)


def asked(curator: Any, sql: str) -> Callable[[], object]:
    prices = count(1)
    return lambda: curator.ask(sql, epsilon=1 + Fraction(next(prices), 10_000))


def ratio(taken: dict[str, Times]) -> Times:
    ours, theirs = taken["discreet"], taken["DuckDB"]
    return Times(ours.best / theirs.best, ours.median / theirs.median)


def told(name: str, wall: dict[str, Times], busy: dict[str, Times]) -> Row:
    return {"question": name, "discreet, ms": wall["discreet"].best * 1e3, "DuckDB, ms": wall["DuckDB"].best * 1e3,
            "÷ DuckDB": ratio(wall).best, "÷ DuckDB, processor": ratio(busy).best}  # fmt: skip


if __name__ == "__main__":
    main()
