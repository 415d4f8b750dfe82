"""A process that has ledgers open forks, often and from several threads: nothing is lost and nobody waits for ever."""

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from tests.ledger.made import charged_by_hand, write_table

from discreet.curator import office

ROOT = Path(__file__).parents[2]
LET_GO = """
import faulthandler, os, sys
from pathlib import Path
from tests.ledger.made import request
from discreet.ledger import open_ledger
faulthandler.dump_traceback_later(60, exit=True)
ledgers = [open_ledger(Path(file).parent / ".discreet") for file in sys.argv[1:]]

def forked(act=lambda: None):
    child = os.fork()
    if child == 0:
        try:
            act()
        except BaseException as error:
            print(error, flush=True)
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def charge(who):
    for ledger in ledgers:
        ledger.reserve([request(who, "1")])
"""


@pytest.fixture
def files(tmp_path):
    """Two tables with a ledger each."""
    homes = [tmp_path / name for name in ("one", "two")]
    found = []
    for home in homes:
        home.mkdir()
        found.append(write_table(home, budget="epsilon = 100"))
        office.register(found[-1])
    return found


def told(code, files):
    words = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", LET_GO + code, *map(str, files)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def sound(files, total):
    for file in files:
        assert office.verify(file).ok
        assert charged_by_hand(file.parent) == Fraction(total)


@pytest.mark.slow
def test_forks_one_after_the_other_let_go_of_every_ledger(files):
    """As a pool of workers does it; one of the ledgers is used in between and the other is not."""
    forking = """
forked(), forked()
for number, ledger in enumerate(ledgers):
    ledger.reserve([request(f"between {number}", "1")])
    print(forked(lambda: charge(f"child {number}")))
    charge(f"parent {number}")
"""
    assert told(forking, files) == ["0", "0"]
    sound(files, 5)


@pytest.mark.slow
def test_threads_that_fork_at_once_do_not_wait_for_each_other_for_ever(files):
    forking = """
from threading import Thread
threads = [Thread(target=lambda: [forked() for _ in range(60)]) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(forked(lambda: charge("child")))
charge("parent")
"""
    assert told(forking, files) == ["0"]
    sound(files, 2)
