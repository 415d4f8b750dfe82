"""`python killed_server.py FOLDER`: a Spark Connect server that is killed while a registered table is asked, and started again.

Prints what was told before, in the middle and after, and what was spent.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

from lost_executor import FACTS

HERE = Path(__file__).parent
SLOW = "SELECT SUM(a.id * b.id) AS l0 FROM RANGE(3000000) AS a CROSS JOIN RANGE(3000000) AS b"


class Server:
    """A process group of Python and Java, always at one port."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.folder = folder

    def start(self) -> None:
        """Start it, and come back when it listens."""
        place = self.folder / "server"
        place.mkdir(exist_ok=True)
        (place / "port").unlink(missing_ok=True)
        words = [sys.executable, str(HERE / "spark_server.py"), str(place), str(os.getpid()), str(self.port)]
        quiet = {name: value for name, value in os.environ.items() if not name.startswith("SPARK_")}  # a client sets some
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=quiet,
                                        start_new_session=True)  # fmt: skip
        pause = threading.Event()
        while not (place / "port").exists():
            if self.process.poll() is not None:
                raise RuntimeError("Spark did not start")
            pause.wait(0.2)

    def kill(self) -> None:
        """As a machine that loses its power."""
        with suppress(ProcessLookupError):  # it is gone
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def made(rows: Path) -> None:
    """The table, in a session that ends with it: a catalog in memory dies with its server."""
    from pyspark.sql.connect.session import SparkSession

    session = SparkSession.builder.remote(os.environ["SPARK_REMOTE"]).create()
    session.sql(f"CREATE TABLE IF NOT EXISTS default.t USING parquet LOCATION '{rows}'").collect()
    session.stop()


def main(folder: Path) -> None:
    """Ask before, in the middle, and after."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    import discreet as dc
    from discreet.curator import office
    from discreet.engines.spark.engine import Spark

    (folder / "rows").mkdir()
    pq.write_table(pa.table({"x": [row % 101 for row in range(10_000)]}), folder / "rows" / "0.parquet")
    server = Server(folder)
    server.start()
    os.environ["SPARK_REMOTE"] = f"sc://127.0.0.1:{server.port}"
    try:
        made(folder / "rows")
        (facts := folder / "t.toml").write_text(FACTS, encoding="utf-8")
        office.register(facts)
        told, real = [], Spark._fetched

        def fetched(engine, sql):
            if len(told) != 1:
                return real(engine, sql)
            threading.Timer(2.0, server.kill).start()
            return real(engine, SLOW)

        Spark._fetched = fetched
        with dc.open(str(facts)) as table:
            for turn in range(3):
                if turn == 2:
                    server.start()
                    made(folder / "rows")
                try:
                    told.append(table.ask(f"SELECT COUNT(*) AS n FROM t WHERE x > {turn}", epsilon=1_000_000).rows[0]["n"])
                except dc.Fault as fault:
                    told.append([type(fault).__name__, fault.freezes, fault.message])
            spent = str(table.budget.spent.epsilon)
        alarms, kept = len(office.alarms(facts)), office.verify(facts).ok
        print(json.dumps({"told": told, "spent": spent, "alarms": alarms, "kept": kept}))
    finally:
        server.kill()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
