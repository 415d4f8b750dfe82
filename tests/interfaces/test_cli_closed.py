"""Commands whose standard streams are closed, as by ``>&-``, end as those whose output cannot be written, and never crash."""

import json
import os
import subprocess
import sys

import pytest

COUNT = "SELECT COUNT(*) AS n FROM people"
ASK = ("ask", "people.toml", COUNT, "--epsilon", "0.5")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="missing part: a shell that closes streams")


def closing(streams, *words):
    """A command line in a process of its own, started by a shell that closes some streams."""
    command = [sys.executable, "-m", "discreet.cli", *words]
    shell = ["sh", "-c", f'exec "$@" {streams}', "sh"]
    return subprocess.run([*shell, *command], capture_output=True, encoding="utf-8", check=False)


def left(people):
    return json.loads(people("budget", "people.toml", "--json").out)["remaining"]["epsilon"]


@pytest.mark.parametrize(
    "words",
    [["budget", "people.toml"], ["budget", "people.toml", "--json"], ["check", "people.toml"],
     ["ledger", "export", "people.toml"], ["--version"], ["--help"]],
    ids=str,
)  # fmt: skip
def test_a_command_without_standard_output_ends_with_74_and_accuses_nobody(people, words):
    ended = closing(">&-", *words)
    assert ended.returncode == 74, ended.stderr
    assert "standard output is closed" in ended.stderr
    assert "mistake in discreet" not in ended.stderr
    assert "Exception ignored" not in ended.stderr


@pytest.mark.parametrize("way", [[], ["--json"], ["--csv"], ["--plot"]], ids=str)
def test_an_answer_without_standard_output_is_kept_and_free(people, way):
    ended = closing(">&-", *ASK, *way)
    assert ended.returncode == 74, ended.stderr
    assert "the answer is kept: ask the same again, which is free" in ended.stderr
    assert left(people) == "1.5"
    assert json.loads(people(*ASK, "--json").out)["replayed"] is True


def test_a_command_without_stderr_says_what_it_says_on_stdout(people):
    ended = closing("2>&-", *ASK, "--json")
    assert (ended.returncode, "columns" in ended.stdout or "rows" in ended.stdout) == (0, True)
    assert closing("2>&-", "budget", "none.toml").returncode == 2
    assert closing(">&- 2>&-", "budget", "people.toml").returncode == 74
    assert closing("<&- >&- 2>&-", *ASK).returncode == 74
    assert people("ledger", "verify", "people.toml").code == 0


def test_a_question_from_a_closed_stdin_is_none(people):
    ended = closing("<&-", "ask", "people.toml", "-", "--epsilon", "0.5")
    assert (ended.returncode, "stdin" in ended.stderr) == (2, True)
