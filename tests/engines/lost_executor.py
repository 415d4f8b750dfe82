"""`python lost_executor.py FOLDER`: a Spark of two executors, one of which is killed while a registered table is asked.

Prints the answers before, with and after the loss, what was spent, and how many executors were killed.
"""

import json
import os
import signal
import sys
from pathlib import Path

SETTINGS = {
    "spark.driver.memory": "1g",
    "spark.executor.memory": "512m",
    "spark.log.level": "OFF",
    "spark.sql.shuffle.partitions": "4",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
FACTS = """
[table]
name = "t"
source = "spark:default.t"
version = "1"
unit = "row"
neighbours = "add_remove"
[budget]
epsilon = 1_000_000_000
[columns.x]
type = "integer"
lower = 0
upper = 100
null = "drop"
"""
QUESTIONS = [f"SELECT COUNT(*) AS n, SUM(x) AS s FROM t WHERE x > {least}" for least in (5, 6, 7)]


def parent_of(process: int) -> int:
    """The process that started one; 0 if it is gone."""
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def is_ours(process: int) -> bool:
    """Whether this process started another, or one that did."""
    while process > 1:
        process = parent_of(process)
        if process == os.getpid():
            return True
    return False


def executors() -> list[int]:
    """Those that this Spark has started."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes()
        except OSError:
            continue
        if b"CoarseGrainedExecutorBackend" in words and is_ours(int(place.parent.name)):
            found.append(int(place.parent.name))
    return found


def main(folder: Path) -> None:
    """Register a table of eight files, and ask it three times."""
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyspark.sql import SparkSession

    import discreet as dc
    from discreet.curator import office
    from discreet.engines.spark.engine import Spark

    (rows := folder / "rows").mkdir()
    for number in range(8):
        pq.write_table(pa.table({"x": [row % 101 for row in range(10_000)]}), rows / f"{number}.parquet")
    builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.local.dir", str(folder))
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.config("spark.sql.warehouse.dir", str(folder / "tables")).getOrCreate()
    session.sql(f"CREATE TABLE t USING parquet LOCATION '{rows}'")
    (facts := folder / "t.toml").write_text(FACTS, encoding="utf-8")
    office.register(facts)
    told, killed, real = [], [], Spark._fetched

    def fetched(engine, sql):
        if len(told) == 1 and not killed:             # the driver does not know yet, and sends it work
            killed.append(executors()[0])
            os.kill(killed[0], signal.SIGKILL)
        return real(engine, sql)

    Spark._fetched = fetched
    with dc.open(str(facts)) as table:
        for question in QUESTIONS:
            told.append(table.ask(question, epsilon=1_000_000).rows[0])  # noqa: PERF401 - one after the other, and told as such
        spent = str(table.budget.spent.epsilon)
    print(json.dumps({"told": told, "killed": len(killed), "spent": spent}))
    session.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
