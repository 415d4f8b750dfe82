"""``publish`` killed at every stage: the next run completes the release, and nothing is charged twice."""

import json
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.publishing.releases import contents, homes

from discreet.curator import office, open_table
from discreet.privacy.losses import Pure
from discreet.publishing.publish import publish

pytestmark = pytest.mark.slow  # charts are drawn, and processes started

ROOT = Path(__file__).parents[2]

# children of one process, which has loaded all and started nothing; each dies when its stage is told, or (put) when the new
# folder is about to be renamed into its place
DIES = """\
import json, os, signal, sys
from discreet.publishing import publish as room
from discreet.publishing import release_folder

def dies(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def ended(stage, file, out):
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        if stage == "put":
            release_folder._put = dies
        room.publish(file, out, progress=lambda what, *_: dies() if what == stage else None)
    finally:
        os._exit(1)

print(json.dumps([ended(*each) for each in json.loads(sys.argv[1])]))
"""

STAGES = {  # how often each kind of entry is there after the kill, beside the register
    "checking derived tables": {},
    "asking counts": {"charge": 2},
    "asking rents": {"charge": 2, "settle": 1},
    "writing tables": {"charge": 2, "settle": 2},
    "drawing the page": {"charge": 2, "settle": 2},
    "put": {"charge": 2, "settle": 2},
}


def kinds(folder):
    found = Counter(entry.kind for entry in office.entries(folder / "homes.toml"))
    del found["register"]
    return dict(found)


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """Stage → the folder of a table whose release was killed there."""
    folders = {stage: tmp_path_factory.mktemp("killed") for stage in STAGES}
    told = [(stage, str(homes(folder)), str(folder / "out")) for stage, folder in folders.items()]
    done = subprocess.run([sys.executable, "-c", DIES, json.dumps(told)], cwd=ROOT, check=True, capture_output=True, text=True)
    assert json.loads(done.stdout) == [-signal.SIGKILL] * len(told), done.stderr
    return folders


@pytest.mark.skipif(sys.platform == "win32", reason="missing part: SIGKILL")
@pytest.mark.parametrize("stage", STAGES)
def test_what_a_kill_left_is_completed_without_a_second_charge(killed, stage):
    folder = killed[stage]
    file, out = folder / "release.toml", folder / "out"
    assert kinds(folder) == STAGES[stage]
    assert not out.exists()                                      # whole or not there

    quote = publish(file, out, dry_run=True)
    owed = {} if STAGES[stage] else {"charge": 2}
    assert [each.is_free for each in quote.questions] == [not owed] * 2
    publish(file, out)
    assert open_table(folder / "homes.toml").budget.spent == Pure(epsilon="0.75")
    after = kinds(folder)
    assert (after["charge"], after["settle"]) == (2, 2)
    assert after.get("resume", 0) == after["charge"] - STAGES[stage].get("settle", 0) - owed.get("charge", 0)
    assert office.verify(folder / "homes.toml").ok

    before = contents(out)
    publish(file, out)
    assert contents(out) == before
