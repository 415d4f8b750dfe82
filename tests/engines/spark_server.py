"""One Spark for a whole run of tests: whoever needs it first starts it, every worker connects to it, and it ends with the run.

`python spark_server.py FOLDER PID [PORT]` starts it, writes its port into the folder, and waits until the process PID is gone.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PATIENCE = 180.0  # seconds for a Java machine to start beside everything else


def address() -> str:
    """Where this run's Spark is."""
    run = os.getppid() if os.environ.get("PYTEST_XDIST_WORKER") else os.getpid()
    folder = Path(tempfile.gettempdir()) / f"discreet-spark-{run}"
    try:
        folder.mkdir()
    except FileExistsError:
        pass  # another worker starts it
    else:
        with (folder / "log").open("wb") as log:
            subprocess.Popen([sys.executable, __file__, str(folder), str(run)], stdout=log, stderr=log, start_new_session=True)
    until = time.monotonic() + PATIENCE
    while not (folder / "port").exists():
        if time.monotonic() > until:
            raise TimeoutError((folder / "log").read_text(errors="replace")[-2000:])
        time.sleep(0.2)
    return f"sc://127.0.0.1:{(folder / 'port').read_text()}"


def main(folder: Path, run: int, port: int = 0) -> None:
    """Start it, at a port if one is given, and stay for as long as the run does."""
    from pyspark.sql import SparkSession

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    with socket.create_server(("127.0.0.1", port)) as free:
        port = free.getsockname()[1]
    settings = {
        "spark.driver.memory": "1g",
        "spark.ui.enabled": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2",
        "spark.sql.warehouse.dir": str(folder / "tables"),
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.local.dir": str(folder),
    }
    builder = SparkSession.builder.master("local[2]").appName("tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    (folder / "starting").write_text(str(port))
    (folder / "starting").rename(folder / "port")
    try:
        while _is_running(run):
            time.sleep(1)
    finally:
        session.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
