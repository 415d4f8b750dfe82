"""Units with many rows, beside DuckDB's own GROUP BY and PipelineDP

`SELECT g, COUNT(*) AS n, SUM(x) AS s FROM t GROUP BY g` over a Parquet file of people with ten rows on average, in 50 groups; of
each person at most 5 groups count, and 2 rows' worth in each. Beside it, in the same process and in turn, DuckDB alone does
`GROUP BY person, g` with a count and a sum and adds these up: the least that anybody has to do who bounds what one person puts
in. PipelineDP's local backend is asked the same with the same caps in an environment of its own, about fewer rows, since it
takes them one by one in Python; its time is compared per row.

Files are in the system's cache. *Best* is the shortest of several runs after one that warms up; ratios and targets go by it.
*Processor* is the time of all threads together, which others disturb less.
"""

import tempfile
from collections.abc import Callable
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
from _record import Row, Times, clocked, in_peer, record, target
from _units_table import FEW, GROUPS, MOST_GROUPS, QUESTION, make_table

import discreet as dc

ROWS, REPEATS = 20_000_000, 3
MANY = f"{ROWS:,} rows, {ROWS // 10:,} units"

QUESTIONS = {
    "count and sum, clamped": {},
    "count and sum, rows left out": {"max_rows": 8},
    "mean, rows left out": {"max_rows": 8, "sql": "SELECT g, AVG(x) AS m FROM t GROUP BY g"},
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        facts, few = make_table(Path(folder), "many", ROWS), make_table(Path(folder), "few", FEW)
        dc.register(facts)
        wall, busy = measured(facts)
        peer = in_peer("pipeline-dp", "_units_pipeline_dp.py", str(few.with_suffix(".csv")))
    ours, alone = wall["count and sum, clamped"], wall["DuckDB"]
    per_row = peer and Times(peer["seconds"] / peer["rows"], peer["seconds"] / peer["rows"])
    faster = per_row and Times(per_row.best / (ours.best / ROWS), per_row.median / (ours.median / ROWS))
    record(
        "units",
        {
            "Targets": [
                target(f"{MANY}, {GROUPS} groups, ≤ {MOST_GROUPS} of each unit, beside DuckDB's GROUP BY unit, group",
                       Times(ours.best / alone.best, ours.median / alone.median), at_most=2.5, unit="×"),
                target("PipelineDP's time per row over ours", faster, at_least=50, unit="×"),
            ],
            MANY: [speed(name, wall, busy) for name in wall],
            "Per row": [{"who": "discreet", "rows": ROWS, "s": ours.best, "µs per row": ours.best / ROWS * 1e6},
                        {"who": "PipelineDP, local", "rows": peer and peer["rows"], "s": peer and peer["seconds"],
                         "µs per row": per_row and per_row.best * 1e6}],
        },
        notes={MANY: f"Best and median of {REPEATS}."},
        packages=("discreet", "duckdb", "numpy", "sqlglot"),
        peers={"pipeline-dp": peer["version"] if peer else "not installed"},
    )


def measured(facts: Path) -> tuple[dict[str, Times], dict[str, Times]]:
    """One question in both forms, by the clock and by processors."""
    curator = dc.open(facts)
    file = facts.with_suffix(".parquet")
    pairs = f"SELECT person, g, COUNT(*) AS n, SUM(x) AS s FROM read_parquet('{file}') GROUP BY person, g"
    sql = f"SELECT COUNT(*), SUM(n), SUM(s) FROM ({pairs})"
    with duckdb.connect() as connection:
        acts: dict[str, Callable[[], object]] = {"DuckDB": lambda: connection.execute(sql).fetchall()}
        acts |= {name: asked(curator, **how) for name, how in QUESTIONS.items()}
        found = clocked(acts, repeats=REPEATS)
    curator.close()
    return found


def asked(curator: Any, sql: str = QUESTION, **caps: int) -> Callable[[], object]:
    """The question at a higher price each time."""
    prices = count(1)
    return lambda: curator.ask(sql, epsilon=1 + Fraction(next(prices), 10_000), **caps)


def speed(name: str, wall: dict[str, Times], busy: dict[str, Times]) -> Row:
    return {"who": name, "s, best": wall[name].best, "s, median": wall[name].median, "processor, s": busy[name].best,
            "÷ DuckDB": wall[name].best / wall["DuckDB"].best, "÷ DuckDB, processor": busy[name].best / busy["DuckDB"].best}


if __name__ == "__main__":
    main()
