"""Questions about a table on Spark, beside the same in Spark alone and Tumult Analytics

A classic session on this machine (`local[2]`, 3 GB) over Parquet files: a count and a sum in 50 groups, every
row a unit of its own; then units with ten rows each on average, of whom at most 5 groups count and 2 rows' worth in each. Beside
them Spark alone does `GROUP BY g` and `GROUP BY unit, g` with a count and a sum: the least that anybody has to do. Times of ours
are those of the whole question, charge and noise included. Tumult Analytics is asked for the count and the sum in the same 50
groups of the same files, every row a unit of its own, in an environment of its own with the version of Spark that it needs and
the same memory and cores.

Files are in the system's cache. *Best* is the shortest of several runs after one that warms up; ratios and targets go by it.
"""

import os
import tempfile
import warnings
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from _record import Times, clocked, in_peer, processor_of, record, target

import discreet as dc

ROWS = int(os.environ.get("DISCREET_BENCH_ROWS", "20000000"))
UNITS, GROUPS = ROWS // 10, 50
REPEATS, REPEATS_BY_UNIT = 30, 3  # what takes half a second is settled only once Java has translated all of it
ALONE = "SELECT g, COUNT(*), SUM(x) FROM rows GROUP BY g"
BY_UNIT = "SELECT g, SUM(n), SUM(s) FROM (SELECT u, g, COUNT(*) AS n, SUM(x) AS s FROM rows GROUP BY u, g) GROUP BY g"
ASKED = "SELECT g, COUNT(*) AS n, SUM(x) AS s FROM t GROUP BY g"


def main() -> None:
    from pyspark.sql import SparkSession

    warnings.simplefilter("ignore")  # pyspark's own, about pandas
    settings = {"spark.driver.memory": "3g", "spark.ui.enabled": "false", "spark.log.level": "OFF",
                "spark.sql.shuffle.partitions": "8"}  # fmt: skip
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    with tempfile.TemporaryDirectory() as folder:
        took, busy = measured(session, Path(folder) / "rows")
        session.stop()
        peer = in_peer("tmlt", "_spark_tumult.py", str(Path(folder) / "rows"), str(GROUPS), str(REPEATS))
    faster = None
    if peer is not None:
        took["Tumult Analytics"] = theirs = Times.of(peer["seconds"])
        faster = Times(theirs.best / took["discreet"].best, theirs.median / took["discreet"].median)
    by_row, by_unit = (Times(took[ours].best / took[theirs].best, took[ours].median / took[theirs].median)
                       for ours, theirs in (("discreet", "Spark"), ("discreet, by unit", "Spark, by unit")))  # fmt: skip
    many = f"{ROWS:,} rows, {GROUPS} groups"
    record(
        "spark",
        {
            "Targets": [
                target(f"count and sum, {many}, beside Spark alone", by_row, at_most=1.3, unit="×"),
                target(f"{UNITS:,} units, ≤ 5 of {GROUPS} groups each, beside GROUP BY unit, group", by_unit, at_most=1.8,
                       unit="×"),
                target(f"count and sum, {many}, Tumult's time over ours", faster, at_least=2.5, unit="×"),
            ],
            "Seconds": [{"what": what, "best": each.best, "median": each.median,
                         "processor": busy[what].best if what in busy else None}
                        for what, each in took.items()],
        },
        packages=("discreet", "pyspark"),
        peers={"tmlt.analytics": f"{peer['version']} with pyspark {peer['pyspark']}" if peer else "not installed"},
    )


def measured(session: Any, place: Path) -> tuple[dict[str, Times], dict[str, Times]]:
    made = (
        f"CAST(pmod(hash(id, 3), {UNITS}) AS BIGINT) AS u",
        f"CAST(pmod(hash(id), {GROUPS}) AS INT) AS g",
        "CAST(pmod(hash(id, 7), 10000) AS DOUBLE) / 100 AS x",
    )
    session.range(ROWS).selectExpr(*made).write.parquet(str(place))
    frame = session.read.parquet(str(place))
    frame.createOrReplaceTempView("rows")
    columns = {"g": dc.category(*range(GROUPS)), "x": dc.number(0, 100)}
    tables = {
        "discreet": dc.table(frame, columns=columns, unit="row", neighbours="add_remove", budget=10**6),
        "discreet, by unit": dc.table(frame, columns=columns, neighbours="add_remove", budget=10**6,
                                      unit={"column": "u", "max_groups": 5, "max_rows_per_group": 2}),
    }  # fmt: skip
    prices = count(1)

    def asking(table: Any) -> Callable[[], object]:
        return lambda: table.ask(ASKED, epsilon=f"0.{next(prices):04}", anew=True)

    alone = {"Spark": ALONE, "Spark, by unit": BY_UNIT}
    acts: dict[str, Callable[[], object]] = {what: lambda sql=sql: session.sql(sql).collect() for what, sql in alone.items()}
    acts |= {what: asking(table) for what, table in tables.items()}
    machine = session.sparkContext._jvm.java.lang.ProcessHandle.current().pid()
    took: dict[str, Times] = {}
    busy: dict[str, Times] = {}
    for pair, repeats in ((("Spark", "discreet"), REPEATS), (("Spark, by unit", "discreet, by unit"), REPEATS_BY_UNIT)):
        found = clocked({what: acts[what] for what in pair}, repeats=repeats, processor=lambda: processor_of(machine))
        took, busy = took | found[0], busy | found[1]
    return took, busy


if __name__ == "__main__":
    main()
