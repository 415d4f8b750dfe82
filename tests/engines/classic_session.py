"""`python classic_session.py FOLDER`: a classic Spark that is stopped, and then killed, while a registered table is asked.

Prints what was told before, while it was stopped, with a session that was made anew, and while its Java machine was killed.
"""

import json
import os
import signal
import sys
import threading
from pathlib import Path

from killed_server import SLOW
from lost_executor import FACTS, SETTINGS, is_ours


def started(folder: Path, rows: Path):
    """A session with the table."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.local.dir", str(folder))
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.config("spark.sql.warehouse.dir", str(folder / "tables")).getOrCreate()
    session.sql(f"CREATE TABLE IF NOT EXISTS default.t USING parquet LOCATION '{rows}'")
    return session


def kill() -> None:
    """The Java machine that this process has started."""
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        process = int(place.parent.name)
        if b"org.apache.spark.deploy.SparkSubmit" in place.read_bytes() and is_ours(process):
            os.kill(process, signal.SIGKILL)


def main(folder: Path) -> None:
    """Ask four times."""
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    import pyarrow as pa
    import pyarrow.parquet as pq

    import discreet as dc
    from discreet.curator import office
    from discreet.engines.spark.engine import Spark

    (folder / "rows").mkdir()
    pq.write_table(pa.table({"x": [row % 101 for row in range(10_000)]}), folder / "rows" / "0.parquet")
    session = started(folder, folder / "rows")
    (facts := folder / "t.toml").write_text(FACTS, encoding="utf-8")
    office.register(facts)
    told, timers, real = [], [], Spark._fetched
    middles = {1: session.stop, 3: kill}

    def fetched(engine, sql):
        if (act := middles.pop(len(told), None)) is None:
            return real(engine, sql)
        timers.append(threading.Timer(2.0, act))
        timers[-1].start()
        return real(engine, SLOW)

    Spark._fetched = fetched
    with dc.open(str(facts)) as table:
        for turn in range(4):
            if turn == 2:
                timers[0].join()                      # it is stopped by now, or it would be found half so
                started(folder, folder / "rows")
            try:
                told.append(table.ask(f"SELECT COUNT(*) AS n FROM t WHERE x > {turn}", epsilon=1_000_000).rows[0]["n"])
            except dc.Fault as fault:
                told.append([fault.freezes, fault.message])
        spent = str(table.budget.spent.epsilon)
    alarms, kept = len(office.alarms(facts)), office.verify(facts).ok
    print(json.dumps({"told": told, "spent": spent, "alarms": alarms, "kept": kept}), flush=True)
    os._exit(0)  # py4j waits for a machine that is gone


if __name__ == "__main__":
    main(Path(sys.argv[1]))
