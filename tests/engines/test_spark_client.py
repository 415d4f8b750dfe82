"""The light client of Spark Connect, which is all that `discreet[spark]` brings: in an environment of its own, without Spark."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.engines.live import EXACT, ROWS, SUM, TRUE, charges, facts_at
from tests.engines.spark_tables import connected

from discreet.curator import office

pytestmark = pytest.mark.filterwarnings("ignore")  # pyspark's own, about pandas and sockets
ROOT = Path(__file__).parents[2]
LIGHT = ROOT / ".venv-light" / "bin" / "python"
SCRIPT = """
import importlib.util, json, sys, warnings
warnings.simplefilter("ignore")
assert importlib.util.find_spec("py4j") is None, "Spark itself is here"
import discreet as dc
from discreet.curator import office, open_table
office.register(sys.argv[1])
table = open_table(sys.argv[1])
quote = table.quote(sys.argv[2], epsilon=1)
answer = table.ask(sys.argv[2], epsilon=int(sys.argv[3]), analyst="alice")
from pyspark.sql import SparkSession
frame = SparkSession.builder.getOrCreate().table(sys.argv[4])
held = dc.table(frame, columns={"x": dc.number(0, 100), "place": dc.category(1, 2)}, unit="row", neighbours="add_remove",
                budget=10**9)
again = held.ask("SELECT place, COUNT(*) AS n FROM t GROUP BY place", epsilon=int(sys.argv[3]))
print(json.dumps({"quote": repr(quote), "rows": answer.rows, "source": answer.receipt["source"],
                  "groups": [row["n"] for row in again.rows if row["n"] > 0.5]}))
held.close()
table.close()
"""


@pytest.fixture(scope="module")
def spark():
    session = connected()
    yield session
    session.client.close()


def test_the_light_client_asks_and_quotes_a_registered_table_and_a_frame(spark, tmp_path):
    if not LIGHT.exists():
        pytest.skip("missing part: the environment .venv-light, which `make test` makes")
    name = f"default.light_{os.getpid()}"
    spark.createDataFrame(ROWS, "x DOUBLE, place INT, name STRING").write.saveAsTable(name)
    file = facts_at(tmp_path, f"spark:{name}")
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")  # with -c this client looks for Spark itself, and ends
    words = [str(LIGHT), str(tmp_path / "script.py"), str(file), SUM, str(EXACT), name]
    environment = {name: os.environ[name] for name in ("PATH", "HOME", "SPARK_REMOTE")}
    done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=300, check=False)
    spark.sql(f"DROP TABLE {name}")
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert [{key: round(value) for key, value in row.items()} for row in told["rows"]] == [TRUE]
    assert [round(each) for each in told["groups"]] == [1, 9]
    assert told["source"] == "not pinned"
    assert "±" in told["quote"]
    assert charges(file)[0] == [("settled", 1)]
    assert office.verify(file).ok
