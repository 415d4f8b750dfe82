"""Whoever stays on a core starts threads there, and engines whose threads are on all of them."""

import json
import os
import subprocess
import sys
import threading

import pytest

from discreet.cores import all_cores, on_all_cores, stay_on

linux = pytest.mark.skipif(sys.platform != "linux", reason="missing part: Linux, which is told where threads run")
STAYING = """
import json, os, threading
from discreet.cores import all_cores, stay_on
from discreet.engines.duckdb.engine import started
from discreet.engines.duckdb.limits import limits

def threads():
    return {int(each) for each in os.listdir("/proc/self/task")}

before = sorted(os.sched_getaffinity(0))
stay_on(before[-1])
others = threads()
connection, _ = started()
own = [sorted(os.sched_getaffinity(each)) for each in threads() - others]
told = {"before": before, "now": sorted(os.sched_getaffinity(0)), "all": sorted(all_cores()), "threads": limits()["threads"],
        "of the engine": own, "counted": connection.execute("SELECT SUM(range) FROM range(1000000)").fetchall()[0][0]}
print(json.dumps(told))
"""


def in_a_process(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@linux
@pytest.mark.slow
def test_an_engine_has_all_cores_though_whoever_opens_it_stays_on_one():
    told = in_a_process(STAYING)
    cores = told["before"]
    assert told["now"] == cores[-1:]
    assert told["all"] == cores
    assert told["threads"] == str(min(16, len(cores)))
    assert len(told["of the engine"]) >= len(cores) - 1  # one of those that work is whoever asks
    assert all(each == cores for each in told["of the engine"])
    assert told["counted"] == 499_999_500_000


@linux
def test_whoever_stays_is_back_on_its_core_after_all_of_them():
    def stays():
        core = min(os.sched_getaffinity(0))
        stay_on(core)
        found.append(os.sched_getaffinity(0) == {core})
        with on_all_cores():
            found.append(os.sched_getaffinity(0) == cores)
        found.append(os.sched_getaffinity(0) == {core})

    cores, found = set(all_cores()), []
    thread = threading.Thread(target=stays)  # no other thread of this process is moved
    thread.start()
    thread.join()
    assert found == [True, True, True]
    assert os.sched_getaffinity(0) == cores == all_cores()
