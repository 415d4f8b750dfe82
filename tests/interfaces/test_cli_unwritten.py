"""What cannot be written out, by a full disk or because nobody reads it, is kept: the next ask is free, and stderr says so."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")
COUNT = "SELECT COUNT(*) AS n FROM people"
WAYS = [[], ["--json"], ["--csv"], ["--plot"]]
RELEASE = """
[release]
title = "People"

[[question]]
name = "all"
table = "people.toml"
sql = "SELECT COUNT(*) AS n FROM people"
epsilon = 0.5
"""

pytestmark = pytest.mark.skipif(not FULL.exists(), reason="missing part: /dev/full, which this system does not have")


def left(people):
    return json.loads(people("budget", "people.toml", "--json").out)["remaining"]["epsilon"]


def into(where, *words):
    """A command line whose output goes to ``where``, in a process of its own."""
    return subprocess.run([sys.executable, "-m", "discreet.cli", *words], stdout=where, stderr=subprocess.PIPE, check=False,
                          text=True, encoding="utf-8")


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_an_answer_that_finds_no_room_is_kept_and_free(people, way):
    with FULL.open("wb") as full:
        ended = into(full, "ask", "people.toml", COUNT, "--epsilon", "0.5", *way)
    assert ended.returncode == 74, ended.stderr
    assert "no space left on device" in ended.stderr
    assert "the answer is kept: ask the same again, which is free" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert left(people) == "1.5"
    again = people("ask", "people.toml", COUNT, "--epsilon", "0.5", "--json")
    assert json.loads(again.out)["replayed"] is True
    assert left(people) == "1.5"


@pytest.mark.parametrize("way", WAYS[:2], ids=str)
def test_an_answer_that_nobody_reads_is_kept_and_free(people, way):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        ended = into(closed, "ask", "people.toml", COUNT, "--epsilon", "0.5", *way)
    assert ended.returncode == 141, ended.stderr
    assert "the answer is kept: ask the same again, which is free" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert left(people) == "1.5"


def test_with_json_the_complaint_is_one_object_too(people):
    with FULL.open("wb") as full:
        ended = into(full, "ask", "people.toml", COUNT, "--epsilon", "0.5", "--json")
    told = json.loads(ended.stderr)
    assert told["error"] == "output"
    assert "free" in told["hint"]


def test_a_release_whose_last_words_find_no_room_is_there(people, folder):
    (folder / "release.toml").write_text(RELEASE, encoding="utf-8")
    with FULL.open("wb") as full:
        ended = into(full, "publish", "release.toml", "--out", "out")
    assert ended.returncode == 74, ended.stderr
    assert "publishing again is free" in ended.stderr
    assert (folder / "out" / "index.html").exists()


@pytest.mark.parametrize("words", [["budget", "people.toml"], ["quote", "people.toml", COUNT, "--epsilon", "1"]], ids=str)
def test_other_commands_that_find_no_room_end_with_74_and_accuse_nobody(people, words):
    with FULL.open("wb") as full:
        ended = into(full, *words)
    assert ended.returncode == 74, ended.stderr
    assert "mistake in discreet" not in ended.stderr
    assert "Exception ignored" not in ended.stderr
    assert left(people) == "2"


@pytest.mark.parametrize("words", [["ledger", "export"], ["ledger", "witness"]], ids=str)
def test_a_file_that_finds_no_room_ends_with_74_as_stdout_does(people, words):
    shown = people(*words, "people.toml", "--out", str(FULL))
    assert shown.code == 74, shown.err
    assert "no space left on device" in shown.err
    assert people(*words, "people.toml", "--out", "/proc/nobody/writes/here").code == 2


def test_an_answer_whose_file_finds_no_room_is_kept_and_free(people):
    shown = people("ask", "people.toml", COUNT, "--epsilon", "0.5", "--receipt", str(FULL))
    assert (shown.code, "free" in shown.err) == (74, True)
    assert left(people) == "1.5"
