"""``publish`` killed at every stage: the next run completes the release, and nothing is charged twice."""

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

# dies when the stage is told, or (put) when the new folder is about to be renamed into its place
DIES = """\
import os, signal, sys
from discreet.publishing import publish as room
from discreet.publishing import release_folder

def dies(*_):
    os.kill(os.getpid(), signal.SIGKILL)

stage = sys.argv[2]
if stage == "put":
    release_folder._put = dies
room.publish(sys.argv[1], sys.argv[3], progress=lambda what, *_: dies() if what == stage else None)
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


@pytest.mark.skipif(sys.platform == "win32", reason="missing part: SIGKILL")
@pytest.mark.parametrize("stage", STAGES)
def test_what_a_kill_left_is_completed_without_a_second_charge(tmp_path, stage):
    file, out = homes(tmp_path), tmp_path / "out"
    done = subprocess.run([sys.executable, "-c", DIES, str(file), stage, str(out)], cwd=ROOT, check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert kinds(tmp_path) == STAGES[stage]
    assert not out.exists()                                      # whole or not there

    quote = publish(file, out, dry_run=True)
    owed = {} if STAGES[stage] else {"charge": 2}
    assert [each.is_free for each in quote.questions] == [not owed] * 2
    publish(file, out)
    assert open_table(tmp_path / "homes.toml").budget.spent == Pure(epsilon="0.75")
    after = kinds(tmp_path)
    assert (after["charge"], after["settle"]) == (2, 2)
    assert after.get("resume", 0) == after["charge"] - STAGES[stage].get("settle", 0) - owed.get("charge", 0)
    assert office.verify(tmp_path / "homes.toml").ok

    before = contents(out)
    publish(file, out)
    assert contents(out) == before
