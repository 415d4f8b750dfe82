"""Workers that are as many as the cores have one each, and whoever replaces one has its."""

import os
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="missing part: Linux, which is told where threads run")]
SEATED = """
import os, sys
from discreet.service.seats import take_seat
take_seat(int(sys.argv[1]))
print(sorted(os.sched_getaffinity(0)), flush=True)
sys.stdin.read()
"""
CORES = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else []


class Seated:
    """A process that has taken a seat, until it is killed."""

    def __init__(self, workers):
        words = [sys.executable, "-c", SEATED, str(workers)]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.cores = self.process.stdout.readline().strip()

    def killed(self):
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def seated():
    found = []

    def take(workers):
        found.append(Seated(workers))
        return found[-1]

    yield take
    for each in found:
        each.killed()


@pytest.mark.slow
def test_as_many_workers_as_cores_have_one_each_and_a_killed_ones_is_free_again(seated):
    workers = [seated(len(CORES)) for _ in CORES]
    assert [each.cores for each in workers] == [f"[{core}]" for core in CORES]
    workers[0].killed()
    assert seated(len(CORES)).cores == f"[{CORES[0]}]"


@pytest.mark.slow
def test_more_workers_than_cores_share_them(seated):
    workers = [seated(2 * len(CORES)) for _ in range(2 * len(CORES))]
    assert [each.cores for each in workers] == [f"[{core}]" for core in CORES * 2]


@pytest.mark.slow
def test_one_for_whom_no_seat_is_left_runs_where_it_may(seated):
    for _ in CORES:
        seated(len(CORES))
    assert seated(len(CORES)).cores == str(CORES)


@pytest.mark.slow
def test_fewer_workers_than_cores_run_where_they_may(seated):
    assert seated(len(CORES) - 1).cores == str(CORES)
