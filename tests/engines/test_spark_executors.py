"""A cluster that loses one of its executors, or a server that is killed, while a question is answered."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def printed(name, folder):
    """What a program beside this file prints as its last line, in an environment that knows of no Spark."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_", "MASTER"))}
    done = subprocess.run([sys.executable, Path(__file__).with_name(name), folder], capture_output=True, text=True, timeout=300,
                          check=False, env=environment)  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_an_executor_that_is_lost_in_the_middle_changes_no_integer(tmp_path, part):
    part("pyspark")
    found = printed("lost_executor.py", tmp_path)
    assert found["killed"] == 1
    assert found["spent"] == "3000000"
    values = [row % 101 for row in range(10_000)] * 8
    for least, row in zip((5, 6, 7), found["told"], strict=True):
        kept = [value for value in values if value > least]
        assert row["n"] == len(kept)                  # noise of a millionth of a row
        assert row["s"] == pytest.approx(sum(kept), abs=0.01)


def test_a_server_that_is_killed_in_the_middle_costs_what_was_charged_and_goes_on_when_it_is_back(tmp_path, part):
    part("pyspark")
    found = printed("killed_server.py", tmp_path)
    before, during, after = found["told"]
    assert before == sum(row % 101 > 0 for row in range(10_000))
    assert during[:2] == ["SourceFault", False]
    assert after == sum(row % 101 > 2 for row in range(10_000))
    assert (found["spent"], found["alarms"], found["kept"]) == ("3000000", 0, True)
    for word in ("grpc", "UNAVAILABLE", "127.0.0.1", "Exception"):
        assert word not in json.dumps(found["told"])


def test_a_classic_session_that_is_stopped_or_killed_costs_what_was_charged_and_freezes_nobody(tmp_path, part):
    part("pyspark")
    found = printed("classic_session.py", tmp_path)
    before, stopped, anew, killed = found["told"]
    assert before == sum(row % 101 > 0 for row in range(10_000))
    assert stopped[0] is killed[0] is False
    assert anew == sum(row % 101 > 2 for row in range(10_000))
    assert (found["spent"], found["alarms"], found["kept"]) == ("4000000", 0, True)
    for word in ("Py4J", "Java", "stopped", "Exception"):
        assert word not in json.dumps(found["told"])
