"""A cluster that loses one of its executors while a question is answered."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def test_an_executor_that_is_lost_in_the_middle_changes_no_integer(tmp_path, part):
    part("pyspark")
    program = Path(__file__).with_name("lost_executor.py")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_", "MASTER"))}
    done = subprocess.run([sys.executable, program, tmp_path], capture_output=True, text=True, timeout=300, check=False,
                          env=environment)  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["killed"] == 1
    assert found["spent"] == "3000000"
    values = [row % 101 for row in range(10_000)] * 8
    for least, row in zip((5, 6, 7), found["told"], strict=True):
        kept = [value for value in values if value > least]
        assert row["n"] == len(kept)                  # noise of a millionth of a row
        assert row["s"] == pytest.approx(sum(kept), abs=0.01)
