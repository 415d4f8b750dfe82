"""Workers that are as many as the cores have one each, and whoever replaces one has its."""

import os
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="missing part: Linux, which is told where threads run")]
SEATED = """
import os, sys
from discreet.service.seats import take_seat
if len(sys.argv) > 2:
    def refused(*_):
        raise OSError
    setattr(os, sys.argv[2], refused) if hasattr(os, sys.argv[2]) else setattr(__import__("socket"), sys.argv[2], refused)
take_seat(int(sys.argv[1]))
print(sorted(os.sched_getaffinity(0)), flush=True)
sys.stdin.read()
"""
CORES = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else []


class Seated:
    """A process that has taken a seat, until it is killed."""

    def __init__(self, workers, *refused):
        words = [sys.executable, "-c", SEATED, str(workers), *refused]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.cores = self.process.stdout.readline().strip()

    def killed(self):
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def seated():
    found = []

    def take(workers, *refused):
        found.append(Seated(workers, *refused))
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
@pytest.mark.parametrize("more", [-1, 1])
def test_workers_that_cannot_be_dealt_out_evenly_run_where_they_may(seated, more):
    if (workers := len(CORES) + more) % len(CORES) == 0:
        workers = 0  # of one core every number is a multiple
    assert seated(workers).cores == str(CORES)


@pytest.mark.slow
@pytest.mark.parametrize("refused", ["sched_setaffinity", "socket"])
def test_where_it_is_forbidden_a_worker_begins_all_the_same(seated, refused):
    assert seated(len(CORES), refused).cores == str(CORES)
